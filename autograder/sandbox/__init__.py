"""The sandbox of a submission's Jupyter kernel, forked from a process with its imports loaded.

Read `isolation` (the content of a sandbox, and its limits), then `linux` and `seccomp` (the system
calls), `fork_server`, `supervisor` and `kernel` (the processes, from the outside in), `launch` and
`provisioner` (how Jupyter starts them), `client` (how the grader reads a kernel), `messages`, `scratch`,
`doctor`.
"""
