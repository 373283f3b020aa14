"""Task 03.4: links become numbers, and the pages behind the numbers are listed."""

from tests.answers import Right, Wrong

LINK = "the link that supports a sentence becomes [1]"
PAGE = "the page is listed by its title and its address"
SEVERAL = "several links become the numbers of their pages"
ONCE = "a page that is cited twice is listed once"
OWN = "the indices count within their own message"
ALL = "and the pages of all messages are listed"
PLAIN = "an answer without citations stays as it is"

SOURCED = """
import re
from course_lib import MODEL

def sourced(client, question):
    tools = [{"type": "web_search"}]
    response = client.responses.create(model=MODEL, input=question, tools=tools)
    text, sources = "", []
    for item in response.output:
        for part in item.content if item.type == "message" else []:
            read = 0
            for cited in part.annotations:
                url = re.sub(r"[?&]utm_source=openai$", "", cited.url)
                page = {"title": cited.title, "url": url}
                if page not in sources:
                    sources.append(page)
                text += f"{part.text[read : cited.start_index]}[{sources.index(page) + 1}]"
                read = cited.end_index
            text += part.text[read:]
    return {"text": text, "sources": sources}
"""
FROM_THE_BACK = """
from course_lib import MODEL

def sourced(client, question):
    response = client.responses.create(
        model=MODEL, tools=[{"type": "web_search", "search_context_size": "high"}],
        input=[{"role": "user", "content": question}],
    )
    numbers, titles, texts = {}, {}, []
    parts = [part for item in response.output if item.type == "message" for part in item.content]
    for part in parts:
        for cited in part.annotations:
            url = cited.url.partition("?utm_source")[0]
            numbers.setdefault(url, len(numbers) + 1)
            titles[url] = cited.title
    for part in parts:
        text = part.text
        for cited in reversed(part.annotations):
            number = f"[{numbers[cited.url.partition('?utm_source')[0]]}]"
            text = text[: cited.start_index] + number + text[cited.end_index :]
        texts.append(text)
    sources = [{"title": titles[url], "url": url} for url in numbers]
    return {"text": "".join(texts), "sources": sources}
"""

RIGHT: dict[str, Right] = {
    "copied_as_it_goes": SOURCED,
    "replaced_from_the_back": FROM_THE_BACK,
    "with_what_the_replacing_moves": """
from urllib.parse import urlsplit, urlunsplit
from course_lib import MODEL

def sourced(client, question):
    response = client.responses.create(
        model=MODEL, input=question, tools=[{"type": "web_search"}], stream=False
    )
    pages, whole = [], ""
    for item in response.output:
        if item.type != "message":
            continue
        for part in item.content:
            text, moved = part.text, 0
            for cited in sorted(part.annotations, key=lambda each: each.start_index):
                url = urlunsplit(urlsplit(cited.url)._replace(query=""))
                if url not in [page["url"] for page in pages]:
                    pages.append({"title": cited.title, "url": url})
                number = [page["url"] for page in pages].index(url) + 1
                start, end = cited.start_index + moved, cited.end_index + moved
                before = len(text)
                text = text[:start] + f"[{number}]" + text[end:]
                moved += len(text) - before
            whole += text
    return {"text": whole, "sources": pages}
""",
    "the_spans_looked_up_as_texts": """
import re
from course_lib import MODEL

def sourced(client, question):
    response = client.responses.create(
        model=MODEL, input=question, tools=[{"type": "web_search"}]
    ).model_dump()
    numbers, sources = {}, []
    text = ""
    for item in response["output"]:
        for part in item.get("content") or []:
            if "text" not in part or "annotations" not in part:
                continue
            links = {}
            for cited in part["annotations"]:
                url = cited["url"].replace("?utm_source=openai", "")
                if url not in numbers:
                    numbers[url] = len(numbers) + 1
                    sources.append(dict(url=url, title=cited["title"]))
                links[part["text"][cited["start_index"] : cited["end_index"]]] = numbers[url]
            done = part["text"]
            for link, number in links.items():
                done = done.replace(link, f"[{number}]")
            text += done
    return {"sources": sources, "text": text}
""",
}
FOUND_IN_THE_TEXT = """
import re
from course_lib import MODEL

def sourced(client, question):
    tools = [{"type": "web_search"}]
    response = client.responses.create(model=MODEL, input=question, tools=tools)
    pages, titles = [], {}
    for item in response.output:
        for part in item.content if item.type == "message" else []:
            titles |= {cited.url: cited.title for cited in part.annotations}

    def number(found):
        url = found[1]
        if url not in pages:
            pages.append(url)
        return f"[{pages.index(url) + 1}]"

    text = re.sub(r"\\(?\\[[^]]*\\]\\((https[^)]*)\\)\\)?", number, response.output_text)
    sources = [
        {"title": titles.get(url), "url": url.removesuffix("?utm_source=openai")} for url in pages
    ]
    return {"text": text, "sources": sources}
"""
NUMBER = "[{sources.index(page) + 1}]"

WRONG: dict[str, Wrong] = {
    "the_text_as_it_came": Wrong(
        """
from course_lib import MODEL

def sourced(client, question):
    tools = [{"type": "web_search"}]
    response = client.responses.create(model=MODEL, input=question, tools=tools)
    return {"text": response.output_text, "sources": []}
""",
        (LINK, PAGE, SEVERAL, ONCE, OWN, ALL),
        "two to three days late. ([parcelway.example](https://parcelway.example/news/utrecht-hub",
        "two to three days late. [1]",
    ),
    "replaced_from_the_front": Wrong(
        FROM_THE_BACK.replace("reversed(part.annotations)", "part.annotations"),
        (SEVERAL, OWN),
        "Up to 31.5 kg. ([parcelway.example](",
        "Up to 31.5 kg. [2] Back on Friday. [1]",
    ),
    "found_in_the_text": Wrong(
        FOUND_IN_THE_TEXT,
        (SEVERAL, ONCE),
        "broke. [1] Use [2]. Up to",
        "broke. [1] Use [this form](https://forms.example). Up to",
    ),
    "indices_within_output_text": Wrong(
        """
from course_lib import MODEL

def sourced(client, question):
    tools = [{"type": "web_search"}]
    response = client.responses.create(model=MODEL, input=question, tools=tools)
    cites = [
        cited for item in response.output if item.type == "message"
        for part in item.content for cited in part.annotations
    ]
    text, read, sources = "", 0, []
    for cited in cites:
        page = {"title": cited.title, "url": cited.url.removesuffix("?utm_source=openai")}
        if page not in sources:
            sources.append(page)
        text += response.output_text[read : cited.start_index] + f"[{sources.index(page) + 1}]"
        read = cited.end_index
    return {"text": text + response.output_text[read:], "sources": sources}
""",
        (OWN,),
        "Parcels have a limit. [1]",
        "The belt is broken. [2] And so there is a limit. [1]",
    ),
    "the_first_message_alone": Wrong(
        SOURCED.replace(
            "in response.output:", "in [i for i in response.output if i.type == 'message'][:1]:"
        ),
        (OWN, ALL),
        "'Parcels have a limit. [1]\\n' (a string)",
        "The belt is broken. [2]",
    ),
    "the_last_message_alone": Wrong(
        SOURCED.replace("in response.output:", "in response.output[-1:]:"),
        (OWN, ALL),
        "'The belt is broken. [1] And so there is a limit. [2]'",
        "Parcels have a limit. [1]",
    ),
    "counted_anew_in_each_message": Wrong(
        SOURCED.replace("            read = 0\n", "            read, sources = 0, []\n"),
        (OWN, ALL),
        "Parcels have a limit. [1]\\nThe belt is broken. [1]",
        "The belt is broken. [2]",
    ),
    "lines_between_the_messages": Wrong(
        SOURCED.replace("text += part.text[read:]", "text += part.text[read:] + '\\n'").replace(
            '"text": text,', '"text": text.strip(),'
        ),
        (OWN,),
        "[1]\\n\\nThe belt",
        "[1]\\nThe belt",
    ),
    "a_number_for_each_citation": Wrong(
        SOURCED.replace("if page not in sources:", "if True:").replace(NUMBER, "[{len(sources)}]"),
        (SEVERAL, ONCE, OWN, ALL),
        "Back on Friday. [3]",
        "Back on Friday. [1]",
    ),
    "listed_twice": Wrong(
        SOURCED.replace("if page not in sources:", "if True:"),
        (ONCE, ALL),
        "'https://parcelway.example/help/limits', 'https://parcelway.example/news/utrecht-hub'] (a",
        "['https://parcelway.example/news/utrecht-hub', 'https://parcelway.example/help/limits']",
    ),
    "the_tracking_left_on": Wrong(
        SOURCED.replace('re.sub(r"[?&]utm_source=openai$", "", cited.url)', "cited.url"),
        (PAGE, ONCE),
        "?utm_source=openai",
        "'url': 'https://parcelway.example/news/utrecht-hub'}]",
    ),
    "counted_from_zero": Wrong(
        SOURCED.replace("sources.index(page) + 1", "sources.index(page)"),
        (LINK, SEVERAL, OWN),
        "late. [0]",
        "late. [1]",
    ),
    "the_link_kept_beside_the_number": Wrong(
        SOURCED.replace("read = cited.end_index", "read = cited.start_index"),
        (LINK, SEVERAL, OWN),
        "late. [1]([parcelway.example]",
        "late. [1]",
    ),
    "the_words_after_the_last_link_lost": Wrong(
        SOURCED.replace("            text += part.text[read:]\n", ""),
        (SEVERAL, OWN, PLAIN),
        "Back on Friday. [1]' (a string)",
        "[1] That is all (1).",
    ),
    "addresses_alone": Wrong(
        SOURCED.replace('page = {"title": cited.title, "url": url}', "page = url"),
        (PAGE, ALL),
        "['https://parcelway.example/news/utrecht-hub'] (a list)",
        "'title': 'Sorting hub in Utrecht slowed by a broken belt'",
    ),
    "the_last_title_for_all": Wrong(
        SOURCED.replace(
            '"sources": sources}',
            '"sources": [p | {"title": page["title"]} for p in sources] if sources else []}',
        ),
        (ALL,),
        "['Size and weight limits of parcels', 'Size and weight limits of parcels'] (a list)",
        "['Size and weight limits of parcels', 'Sorting hub in",
    ),
    "no_search": Wrong(
        SOURCED.replace(", tools=tools", ""),
        (LINK, PAGE, SEVERAL, ONCE, OWN, ALL),
        "I have no tool for that.",
        "the answer of a model that has web_search",
    ),
    "nothing_without_citations": Wrong(
        SOURCED.replace("    return {", "    if not sources:\n        return None\n    return {"),
        (PLAIN,),
        "nothing: is a return missing?",
        "'sources': []",
    ),
}
