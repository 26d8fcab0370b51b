"""Speeds, measured in turn in one run with what they are compared with: `python -m tools.measure.speed WHAT`.

Each module here is a WHAT. It names subjects, such as this package and cshogi, and operations that all of them do.
"""
