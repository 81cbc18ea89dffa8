//! Reads, checks, edits and writes Java class files.
