"""What a model is loaded with unless told otherwise."""

DEFAULT_EOS_THRESHOLD = -4.0
