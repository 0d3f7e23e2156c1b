"""Publish rows from which nobody can infer a sensitive item (cao2010)."""

from __future__ import annotations
