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
mod roam;
mod sequence;
mod session;
pub mod shared;
mod text;

use serde::{Deserialize, Serialize};

use frame::FrameError;

pub use enumerate::{
    ArrayBound, ChoiceValues, Choices, ClassBound, Explore, Explored, Failure, FieldBound, Remainder,
    Stretch, Watch,
};
pub use operation::{Operation, OperationKind};
pub use outcome::{
    Asked, Attempt, Compared, Coverage, Cut, Death, Distance, Ending, ObjectValue, Outcome, Plain, Primitive,
    Relation, Taint, Thrown, Value,
};
pub use roam::{
    BOXES, Chart, ChartedOperation, ChartedType, Find, Focus, Given, InsteadOf, LiteralPool, Mockable,
    MockableMethod, Naming, Need, Reached, Roam, Roamed, STRING, Start, Tally, Trouble, TypeSort, Usable,
    Way,
};
pub use sequence::{Answer, Literal, MOCK_CLASS, Mock, MockAnswers, Sequence, SequenceError, Statement, Var};
pub use session::{
    Bare, Boot, Chunk, ChunkOutcomes, Finished, Hello, Isolation, Limits, Mutants, Opened, ProbedBranches,
    Probes, Session, Trial, Wants, fd,
};
pub use text::Text;

/// Raised with every change of a message or of the shared memory; a worker of another version is refused.
pub const PROTOCOL_VERSION: u32 = 16;

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
    /// Learn what roaming sessions may do. Answered by [`Reply::Charted`].
    Chart(Box<Chart>),
    /// Roam. Answered by [`Reply::Roamed`].
    Roam(Box<Roam>),
    /// Make the objects of structures that are to be enumerated. Answered by [`Reply::Watching`].
    Watch(Box<Watch>),
    /// Guess how many candidates the search has, running about so many. Answered by [`Reply::Estimated`].
    Estimate(u64),
    /// Run a part of the search. Answered by [`Reply::Explored`].
    Explore(Explore),
    /// Measure the speed of the search's first candidates, so many, and that of the same candidates without a
    /// search. Answered by [`Reply::Paced`].
    Pace(u32),
    /// Run the calls of a sequence by a bare loop: the floor that [`Request::Execute`] is measured against. Answered by
    /// [`Reply::Ran`].
    Bare(Bare),
}

impl Request {
    /// Where [`Request::Execute`] stands among requests, which is how its encoding begins.
    const EXECUTE: u8 = 3;

    /// The framed request for a chunk without the sequences at `skip`: for [`frame::send_framed`].
    pub fn execute(chunk: &Chunk, skip: &[u32]) -> Result<Vec<u8>, FrameError> {
        let mut buffer = vec![0, 0, 0, 0, Self::EXECUTE];
        chunk.append(skip, &mut buffer)?;
        Ok(buffer)
    }

    /// The request with this encoding. Sequences of a chunk take the place of those in `spare`: requests come by the
    /// thousand, and their memory is worth keeping.
    pub fn decode(encoded: &[u8], spare: &mut Vec<Sequence>) -> Result<Self, FrameError> {
        match encoded.split_first() {
            Some((&Self::EXECUTE, chunk)) => Ok(Self::Execute(Chunk::decode(chunk, spare)?)),
            _ => Ok(postcard::from_bytes(encoded)?),
        }
    }
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
    /// The chart is taken.
    Charted,
    /// What roaming found.
    Roamed(Box<Roamed>),
    /// The objects are there.
    Watching,
    /// A guess.
    Estimated(f64),
    /// What a part of the search found.
    Explored(Explored),
    /// Nanoseconds per candidate: of the search, and of its predicate alone.
    Paced(f64, f64),
    /// The bare loop is over.
    Ran,
    /// The request could not be carried out, and why. This is about us or the machine, never the subject.
    Failed(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_sent_by_reference_and_read_into_old_memory_is_the_same_chunk() {
        let mut sequence = Sequence::default();
        let number = sequence.int(7);
        sequence.array("I", &[number, number]);
        sequence.operate(300, &[number; 3]);
        sequence.observe_last(1);
        let chunk = Chunk {
            number: 300,
            isolation: Isolation::Sequence,
            wants: Wants { effects: true, ..Wants::default() },
            sequences: vec![sequence.clone(), Sequence::default(), sequence.clone()],
            skip: Vec::new(),
            trials: vec![Trial { mutant: 7, like: 0, fuel: 9, alone: true }],
        };
        let framed = Request::execute(&chunk, &[1, 200]).expect("a vector takes everything");
        let expected = Request::Execute(Chunk { skip: vec![1, 200], ..chunk });
        assert_eq!(framed[4..], postcard::to_stdvec(&expected).expect("a vector takes everything"));
        let old = [Vec::new(), vec![sequence.clone()], vec![sequence; 9]];
        for mut old in old {
            let read = Request::decode(&framed[4..], &mut old).expect("it was just written");
            assert_eq!(read, expected);
        }
        let other = Request::Estimate(9);
        let encoded = postcard::to_stdvec(&other).expect("a vector takes everything");
        assert_eq!(Request::decode(&encoded, &mut Vec::new()).expect("it was just written"), other);
    }
}
