"""`python -m autograder`: the command, where its script is not on PATH."""

from autograder.cli import main

if __name__ == "__main__":
    main()
