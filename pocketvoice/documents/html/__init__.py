"""HTML: pages saved from the web, fragments from the clipboard, the pages of an EPUB."""
