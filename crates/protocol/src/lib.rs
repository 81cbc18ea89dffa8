//! Versioned messages between engine and worker: one [`Request`], one [`Reply`].
//!
//! A message is a postcard-encoded value behind a four-byte length ([`frame`]). The engine speaks first: `Boot`
//! while the worker is still one thread without a JVM, `Open` with the subject, then requests one at a time.
//! What both sides read at any moment, also after the worker's death, lives in shared memory ([`shared`]).
//! `docs/protocol.md` tells the whole story.

mod enumerate;
pub mod frame;
mod operation;
mod outcome;
mod sequence;
mod session;
pub mod shared;
mod text;

use serde::{Deserialize, Serialize};

pub use enumerate::{
    ArrayBound, ChoiceValues, Choices, ClassBound, Explore, Explored, Failure, FieldBound, Remainder,
    Stretch, Watch,
};
pub use operation::{Operation, OperationKind};
pub use outcome::{
    Asked, Attempt, Coverage, Cut, Death, Distance, Ending, ObjectValue, Outcome, Primitive, Taint, Thrown,
    Value,
};
pub use sequence::{Answer, Literal, Mock, MockAnswers, Sequence, SequenceError, Statement, Var};
pub use session::{
    Boot, Chunk, ChunkOutcomes, Finished, Hello, Isolation, Limits, Mutants, Opened, ProbedBranches, Probes,
    Session, Trial, Wants, fd,
};
pub use text::Text;

/// Raised with every change of a message or of the shared memory; a worker of another version is refused.
pub const PROTOCOL_VERSION: u32 = 4;

/// What the engine asks of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Start the JVM. The first request of all, answered by [`Reply::Hello`].
    Boot(Boot),
    /// Take this subject. Answered by [`Reply::Opened`].
    Open(Session),
    /// Append to the operation table that sequences refer to. Not answered.
    Operations(Vec<Operation>),
    /// Run sequences. Answered by [`Reply::Outcomes`].
    Execute(Chunk),
    /// Make the objects of structures that are to be enumerated. Answered by [`Reply::Watching`].
    Watch(Box<Watch>),
    /// Guess how many candidates the search has, running about so many. Answered by [`Reply::Estimated`].
    Estimate(u64),
    /// Run a part of the search. Answered by [`Reply::Explored`].
    Explore(Explore),
    /// Measure the speed of the search's first candidates, so many, and that of the same candidates without a
    /// search. Answered by [`Reply::Paced`].
    Pace(u32),
}

/// What a worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The JVM runs.
    Hello(Hello),
    /// The subject is ready.
    Opened(Opened),
    /// What the sequences of one chunk did.
    Outcomes(ChunkOutcomes),
    /// The objects are there.
    Watching,
    /// A guess.
    Estimated(f64),
    /// What a part of the search found.
    Explored(Explored),
    /// Nanoseconds per candidate: of the search, and of its predicate alone.
    Paced(f64, f64),
    /// The request could not be carried out, and why. This is about us or the machine, never the subject.
    Failed(String),
}
