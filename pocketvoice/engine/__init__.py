"""Text and a voice state in, a stream of audio out: the only caller of model/."""
