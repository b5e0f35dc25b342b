"""Runs a submission's Jupyter kernel in a sandbox, forked from a process that has imported what it needs.

Read `isolation` (what is in a sandbox, and its limits), then `linux` and `seccomp` (the system
calls), `fork_server`, `supervisor` and `kernel` (the processes, from the outside in), `launch` and
`provisioner` (how Jupyter starts them), `client` (how the grader reads a kernel), `messages`, `scratch`,
`doctor`.
"""
