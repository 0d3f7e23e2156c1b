"""Rows from which nobody can conclude a sensitive item (cao2010)."""

from __future__ import annotations
