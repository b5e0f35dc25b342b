"""One module per assignment: the cases, misconceptions and alternatives of its exercises."""
