"""EPUB 2 and 3: the package file, the table of contents, the files of the spine."""
