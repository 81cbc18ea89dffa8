//! How a worker is started, what it is told about the subject, and how work is handed to it.

use serde::{Deserialize, Serialize};

use crate::frame::{self, FrameError};
use crate::shared::CoverageLayout;
use crate::{Outcome, Reply, Sequence};

/// The descriptors a worker finds open when it starts, beside the three standard ones.
pub mod fd {
    /// Requests are read from here.
    pub const REQUESTS: i32 = 200;
    /// Replies are written to here.
    pub const REPLIES: i32 = 201;
    /// The shared memory.
    pub const SHARED: i32 = 202;
    /// Never written to; its other end closes when the engine ends.
    pub const LIFELINE: i32 = 203;
}

/// What a worker must know before it creates its JVM.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boot {
    /// The engine's protocol version.
    pub version: u32,
    /// The engine's process id.
    pub engine: u32,
    /// The JVM as a shared library.
    pub libjvm: String,
    /// The Java feature release of that JVM.
    pub feature: u32,
    /// The one folder the subject may write to.
    pub scratch: String,
    /// The JDK and the class path: reading other files is an attempt.
    pub readable: Vec<String>,
    /// Jars of Java agents that the JVM starts with.
    pub agents: Vec<String>,
    /// Whether to apply the sandbox.
    pub sandbox: bool,
    /// The largest Java heap, in MiB.
    pub heap_mib: u32,
    /// The time zone, as `user.timezone` takes it.
    pub zone: String,
    /// The language of the default locale.
    pub language: String,
    /// The country of the default locale.
    pub country: String,
    /// What the clock shows when a sequence starts, in milliseconds since 1970.
    pub clock_millis: i64,
    /// Whether the same code runs millions of times: then the optimizing compiler pays.
    pub hot: bool,
    /// What seeds that the JDK would draw by itself, and the order of immutable collections, come from.
    pub seed: u64,
    /// HotSpot's mode of identity hash codes. In mode 2 all are the same, in every run; others vary.
    pub hash_mode: u8,
}

/// The worker's answer to [`Boot`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The worker's protocol version.
    pub version: u32,
}

/// The subject, and how it is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Class folders and jars, in order.
    pub class_path: Vec<String>,
    /// Class folders and jars whose classes are loaded once and never anew: what runs tests, say.
    pub lasting: Vec<String>,
    /// When to cut.
    pub limits: Limits,
    /// What to count.
    pub probes: Probes,
}

/// Which probes to put where. Ids are given out from each class's first one on, in the same way by engine and worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probes {
    /// One at the start of each method.
    pub entries: bool,
    /// One for each source line.
    pub lines: bool,
    /// One for each way a branch can go.
    pub branches: ProbedBranches,
    /// Whether back-edges and entries of methods use up fuel.
    pub fuel: bool,
    /// Binary names of the classes, each with the id of its first probe.
    pub classes: Vec<(String, u32)>,
    /// How many probes there are in all.
    pub count: u32,
    /// Which mutants these classes have, if any.
    pub mutants: Option<Mutants>,
}

/// The mutants of the classes that have probes. Numbers are given out in the same way by engine and worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutants {
    /// The kinds of changes, one bit each.
    pub operators: u16,
    /// The first mutant of each class, in the order of [`Probes::classes`].
    pub first: Vec<u32>,
}

impl Probes {
    /// Where the coverage is in shared memory.
    pub fn layout(&self) -> CoverageLayout {
        CoverageLayout::new(self.count, self.branches == ProbedBranches::Distances)
    }
}

/// What branch probes report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProbedBranches {
    /// There are none.
    #[default]
    None,
    /// Which way branches went.
    Edges,
    /// Also how near they came to going the other way.
    Distances,
}

/// When to cut, and how much to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Back-edges and entries of methods that a sequence may take.
    pub fuel: u64,
    /// Processor time one statement may take, in milliseconds, where fuel does not count.
    pub compute_millis: u32,
    /// Time one statement may spend waiting without computing, in milliseconds.
    pub wait_millis: u32,
    /// The longest string that is sent whole, in UTF-16 units.
    pub text_units: u32,
    /// The most objects a fingerprint looks at.
    pub fingerprint_objects: u32,
    /// The most array elements that are reported.
    pub elements: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel: 1_000_000,
            compute_millis: 2_000,
            wait_millis: 1_000,
            text_units: 4096,
            fingerprint_objects: 512,
            elements: 64,
        }
    }
}

/// The worker's answer to an opened session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// What the subject's classes could not be given, if anything: text for the report.
    pub remarks: Vec<String>,
}

/// Sequences that are run one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// The chunk's number, repeated in the answer and in shared memory.
    pub number: u32,
    /// What is fresh when.
    pub isolation: Isolation,
    /// What to report.
    pub wants: Wants,
    /// The sequences.
    pub sequences: Vec<Sequence>,
    /// Positions of sequences to leave out, ascending: those that ended an earlier run of this chunk.
    pub skip: Vec<u32>,
    /// If not empty, one for each sequence: the mutant it runs with. Isolation is then that of trials.
    pub trials: Vec<Trial>,
}

/// How one sequence of a chunk is run with a mutant.
///
/// The first sequences of such a chunk run without one: they initialize the classes, and tell what is usual. The others
/// share their fresh state. What ends in an unusual way is run again without its mutant; if that, too, is unusual,
/// earlier runs left something behind, and both are repeated, each in fresh state of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Trial {
    /// The mutant; zero for none.
    pub mutant: u32,
    /// The position of the same sequence without a mutant.
    pub like: u32,
    /// Back-edges and calls that it may take.
    pub fuel: u64,
    /// Whether it needs fresh state of its own in any case, because the mutant is in an initializer.
    pub alone: bool,
}

impl Chunk {
    /// Appends the encoding of this chunk with other sequences to leave out.
    pub(crate) fn append(&self, skip: &[u32], buffer: &mut Vec<u8>) -> Result<(), FrameError> {
        frame::append(buffer, &(self.number, self.isolation, self.wants, &self.sequences, skip, &self.trials))
    }

    /// The chunk with this encoding, in the memory of other sequences.
    pub(crate) fn decode(encoded: &[u8], spare: &mut Vec<Sequence>) -> Result<Self, FrameError> {
        let ((number, isolation, wants), rest) = postcard::take_from_bytes(encoded)?;
        let (count, mut rest) = frame::take_number(rest)?;
        let mut sequences = std::mem::take(spare);
        sequences.truncate(count as usize);
        for index in 0..count as usize {
            if index == sequences.len() {
                sequences.push(Sequence::default());
            }
            rest = sequences[index].read(rest)?;
        }
        let (skip, trials) = postcard::from_bytes(rest)?;
        Ok(Self { number, isolation, wants, sequences, skip, trials })
    }
}

/// When the subject's classes are loaded anew. Classes of the JDK cannot be: if they are under test, the worker is
/// replaced instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Isolation {
    /// At the start of the chunk: cheap. Static state leaks from a sequence to those after it, in the same way
    /// in every run, because a chunk is always run from its start.
    Chunk,
    /// At the start of every sequence: what is emitted must be confirmed so.
    Sequence,
    /// Not at all, if the worker kept those of the chunk before: for runs that the clock ends anyway, and outcomes that
    /// are only hints.
    Lasting,
}

/// What to report beyond endings, values and coverage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent wishes, each with its own cost")]
pub struct Wants {
    /// Which probes were hit.
    pub coverage: bool,
    /// Branch distances.
    pub distances: bool,
    /// A fingerprint of every object a statement returns.
    pub results: bool,
    /// Fingerprints of all values after the last statement.
    pub finals: bool,
    /// Which inputs each statement changed.
    pub effects: bool,
    /// Which earlier value a returned object is.
    pub aliases: bool,
    /// Array elements.
    pub elements: bool,
    /// Where exceptions were thrown.
    pub thrown_at: bool,
}

/// Calls that are made over and over without anything being checked, counted or reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bare {
    /// Primitive literals and operations that do not throw.
    pub sequence: Sequence,
    /// How often.
    pub repetitions: u32,
}

/// The worker's answer to a [`Chunk`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkOutcomes {
    /// The chunk's number.
    pub number: u32,
    /// Outcomes of the sequences that were run, in order; skipped ones are left out.
    pub outcomes: Vec<Outcome>,
    /// The names of the classes that outcomes mention, as `Class.getName` gives them.
    pub classes: Vec<String>,
    /// Whether the chunk was run to its end.
    pub finished: Finished,
}

impl ChunkOutcomes {
    /// The framed reply with these outcomes, which were encoded one by one: for [`frame::send_framed`].
    pub fn framed(
        number: u32,
        outcomes: (usize, &[u8]),
        classes: &[String],
        finished: Finished,
    ) -> Result<Vec<u8>, FrameError> {
        let empty = Self { number, outcomes: Vec::new(), classes: Vec::new(), finished: Finished::Reusable };
        let mut buffer = vec![0; 4];
        frame::append(&mut buffer, &Reply::Outcomes(empty))?;
        // Behind the number come two empty lists and the end, one byte each.
        buffer.truncate(buffer.len() - 3);
        frame::append_length(&mut buffer, outcomes.0);
        buffer.extend_from_slice(outcomes.1);
        frame::append(&mut buffer, &(classes, finished))?;
        Ok(buffer)
    }
}

/// How a chunk came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Finished {
    /// All sequences were run, and the worker can take the next chunk.
    Reusable,
    /// All sessions were run, and the worker can take other orders to roam, but no chunks.
    Roaming,
    /// All sequences were run, and the worker must be replaced.
    Spent,
    /// The last outcome tainted the worker: the sequences after it were not run.
    Retired,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_encoded_in_parts_is_the_same_reply() {
        let outcome = Outcome { fuel_used: 5, ..Outcome::default() };
        let reply = ChunkOutcomes {
            number: 300,
            outcomes: vec![outcome.clone(), outcome.clone()],
            classes: vec!["java.lang.String".to_owned()],
            finished: Finished::Retired,
        };
        let mut body = Vec::new();
        for outcome in &reply.outcomes {
            frame::append(&mut body, outcome).expect("a vector takes everything");
        }
        let framed = ChunkOutcomes::framed(300, (2, &body), &reply.classes, reply.finished);
        let mut sent = Vec::new();
        frame::send_framed(&mut sent, framed.expect("a vector takes everything")).expect("as above");
        let back: Reply = frame::receive(&mut sent.as_slice()).expect("it was just written");
        assert_eq!(back, Reply::Outcomes(reply));
    }
}
