"""torch modules and weight loading: tensors in, tensors out. Importing the package itself pulls in no torch."""
