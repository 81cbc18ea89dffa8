//! Landlock, seccomp and resource limits around a worker.
