"""DOCX, the format of Word since 2007."""
