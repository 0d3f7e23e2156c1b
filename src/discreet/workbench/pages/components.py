"""Our own components: a drop zone for files, curves with a draggable point, a tree with draggable nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui.element import Element

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Curves", "DropZone", "Tree"]


class DropZone(Element, component="static/drop_zone.js"):
    """A drop zone; each file is uploaded to `url` unchanged."""

    def __init__(self, words: str, *, url: str, hint: str, limit: int, multiple: bool = False) -> None:
        super().__init__()
        self._props.update({"words": words, "url": url, "hint": hint, "limit": limit, "multiple": multiple})


class Curves(Element, component="static/curves.js"):
    """Curves with a draggable point; `on_move` gets x and the number of the curve, and replies with `put`."""

    def __init__(
        self,
        *,
        title: str,
        x_title: str,
        point_title: str,
        on_move: Callable[[float, int, int], Any],
        log: bool = False,
        y_share: bool = False,
    ) -> None:
        super().__init__()
        self._props.update(
            {
                "title": title,
                "x-title": x_title,
                "point-title": point_title,
                "log": log,
                "y-share": y_share,
                "answered": 0,
                **dict.fromkeys(("x", "y", "series", "x-min"), 0),
                **dict.fromkeys(("x-max", "whole", "y-max", "step"), 1),
                "lines": [],
            }
        )
        self.on("move", lambda event: on_move(event.args["x"], event.args["series"], event.args["number"]))

    def draw(
        self, lines: Sequence[dict[str, Any]], *, x: tuple[float, float], whole: float, y_max: float, step: float
    ) -> None:
        """Draw new curves: each a dict of name, colour (0 to 5), points and dashed."""
        self._props.update(
            {"lines": list(lines), "x-min": x[0], "x-max": x[1], "whole": whole, "y-max": y_max, "step": step}
        )
        self.update()

    def put(self, x: float, y: float, series: int, *, answered: int | None = None) -> None:
        """Move the point; `answered` is the number of the move that this replies to."""
        self._props.update({"x": x, "y": y, "series": series})
        if answered is not None:
            self._props["answered"] = answered
        self.update()

    def stay(self, *, answered: int) -> None:
        """Reply to a move without moving the point."""
        self._props["answered"] = answered
        self.update()


class Tree(Element, component="static/tree.js"):
    """A tree with draggable nodes; `on_move` gets what was dropped where, `on_choose` what was clicked."""

    def __init__(self, *, on_move: Callable[[str, str], Any], on_choose: Callable[[str], Any]) -> None:
        super().__init__()
        self._props.update({"root": "", "children": {}, "kinds": {}, "notes": {}, "fixed": False})
        self.on("move", lambda event: on_move(event.args["label"], event.args["under"]))
        self.on("choose", lambda event: on_choose(event.args["label"]))

    def draw(self, root: str, children: dict[str, list[str]], kinds: dict[str, str], notes: dict[str, str]) -> None:
        """Draw a new tree: the children of each group, and the colours and annotations of labels."""
        self._props.update({"root": root, "children": children, "kinds": kinds, "notes": notes})
        self.update()
