"""A table that reads well in a notebook, in a saved file, in both themes and in a terminal."""

from dataclasses import dataclass, field
from html import escape

# No colours of its own: text and lines take the theme's. Inline, because saved, untrusted
# notebooks keep style attributes and drop everything else.
_CELL = "text-align:left;padding:2px 12px 2px 0;vertical-align:top;white-space:pre-wrap"
_MONO = "font-family:monospace"


@dataclass(slots=True)
class Table:
    """Rows under headings. `caption` comes first, `note` last; both are plain sentences."""

    headings: list[str]
    rows: list[list[str]]
    caption: str = ""
    note: str = ""
    code_columns: set[int] = field(default_factory=set)  # shown in a fixed-width face

    def _repr_html_(self) -> str:
        head = "".join(f'<th style="{_CELL}">{escape(each)}</th>' for each in self.headings)
        body = "".join(
            f"<tr>{''.join(self._cell(i, text) for i, text in enumerate(row))}</tr>"
            for row in self.rows
        )
        caption = f"<p><em>{escape(self.caption)}</em></p>" if self.caption else ""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return f"{caption}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"

    def _cell(self, column: int, text: str) -> str:
        style = f"{_CELL};{_MONO}" if column in self.code_columns else _CELL
        return f'<td style="{style}">{escape(text)}</td>'

    def __repr__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.headings, *self.rows, strict=True)]
        lines = [
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in (self.headings, ["-" * width for width in widths], *self.rows)
        ]
        return "\n".join(filter(None, [self.caption, *lines, self.note]))
