//! What the crate does with real classes. Needs a JDK and the jars that `make setup` fetches.

mod corpus;
mod malformed;
mod relocation;
mod round_trip;
mod running;
mod signatures;
mod verifier;
