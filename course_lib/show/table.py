"""A table that reads well in a notebook, in a saved file, in both themes and in a terminal."""

from dataclasses import dataclass
from html import escape


@dataclass(slots=True)
class Table:
    """Rows under headings. `caption` comes first, `note` last; both are plain sentences."""

    columns: dict[str, str]
    """The headings, each with what is under it: "text", "number" (on the right) or "code"."""
    rows: list[list[str]]
    caption: str = ""
    note: str = ""
    below: "Table | None" = None  # another one, under the note
    grouped: bool = False  # a row whose first cell is filled begins a group, under a line

    def _repr_html_(self) -> str:
        head = "".join(
            f'<th style="{_style(kind)};white-space:nowrap">{escape(heading)}</th>'
            for heading, kind in self.columns.items()
        )
        body = "".join(f"<tr>{self._cells(row)}</tr>" for row in self.rows)
        caption = f"<p><em>{escape(self.caption)}</em></p>" if self.caption else ""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        below = self.below._repr_html_() if self.below else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return caption + table + note + below

    def _cells(self, row: list[str]) -> str:
        line = ";border-top:1px solid" if self.grouped and row[0] else ""
        *_, last = self.columns
        cells = ""
        for text, (heading, kind) in zip(row, self.columns.items(), strict=True):
            # What is long stands in the last column or is code; a word or a number is not broken.
            space = "pre-wrap" if kind == "code" or heading == last else "nowrap"
            face = ";font-family:monospace" if kind == "code" else ""
            style = f"{_style(kind)};white-space:{space}{face}{line}"
            cells += f'<td style="{style}">{escape(text)}</td>'
        return cells

    def __repr__(self) -> str:
        kinds = self.columns.values()
        widths = [max(map(len, column)) for column in zip(self.columns, *self.rows, strict=True)]
        lines = [
            "  ".join(
                text.rjust(width) if kind == "number" else text.ljust(width)
                for text, width, kind in zip(row, widths, kinds, strict=True)
            ).rstrip()
            for row in (self.columns, ["-" * width for width in widths], *self.rows)
        ]
        below = f"\n{self.below}" if self.below else ""
        return "\n".join(filter(None, [self.caption, *lines, self.note, below]))


# No colours of its own: text and lines take the theme's. Inline, because saved, untrusted notebooks
# keep style attributes and drop everything else.
def _style(kind: str) -> str:
    side = "right" if kind == "number" else "left"
    return f"text-align:{side};padding:2px 12px 2px 0;vertical-align:top"
