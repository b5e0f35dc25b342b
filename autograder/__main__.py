"""The command `python -m autograder`, for where its script is not on PATH."""

from autograder.cli import main

if __name__ == "__main__":
    main()
