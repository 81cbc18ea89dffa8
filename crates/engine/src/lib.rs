//! One run: explore, archive, minimize, choose checks, emit, validate.

mod archive;
mod deadline;
mod enumerate;
mod error;
mod generate;
mod minimize;
mod pooled;
mod runner;
mod wire;

pub use archive::{Archive, Goal};
pub use deadline::{Budget, Deadline, Stop};
pub use enumerate::{EnumerateConfig, EnumerateProgress, Enumerated, PREDICATES, Target, enumerate, pace};
pub use error::RunError;
pub use generate::{Generated, Phase, Progress, generate};
pub use pooled::PooledRunner;
pub use runner::{Job, Mode, Runner};
