//! Instrumented classes in real JVMs. Needs a JDK with its compiler and the jars that `make setup` fetches.

mod behavior;
mod drive;
mod jacoco;
mod java;
mod limits;
mod link;
mod mutants;
mod trace;
