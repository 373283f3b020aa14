"""Task 04.6: the smallest number of passages that holds every right document, and its price."""

from tests.answers import Right, Wrong

FIRST = "one passage is enough where it always comes first"
MOST = "the question that needs most decides"
PASSAGES = "passages are counted, not files"
TOKENS = "the tokens at that number come back"
DEFAULT = "and those without a limit"

ALL = (FIRST, MOST, PASSAGES, TOKENS, DEFAULT)

SMALLEST = """
from course_lib import MODEL

def smallest(client, store_id, questions):
    search = {"type": "file_search", "vector_store_ids": [store_id]}

    def ask(question, tool):
        return client.responses.create(
            model=MODEL, input=question, tools=[tool], include=["file_search_call.results"]
        )

    most = spent = 0
    for question, name in questions.items():
        response = ask(question, search)
        spent += response.usage.input_tokens
        call = next(item for item in response.output if item.type == "file_search_call")
        names = [hit.filename for hit in call.results]
        most = max(most, names.index(name) + 1)
    tool = search | {"max_num_results": most}
    limited = sum(ask(question, tool).usage.input_tokens for question in questions)
    return {"max_num_results": most, "tokens": limited, "default_tokens": spent}
"""

RIGHT: dict[str, Right] = {
    "by_the_place_of_each": SMALLEST,
    "by_trying": """
from course_lib import MODEL

def ask(client, store_id, question, **limit):
    response = client.responses.create(
        model=MODEL,
        input=[{"role": "user", "content": question}],
        tools=[{"type": "file_search", "vector_store_ids": [store_id], **limit}],
        include=["file_search_call.results"],
        store=False,
    )
    [call] = [item for item in response.output if item.type == "file_search_call"]
    return {hit.filename for hit in call.results}, response.usage.input_tokens

def smallest(client, store_id, questions):
    default = sum(ask(client, store_id, question)[1] for question in questions)
    for limit in range(1, 51):
        tokens = 0
        for question, name in questions.items():
            names, used = ask(client, store_id, question, max_num_results=limit)
            tokens += used
            if name not in names:
                break
        else:
            return {"max_num_results": limit, "tokens": tokens, "default_tokens": default}
    raise ValueError("not among fifty")
""",
    "by_searching_the_store": """
from course_lib import MODEL

def smallest(client, store_id, questions):
    def place(question, name):
        hits = client.vector_stores.search(store_id, query=question, max_num_results=50)
        return next(n for n, hit in enumerate(hits, start=1) if hit.filename == name)

    limit = max(place(*pair) for pair in questions.items())
    counts = {}
    for key, options in {"tokens": {"max_num_results": limit}, "default_tokens": {}}.items():
        tool = {"type": "file_search", "vector_store_ids": [store_id]} | options
        counts[key] = sum(
            client.responses.create(model=MODEL, input=q, tools=[tool]).usage.input_tokens
            for q in questions
        )
    return counts | {"max_num_results": limit}
""",
    "streamed_and_by_halves": """
from course_lib import MODEL

def ask(client, store_id, question, limit):
    tool = {"type": "file_search", "vector_store_ids": [store_id], "max_num_results": limit}
    with client.responses.stream(
        model=MODEL, input=question, tools=[tool], include=["file_search_call.results"]
    ) as stream:
        return stream.get_final_response()

def finds_all(client, store_id, questions, limit):
    for question, name in questions.items():
        response = ask(client, store_id, question, limit)
        results = [r for item in response.output if item.type == "file_search_call"
                   for r in item.results]
        if not any(r.filename == name for r in results):
            return False
    return True

def smallest(client, store_id, questions):
    low, high = 1, 20
    while low < high:
        middle = (low + high) // 2
        if finds_all(client, store_id, questions, middle):
            high = middle
        else:
            low = middle + 1

    def spent(limit):
        return sum(ask(client, store_id, q, limit).usage.input_tokens for q in questions)

    return dict(max_num_results=low, tokens=spent(low), default_tokens=spent(20))
""",
}

WRONG: dict[str, Wrong] = {
    "places_from_zero": Wrong(
        SMALLEST.replace("names.index(name) + 1", "max(1, names.index(name))"),
        (MOST, PASSAGES, TOKENS),
        "1 (an integer)",
        "2 (an integer)",
    ),
    "one_too_many": Wrong(
        SMALLEST.replace("names.index(name) + 1", "names.index(name) + 2"),
        (FIRST, MOST, PASSAGES, TOKENS),
        "2 (an integer)",
        "1 (an integer)",
    ),
    "the_mean": Wrong(
        SMALLEST.replace(
            "most = max(most, names.index(name) + 1)",
            "most += (names.index(name) + 1) / len(questions)",
        ).replace("    tool = search", "    most = round(most)\n    tool = search"),
        (MOST, PASSAGES, TOKENS),
        "1 (an integer)",
        "2 (an integer)",
    ),
    "the_last_question_decides": Wrong(
        SMALLEST.replace("max(most, names.index(name) + 1)", "names.index(name) + 1"),
        (MOST, PASSAGES, TOKENS),
        "1 (an integer)",
        "2 (an integer)",
    ),
    "the_easiest_question_decides": Wrong(
        SMALLEST.replace(
            "max(most, names.index(name) + 1)", "min(most or 50, names.index(name) + 1)"
        ),
        (MOST, PASSAGES, TOKENS),
        "1 (an integer)",
        "2 (an integer)",
    ),
    "files_are_counted": Wrong(
        SMALLEST.replace(
            "[hit.filename for hit in call.results]",
            "list(dict.fromkeys(hit.filename for hit in call.results))",
        ),
        (PASSAGES, TOKENS),
        "2 (an integer)",
        "3 (an integer)",
    ),
    "results_are_not_included": Wrong(
        SMALLEST.replace(', include=["file_search_call.results"]', ""),
        ALL,
        "your code raised TypeError: 'NoneType' object is not iterable (line 16: ",
        "1 (an integer)",
    ),
    "by_the_answers_words": Wrong(
        """
from course_lib import MODEL

def smallest(client, store_id, questions):
    search = {"type": "file_search", "vector_store_ids": [store_id]}
    for limit in range(1, 21):
        tool = search | {"max_num_results": limit}
        responses = [client.responses.create(model=MODEL, input=q, tools=[tool]) for q in questions]
        if all(name in r.output_text for r, name in zip(responses, questions.values())):
            break
    used = sum(response.usage.input_tokens for response in responses)
    return {"max_num_results": limit, "tokens": used, "default_tokens": used}
""",
        (FIRST, MOST, PASSAGES, TOKENS),
        "20 (an integer)",
        "1 (an integer)",
    ),
    "by_what_is_cited": Wrong(
        SMALLEST.replace(
            "[hit.filename for hit in call.results]",
            "[n.filename for n in response.output[-1].content[0].annotations]",
        ),
        ALL,
        "your code raised ValueError: 'kettle.md' is not in list (line 17: most =",
        "1 (an integer)",
    ),
    "the_tokens_of_the_last_question": Wrong(
        SMALLEST.replace("spent += response", "spent = response"),
        (DEFAULT,),
        "1213 (an integer)",
        "2424 (an integer)",
    ),
    "the_mean_of_the_tokens": Wrong(
        SMALLEST.replace('"tokens": limited', '"tokens": limited / len(questions)'),
        (TOKENS,),
        "322.5 (a float)",
        "645 (an integer)",
    ),
    "all_tokens": Wrong(
        SMALLEST.replace("usage.input_tokens", "usage.total_tokens"),
        (TOKENS, DEFAULT),
        "689 (an integer)",
        "645 (an integer)",
    ),
    "the_same_tokens_twice": Wrong(
        SMALLEST.replace('"tokens": limited', '"tokens": spent'),
        (TOKENS,),
        "2424 (an integer)",
        "645 (an integer)",
    ),
    "estimated": Wrong(
        SMALLEST.replace('"tokens": limited', '"tokens": spent * most // 20'),
        (TOKENS,),
        "121 (an integer)",
        "645 (an integer)",
    ),
    "interchanged": Wrong(
        SMALLEST.replace(
            '"tokens": limited, "default_tokens": spent',
            '"tokens": spent, "default_tokens": limited',
        ),
        (TOKENS, DEFAULT),
        "2424 (an integer)",
        "645 (an integer)",
    ),
    "the_number_alone": Wrong(
        SMALLEST.replace(
            'return {"max_num_results": most, "tokens": limited, "default_tokens": spent}',
            "return most",
        ),
        ALL,
        "1 (an integer), which has no 'max_num_results'",
        "1 (an integer)",
    ),
    "always_three": Wrong(
        SMALLEST.replace("    tool = search", "    most = 3\n    tool = search"),
        (FIRST, MOST, TOKENS),
        "3 (an integer)",
        "1 (an integer)",
    ),
    "the_largest_there_is": Wrong(
        SMALLEST.replace("max(most, names.index(name) + 1)", "len(names)"),
        (FIRST, MOST, PASSAGES, TOKENS),
        "8 (an integer)",
        "1 (an integer)",
    ),
}
