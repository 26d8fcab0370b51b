"""Games between engines, versions or settings, with one USI client and one module of statistics."""
