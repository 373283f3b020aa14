"""Python that the stand-in writes for a code interpreter: arithmetic, and little tables.

    sum, mean, median, smallest, largest, sort    of the numbers in the request
    a per cent of b                               a percentage of an amount
    compound growth                               an amount, a rate and a number of years
    an expression                                 as it stands: 3 * (4 + 5) ** 2
    y = x ** 2 for x from a to b                  a table of its values

Anything else it cannot write, and says so.
"""

import re

from .lexicon import pattern, sets

_OF_NUMBERS = {
    "sum": "sum(numbers)",
    "mean": "sum(numbers) / len(numbers)",
    "median": "statistics.median(numbers)",
    "standard deviation": "statistics.stdev(numbers)",
    "largest": "max(numbers)",
    "smallest": "min(numbers)",
    "sorted": "sorted(numbers)",
}
# What is run when the tool must be called and there is nothing it could compute.
NOTHING = "print('The request has nothing that I can compute.')"


def write(request: str) -> str | None:
    """A few lines of Python that print what the request asks for; None if it is beyond this."""
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", request).replace("^", "**")
    if found := pattern("formula").search(text):
        formula = re.sub(r"(?<=\d)\s*x", " * x", found[1])  # 2x as Python has it
        return f"for x in range({found[2]}, {found[3]} + 1):\n    print(x, {formula})"
    if found := pattern("share of").search(text):
        return f"print({found[2]} * {found[1]} / 100)"
    if found := pattern("growth").search(text):
        return (
            f"amount = {found[1]}\nfor year in range(1, {found[3]} + 1):\n"
            f"    amount *= 1 + {found[2]} / 100\n    print(year, round(amount, 2))"
        )
    numbers = pattern("plain number").findall(text)
    said = {*re.findall(r"[a-z]+", text.lower())}
    asked = {n: c for n, c in _OF_NUMBERS.items() if sets("reductions")[n] & said}
    if asked and len(numbers) > 2:
        lines = [f'print("{name}:", {code})' for name, code in asked.items()]
        return "\n".join(["import statistics", "", f"numbers = [{', '.join(numbers)}]", *lines])
    if found := pattern("expression").search(text):
        code = f"print({found[1].strip()})"
        return code if _compiles(code) else None
    return None


def _compiles(code: str) -> bool:
    try:
        compile(code, "<code>", "exec")
    except (SyntaxError, ValueError, OverflowError):
        return False
    return True
