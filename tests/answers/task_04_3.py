"""Task 04.3: a page is uploaded if its host, status, type and size are as they must be."""

from tests.answers import Right, Wrong

KEPT = "a page of your hosts is uploaded, and its id comes back"
NAME = "it is named by its path"
WELCOME = "nothing that may come in is kept out"
HOSTS = "other hosts are not even asked"
SCHEME = "nor is anything but https"
STATUS = "a page that is not there stays out"
KIND = "so does what is no HTML"
SIZE = "and what is too large"
TIMEOUT = "every request has a timeout"

ALL = (KEPT, NAME, WELCOME, HOSTS, SCHEME, STATUS, KIND, SIZE, TIMEOUT)

KEEP = """
from urllib.parse import urlsplit

def keep_page(client, fetch, url, hosts, most):
    address = urlsplit(url)
    if address.scheme != "https" or address.hostname not in hosts:
        raise ValueError(f"{url} is not on the list of hosts")
    page = fetch(url, timeout=10)
    if page["status"] != 200:
        raise ValueError(f"{url} answers with status {page['status']}")
    if page["type"].partition(";")[0].strip().lower() != "text/html":
        raise ValueError(f"{url} is {page['type']}, and no page")
    content = page["text"].encode()
    if len(content) > most:
        raise ValueError(f"{url} has {len(content)} bytes")
    name = address.path.strip("/").replace("/", "-") + ".html"
    return client.files.create(file=(name, content), purpose="assistants").id
"""

RIGHT: dict[str, Right] = {
    "in_the_order_of_what_is_known": KEEP,
    "with_a_regular_expression": """
import re

def keep_page(client, fetch, url, hosts, most):
    found = re.match(r"https://([^/?#@:]+)(?::443)?(/[^?#]*)?(?:[?#]|$)", url)
    if found is None or found[1].lower() not in hosts:
        raise ValueError("this address is not allowed: " + url)
    page = fetch(url, 5)
    content = page["text"].encode("utf-8")
    good = page["status"] == 200 and len(content) <= most
    if not good or not re.match(r"text/html\\s*(;|$)", page["type"], re.IGNORECASE):
        raise ValueError("not a page to keep: " + url)
    name = "-".join(part for part in (found[2] or "").split("/") if part) + ".html"
    file = client.files.create(file=(name, content, "text/html"), purpose="assistants")
    return file.id
""",
    "with_httpx2": """
import httpx2
from email.message import Message

def is_html(kind):
    message = Message()
    message["content-type"] = kind
    return bool(kind) and message.get_content_type() == "text/html"

def keep_page(client, fetch, url, hosts, most):
    address = httpx2.URL(url)
    try:
        assert address.scheme == "https", "only https"
        assert address.host in hosts, "another host"
        page = fetch(url, timeout=3.5)
        assert page["status"] == 200, "no page there"
        assert is_html(page["type"]), "no HTML"
        assert len(page["text"].encode()) <= most, "too large"
    except AssertionError as refusal:
        raise ValueError(f"{url}: {refusal}") from None
    name = address.path.strip("/").replace("/", "-") + ".html"
    return client.files.create(file=(name, page["text"].encode()), purpose="assistants").id
""",
    "a_list_of_objections": """
from io import BytesIO
from pathlib import PurePosixPath
from urllib.parse import urlparse

def keep_page(client, fetch, url, hosts, most):
    parts = urlparse(url)
    allowed = {("https", host) for host in hosts}
    if (parts.scheme, parts.hostname) not in allowed:
        raise ValueError(url)
    page = fetch(url=url, timeout=20)
    size = len(page["text"].encode())
    kind = page["type"].lower().split(";")[0].rstrip()
    objections = [
        what for what, is_so in (
            (f"status {page['status']}", page["status"] != 200),
            (f"type {kind}", kind != "text/html"),
            (f"{size} bytes", size > most),
        ) if is_so
    ]
    if objections:
        raise ValueError(", ".join(objections))
    name = "-".join(PurePosixPath(parts.path).parts[1:]) + ".html"
    return client.files.create(
        file=(name, BytesIO(page["text"].encode())), purpose="assistants"
    ).id
""",
}

HOST = "address.hostname not in hosts"

WRONG: dict[str, Wrong] = {
    "whatever_comes_back": Wrong(
        """
def keep_page(client, fetch, url, hosts, most):
    page = fetch(url)
    name = url.split("/")[-1]
    return client.files.create(file=(name, page["text"].encode()), purpose="assistants").id
""",
        (NAME, WELCOME, HOSTS, SCHEME, STATUS, KIND, SIZE, TIMEOUT),
        "['returns'] (a list)",
        "['eu-returns.html'] (a list)",
    ),
    "any_host": Wrong(
        KEEP.replace(" or " + HOST, ""),
        (HOSTS,),
        "the page was asked for; 81 bytes were uploaded; it returned '",
        "your code raised ValueError",
    ),
    "the_host_anywhere_in_the_url": Wrong(
        KEEP.replace(HOST, "not any(host in url for host in hosts)"),
        (WELCOME, HOSTS),
        "your code raised ValueError: https://RIGHTS.Example/eu/returns is not on",
        "['eu-returns.html'] (a list)",
    ),
    "what_begins_so": Wrong(
        KEEP.replace(
            HOST, 'not url.lower().startswith(tuple(f"https://{host}" for host in hosts))'
        ),
        (HOSTS,),
        "the page was asked for; 81 bytes were uploaded; it returned '",
        "your code raised ValueError",
    ),
    "what_ends_so": Wrong(
        KEEP.replace(HOST, "not (address.hostname or '').endswith(tuple(hosts))"),
        (HOSTS,),
        "the page was asked for; 81 bytes were uploaded; it returned '",
        "your code raised ValueError",
    ),
    "what_stands_before_the_colon": Wrong(
        KEEP.replace(HOST, 'address.netloc.lower().split(":")[0] not in hosts'),
        (HOSTS,),
        "the page was asked for; 81 bytes were uploaded; it returned '",
        "your code raised ValueError",
    ),
    "what_stands_before_the_at": Wrong(
        KEEP.replace(HOST, 'address.netloc.lower().split("@")[0] not in hosts'),
        (HOSTS,),
        "the page was asked for; 81 bytes were uploaded; it returned '",
        "your code raised ValueError",
    ),
    "in_lower_case_alone": Wrong(
        KEEP.replace(HOST, "address.netloc not in hosts"),
        (WELCOME,),
        "your code raised ValueError: https://RIGHTS.Example/eu/returns is not on",
        "['eu-returns.html'] (a list)",
    ),
    "asked_first_and_refused_afterwards": Wrong(
        KEEP.replace("    if address.scheme", "    page = fetch(url, timeout=10)\n    if address.s")
        .replace("address.scheme", "address.scheme")
        .replace("address.s !=", "address.scheme !="),
        (HOSTS, SCHEME),
        "the page was asked for; your code raised ValueError: https://evil.exampl",
        "your code raised ValueError",
    ),
    "any_scheme": Wrong(
        KEEP.replace('address.scheme != "https" or ', ""),
        (SCHEME,),
        "the page was asked for; 81 bytes were uploaded; it returned '",
        "your code raised ValueError",
    ),
    "http_will_do": Wrong(
        KEEP.replace('!= "https"', 'not in ("http", "https")'),
        (SCHEME,),
        "the page was asked for; 81 bytes were uploaded; it returned '",
        "your code raised ValueError",
    ),
    "any_status": Wrong(
        KEEP.replace('page["status"] != 200', "False"),
        (STATUS,),
        "81 bytes were uploaded; it returned '",
        "your code raised ValueError, and nothing is uploaded",
    ),
    "a_redirect_is_a_page": Wrong(
        KEEP.replace('page["status"] != 200', 'page["status"] >= 400'),
        (STATUS,),
        "81 bytes were uploaded; it returned '",
        "your code raised ValueError, and nothing is uploaded",
    ),
    "any_type": Wrong(
        KEEP.replace('.strip().lower() != "text/html"', ".strip() == 'nothing'"),
        (KIND,),
        "81 bytes were uploaded; it returned '",
        "your code raised ValueError, and nothing is uploaded",
    ),
    "html_anywhere_in_the_type": Wrong(
        KEEP.replace(
            'page["type"].partition(";")[0].strip().lower() != "text/html"',
            '"text/html" not in page["type"].lower()',
        ),
        (KIND,),
        "81 bytes were uploaded; it returned '",
        "your code raised ValueError, and nothing is uploaded",
    ),
    "a_type_that_begins_so": Wrong(
        KEEP.replace(
            'page["type"].partition(";")[0].strip().lower() != "text/html"',
            'not page["type"].lower().startswith("text/html")',
        ),
        (KIND,),
        "81 bytes were uploaded; it returned '",
        "your code raised ValueError, and nothing is uploaded",
    ),
    "a_type_without_more": Wrong(
        KEEP.replace('page["type"].partition(";")[0].strip().lower()', 'page["type"]'),
        (KEPT, NAME, WELCOME),
        "your code raised ValueError: https://rights.example/eu/returns is text/h",
        "{'uploaded': [{'purpose': 'assistants', 'text': '<title>Returns</title><",
    ),
    "a_type_in_lower_case_alone": Wrong(
        KEEP.replace(".strip().lower()", ".strip()"),
        (WELCOME,),
        "your code raised ValueError: https://rights.example/eu/returns is Text/H",
        "['eu-returns.html'] (a list)",
    ),
    "any_size": Wrong(
        KEEP.replace("len(content) > most", "False"),
        (SIZE,),
        "401 bytes were uploaded; it returned '",
        "your code raised ValueError, and nothing is uploaded",
    ),
    "characters_for_bytes": Wrong(
        KEEP.replace("len(content) > most", 'len(page["text"]) > most'),
        (SIZE,),
        "401 bytes were uploaded; it returned '",
        "your code raised ValueError, and nothing is uploaded",
    ),
    "fewer_than_most": Wrong(
        KEEP.replace("> most", ">= most"),
        (WELCOME,),
        "your code raised ValueError: https://rights.example/eu/returns has 400 b",
        "['eu-returns.html'] (a list)",
    ),
    "uploaded_before_it_is_measured": Wrong(
        """
from urllib.parse import urlsplit

def keep_page(client, fetch, url, hosts, most):
    address = urlsplit(url)
    if address.scheme != "https" or address.hostname not in hosts:
        raise ValueError(url)
    page = fetch(url, timeout=10)
    if page["status"] != 200 or page["type"].partition(";")[0].lower() != "text/html":
        raise ValueError(url)
    name = address.path.strip("/").replace("/", "-") + ".html"
    file = client.files.create(file=(name, page["text"].encode()), purpose="assistants")
    if file.bytes > most:
        raise ValueError(f"{file.bytes} bytes")
    return file.id
""",
        (SIZE,),
        "401 bytes were uploaded; your code raised ValueError: 401 bytes (line 13",
        "your code raised ValueError, and nothing is uploaded",
    ),
    "the_last_part_with_its_query": Wrong(
        KEEP.replace('address.path.strip("/").replace("/", "-") + ', 'url.split("/")[-1] + '),
        (NAME, WELCOME),
        "['returns.html'] (a list)",
        "['eu-returns.html'] (a list)",
    ),
    "the_query_is_in_the_name": Wrong(
        KEEP.replace("address.path.", "url.partition(address.netloc)[2].partition('#')[0]."),
        (NAME,),
        "['eu-returns?utm_source=mail&page=2.html'] (a list)",
        "['eu-returns.html'] (a list)",
    ),
    "without_an_ending": Wrong(
        KEEP.replace(' + ".html"', ""),
        (NAME, WELCOME),
        "['eu-returns'] (a list)",
        "['eu-returns.html'] (a list)",
    ),
    "without_a_timeout": Wrong(
        KEEP.replace(", timeout=10", ""),
        (TIMEOUT,),
        "[None] (a list)",
        "fetch(url, timeout=seconds)",
    ),
    "none_in_place_of_an_error": Wrong(
        KEEP.replace("raise ValueError(", "return print("),
        (HOSTS, SCHEME, STATUS, KIND, SIZE),
        "it returned None (nothing: is a return missing?)",
        "your code raised ValueError",
    ),
    "the_file_itself": Wrong(
        KEEP.replace('"assistants").id', '"assistants")'),
        (KEPT,),
        "{'uploaded': [{'purpose': 'assistants', 'text': '<title>Returns</title><",
        "{'uploaded': [{'purpose': 'assistants', 'text': '<title>Returns</title><",
    ),
    "for_the_user": Wrong(
        KEEP.replace('"assistants"', '"user_data"'),
        (KEPT,),
        "{'uploaded': [{'purpose': 'user_data', 'text': '<title>Returns</title><p",
        "{'uploaded': [{'purpose': 'assistants', 'text': '<title>Returns</title><",
    ),
}
