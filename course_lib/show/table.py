"""A table that reads well in a notebook, in a saved file, in both themes and in a terminal."""

from collections.abc import Set
from dataclasses import dataclass
from html import escape


@dataclass(slots=True)
class Table:
    """Rows under headings. `caption` comes first, `note` last; both are plain sentences."""

    headings: list[str]
    rows: list[list[str]]
    caption: str = ""
    note: str = ""
    code_columns: Set[int] = frozenset()  # shown in a fixed-width face
    number_columns: Set[int] = frozenset()  # aligned on the right
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

    # No colours of its own: text and lines take the theme's. Inline, because saved, untrusted
    # notebooks keep style attributes and drop everything else.
    def _style(self, column: int) -> str:
        side = "right" if column in self.number_columns else "left"
        return f"text-align:{side};padding:2px 12px 2px 0;vertical-align:top"

    def _cell(self, column: int, text: str, first: str) -> str:
        is_code = column in self.code_columns
        # What is long stands in the last column or is code; a word or a number is not broken.
        wraps = is_code or column == len(self.headings) - 1
        style = f"{self._style(column)};white-space:{'pre-wrap' if wraps else 'nowrap'}"
        style += ";font-family:monospace" if is_code else ""
        style += ";border-top:1px solid" if self.grouped and first else ""
        return f'<td style="{style}">{escape(text)}</td>'

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
