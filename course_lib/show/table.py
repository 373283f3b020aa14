"""A table that reads well in a notebook, in a saved file, in both themes and in a terminal."""

from dataclasses import dataclass, field
from html import escape

# No colours of its own: text and lines take the theme's. Inline, because saved, untrusted
# notebooks keep style attributes and drop everything else.
_CELL = "padding:2px 12px 2px 0;vertical-align:top"
_MONO = "font-family:monospace"
_LINE = "border-top:1px solid"  # in the colour of the text


@dataclass(slots=True)
class Table:
    """Rows under headings. `caption` comes first, `note` last; both are plain sentences."""

    headings: list[str]
    rows: list[list[str]]
    caption: str = ""
    note: str = ""
    code_columns: set[int] = field(default_factory=set)  # shown in a fixed-width face
    number_columns: set[int] = field(default_factory=set)  # aligned on the right
    below: "Table | None" = None  # another one, under the note
    grouped: bool = False  # a row whose first cell is filled begins a group, under a line

    def _repr_html_(self) -> str:
        head = "".join(
            f'<th style="{self._style(i)};white-space:nowrap">{escape(each)}</th>'
            for i, each in enumerate(self.headings)
        )
        body = "".join(
            f"<tr>{''.join(self._cell(i, text, row[0]) for i, text in enumerate(row))}</tr>"
            for row in self.rows
        )
        caption = f"<p><em>{escape(self.caption)}</em></p>" if self.caption else ""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        below = self.below._repr_html_() if self.below else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return caption + table + note + below

    def _cell(self, column: int, text: str, first: str) -> str:
        style = self._style(column)
        # What is long stands in the last column or is code; a word or a number is not broken.
        wraps = column in self.code_columns or column == len(self.headings) - 1
        style += f";white-space:{'pre-wrap' if wraps else 'nowrap'}"
        style += f";{_MONO}" if column in self.code_columns else ""
        style += f";{_LINE}" if self.grouped and first else ""
        return f'<td style="{style}">{escape(text)}</td>'

    def _style(self, column: int) -> str:
        return f"text-align:{'right' if column in self.number_columns else 'left'};{_CELL}"

    def __repr__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.headings, *self.rows, strict=True)]
        lines = [
            "  ".join(
                text.rjust(width) if column in self.number_columns else text.ljust(width)
                for column, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in (self.headings, ["-" * width for width in widths], *self.rows)
        ]
        below = f"\n{self.below}" if self.below else ""
        return "\n".join(filter(None, [self.caption, *lines, self.note, below]))


def short(text: str, longest: int) -> str:
    """The text on one line, cut to so many characters."""
    line = " ".join(text[: 8 * longest].split())  # not all of an image, or of a book
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def left_out(number: int) -> str:
    return f"The first {number} steps are left out." if number > 0 else ""
