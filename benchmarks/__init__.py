"""Programs that measure the engine against the world and the build against the clock."""
