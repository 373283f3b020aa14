"""Task 01.6: strings that break a function, and the function that they do not break."""

from tests.answers import Right, Wrong

THREE = "three texts that break the function"
WRITING = "one is a course that exists, in another writing"
NOT_THERE = "one is a course that does not exist"
FOUND = "CSC-122 is found in every writing"
FIRST = "CSC-105 is found in every writing"
CHAIN = "the chain from CSC-223 leads back to CSC-105"
UNKNOWN = "an unknown course is told what is known"
OWN = "your own attacks break it no more"

GIVEN = """
PREREQUISITES = {"CSC-105": None, "CSC-121": "CSC-105", "CSC-122": "CSC-121", "CSC-223": "CSC-122"}
"""
ATTACKS = GIVEN + 'attacks = ["csc-122", "CSC 122", "MAT-101"]\n'

LOOKUP = (
    ATTACKS
    + """
def get_prerequisite(course):
    written = "".join(each for each in course.upper() if each.isalnum())
    for known, needed in PREREQUISITES.items():
        if known.replace("-", "") == written:
            return {"ok": True, "course": known, "prerequisite": needed}
    how_to_fix = "Use one of the known courses, or say that there is no such course."
    return {"ok": False, "known": list(PREREQUISITES), "how_to_fix": how_to_fix}
"""
)

RIGHT: dict[str, Right] = {
    "letters_and_digits_compared": LOOKUP,
    "a_pattern": GIVEN
    + r"""
import re

attacks = ["  csc122", "Csc_122", "", "CSC-999", "a course about loops"]

def get_prerequisite(course):
    match = re.fullmatch(r"\s*([A-Za-z]+)[\s_-]*(\d+)\s*", course)
    code = f"{match[1].upper()}-{match[2]}" if match else ""
    if code not in PREREQUISITES:
        return {
            "ok": False, "error": f"no course {course!r}", "known": sorted(PREREQUISITES),
            "how_to_fix": "Call again with one of `known`.",
        }
    return dict(ok=True, course=code, prerequisite=PREREQUISITES[code])
""",
    "a_table_made_once": GIVEN
    + """
attacks = ("CSC-122 ", "csc 223", "PHY-100", "PHY-200")
BY_WRITING = {code.lower().replace("-", ""): code for code in PREREQUISITES}

def get_prerequisite(course):
    code = BY_WRITING.get("".join(course.lower().split()).replace("-", ""))
    if code is None:
        return {"ok": False, "known": tuple(PREREQUISITES), "how_to_fix": "pick a known one"}
    return {"ok": True, "course": code, "prerequisite": PREREQUISITES[code]}
""",
    "with_an_exception_inside": LOOKUP
    + """
def get_prerequisite(course):
    try:
        code = "CSC-" + course.strip().upper().removeprefix("CSC").strip(" -")
        return {"ok": True, "course": code, "prerequisite": PREREQUISITES[code]}
    except KeyError:
        fix = f"Choose from {', '.join(PREREQUISITES)}."
        return {"ok": False, "known": [*PREREQUISITES], "how_to_fix": fix}
""",
}

WRONG: dict[str, Wrong] = {
    "attacks_that_work": Wrong(
        LOOKUP + 'attacks = ["CSC-122", "CSC-121", "MAT-101"]',
        (THREE,),
        "['CSC-122', 'CSC-121', 'MAT-101'] (a list)",
        "at least three different texts",
    ),
    "two_attacks": Wrong(
        LOOKUP + 'attacks = ["csc-122", "MAT-101"]',
        (THREE,),
        "['csc-122', 'MAT-101'] (a list)",
        "at least three different texts",
    ),
    "one_attack_three_times": Wrong(
        LOOKUP + 'attacks = ["csc-122", "csc-122", "MAT-101"]',
        (THREE,),
        "['csc-122', 'csc-122', 'MAT-101'] (a list)",
        "at least three different texts",
    ),
    "attacks_that_do_not_fit_the_schema": Wrong(
        LOOKUP + 'attacks = ["csc-122", "MAT-101", 122, None]',
        (THREE,),
        "['csc-122', 'MAT-101', 122, None] (a list)",
        "at least three different texts",
    ),
    "only_courses_that_do_not_exist": Wrong(
        LOOKUP + 'attacks = ["MAT-101", "PHY-100", "CSC-999"]',
        (WRITING,),
        "['MAT-101', 'PHY-100', 'CSC-999'] (a list)",
        "in small letters",
    ),
    "only_other_writings": Wrong(
        LOOKUP + 'attacks = ["csc-122", "CSC 122", "csc122"]',
        (NOT_THERE,),
        "['csc-122', 'CSC 122', 'csc122'] (a list)",
        "a course of another department",
    ),
    "not_defended": Wrong(
        ATTACKS + "def get_prerequisite(course):\n    return PREREQUISITES[course]",
        (FOUND, FIRST, CHAIN, UNKNOWN, OWN),
        "'CSC-121' (a string)",
        "{'ok': True, 'course': 'CSC-122', 'prerequisite': 'CSC-121'}",
    ),
    "upper_case_and_no_more": Wrong(
        LOOKUP.replace(
            '"".join(each for each in course.upper() if each.isalnum())',
            "course.upper().replace('-', '')",
        ),
        (FOUND, FIRST),
        "{'ok': False, 'known': ['CSC-105'",
        "{'ok': True, 'course': 'CSC-122', 'prerequisite': 'CSC-121'}",
    ),
    "the_course_as_it_was_written": Wrong(
        LOOKUP.replace('"course": known', '"course": course'),
        (FOUND, FIRST),
        "'course': 'csc-122'",
        "'course': 'CSC-122'",
    ),
    "found_by_its_beginning": Wrong(
        LOOKUP.replace(
            'known.replace("-", "") == written', 'written.startswith(known.replace("-", ""))'
        ),
        (UNKNOWN,),
        "{'ok': True, 'course': 'CSC-122', 'prerequisite': 'CSC-121'} (a dict)",
        '"ok": False',
    ),
    "the_nearest_course": Wrong(
        LOOKUP.replace(
            '    how_to_fix = "Use',
            """    import difflib
    near = difflib.get_close_matches(course.upper(), PREREQUISITES, 1, 0.5)
    if near:
        return {"ok": True, "course": near[0], "prerequisite": PREREQUISITES[near[0]]}
    how_to_fix = "Use""",
        ),
        (UNKNOWN,),
        "{'ok': True, 'course': 'CSC-122', 'prerequisite': 'CSC-121'} (a dict)",
        '"ok": False',
    ),
    "none_taken_for_unknown": Wrong(
        ATTACKS
        + """
def get_prerequisite(course):
    code = "CSC-" + course.strip()[3:].strip(" -")
    if PREREQUISITES.get(code):
        return {"ok": True, "course": code, "prerequisite": PREREQUISITES[code]}
    return {"ok": False, "known": list(PREREQUISITES), "how_to_fix": "Use a known one."}
""",
        (FIRST,),
        "{'ok': False, 'known': ['CSC-105'",
        "{'ok': True, 'course': 'CSC-105', 'prerequisite': None}",
    ),
    "unknown_gives_nothing": Wrong(
        LOOKUP.replace('return {"ok": False', "return None\n    return {'ok': False"),
        (UNKNOWN, OWN),
        "None (nothing: is a return missing?)",
        '"known": [all four]',
    ),
    "unknown_without_a_way_out": Wrong(
        LOOKUP.replace(
            '"known": list(PREREQUISITES), "how_to_fix": how_to_fix', '"error": "no such course"'
        ),
        (UNKNOWN,),
        "{'ok': False, 'error': 'no such course'} (a dict)",
        '"known": [all four]',
    ),
    "unknown_raises": Wrong(
        LOOKUP.replace('return {"ok": False', 'raise KeyError(course)\n    return {"ok": False'),
        (UNKNOWN, OWN),
        "your code raised KeyError: 'MAT-101'",
        '"known": [all four]',
    ),
    "one_course_hard_coded": Wrong(
        ATTACKS
        + """
def get_prerequisite(course):
    if "122" in course and "1222" not in course:
        return {"ok": True, "course": "CSC-122", "prerequisite": "CSC-121"}
    return {"ok": False, "known": list(PREREQUISITES), "how_to_fix": "Ask for CSC-122."}
""",
        (FIRST, CHAIN),
        "{'ok': False, 'known': ['CSC-105'",
        "{'ok': True, 'course': 'CSC-105', 'prerequisite': None}",
    ),
}
