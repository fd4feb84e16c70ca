"""The sentence a user agrees to before a voice is cloned, and what the models must not be used for. Texts of `resources/`."""


def sentence() -> str:
    """For the checkbox; it is stored with the voice."""
    raise NotImplementedError


def prohibited_uses() -> tuple[str, ...]:
    """Sentences: the first is the rule, the others what is forbidden."""
    raise NotImplementedError
