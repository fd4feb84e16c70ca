"""RTF, the exchange format of older word processors, mails and help files."""
