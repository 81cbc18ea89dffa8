//! Versioned messages between engine and worker.
