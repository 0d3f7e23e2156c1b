"""Publish patterns, not people."""
