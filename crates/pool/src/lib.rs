//! Starts, times out, kills and replaces workers.
