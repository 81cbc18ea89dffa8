//! What the crate makes of real classes. Needs a JDK and the jars that `make setup` fetches.

#![expect(clippy::print_stderr, reason = "the figures are what the tests are run for")]

mod compiles;
mod complete;
mod corpus;
mod made;
mod shapes;
