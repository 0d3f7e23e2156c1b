"""axe-core, which looks for barriers in a page: names that are missing, contrast that is too low, lost structure."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.chromium import Chromium

_RUN = """
    const done = arguments[arguments.length - 1];
    const told = (node) => `${node.target.join(" ")} ${node.html.slice(0, 160)}`;
    axe.run(document, {resultTypes: ["violations"]}).then((found) => done(found.violations.map((each) =>
      `${each.id}: ${each.nodes.map(told).join(" | ")}`)));"""


@cache
def _script() -> str | None:
    """Return axe-core, as a package of Python brings it."""
    found = importlib.util.find_spec("axe_playwright_python")
    places = [] if found is None else found.submodule_search_locations or []
    scripts = [Path(place) / "axe.min.js" for place in places]
    return next((script.read_text(encoding="utf-8") for script in scripts if script.exists()), None)


def barriers(browser: Chromium) -> list[str]:
    """Return the barriers that axe-core finds in the page as it is now."""
    script = _script()
    if script is None:
        pytest.skip("there is no axe-core; install axe-playwright-python, or run make test")
    if not browser.ask("Boolean(window.axe)"):
        browser.driver.execute_script(script)
    return browser.driver.execute_async_script(_RUN)
