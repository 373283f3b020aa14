"""Python that the stand-in writes for a code interpreter: arithmetic, and little tables.

    sum, mean, median, smallest, largest, sort    of the numbers in the request
    a per cent of b                               a percentage of an amount
    compound growth                               an amount, a rate and a number of years
    an expression                                 as it stands: 3 * (4 + 5) ** 2
    y = x ** 2 for x from a to b                  a table of its values

Anything else it cannot write, and says so.
"""

import re

_NUMBER = r"(?<![\w.-])-?\d[\d,]*(?:\.\d+)?(?![\w-])"  # not a part of A-104 or of a date
_LIST = {
    "sum": (r"\b(?:sum|total|add up|add)\b", "sum(numbers)"),
    "mean": (r"\b(?:mean|average)\b", "sum(numbers) / len(numbers)"),
    "median": (r"\bmedian\b", "statistics.median(numbers)"),
    "standard deviation": (r"\bstandard deviation\b", "statistics.stdev(numbers)"),
    "largest": (r"\b(?:largest|maximum|max|biggest|highest)\b", "max(numbers)"),
    "smallest": (r"\b(?:smallest|minimum|min|lowest)\b", "min(numbers)"),
    "sorted": (r"\bsort(?:ed)?\b", "sorted(numbers)"),
}
_EXPRESSION = re.compile(
    r"\b(?:is|compute|calculate|evaluate|of|out|much)\s+([\d(][\d\s.+*/^()%-]*[-+*/^]"
    r"[\d\s.+*/^()%-]*[\d)])\s*(?:[?.!,=]|$|\b(?:using|with|in|and|please)\b)", re.IGNORECASE,
)  # fmt: skip
_PERCENT = re.compile(rf"({_NUMBER})\s*(?:%|per ?cent)\s+of\s+\D{{0,12}}({_NUMBER})", re.IGNORECASE)
_GROWTH = re.compile(
    rf"({_NUMBER})\D*?(?:at|by|with|grow\w*)\D*?({_NUMBER})\s*(?:%|per ?cent)[^.?]*?"
    rf"({_NUMBER})\s*(?:years?|months?|periods?)", re.IGNORECASE,
)  # fmt: skip
_FORMULA = re.compile(
    r"y\s*=\s*([x\d\s.+*/^()-]*x[x\d\s.+*/^()-]*?)\s*,?\s*(?:for|from|with)\s+"
    rf"x?\s*(?:=|from|between|in)?\s*({_NUMBER})\s*(?:to|and|\.\.|…)\s*({_NUMBER})", re.IGNORECASE,
)  # fmt: skip
# What is run when the tool must be called and there is nothing it could compute.
NOTHING = "print('The request has nothing that I can compute.')"


def write(request: str) -> str | None:
    """A few lines of Python that print what the request asks for; None if it is beyond this."""
    if found := _FORMULA.search(request):
        formula = _times(_plain(found[1]))
        first, last = _plain(found[2]), _plain(found[3])
        return f"for x in range({first}, {last} + 1):\n    print(x, {formula})"
    if found := _PERCENT.search(request):
        return f"print({_plain(found[2])} * {_plain(found[1])} / 100)"
    if found := _GROWTH.search(request):
        amount, rate, years = (_plain(found[i]) for i in (1, 2, 3))
        return (
            f"amount = {amount}\nfor year in range(1, {years} + 1):\n"
            f"    amount *= 1 + {rate} / 100\n    print(year, round(amount, 2))"
        )
    numbers = [_plain(each) for each in re.findall(_NUMBER, _without_thousands(request))]
    asked = {
        n: code for n, (said, code) in _LIST.items() if re.search(said, request, re.IGNORECASE)
    }
    if asked and len(numbers) > 2:
        head = (
            "import statistics\n\n" if any("statistics" in code for code in asked.values()) else ""
        )
        lines = "\n".join(f'print("{name}:", {code})' for name, code in asked.items())
        return f"{head}numbers = [{', '.join(numbers)}]\n{lines}"
    if found := _EXPRESSION.search(request):
        code = f"print({_plain(found[1])})"
        return code if _compiles(code) else None
    return None


def _without_thousands(text: str) -> str:
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)


def _plain(written: str) -> str:
    return _without_thousands(written).replace("^", "**").replace(",", "").strip()


def _times(formula: str) -> str:
    """`2x` as Python has it."""
    return re.sub(r"(?<=\d)\s*x", " * x", formula)


def _compiles(code: str) -> bool:
    try:
        compile(code, "<code>", "exec")
    except (SyntaxError, ValueError, OverflowError):
        return False
    return True
