"""How a file that is not what it should be is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from discreet.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def refused(read, path: Path, content: str | bytes, words: str, **options) -> None:
    """Check that a file is refused in one short sentence with these words, and without what stands in it."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=words) as caught:
        read(path, **options)
    message = str(caught.value)
    assert "secret" not in message
    assert "\n" not in message
    assert len(message) < 400
