#!python
"""The `autograder` command as an editable install puts it on the PATH."""

from autograder.cli import main

main()
