"""What the engine makes by itself: mate problems."""
