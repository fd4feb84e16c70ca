"""A document becomes an audiobook: chapters and passages, finished pieces on the disk, one even loudness, files with tags.

No torch and no window: what speaks the pieces is the wing `speaking`.
"""
