"""Sound as numbers: chunks, reading any file, resampling, clip rules, WAV writing. numpy, no torch, no Qt."""
