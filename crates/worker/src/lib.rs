//! The process that hosts one HotSpot JVM and runs sequences in it.
