"""PDF: words with their places from PDFium, put together to lines, columns, paragraphs and headings as a person sees them."""
