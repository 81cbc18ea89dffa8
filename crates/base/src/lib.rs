//! Typed ids, seeds and random numbers: what every other crate stands on.

mod id;
mod seed;

pub use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
pub use seed::{Rng, Seed};
