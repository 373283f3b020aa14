"""Task 04.1: upload, create a store, attach, wait; the store's id."""

from tests.answers import Right, Wrong

ONCE = "each document is uploaded once, under its name"
TEXT = "its whole text can be read"
PURPOSE = "for the purpose assistants"
STORE = "there is one store, and all of them are in it"
READY = "when it returns, every file is completed"
ID = "the store's id comes back"
ANSWERED = "questions are answered from it"

ALL = (ONCE, TEXT, PURPOSE, STORE, READY, ID, ANSWERED)

STEPS = """
def knowledge_base(client, documents):
    store = client.vector_stores.create(name="documents")
    ids = []
    for name, text in documents.items():
        file = client.files.create(file=(name, text.encode()), purpose="assistants")
        client.vector_stores.files.create(vector_store_id=store.id, file_id=file.id)
        ids.append(file.id)
    for file_id in ids:
        for _ in range(10):
            file = client.vector_stores.files.retrieve(file_id, vector_store_id=store.id)
            if file.status == "completed":
                break
        else:
            raise TimeoutError(file_id)
    return store.id
"""
BATCH = """
def knowledge_base(client, documents):
    store = client.vector_stores.create()
    client.vector_stores.file_batches.upload_and_poll(
        store.id, files=[(name, text.encode("utf-8")) for name, text in documents.items()]
    )
    return store.id
"""

RIGHT: dict[str, Right] = {
    "step_by_step": STEPS,
    "one_batch": BATCH,
    "file_by_file": """
import io

def knowledge_base(client, documents):
    store_id = client.vector_stores.create(name="kb", metadata={"by": "me"}).id
    for name in sorted(documents):
        stream = io.BytesIO(documents[name].encode())
        file = client.vector_stores.files.upload_and_poll(
            vector_store_id=store_id, file=(name, stream, "text/plain")
        )
        assert file.status == "completed", file.last_error
    return store_id
""",
    "a_store_made_of_its_files": """
def knowledge_base(client, documents):
    files = [
        client.files.create(file=(name, text.encode("utf-16")), purpose="assistants")
        for name, text in documents.items()
    ]
    store = client.vector_stores.create(file_ids=[file.id for file in files])
    while store.file_counts.in_progress:
        store = client.vector_stores.retrieve(store.id)
    return store.id
""",
    "from_a_folder": """
import tempfile
from pathlib import Path

def knowledge_base(client, documents):
    store = client.vector_stores.create()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in documents.items():
            path = Path(folder) / name
            path.write_bytes(text.encode())
            with path.open("rb") as opened:
                file = client.files.create(file=opened, purpose="assistants")
            client.vector_stores.files.create_and_poll(file.id, vector_store_id=store.id)
    return store.id
""",
    "a_coroutine_in_a_thread": """
import asyncio

def build(client, documents):
    store = client.vector_stores.create()
    ids = [
        client.files.create(file=(name, text.encode()), purpose="assistants").id
        for name, text in documents.items()
    ]
    batch = client.vector_stores.file_batches.create(store.id, file_ids=ids)
    while batch.status == "in_progress":
        batch = client.vector_stores.file_batches.retrieve(batch.id, vector_store_id=store.id)
    return store.id

async def knowledge_base(client, documents):
    return await asyncio.to_thread(build, client, documents)
""",
}

WRONG: dict[str, Wrong] = {
    "it_does_not_wait": Wrong(
        STEPS.partition("    for file_id in ids:")[0] + "    return store.id\n",
        (READY,),
        "'cafe.txt': 'in_progress'",
        "'cafe.txt': 'completed'",
    ),
    "it_waits_for_the_upload": Wrong(
        STEPS.replace(
            "client.vector_stores.files.retrieve(file_id, vector_store_id=store.id)",
            "client.files.retrieve(file_id)",
        ).replace('"completed"', '"processed"'),
        (READY,),
        "'cafe.txt': 'in_progress'",
        "'cafe.txt': 'completed'",
    ),
    "it_looks_once": Wrong(
        STEPS.partition("    for file_id in ids:")[0]
        + "    client.vector_stores.files.list(vector_store_id=store.id)\n    return store.id\n",
        (READY,),
        "'cafe.txt': 'in_progress'",
        "'cafe.txt': 'completed'",
    ),
    "it_asks_the_new_store_whether_it_is_ready": Wrong(
        STEPS.partition("    for file_id in ids:")[0]
        + '    while store.status != "completed":\n        pass\n    return store.id\n',
        (READY,),
        "'cafe.txt': 'in_progress'",
        "'cafe.txt': 'completed'",
    ),
    "without_a_name": Wrong(
        STEPS.replace("(name, text.encode())", "text.encode()"),
        (ONCE, TEXT, STORE, READY, ID, ANSWERED),
        "['upload'] (a list)",
        "['boats.md', 'cafe.txt', 'night_bus.md'] (a list)",
    ),
    "in_latin_1": Wrong(
        BATCH.replace("utf-8", "latin-1"),
        (TEXT, READY, ANSWERED),
        "bytes that file search cannot read: b'The caf\\xe9 at the",
        "'The café at the lighthouse bakes crêpes until four in the afternoon.\\n'",
    ),
    "for_the_user": Wrong(
        STEPS.replace('"assistants"', '"user_data"'), (PURPOSE,), "['user_data']", "['assistants']"
    ),
    "a_store_for_each": Wrong(
        STEPS.replace(
            "        file = client.files.create",
            "        store = client.vector_stores.create()\n        file = client.files.create",
        ).replace("    for file_id in ids:", "    for file_id in ids[-1:]:"),
        (STORE, ID, ANSWERED),
        "[[], ['night_bus.md'], ['boats.md'], ['cafe.txt']] (a list)",
        "[['boats.md', 'cafe.txt', 'night_bus.md']] (a list)",
    ),
    "the_last_file_alone": Wrong(
        STEPS.replace(
            "        client.vector_stores.files.create(", "    client.vector_stores.files.create("
        ).replace("        ids.append", "    ids.append"),
        (STORE, READY, ANSWERED),
        "[['cafe.txt']] (a list)",
        "[['boats.md', 'cafe.txt', 'night_bus.md']] (a list)",
    ),
    "nothing_is_attached": Wrong(
        """
def knowledge_base(client, documents):
    for name, text in documents.items():
        client.files.create(file=(name, text.encode()), purpose="assistants")
    return client.vector_stores.create().id
""",
        (STORE, READY, ANSWERED),
        "[[]] (a list)",
        "[['boats.md', 'cafe.txt', 'night_bus.md']] (a list)",
    ),
    "uploaded_twice": Wrong(
        BATCH.replace(
            "    client.vector",
            "    for n, t in documents.items():\n"
            '        client.files.create(file=(n, t.encode()), purpose="assistants")\n'
            "    client.vector",
        ),
        (ONCE,),
        "['boats.md', 'boats.md', 'cafe.txt', 'cafe.txt', 'night_bus.md', 'night_",
        "['boats.md', 'cafe.txt', 'night_bus.md'] (a list)",
    ),
    "all_in_one_file": Wrong(
        BATCH.replace(
            '[(name, text.encode("utf-8")) for name, text in documents.items()]',
            '[("all.txt", "".join(documents.values()).encode())]',
        ),
        (ONCE, TEXT, STORE, READY, ANSWERED),
        "['all.txt'] (a list)",
        "['boats.md', 'cafe.txt', 'night_bus.md'] (a list)",
    ),
    "the_store_itself": Wrong(
        BATCH.replace("return store.id", "return store"),
        (ID, ANSWERED),
        "{'id': 'vs_1', 'created_at': 1784023200, 'file_counts': {'cancelled': 0,",
        "'vs_1' (a string)",
    ),
    "the_id_of_the_batch": Wrong(
        BATCH.replace(
            "    client.vector_stores.file_b", "    batch = client.vector_stores.file_b"
        ).replace("return store.id", "return batch.id"),
        (ID, ANSWERED),
        "'vsfb_1' (a string)",
        "'vs_1' (a string)",
    ),
    "no_return": Wrong(
        BATCH.replace("    return store.id\n", ""),
        (ID, ANSWERED),
        "None (nothing: is a return missing?)",
        "'vs_1' (a string)",
    ),
}
