//! One run: explore, archive, minimize, choose checks, emit, validate.

mod archive;
mod asserting;
mod coverage;
mod deadline;
mod enumerate;
mod error;
mod explore;
mod findings;
mod finish;
mod generate;
mod goals;
mod minimize;
mod mutate;
mod own;
mod permits;
mod place;
mod pooled;
mod promises;
mod runner;
mod shared;
mod strength;
mod turns;
mod wanted;
mod wire;

pub use archive::{Archive, Conduct, Goal};
pub use asserting::LeftOut;
pub use coverage::{Coverage, ProbeTable};
pub use deadline::{Budget, Deadline, Stop};
pub use enumerate::{
    EnumerateConfig, EnumerateProgress, Enumerated, Offered, OfferedClass, PREDICATES, StructureFinding,
    Target, Trial, TrialConfig, check_method, enumerate, offer, pace, try_structures,
};
pub use error::RunError;
pub use explore::{Exploration, Loss};
pub use findings::{Finding, Findings, Looking, find_breaches, write_findings};
pub use finish::{Finished, Finishing, TakenOut, covered, finish};
pub use generate::{Generated, Phase, Progress, generate};
pub use jurat_instrument::mutants::{Mutant, Operator, Operators};
pub use mutate::{
    Failing, Judged, Kill, MutantTable, Mutate, MutateProgress, Mutated, Mutation, TestName, Verdict, mutate,
};
pub use permits::Allowed;
pub use place::{Written, check_place, place};
pub use pooled::PooledRunner;
pub use runner::{Job, Mode, Runner};
pub use strength::{Strength, strengthen};
pub use wanted::GoalKind;
