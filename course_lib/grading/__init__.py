"""How a submission is reached: through a keyhole that only data passes, whatever is behind it."""
