"""One module per command: its flags, the question it asks of the service, and how the answer is shown."""
