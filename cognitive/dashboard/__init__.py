"""Pages that show what was shown, what was used, and why. `app.create` makes them, a server mounts them."""
