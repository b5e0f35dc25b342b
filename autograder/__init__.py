"""What an instructor or author runs: release, try, grade and report. Students never get it."""
