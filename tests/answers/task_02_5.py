"""Task 02.5: a conversation sent whole, and one that is chained."""

from tests.answers import Right, Wrong

WHOLE = "whole: each request holds all questions so far"
CHAINED = "chained: each holds the new question, and goes on from the last"
READS = "the model reads the whole conversation either way"
INSTRUCTIONS = "the instructions hold for every turn"
TOKENS = "the input tokens of each turn come back"
FORESEEN = "you foresaw what is saved"

PREDICTED = """
from course_lib import MODEL

predicted = {"sends_less": "chained", "costs_fewer_tokens": "neither"}
"""
CONVERSE = (
    PREDICTED
    + """
def converse(client, questions, instructions, chained):
    history, previous, tokens = [], None, []
    for question in questions:
        history.append({"role": "user", "content": question})
        said = {"input": history}
        if chained:
            said = {"input": question, "previous_response_id": previous}
        response = client.responses.create(model=MODEL, instructions=instructions, **said)
        history += response.output
        previous = response.id
        tokens.append(response.usage.input_tokens)
    return tokens
"""
)

RIGHT: dict[str, Right] = {
    "one_loop": CONVERSE,
    "two_loops": PREDICTED
    + """
def converse(client, questions, instructions, chained):
    ask = dict(model=MODEL, instructions=instructions)
    responses = []
    if chained:
        for question in questions:
            more = {"previous_response_id": responses[-1].id} if responses else {}
            responses.append(client.responses.create(input=question, **ask, **more))
    else:
        items = []
        for question in questions:
            items.append({"role": "user", "content": question})
            responses.append(client.responses.create(input=items, **ask))
            items.extend(responses[-1].output)
    return [response.usage.input_tokens for response in responses]
""",
    "messages_in_place_of_items": PREDICTED
    + """
def converse(client, questions, instructions, chained=False):
    said, counts, last = [], (), None
    for question in questions:
        said.append({"role": "user", "content": question})
        reply = client.responses.create(
            model=MODEL, input=said[-1:] if chained else said, instructions=instructions,
            **({"previous_response_id": last} if chained and last else {}),
        )
        said.append({"role": "assistant", "content": reply.output_text})
        last, counts = reply.id, (*counts, reply.usage.input_tokens)
    return counts
""",
    "recursive": PREDICTED
    + """
def converse(client, questions, instructions, chained):
    return list(turns(client, questions, instructions, chained, [], None))

def turns(client, questions, instructions, chained, items, previous):
    if not questions:
        return
    new = [{"type": "message", "role": "user", "content": questions[0]}]
    response = client.responses.create(
        model=MODEL, instructions=instructions, store=chained,
        input=new if chained else items + new,
        previous_response_id=previous, include=["reasoning.encrypted_content"],
    )
    yield response.usage.input_tokens
    yield from turns(
        client, questions[1:], instructions, chained,
        items + new + response.output, response.id if chained else None,
    )
""",
}

WRONG: dict[str, Wrong] = {
    "chained_is_thought_cheaper": Wrong(
        CONVERSE.replace('"neither"', '"chained"'),
        (FORESEEN,),
        "{'sends_less': 'chained', 'costs_fewer_tokens': 'chained'} (a dict)",
        "'costs_fewer_tokens': 'neither'",
    ),
    "whole_is_thought_smaller": Wrong(
        CONVERSE.replace('"sends_less": "chained"', '"sends_less": "whole"'),
        (FORESEEN,),
        "'sends_less': 'whole'",
        "'sends_less': 'chained'",
    ),
    "the_whole_with_an_id_too": Wrong(
        CONVERSE.replace('{"input": question, "prev', '{"input": history, "prev'),
        (CHAINED, READS, INSTRUCTIONS, TOKENS),
        "Duplicate item found with id",
        "[['And A-107?'], 'resp_",
    ),
    "never_chained": Wrong(
        CONVERSE.replace("if chained:", "if False:"),
        (CHAINED,),
        "[['Is A-104 late?', 'And A-107?'], None]",
        "[['And A-107?'], 'resp_",
    ),
    "always_chained": Wrong(
        CONVERSE.replace("if chained:", "if True:"),
        (WHOLE,),
        "[['And A-107?'], 'resp_",
        "[['Is A-104 late?', 'And A-107?'], None]",
    ),
    "chained_to_nothing": Wrong(
        CONVERSE.replace("        previous = response.id\n", ""),
        (CHAINED, READS),
        "[['And A-107?'], None]",
        "[['And A-107?'], 'resp_",
    ),
    "chained_to_the_first": Wrong(
        CONVERSE.replace("previous = response.id", "previous = previous or response.id"),
        (CHAINED, READS),
        "[['Who carries them?'], 'resp_00000001']",
        "[['Who carries them?'], 'resp_00000002']",
    ),
    "the_answers_are_left_out": Wrong(
        CONVERSE.replace("        history += response.output\n", ""),
        (READS,),
        "['user', 'user', 'user'] (a list)",
        "['user', 'assistant', 'user', 'assistant', 'user']",
    ),
    "only_the_new_question": Wrong(
        CONVERSE.replace(
            "history.append({", "history = [] if not chained else history\n        history.append({"
        ),
        (WHOLE, READS),
        "[['And A-107?'], None]",
        "[['Is A-104 late?', 'And A-107?'], None]",
    ),
    "instructions_once": Wrong(
        CONVERSE.replace(
            "instructions=instructions", "instructions=None if tokens else instructions"
        ),
        (INSTRUCTIONS,),
        "['Answer in one sentence.', None, None] (a list)",
        "['Answer in one sentence.', 'Answer in one sentence.', 'Answer in one sentence.']",
    ),
    "instructions_left_to_be_inherited": Wrong(
        CONVERSE.replace(
            "instructions=instructions", "instructions=None if chained and tokens else instructions"
        ),
        (INSTRUCTIONS,),
        "['Answer in one sentence.', None, None] (a list)",
        "['Answer in one sentence.', 'Answer in one sentence.', 'Answer in one sentence.']",
    ),
    "no_instructions": Wrong(
        CONVERSE.replace("instructions=instructions, ", ""),
        (INSTRUCTIONS,),
        "[None, None, None] (a list)",
        "['Answer in one sentence.'",
    ),
    "all_tokens": Wrong(
        CONVERSE.replace("usage.input_tokens", "usage.total_tokens"),
        (TOKENS,),
        "(a list)",
        "(a list)",
    ),
    "the_sum_so_far": Wrong(
        CONVERSE.replace("return tokens", "return sum(tokens)"),
        (TOKENS,),
        "(an integer)",
        "(a list)",
    ),
    "characters_counted": Wrong(
        CONVERSE.replace("response.usage.input_tokens", "len(str(history))"),
        (TOKENS,),
        "(a list)",
        "(a list)",
    ),
    "all_questions_at_once": Wrong(
        CONVERSE.replace("in questions:", "in ['\\\\n'.join(questions)]:"),
        (WHOLE, CHAINED, READS, INSTRUCTIONS),
        "Is A-104 late?",
        "[['Is A-104 late?'], None]",
    ),
}
