"""Find and block what mined patterns disclose about small groups of rows (atzori2008, waim2008)."""

from __future__ import annotations

from discreet.channels.audit import Audit, audit
from discreet.channels.channel import Channel, Channels

__all__ = ["Audit", "Channel", "Channels", "audit"]
