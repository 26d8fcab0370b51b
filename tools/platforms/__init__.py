"""Checks of an installation on its own system, and Windows and 64-bit ARM on a Linux machine."""
