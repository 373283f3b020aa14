"""Task 04.4: marks in the text, each place once, and the files by number."""

from tests.answers import Right, Wrong

MARK = "each cited place has its mark"
ONCE = "each place has it once"
NUMBERS = "files are numbered as the text comes to them"
ORDER = "marks at one place stand in the order of their numbers"
ALIKE = "two files of one name are two"
OTHER = "citations of another kind are passed over"
NONE = "a message without any stays as it is"

ALL = (MARK, ONCE, NUMBERS, ORDER, ALIKE, OTHER, NONE)

CITED = """
def cited(message):
    part = message.content[0]
    notes = [note for note in part.annotations if note.type == "file_citation"]
    notes.sort(key=lambda note: note.index)
    names = {note.file_id: note.filename for note in notes}
    numbers = {file_id: number for number, file_id in enumerate(names, start=1)}
    text = part.text
    marks = {(note.index, numbers[note.file_id]) for note in notes}
    for index, number in sorted(marks, reverse=True):
        text = f"{text[:index]} [{number}]{text[index:]}"
    return text, list(names.values())
"""

RIGHT: dict[str, Right] = {
    "from_the_back": CITED,
    "piece_by_piece": """
def cited(message):
    text, notes = message.content[0].text, []
    for note in message.content[0].annotations:
        if note.type == "file_citation":
            notes.append(note)
    numbers, files, pieces, done = {}, [], [], 0
    for index in sorted({note.index for note in notes}):
        here = [note for note in notes if note.index == index]
        for note in here:
            if note.file_id not in numbers:
                files.append(note.filename)
                numbers[note.file_id] = len(files)
        pieces.append(text[done:index])
        for number in sorted({numbers[note.file_id] for note in here}):
            pieces.append(f" [{number}]")
        done = index
    return ["".join(pieces) + text[done:], files]
""",
    "from_the_front_with_a_shift": """
from openai.types.responses.response_output_text import AnnotationFileCitation

def cited(message):
    [part] = message.content
    notes = [each for each in part.annotations if isinstance(each, AnnotationFileCitation)]
    order = list(dict.fromkeys(n.file_id for n in sorted(notes, key=lambda n: n.index)))
    name_of = {note.file_id: note.filename for note in notes}
    text, shift = part.text, 0
    for place, number in sorted({(n.index, order.index(n.file_id) + 1) for n in notes}):
        mark = f" [{number}]"
        text = text[: place + shift] + mark + text[place + shift :]
        shift += len(mark)
    return text, [name_of[file_id] for file_id in order]
""",
    "from_the_dump": """
def cited(message):
    part = message.model_dump()["content"][0]
    seen, marks = {}, {}
    notes = [n for n in part["annotations"] if "file_id" in n]
    for note in sorted(notes, key=lambda n: n["index"]):
        number = seen.setdefault(note["file_id"], (len(seen) + 1, note["filename"]))[0]
        marks.setdefault(note["index"], set()).add(number)
    text = ""
    for place, letter in enumerate(part["text"] + "\\0"):
        text += "".join(f" [{number}]" for number in sorted(marks.get(place, ()))) + letter
    return text[:-1], [name for _, name in seen.values()]
""",
}

WRONG: dict[str, Wrong] = {
    "from_the_front": Wrong(
        CITED.replace(", reverse=True", ""),
        (MARK, ONCE, NUMBERS, ORDER, ALIKE),
        "['Kettles carry three years [1]. Batteries carry one. The rest carries [",
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
    ),
    "every_annotation_a_mark": Wrong(
        CITED.replace(
            "{(note.index, numbers[note.file_id]) for note in notes}",
            "[(note.index, numbers[note.file_id]) for note in notes]",
        ),
        (ONCE,),
        "['Kettles carry three years [1] [1]. Batteries carry one [1] [1] [1]. Th",
        "['Kettles carry three years [1]. Batteries carry one [1]. The rest carri",
    ),
    "numbers_by_annotation": Wrong(
        """
def cited(message):
    part, text = message.content[0], message.content[0].text
    notes = list(enumerate(part.annotations, start=1))
    for number, note in sorted(notes, key=lambda each: -each[1].index):
        text = f"{text[:note.index]} [{number}]{text[note.index:]}"
    return text, [note.filename for _, note in notes]
""",
        (MARK, ONCE, NUMBERS, ORDER, OTHER),
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
    ),
    "as_the_annotations_come": Wrong(
        CITED.replace("    notes.sort(key=lambda note: note.index)\n", ""),
        (NUMBERS,),
        "['Kettles carry three years [2]. Batteries carry one [1]. The rest carri",
        "['Kettles carry three years [1]. Batteries carry one [2]. The rest carri",
    ),
    "by_the_alphabet": Wrong(
        CITED.replace("note.index)\n", "note.filename)\n"),
        (NUMBERS, ORDER),
        "['Kettles carry three years [3]. Batteries carry one [2]. The rest carri",
        "['Kettles carry three years [1]. Batteries carry one [2]. The rest carri",
    ),
    "by_their_names": Wrong(
        CITED.replace("note.file_id: note.filename", "note.filename: note.filename").replace(
            "numbers[note.file_id]", "numbers[note.filename]"
        ),
        (ALIKE,),
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
    ),
    "at_one_place_as_they_come": Wrong(
        CITED.replace(
            "{(note.index, numbers[note.file_id]) for note in notes}",
            "dict.fromkeys((note.index, numbers[note.file_id]) for note in notes)",
        ).replace("sorted(marks, reverse=True)", "sorted(marks, key=lambda mark: mark[0])[::-1]"),
        (ORDER,),
        "['Kettles carry three years [1]. Batteries carry one [2]. The rest carri",
        "['Kettles carry three years [1]. Batteries carry one [2]. The rest carri",
    ),
    "the_larger_number_first": Wrong(
        CITED.replace("sorted(marks, reverse=True)", "sorted(marks, key=lambda m: (-m[0], m[1]))"),
        (NUMBERS, ORDER),
        "['Kettles carry three years [1]. Batteries carry one [2]. The rest carri",
        "['Kettles carry three years [1]. Batteries carry one [2]. The rest carri",
    ),
    "one_mark_a_place": Wrong(
        CITED.replace(
            "{(note.index, numbers[note.file_id]) for note in notes}",
            "{note.index: numbers[note.file_id] for note in notes}.items()",
        ),
        (NUMBERS, ORDER),
        "['Kettles carry three years [1]. Batteries carry one [2]. The rest carri",
        "['Kettles carry three years [1]. Batteries carry one [2]. The rest carri",
    ),
    "one_mark_a_file": Wrong(
        CITED.replace(
            "{(note.index, numbers[note.file_id]) for note in notes}",
            "{note.file_id: (note.index, numbers[note.file_id]) for note in notes}.values()",
        ),
        (MARK, ONCE, NUMBERS, ORDER),
        "['Kettles carry three years. Batteries carry one. The rest carries two [",
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
    ),
    "every_kind": Wrong(
        CITED.replace(' if note.type == "file_citation"', ""),
        (OTHER,),
        "AttributeError",
        "['Kettles carry three years. Batteries carry one [1]. The rest carries t",
    ),
    "counted_from_zero": Wrong(
        CITED.replace(", start=1", ""),
        (MARK, ONCE, NUMBERS, ORDER, ALIKE, OTHER),
        "['Kettles carry three years [0]. Batteries carry one. The rest carries t",
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
    ),
    "behind_the_full_stop": Wrong(
        CITED.replace("marks = {(note.index", "marks = {(note.index + 1"),
        (MARK, ONCE, NUMBERS, ORDER, ALIKE, OTHER),
        "['Kettles carry three years. [1] Batteries carry one. The rest carries t",
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
    ),
    "sources_at_the_end": Wrong(
        CITED.replace('text = f"{text[:index]} [{number}]{text[index:]}"', "pass").replace(
            "return text", "text += ''.join(f' [{n}]' for n in numbers.values())\n    return text"
        ),
        (MARK, ONCE, NUMBERS, ORDER, ALIKE, OTHER),
        "['Kettles carry three years. Batteries carry one. The rest carries two. ",
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
    ),
    "the_ids_of_the_files": Wrong(
        CITED.replace("list(names.values())", "list(names)"),
        (MARK, ONCE, NUMBERS, ORDER, ALIKE, OTHER),
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
    ),
    "a_source_for_each_annotation": Wrong(
        CITED.replace("list(names.values())", "[note.filename for note in notes]"),
        (MARK, ONCE, NUMBERS, ORDER),
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
    ),
    "without_annotations_there_is_nothing": Wrong(
        CITED.replace(
            "    text = part.text", "    if not notes:\n        return None\n    text = part.text"
        ),
        (NONE,),
        "None (nothing: is a return missing?)",
        "['Kettles carry three years. Batteries carry one. The rest carries two.'",
    ),
    "the_text_alone": Wrong(
        CITED.replace("return text, list(names.values())", "return text"),
        ALL,
        "'Kettles carry three years [1]. Batteries carry one. The rest carries tw",
        "['Kettles carry three years [1]. Batteries carry one. The rest carries t",
    ),
}
