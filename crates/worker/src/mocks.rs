//! Mocks while they live: what they were told to answer, and what they were asked.
//!
//! A mock is an object of a synthesized class whose methods hand their arguments to [`ask`]. It may be asked on any
//! thread, so its answers are global references.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jurat_protocol::Var;

use crate::jni::{Env, Kind, Raw, Ref};

/// How many calls of a statement are reported, whatever they ask.
const MOST_ASKED: usize = 256;

/// How many calls of each method of a mock are reported in any case: what was not planned must not go unnoticed behind
/// what was, and as many answers as a test plans are planned from this.
const EACH_ASKED: usize = 8;

/// A method of a mock's class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MockMethod {
    pub(crate) name: String,
    pub(crate) descriptor: String,
}

/// What one method of a mock answers.
pub(crate) enum Reply {
    /// A value, boxed if it is a primitive; a global reference or null.
    Value(Ref),
    /// The argument at this position.
    Argument(u8),
    /// An exception; a global reference.
    Throw(Ref),
}

/// The answers of a mock's methods, by method, and how many of them were given.
pub(crate) struct Answers {
    pub(crate) replies: Vec<Reply>,
    pub(crate) given: usize,
    /// What is answered otherwise: a boxed zero, or null. A global reference.
    pub(crate) default: Ref,
}

/// A mock that lives.
pub(crate) struct Live {
    pub(crate) var: Var,
    pub(crate) methods: Arc<[MockMethod]>,
    pub(crate) answers: Vec<Answers>,
}

/// A call that a mock received.
pub(crate) struct Question {
    pub(crate) var: Var,
    pub(crate) method: MockMethod,
    /// A global reference to the array of arguments.
    pub(crate) arguments: Ref,
    pub(crate) planned: bool,
}

/// The mocks of the running sequence and what they were asked.
struct Mocks {
    /// The number of the first. Numbers go on from sequence to sequence: a static field may keep a mock of an earlier one,
    /// which must not be taken for one of these.
    first: i32,
    live: Vec<Live>,
    asked: Vec<Question>,
}

static MOCKS: Mutex<Mocks> = Mutex::new(Mocks { first: 0, live: Vec::new(), asked: Vec::new() });

impl Mocks {
    /// The number of the next mock.
    fn next(&self) -> i32 {
        let count = i32::try_from(self.live.len()).expect("a sequence has fewer than 2^31 mocks");
        self.first.wrapping_add(count)
    }
}

fn mocks() -> MutexGuard<'static, Mocks> {
    MOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives life to a mock and says by which number it is asked.
pub(crate) fn add(live: Live) -> i32 {
    let mut mocks = mocks();
    let number = mocks.next();
    mocks.live.push(live);
    number
}

/// Takes what mocks were asked since the last time.
pub(crate) fn take_asked() -> Vec<Question> {
    std::mem::take(&mut mocks().asked)
}

/// Ends all mocks: the sequence is over.
pub(crate) fn end_all(env: Env) {
    let ended = {
        let mut mocks = mocks();
        let next = Mocks { first: mocks.next(), live: Vec::new(), asked: Vec::new() };
        std::mem::replace(&mut *mocks, next)
    };
    for answers in ended.live.into_iter().flat_map(|live| live.answers) {
        env.delete_global(answers.default);
        for reply in answers.replies {
            if let Reply::Value(reference) | Reply::Throw(reference) = reply {
                env.delete_global(reference);
            }
        }
    }
    for question in ended.asked {
        env.delete_global(question.arguments);
    }
}

/// A mock is asked: gives its answer as a local reference, or throws.
pub(crate) fn ask(env: Env, mock: i32, method: i32, arguments: Ref) -> Ref {
    let mut mocks = mocks();
    let Mocks { first, live, asked } = &mut *mocks;
    let found = usize::try_from(mock.wrapping_sub(*first)).ok().and_then(|mock| live.get_mut(mock));
    // A mock that outlived its sequence has nothing to say; its class makes a zero of null.
    let Some(live) = found else { return Ref::NULL };
    let position = usize::try_from(method).unwrap_or(usize::MAX);
    let Some(answers) = live.answers.get_mut(position) else { return Ref::NULL };
    let turn = answers.given.min(answers.replies.len().saturating_sub(1));
    let reply = answers.replies.get(turn);
    answers.given += 1;
    if asked.len() < MOST_ASKED || answers.given <= EACH_ASKED {
        let method = live.methods[position].clone();
        let (var, arguments) = (live.var, env.new_global(arguments));
        asked.push(Question { var, method, arguments, planned: reply.is_some() });
    }
    match reply {
        None => env.new_local(answers.default),
        Some(Reply::Value(value)) => env.new_local(*value),
        Some(Reply::Argument(index)) => env.element(Kind::Object, arguments, i32::from(*index)).as_ref(),
        Some(Reply::Throw(exception)) => {
            env.throw(*exception);
            Ref::NULL
        }
    }
}

/// Boxes of zeros and other values.
pub(crate) fn boxed(env: Env, jdk: &crate::classes::Jdk, kind: Kind, value: Raw) -> Ref {
    match jdk.boxes.iter().find(|boxed| boxed.kind == kind) {
        Some(boxed) => boxed.wrap(env, value),
        None if kind == Kind::Object => value.as_ref(),
        None => Ref::NULL,
    }
}
