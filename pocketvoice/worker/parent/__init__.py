"""The side of the program that asks: the client, its requests, the link to the process. Never imports the child."""
