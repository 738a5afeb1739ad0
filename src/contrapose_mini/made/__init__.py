"""Steps that make the mini world: its data folder, and the models that are checked in below `resources/`."""
