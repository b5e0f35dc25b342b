"""The box a submission runs in, and the process that forks boxes with everything imported."""
