//! The real binary, a real JVM, and subjects that misbehave in every way we know: the right outcome, unharmed
//! neighbours, nothing changed outside, nothing left running. On every JDK found.

#[path = "hostile/endings.rs"]
mod endings;
#[path = "hostile/stage.rs"]
mod stage;
#[path = "hostile/world.rs"]
mod world;
