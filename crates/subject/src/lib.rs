//! Turns a class path into a Subject: find, read, resolve.
