"""The list that would be published: searched, sorted and turned on the server, so that all of it can be reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from discreet.wording import counted, number, one_line
from discreet.workbench.pages.components import Field
from discreet.workbench.pages.page_kit import markup

if TYPE_CHECKING:
    from discreet.json_types import ParsedDocument
    from discreet.workbench.jobs.published_itemsets import ListedItemset, PublishedItemsets

__all__ = ["PublishedList"]

_PAGE = 50
_REST = 0.3
"""Seconds after the last change until the list follows: while the point moves, it is dimmed."""
_COLUMNS = [
    {"name": name, "label": label, "field": name, "align": side, "sortable": True}
    for name, label, side in (
        ("items", "Itemset", "left"),
        ("before", "Rows", "right"),
        ("after", "Published", "right"),
        ("change", "Change", "right"),
    )
]
_FIRST = {"page": 1, "rowsPerPage": _PAGE, "rowsNumber": 0, "sortBy": "before", "descending": True}


class PublishedList:
    """The table of itemsets: fifty at a time are sent."""

    def __init__(self) -> None:
        self._listing: PublishedItemsets | None = None
        self._words = ""
        with ui.element("div") as self.shown:
            markup("<h3>The list that would be published</h3>")
            self._search = Field("Search the list", on_change=self._searched)
            self._search.props('clearable type=search debounce=200 hint="an item; several: with commas"')
            self._table = ui.table(columns=_COLUMNS, rows=[], row_key="id", pagination=dict(_FIRST)).classes("patterns")
            self._table.props('flat dense wrap-cells binary-state-sort aria-label="what would be published"')
            self._table.props("rows-per-page-options=[50]")
            self._table.on("request", lambda event: self._turn(event.args["pagination"]))
            self._note = ui.label("").classes("note")
            self._following = ui.timer(_REST, self._follow, active=False)

    def show(self, listing: PublishedItemsets | None, words: str) -> None:
        """Show other itemsets; `words` say what the figures are."""
        self._listing, self._words = listing, words
        self.shown.visible = bool(listing)
        self._table.classes("stale")
        self._following.deactivate()
        self._following.activate()

    def _follow(self) -> None:
        self._following.deactivate()
        self._table.classes(remove="stale")
        self._searched()

    def _searched(self) -> None:
        self._turn({**self._table.pagination, "page": 1})

    def _turn(self, page: ParsedDocument) -> None:
        """Send one page of the list."""
        if self._listing is None:
            return
        by, descending = page.get("sortBy") or "before", bool(page.get("descending"))
        found = self._listing.found(self._search.value or "", by=by, descending=descending)
        last = max(1, -(-len(found) // _PAGE))
        place = min(max(1, int(page.get("page") or 1)), last)
        first = (place - 1) * _PAGE
        self._table.pagination = {**_FIRST, "page": place, "rowsNumber": len(found), "sortBy": by} | {
            "descending": descending
        }
        few = self._listing.part(found[first : first + _PAGE])
        self._table.rows = [_row(first + at, each) for at, each in enumerate(few)]
        some = f"{number(len(found))} of " if len(found) < len(self._listing) else ""
        self._note.text = f"{some}{counted(len(self._listing), 'itemset')}, {self._words}"


def _row(place: int, listed: ListedItemset) -> dict[str, object]:
    change = 0 if listed.after is None else listed.after - listed.before
    known = listed.after is not None
    return {
        "id": place,
        "items": ", ".join(one_line(label)[:80] for label in listed.items),
        "before": number(listed.before),
        "after": (number(listed.after) if listed.after else "withheld") if listed.after is not None else "",
        "change": f"{'+' if change > 0 else '−' if change < 0 else ''}{number(abs(change))}" if known else "",
    }
