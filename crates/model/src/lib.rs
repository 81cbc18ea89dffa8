//! The vocabulary of Jurat as immutable data.
