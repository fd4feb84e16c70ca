"""The process boundary: engine and sound live in a process of their own, and may die there without harm to anyone."""
