"""Task 04.2: a wait with a cap, an end for what failed, and a pause."""

from tests.answers import Right, Wrong

BACK = "a file that is completed comes back at once"
LAST = "the last look allowed still counts"
CAP_3 = "after 3 looks it gives up"
CAP_5 = "after 5 looks it gives up"
FAILED = "a file that failed is told at once"
WHY = "with what its last_error says"
CANCELLED = "one that was cancelled is told too"
PAUSE = "there is a pause between two looks"

ALL = (BACK, LAST, CAP_3, CAP_5, FAILED, WHY, CANCELLED, PAUSE)

WAIT = """
def wait_for(client, store_id, file_id, looks, sleep):
    for look in range(looks):
        if look:
            sleep(1)
        file = client.vector_stores.files.retrieve(file_id, vector_store_id=store_id)
        if file.status == "completed":
            return file
        if file.status != "in_progress":
            reason = file.last_error.message if file.last_error else "no reason given"
            raise ValueError(f"{file_id} {file.status}: {reason}")
    raise TimeoutError(f"{file_id} is still in progress after {looks} looks")
"""

RIGHT: dict[str, Right] = {
    "a_for": WAIT,
    "a_while": """
def wait_for(client, store_id, file_id, looks, sleep):
    left = looks
    while True:
        file = client.vector_stores.files.retrieve(vector_store_id=store_id, file_id=file_id)
        left -= 1
        match file.status:
            case "completed":
                return file
            case "failed" | "cancelled" as end:
                raise ValueError(f"{end}: {file.last_error}")
        if left <= 0:
            raise TimeoutError
        sleep(0.5)
""",
    "from_the_list": """
def wait_for(client, store_id, file_id, looks, sleep):
    for _ in range(looks):
        page = client.vector_stores.files.list(vector_store_id=store_id)
        file = {each.id: each for each in page.data}[file_id]
        print(file.status)
        if file.status in ("failed", "cancelled"):
            raise ValueError(str(file.model_dump()))
        if file.status == "completed":
            return file.model_dump()
        sleep(1)
    raise TimeoutError("in progress")
""",
    "recursive": """
def wait_for(client, store_id, file_id, looks, sleep, looked=0):
    if looked == looks:
        raise TimeoutError(f"{looks} looks")
    if looked > 0:
        sleep(seconds=looked)
    file = client.vector_stores.files.retrieve(file_id, vector_store_id=store_id)
    if file.last_error is not None:
        raise ValueError(file.last_error.message)
    if file.status == "cancelled":
        raise ValueError("cancelled")
    if file.status == "completed":
        return file
    return wait_for(client, store_id, file_id, looks, sleep, looked + 1)
""",
    "a_subclass_of_the_error": """
class Failed(ValueError): ...

async def wait_for(client, store_id, file_id, looks, sleep):
    files = client.vector_stores.files.with_raw_response
    for look in range(1, looks + 1):
        file = files.retrieve(file_id, vector_store_id=store_id).parse()
        if file.status == "completed":
            return file
        if file.status in {"failed", "cancelled"}:
            raise ValueError(file.last_error and file.last_error.message)
        if look < looks:
            sleep(2 ** look)
    raise TimeoutError(file.status)
""".replace("class Failed(ValueError): ...\n\n", ""),
}

WRONG: dict[str, Wrong] = {
    "no_cap": Wrong(
        WAIT.replace("for look in range(looks):", "look = 0\n    while True:").replace(
            "        if look:", "        look += 1\n        if look > 1:"
        ),
        (CAP_3, CAP_5),
        "looks: 12; it had sent 12 requests and did not stop: a loop without a ca",
        "looks: 3; your code raised TimeoutError",
    ),
    "a_cap_of_its_own": Wrong(
        WAIT.replace("range(looks)", "range(10)"),
        (CAP_3, CAP_5),
        "looks: 10; your code raised TimeoutError: ",
        "looks: 3; your code raised TimeoutError",
    ),
    "one_look_too_many": Wrong(
        WAIT.replace("range(looks)", "range(looks + 1)"),
        (CAP_3, CAP_5),
        "looks: 4; your code raised TimeoutError: ",
        "looks: 3; your code raised TimeoutError",
    ),
    "one_look_too_few": Wrong(
        WAIT.replace("range(looks)", "range(looks - 1)"),
        (LAST, CAP_3, CAP_5),
        "looks: 2; your code raised TimeoutError: ",
        "looks: 3; it returned the completed file",
    ),
    "given_up_before_the_last_answer": Wrong(
        WAIT.replace(
            '        if file.status == "completed"',
            "        if look == looks - 1:\n            break\n"
            '        if file.status == "completed"',
        ),
        (LAST,),
        "looks: 3; your code raised TimeoutError: ",
        "looks: 3; it returned the completed file",
    ),
    "the_cap_returns_what_there_is": Wrong(
        WAIT.replace("    raise TimeoutError", "    return file\n    raise TimeoutError"),
        (CAP_3, CAP_5),
        "looks: 3; it returned {'id': '",
        "looks: 3; your code raised TimeoutError",
    ),
    "the_cap_is_an_error_of_another_kind": Wrong(
        WAIT.replace("raise TimeoutError", "raise RuntimeError"),
        (CAP_3, CAP_5),
        "looks: 3; your code raised RuntimeError: ",
        "looks: 3; your code raised TimeoutError",
    ),
    "done_is_not_in_progress": Wrong(
        WAIT.replace('== "completed"', '!= "in_progress"'),
        (FAILED, WHY, CANCELLED),
        "looks: 2; it returned {'id': '",
        "looks: 2; your code raised ValueError",
    ),
    "failed_is_waited_out": Wrong(
        WAIT.replace('!= "in_progress"', '== "never"'),
        (FAILED, WHY, CANCELLED),
        "looks: 10; your code raised TimeoutError: ",
        "looks: 2; your code raised ValueError",
    ),
    "the_status_of_the_upload": Wrong(
        WAIT.replace(
            "client.vector_stores.files.retrieve(file_id, vector_store_id=store_id)",
            "client.files.retrieve(file_id)",
        ).replace('"completed"', '"processed"'),
        ALL,
        "looks: 1; it returned {'id': '",
        "looks: 2; it returned the completed file",
    ),
    "the_status_of_the_store": Wrong(
        """
def wait_for(client, store_id, file_id, looks, sleep):
    for look in range(looks):
        store = client.vector_stores.retrieve(store_id)
        if store.status == "completed":
            return client.vector_stores.files.retrieve(file_id, vector_store_id=store_id)
        sleep(1)
    raise TimeoutError(store.status)
""",
        (BACK, LAST, FAILED, WHY, CANCELLED, PAUSE),
        "looks: 3; it returned the completed file",
        "looks: 2; it returned the completed file",
    ),
    "it_keeps_the_reason": Wrong(
        WAIT.replace(": {reason}", ""),
        (WHY,),
        "looks: 2; your code raised ValueError: ",
        "an error that says 'The file could not be parsed.'",
    ),
    "a_cancelled_file_has_no_error": Wrong(
        WAIT.replace(' if file.last_error else "no reason given"', ""),
        (CANCELLED,),
        "looks: 1; your code raised AttributeError: 'NoneType' object has no attr",
        "looks: 1; your code raised ValueError",
    ),
    "cancelled_is_forgotten": Wrong(
        WAIT.replace('!= "in_progress"', '== "failed"'),
        (CANCELLED,),
        "looks: 10; your code raised TimeoutError: ",
        "looks: 1; your code raised ValueError",
    ),
    "the_polling_of_the_sdk": Wrong(
        """
def wait_for(client, store_id, file_id, looks, sleep):
    file = client.vector_stores.files.poll(file_id, vector_store_id=store_id)
    if file.status == "completed":
        return file
    raise ValueError(file.last_error and file.last_error.message)
""",
        (CAP_3, CAP_5, PAUSE),
        "looks: 12; it had sent 12 requests and did not stop: a loop without a ca",
        "looks: 3; your code raised TimeoutError",
    ),
    "without_a_pause": Wrong(
        WAIT.replace("        if look:\n            sleep(1)\n", ""),
        (PAUSE,),
        "{'looks': 4, 'pauses': 0} (a dict)",
        "pauses: looks - 1",
    ),
    "the_status_alone": Wrong(
        WAIT.replace("return file\n", "return file.status\n"),
        (BACK, LAST),
        "looks: 2; it returned 'completed' (a string)",
        "looks: 2; it returned the completed file",
    ),
    "it_looks_again_to_return": Wrong(
        WAIT.replace(
            "return file\n",
            "return client.vector_stores.files.retrieve(file_id, vector_store_id=store_id)\n",
        ),
        (BACK, LAST, PAUSE),
        "looks: 3; it returned the completed file",
        "looks: 2; it returned the completed file",
    ),
}
