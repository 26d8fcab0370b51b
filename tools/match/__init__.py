"""Games between engines, versions or settings, over one USI client and one module of statistics."""
