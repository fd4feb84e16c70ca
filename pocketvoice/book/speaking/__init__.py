"""What speaks the pieces of a book: the engine in this process, and others like it in processes of their own."""
