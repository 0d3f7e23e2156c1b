"""What a set of mined patterns gives away (atzori2008, waim2008)."""

from __future__ import annotations

from discreet.channels.audit import Audit, audit
from discreet.channels.channel import Channel, Channels

__all__ = ["Audit", "Channel", "Channels", "audit"]
