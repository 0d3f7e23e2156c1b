"""Our own components: markup, fields, a drop zone, curves with a point, groups, columns, a tree, a search among labels.

For every property that the framework sends, it draws the whole page again. So what changes with each move of the point
is sent alone, to the component that shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

from nicegui import ui
from nicegui.element import Element

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


__all__ = [
    "ColumnsTable",
    "CurveLine",
    "Curves",
    "DropZone",
    "Field",
    "GroupButtons",
    "LabelSearch",
    "Markup",
    "Tree",
]

_LONGEST = 200
"""The most letters of a label that a page is sent."""


class CurveLine(TypedDict):
    """A curve: its name, its colour (0 to 5), its points, and whether it is dashed."""

    name: str
    colour: int
    dashed: NotRequired[bool]
    points: list[tuple[float, float]]


class _Told(Element):
    """A component whose `take` gets what changes, and nothing else of the page is drawn again."""

    _told_alone = False
    """Whether the page has something that the framework did not send."""

    def _tell(self, told: Mapping[str, object]) -> None:
        changed = {name: value for name, value in told.items() if self._props.get(name) != value}
        if not changed:
            return
        if not self._told_alone and not self.client.has_socket_connection:  # there is no page yet
            self._props.update(changed)
            return
        self._told_alone = True
        dict.update(self._props, changed)  # a change that the framework sees makes it send all
        self.run_method("take", changed)


class Markup(_Told, component="static/markup.js"):
    """Markup of our own: user text in it was escaped by a template."""

    def __init__(self, content: str = "", *, tag: str = "div") -> None:
        super().__init__()
        self._props.update({"content": str(content), "tag": tag})

    @property
    def content(self) -> str:
        """What it shows."""
        return str(self._props["content"])

    @content.setter
    def content(self, content: str) -> None:
        """Show something else."""
        self._tell({"content": str(content)})


class Field(ui.input, component="static/field.js"):
    """A field for words, or for several lines; what is written into it never replaces what somebody types there."""

    def __init__(
        self, label: str, *, value: str = "", lines: bool = False, on_change: Callable[[], object] | None = None
    ) -> None:
        super().__init__(label, value=value, on_change=on_change)
        self._props.update({"read": 0} | ({"type": "textarea"} if lines else {}))
        self.props("dense outlined" + " autogrow" * lines)
        self.on("edited", lambda event: dict.update(self._props, read=event.args))  # sent with what is written next


class GroupButtons(_Told, component="static/group_buttons.js"):
    """Groups to choose from, with something beneath the chosen one; `on_choose` gets the place of a group."""

    def __init__(self, *, on_choose: Callable[[int], object]) -> None:
        super().__init__()
        self._props.update({"groups": [], "chosen": 0, "picture": ""})
        self.on("choose", lambda event: on_choose(event.args))

    def show(self, groups: Sequence[str], *, chosen: int, picture: str) -> None:
        """Show groups, as markup."""
        self._tell({"groups": list(groups), "chosen": chosen, "picture": picture})


class DropZone(Element, component="static/drop_zone.js"):
    """A drop zone; each file is uploaded to `url` unchanged."""

    def __init__(self, words: str, *, url: str, hint: str, limit: int, multiple: bool = False) -> None:
        super().__init__()
        self._props.update({"words": words, "url": url, "hint": hint, "limit": limit, "multiple": multiple})
        self._props["unsaved"] = ""

    def ask_before(self, unsaved: str) -> None:
        """Ask before a file is taken that would throw away what was not saved; nothing is, if that is empty."""
        if self._props["unsaved"] != unsaved:
            self._props["unsaved"] = unsaved
            self.update()


class Curves(_Told, component="static/curves.js"):
    """Curves with a point to drag along their axis; `on_move` gets x and the number of the curve, and replies by `put`.

    `words` are its texts, by the names of the component's properties. With `choosable`, a click in the legend moves
    the point to another curve. With `steps`, a value holds from the x before it up to its own.
    """

    def __init__(
        self,
        *,
        words: dict[str, str],
        on_move: Callable[[float, int, int], object],
        logarithmic: bool = False,
        y_share: bool = False,
        choosable: bool = False,
        steps: bool = False,
    ) -> None:
        super().__init__()
        self._props.update(
            {
                **words,
                "log": logarithmic,
                "x-log": logarithmic,
                "y-share": y_share,
                "choosable": choosable,
                "steps": steps,
                **dict.fromkeys(("answered", "x", "y", "series", "x-min", "mark", "safe-from"), 0),
                **dict.fromkeys(("x-max", "whole", "y-max", "step"), 1),
                "lines": [],
                "itemsets": [],
                "people": [],
            }
        )
        self.on("move", lambda event: on_move(event.args["x"], event.args["series"], event.args["number"]))

    def draw(
        self, lines: Sequence[CurveLine], *, x: tuple[float, float], whole: float, y_max: float, step: float
    ) -> None:
        """Draw new curves, unless these are drawn."""
        drawn = {"lines": list(lines), "x-min": x[0], "x-max": x[1], "whole": whole, "y-max": y_max, "step": step}
        if any(self._props.get(name) != value for name, value in drawn.items()):
            self._props.update(drawn)
            self.update()

    def shade(self, *, safe_from: float, safe_words: str, mark: float = 0, mark_words: str = "") -> None:
        """Shade the part from an x up, and mark another x; 0 for neither."""
        self._tell({"safe-from": safe_from, "safe-words": safe_words, "mark": mark, "mark-words": mark_words})

    def count(self, itemsets: Sequence[tuple[int, int]]) -> None:
        """Set how many itemsets there are from each x up, for what is said of the place under the pointer."""
        self._props["itemsets"] = list(itemsets)
        self.update()

    def tell(self, people: Sequence[tuple[int, str]]) -> None:
        """Set what is known of people at some x."""
        self._tell({"people": [list(each) for each in people]})

    def put(self, x: float, y: float, series: int, *, answered: int | None = None) -> None:
        """Move the point; `answered` is the number of the move that this replies to."""
        self._tell({"x": x, "y": y, "series": series} | ({} if answered is None else {"answered": answered}))

    def stay(self, *, answered: int) -> None:
        """Reply to a move without moving the point."""
        self._tell({"answered": answered})


class ColumnsTable(Element, component="static/columns_table.js"):
    """Columns with check boxes for their roles; `on_tick` and `on_roles` get names by role, `on_leave` names."""

    def __init__(
        self,
        columns: Sequence[Mapping[str, object]],
        *,
        boxes: dict[str, str],
        given: dict[str, list[str]],
        on_tick: Callable[[dict[str, list[str]]], object],
        on_leave: Callable[[list[str]], object],
        on_roles: Callable[[dict[str, list[str]]], object],
    ) -> None:
        super().__init__()
        self._props.update({"columns": list(columns), "boxes": boxes, "given": given})
        self.on("tick", lambda event: on_tick(event.args))
        self.on("leave", lambda event: on_leave(event.args))
        self.on("roles", lambda event: on_roles(event.args))


class Tree(Element, component="static/tree.js"):
    """A tree with draggable nodes, of which the page has the groups that are open.

    `on_move` gets what was dropped where, `on_choose` what was clicked, `on_open` the group to open or close, or of
    which to show more.
    """

    def __init__(
        self,
        *,
        on_move: Callable[[int, int], object],
        on_choose: Callable[[int], object],
        on_open: Callable[[int, bool, bool], object],
    ) -> None:
        super().__init__()
        self._props.update({"root": None, "levels": {}, "chosen": -1})
        self.on("move", lambda event: on_move(event.args["node"], event.args["under"]))
        self.on("choose", lambda event: on_choose(event.args["node"]))
        self.on(
            "open",
            lambda event: on_open(event.args["id"], bool(event.args.get("open")), bool(event.args.get("more"))),
        )

    def draw(self, root: Mapping[str, object], levels: Mapping[int, Mapping[str, object]], chosen: int) -> None:
        """Draw a tree: its root, and the children of the groups that are open."""
        self._props.update({"root": root, "levels": levels, "chosen": chosen})
        self.update()


class LabelSearch(Element, component="static/label_search.js"):
    """A field to choose labels by a part of them.

    `search` gives the first labels that fit, by their numbers, and whether there are more; `on_choose` gets a number,
    `on_remove` the place of a chosen label.
    """

    def __init__(
        self,
        label: str,
        *,
        hint: str,
        search: Callable[[str], tuple[dict[int, str], bool]],
        on_choose: Callable[[int], object],
        on_remove: Callable[[int], object],
    ) -> None:
        super().__init__()
        self._search = search
        self._props.update({"label": label, "hint": hint, "found": [], "more": False, "chosen": []})
        self.on("search", lambda event: self._find(event.args["words"]), throttle=0.05)
        self.on("choose", lambda event: on_choose(event.args["number"]))
        self.on("remove", lambda event: on_remove(event.args["place"]))

    def _find(self, words: str) -> None:
        found, more = self._search(words)
        listed = [{"number": number, "label": label[:_LONGEST]} for number, label in found.items()]
        self._props.update({"found": listed, "more": more})
        self.update()

    def show(self, chosen: Sequence[str]) -> None:
        """Show what is chosen."""
        shown = [label[:_LONGEST] for label in chosen]
        if self._props["chosen"] != shown:
            self._props["chosen"] = shown
            self.update()
