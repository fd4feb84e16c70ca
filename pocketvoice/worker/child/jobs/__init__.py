"""What the engine's thread can be given to do, a module a job: load a model, speak, make a voice, synthesize, write a file."""
