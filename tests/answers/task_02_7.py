"""Task 02.7: wait as long as the service asks, and give up where waiting mends nothing."""

from tests.answers import Right, Wrong

SHORT = "two refusals that ask for 0.15 s are waited out"
LONG = "two refusals that ask for 1.1 s are waited out"
ANSWER = "and then the answer comes back"
TWO = "attempts=2 is the end of it"
FOUR = "attempts=4 is the end of it"
RAISED = "and then the refusal is raised"
BAD = "a request that is wrong is not sent again"
QUOTA = "a quota that is used up is not waited for"

PATIENT = """
import openai
from course_lib import MODEL

def ask_patiently(client, question, sleep, attempts=4):
    client = client.with_options(max_retries=0)
    for _ in range(attempts - 1):
        try:
            return client.responses.create(model=MODEL, input=question).output_text
        except openai.RateLimitError as error:
            if "retry-after" not in error.response.headers:
                raise
            sleep(float(error.response.headers["retry-after"]))
    return client.responses.create(model=MODEL, input=question).output_text
"""

RIGHT: dict[str, Right] = {
    "the_last_one_outside": PATIENT,
    "in_milliseconds": """
from openai import APIStatusError
from course_lib import MODEL

def ask_patiently(client, question, sleep, attempts=4):
    once = client.with_options(max_retries=0)
    for attempt in range(1, attempts + 1):
        try:
            return once.responses.create(model=MODEL, input=question).output_text
        except APIStatusError as error:
            wait = error.response.headers.get("retry-after-ms")
            if error.status_code != 429 or wait is None or attempt == attempts:
                raise
            sleep(seconds=int(wait) / 1000)
""",
    "recursive": """
import openai
from course_lib import MODEL

def ask_patiently(client, question, sleep, attempts=4):
    try:
        raw = client.with_options(max_retries=0).responses.create(
            model=MODEL, input=[{"role": "user", "content": question}] if question else ""
        )
    except openai.RateLimitError as error:
        if attempts == 1 or error.code == "insufficient_quota":
            raise
        sleep(int(error.response.headers["retry-after"]))
        return ask_patiently(client, question, sleep, attempts - 1)
    return raw.output_text
""",
    "a_while_and_a_counter": """
import openai
from course_lib import MODEL

async def ask_patiently(client, question, sleep, attempts=4):
    left = attempts
    while left:
        left -= 1
        try:
            reply = client.with_options(max_retries=0, timeout=5).responses.create(
                model=MODEL, input=question, stream=False
            )
            return reply.output_text
        except Exception as error:
            headers = getattr(getattr(error, "response", None), "headers", {})
            if not left or "retry-after" not in headers:
                raise error
            print("waiting", headers["retry-after"])
            sleep(float(headers["retry-after"]))
""",
}

WRONG: dict[str, Wrong] = {
    "the_clients_own_retries_left_on": Wrong(
        PATIENT.replace("max_retries=0", "max_retries=2"),
        (SHORT, LONG, TWO, FOUR, QUOTA),
        "{'requests': 3, 'waits': []} (a dict)",
        "3 requests, and twice a wait of 0.15 s (retry-after-ms) or 1 s (retry-after)",
    ),
    "no_retries_at_all": Wrong(
        """
from course_lib import MODEL

def ask_patiently(client, question, sleep, attempts=4):
    client = client.with_options(max_retries=0)
    return client.responses.create(model=MODEL, input=question).output_text
""",
        (SHORT, LONG, ANSWER, TWO, FOUR),
        "{'requests': 1, 'waits': []} (a dict)",
        "3 requests",
    ),
    "no_waiting": Wrong(
        PATIENT.replace('sleep(float(error.response.headers["retry-after"]))', "pass"),
        (SHORT, LONG, TWO, FOUR),
        "{'requests': 3, 'waits': []} (a dict)",
        "twice a wait of 0.15 s",
    ),
    "one_second_always": Wrong(
        PATIENT.replace('float(error.response.headers["retry-after"])', "1"),
        (LONG,),
        "{'requests': 3, 'waits': [1, 1]} (a dict)",
        "twice a wait of 1.1 s (retry-after-ms) or 2 s (retry-after)",
    ),
    "longer_each_time": Wrong(
        PATIENT.replace('float(error.response.headers["retry-after"])', "2 ** _"),
        (SHORT, LONG, FOUR),
        "{'requests': 3, 'waits': [1, 2]} (a dict)",
        "twice a wait of 0.15 s",
    ),
    "milliseconds_taken_for_seconds": Wrong(
        PATIENT.replace('headers["retry-after"]', 'headers["retry-after-ms"]'),
        (SHORT, LONG, TWO, FOUR),
        "'waits': [150.0, 150.0]",
        "twice a wait of 0.15 s",
    ),
    "the_header_as_text": Wrong(
        PATIENT.replace(
            'float(error.response.headers["retry-after"])', 'error.response.headers["retry-after"]'
        ),
        (SHORT, LONG, TWO, FOUR),
        "'waits': ['1', '1']",
        "twice a wait of 0.15 s",
    ),
    "slept_by_itself": Wrong(
        PATIENT.replace("sleep(float", "time.sleep(0.001 * float").replace(
            "import openai", "import time\nimport openai"
        ),
        (SHORT, LONG, TWO, FOUR),
        "{'requests': 3, 'waits': []} (a dict)",
        "twice a wait of 0.15 s",
    ),
    "one_attempt_too_many": Wrong(
        PATIENT.replace("range(attempts - 1)", "range(attempts)"),
        (TWO, FOUR),
        "{'requests': 3, 'waits': [1.0, 1.0]} (a dict)",
        "2 requests, a wait between each two",
    ),
    "one_attempt_too_few": Wrong(
        PATIENT.replace("range(attempts - 1)", "range(attempts - 2)"),
        (TWO, FOUR),
        "{'requests': 1, 'waits': []} (a dict)",
        "2 requests, a wait between each two",
    ),
    "a_wait_after_the_last_attempt": Wrong(
        """
import openai
from course_lib import MODEL

def ask_patiently(client, question, sleep, attempts=4):
    client = client.with_options(max_retries=0)
    for _ in range(attempts):
        try:
            return client.responses.create(model=MODEL, input=question).output_text
        except openai.RateLimitError as error:
            last = error
            if "retry-after" not in error.response.headers:
                raise
            sleep(float(error.response.headers["retry-after"]))
    raise last
""",
        (TWO, FOUR),
        "{'requests': 2, 'waits': [1.0, 1.0]} (a dict)",
        "2 requests, a wait between each two",
    ),
    "no_end_of_it": Wrong(
        PATIENT.replace("for _ in range(attempts - 1):", "while True:"),
        (TWO, FOUR, RAISED),
        "{'requests': 16, 'waits': [1.0",
        "2 requests, a wait between each two",
    ),
    "a_number_of_its_own": Wrong(
        PATIENT.replace("range(attempts - 1)", "range(3)"),
        (TWO,),
        "{'requests': 4, 'waits': [1.0, 1.0, 1.0]} (a dict)",
        "2 requests, a wait between each two",
    ),
    "nothing_in_the_end": Wrong(
        """
import openai
from course_lib import MODEL

def ask_patiently(client, question, sleep, attempts=4):
    client = client.with_options(max_retries=0)
    for attempt in range(attempts):
        try:
            return client.responses.create(model=MODEL, input=question).output_text
        except openai.RateLimitError as error:
            if "retry-after" not in error.response.headers:
                raise
            if attempt < attempts - 1:
                sleep(float(error.response.headers["retry-after"]))
""",
        (RAISED,),
        "nothing",
        "RateLimitError",
    ),
    "every_error_is_waited_for": Wrong(
        PATIENT.replace("openai.RateLimitError", "openai.APIError")
        .replace(
            'if "retry-after" not in error.response.headers:\n                raise\n            ',
            "",
        )
        .replace('headers["retry-after"]', 'headers.get("retry-after", 1)'),
        (BAD, QUOTA),
        "{'requests': 4, 'waits': [1.0, 1.0, 1.0]} (a dict)",
        "{'requests': 1, 'waits': []}",
    ),
    "a_quota_is_waited_for": Wrong(
        PATIENT.replace(
            'if "retry-after" not in error.response.headers:\n                raise\n            ',
            "",
        ).replace('headers["retry-after"]', 'headers.get("retry-after", 1)'),
        (QUOTA,),
        "{'requests': 4, 'waits': [1.0, 1.0, 1.0]} (a dict)",
        "{'requests': 1, 'waits': []}",
    ),
    "errors_become_text": Wrong(
        PATIENT.replace("def ask_patiently", "def ask")
        + """
def ask_patiently(client, question, sleep, attempts=4):
    try:
        return ask(client, question, sleep, attempts)
    except openai.APIError as error:
        return str(error)
""",
        (RAISED, BAD, QUOTA),
        "nothing",
        "RateLimitError",
    ),
}
