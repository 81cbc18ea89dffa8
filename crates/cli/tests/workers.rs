//! The real binary, a real JVM: what workers do with sequences, on every JDK found.

#[path = "workers/cutting.rs"]
mod cutting;
#[path = "workers/fingerprints.rs"]
mod fingerprints;
#[path = "workers/fixture.rs"]
mod fixture;
#[path = "workers/pins.rs"]
mod pins;
#[path = "workers/probes.rs"]
mod probes;
#[path = "workers/roaming.rs"]
mod roaming;
#[path = "workers/standins.rs"]
mod standins;
#[path = "workers/statements.rs"]
mod statements;
#[path = "workers/statics.rs"]
mod statics;
#[path = "workers/trials.rs"]
mod trials;
