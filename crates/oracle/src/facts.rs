//! Chooses what a test asserts: the facts on which all runs of its sequence agree, as few as tell what the last
//! call did.

use jurat_model::{Check, ClassKind, Ending, Observed, OpId, Outcome, Sequence, Subject, Thrown, Value, Var};

use crate::kinds::{Kind, Kinds, tells_order};
use crate::values::{observed, observed_elements};
use crate::{Facts, Look, Observation, Unfit, is_on_null};

/// The most checks of the state of one value.
const STATE_CHECKS: usize = 3;
/// The most checks of what a constructor made.
const CONSTRUCTOR_CHECKS: usize = 4;

/// What was observed just before the last call.
#[derive(Debug)]
pub struct Before {
    /// The looks that were taken.
    pub looks: Vec<Observation>,
    /// What they showed.
    pub outcome: Outcome,
}

impl Before {
    fn shown(&self, look: Observation) -> Option<&Value> {
        let position = self.looks.iter().position(|taken| *taken == look)?;
        self.outcome.observations.get(position)?.as_ref()?.value()
    }
}

/// The facts on which all runs of a sequence agree. `observations` are those the runs were asked for.
pub fn facts(
    subject: &Subject,
    sequence: &Sequence,
    package: &str,
    runs: &[&Outcome],
    observations: &[Observation],
    before: Option<&Before>,
) -> Result<Facts, Unfit> {
    let first = *runs.first().ok_or(Unfit::Unstable)?;
    if runs.iter().any(|run| run.is_unsafe) {
        return Err(Unfit::Unsafe);
    }
    if runs.iter().any(|run| !same_endings(first, run)) {
        return Err(Unfit::Unstable);
    }
    if first.endings.last() == Some(&Ending::Unfit) {
        return Err(Unfit::Unrunnable);
    }
    if first.endings.len() < sequence.len() || first.endings.is_empty() {
        return Err(Unfit::Unassertable);
    }
    let last = Var::from_index(sequence.len() - 1);
    match &first.endings[last.index()] {
        Ending::Returned(_) => {
            let chooser = Chooser { subject, sequence, package, runs, observations, before, last };
            Ok(Facts { checks: chooser.checks(), thrown: None })
        }
        Ending::Threw(class) if UNINITIALIZED.contains(&&**class) => Err(Unfit::Uninitialized),
        Ending::Threw(_) if is_on_null(sequence, first) => Err(Unfit::Unassertable),
        Ending::Threw(class) => {
            let mut thrown = thrown(subject, class, package).ok_or(Unfit::Unassertable)?;
            if sequence.has_mocks() {
                // With a mock it depends on how it is asked, which may change for good reasons.
                thrown.asserted = subject.classes().throwable();
            }
            Ok(Facts { checks: Vec::new(), thrown: Some(thrown) })
        }
        _ => Err(Unfit::Unassertable),
    }
}

/// Whether a test can be made of a sequence that ended like this: it ran to its end, in a way that can be asserted.
pub fn is_assertable(sequence: &Sequence, outcome: &Outcome) -> bool {
    let complete = !sequence.is_empty() && outcome.endings.len() == sequence.len() && !outcome.is_unsafe;
    complete
        && match outcome.endings.last() {
            Some(Ending::Returned(_)) => true,
            Some(Ending::Threw(class)) => {
                // What cannot be initialized is no test either, but a reason that the user is told.
                !UNASSERTABLE.contains(&&**class) && !is_on_null(sequence, outcome)
            }
            _ => false,
        }
}

fn same_endings(one: &Outcome, other: &Outcome) -> bool {
    let same = |(one, other): (&Ending, &Ending)| match (one, other) {
        (Ending::Returned(_), Ending::Returned(_)) => true,
        (one, other) => one == other,
    };
    one.endings.len() == other.endings.len() && one.endings.iter().zip(&other.endings).all(same)
}

/// What uses of a class that cannot be initialized throw: the first use, and all others.
const UNINITIALIZED: [&str; 2] = ["java/lang/ExceptionInInitializerError", "java/lang/NoClassDefFoundError"];

/// Errors that say more about the machine and the moment than about the subject.
const UNASSERTABLE: [&str; 7] = [
    "java/lang/StackOverflowError",
    "java/lang/OutOfMemoryError",
    "java/lang/InternalError",
    "java/lang/UnknownError",
    "java/lang/ThreadDeath",
    "java/lang/UnsatisfiedLinkError",
    "java/lang/BootstrapMethodError",
];

/// The type to assert for an exception: its class, or the nearest above it that the test can name.
fn thrown(subject: &Subject, class: &str, package: &str) -> Option<Thrown> {
    let classes = subject.classes();
    if UNASSERTABLE.contains(&class) {
        return None;
    }
    // Of a class nobody mentions, nothing is known but that it can be thrown.
    let class = classes.find(class).unwrap_or_else(|| classes.throwable());
    let named = classes.denotable(&jurat_model::JavaType::class(class), package).class_id()?;
    let asserted = if classes.is_subclass(named, classes.throwable()) { named } else { classes.throwable() };
    Some(Thrown { asserted })
}

struct Chooser<'a> {
    subject: &'a Subject,
    sequence: &'a Sequence,
    package: &'a str,
    runs: &'a [&'a Outcome],
    observations: &'a [Observation],
    before: Option<&'a Before>,
    last: Var,
}

impl Chooser<'_> {
    fn checks(&self) -> Vec<Check> {
        let last = self.last;
        let Some((_, op, inputs)) = self.sequence.calls().find(|(call, ..)| *call == last) else {
            return Vec::new();
        };
        let operation = &self.subject[op];
        let receiver = inputs.first().copied().filter(|_| operation.kind.has_receiver());
        let mut checks = Vec::new();
        let result =
            self.result().filter(|_| !receiver.is_some_and(|receiver| self.shows_order(op, receiver)));
        match result {
            Some(Check::NotNull { .. }) => {
                let most = if operation.is_constructor() { CONSTRUCTOR_CHECKS } else { STATE_CHECKS };
                let states = self.states(last, most, None);
                // What can be asked is not null.
                if states.is_empty() {
                    checks.extend(result);
                } else {
                    checks.extend(states);
                }
            }
            other => checks.extend(other),
        }
        let arguments = self.changed_arguments(inputs, receiver);
        if let Some(receiver) = receiver
            && receiver != last
            && (checks.is_empty() && arguments.is_empty() || self.is_changed(0))
        {
            let news_only = !checks.is_empty() || !arguments.is_empty();
            checks.extend(self.contents_or_states(receiver, Some(op), news_only));
        }
        checks.extend(arguments);
        checks.dedup();
        checks
    }

    /// What the last call did to its arguments.
    fn changed_arguments(&self, inputs: &[Var], receiver: Option<Var>) -> Vec<Check> {
        let mut checks = Vec::new();
        for (position, input) in inputs.iter().enumerate() {
            if Some(*input) == receiver || !self.is_changed(position) {
                continue;
            }
            if let Some(expected) = self.contents(*input) {
                checks.push(Check::Contents { var: *input, expected });
                continue;
            }
            let (has_news, mut told) = self.told(*input, STATE_CHECKS, None);
            // The whole as text leaves nothing to say.
            if told.iter().any(|check| self.is_text(check)) {
                told.retain(|check| self.is_text(check));
            }
            checks.extend(told.into_iter().filter(|_| has_news));
        }
        checks
    }

    /// What the last call is made upon.
    fn receiver(&self) -> Option<Var> {
        let (_, op, inputs) = self.sequence.calls().find(|(call, ..)| *call == self.last)?;
        inputs.first().copied().filter(|_| self.subject[op].kind.has_receiver())
    }

    /// True if what the call gives depends on an order that nobody should rely on.
    fn shows_order(&self, op: OpId, receiver: Var) -> bool {
        let value = self.runs[0].value(receiver);
        tells_order(&self.subject[op].name)
            && Kinds::new(self.subject).is_unordered(self.sequence.type_of(receiver), value)
    }

    /// True if any run saw the last call change this input.
    fn is_changed(&self, input: usize) -> bool {
        self.runs.iter().any(|run| run.changed.contains(&(self.last, input)))
    }

    /// What the last call gave, if all runs agree and it can be written down.
    fn result(&self) -> Option<Check> {
        let var = self.last;
        let values: Vec<&Value> = self.runs.iter().filter_map(|run| run.value(var)).collect();
        let first = *values.first()?;
        if *first == Value::Void || values.len() != self.runs.len() {
            return None;
        }
        if let Some(other) = same_object(&values) {
            // Empty optionals and lists are one object each: what they hold tells more than that.
            let held = self.contents(var).filter(|_| Some(other) != self.receiver());
            return Some(held.map_or(Check::Same { var, other }, |expected| Check::Result { var, expected }));
        }
        if !values.iter().all(|value| is_alike(value, first)) {
            return None;
        }
        let agreed = values.iter().all(|value| *value == first);
        let plain = observed(self.subject, self.package, first).filter(|_| agreed);
        match plain.or_else(|| self.contents(var)) {
            Some(expected) => Some(Check::Result { var, expected }),
            None => matches!(first, Value::Object(_)).then_some(Check::NotNull { var }),
        }
    }

    /// What a value is like at the end. With `news_only`, nothing if observers see no change: a call that gives a
    /// result may change its receiver only to remember it.
    fn contents_or_states(&self, var: Var, focus: Option<OpId>, news_only: bool) -> Vec<Check> {
        match self.contents(var) {
            Some(_) if news_only && !self.are_contents_news(var) => Vec::new(),
            Some(expected) => vec![Check::Contents { var, expected }],
            None => {
                let (has_news, checks) = self.told(var, STATE_CHECKS, focus);
                if news_only && !has_news { Vec::new() } else { checks }
            }
        }
    }

    fn are_contents_news(&self, var: Var) -> bool {
        let is_it = |seen: &&Observation| seen.receiver == var && !matches!(seen.look, Look::Call(_));
        let Some(position) = self.observations.iter().position(|seen| is_it(&seen)) else { return true };
        let now = self.runs[0].observations.get(position).and_then(|ending| ending.as_ref()?.value());
        self.before.is_none_or(|before| before.shown(self.observations[position]) != now)
    }

    /// What a container holds at the end, if all runs agree.
    fn contents(&self, var: Var) -> Option<Observed> {
        let position = self
            .observations
            .iter()
            .position(|seen| seen.receiver == var && !matches!(seen.look, Look::Call(_)))?;
        let look = self.observations[position].look;
        let endings: Option<Vec<&Ending>> =
            self.runs.iter().map(|run| run.observations.get(position)?.as_ref()).collect();
        let endings = endings?;
        let first = *endings.first()?;
        match (look, first) {
            (Look::Held, Ending::Threw(class)) => {
                let is_empty = &**class == "java/util/NoSuchElementException";
                (is_empty && endings.iter().all(|ending| *ending == first))
                    .then_some(Observed::Optional(None))
            }
            (Look::Held, Ending::Returned(value)) if agrees(&endings, value) => {
                let held = observed(self.subject, self.package, value)?;
                Some(Observed::Optional(Some(Box::new(held))))
            }
            (Look::Array, Ending::Returned(value)) if agrees(&endings, value) => {
                observed(self.subject, self.package, value)
            }
            (Look::Elements, Ending::Returned(value)) => self.elements(var, &endings, value),
            _ => None,
        }
    }

    fn elements(&self, var: Var, endings: &[&Ending], value: &Value) -> Option<Observed> {
        let kind = Kinds::new(self.subject).of(self.sequence.type_of(var), self.runs[0].value(var));
        let mut all = Vec::new();
        for ending in endings {
            let mut elements = observed_elements(self.subject, self.package, ending.value()?)?;
            if kind == Some(Kind::Set) {
                elements.sort();
            }
            all.push(elements);
        }
        let agreed = match kind {
            Some(Kind::Set) => all.windows(2).all(|pair| pair[0] == pair[1]),
            Some(Kind::List) => agrees(endings, value),
            _ => false,
        };
        let elements = all.into_iter().next().filter(|_| agreed)?;
        Some(if kind == Some(Kind::Set) { Observed::Set(elements) } else { Observed::List(elements) })
    }

    /// What observers say of a value, if all runs agree: first what the last call changed.
    fn states(&self, var: Var, most: usize, focus: Option<OpId>) -> Vec<Check> {
        self.told(var, most, focus).1
    }

    /// As `states`, and whether any of it was different before the last call.
    fn told(&self, var: Var, most: usize, focus: Option<OpId>) -> (bool, Vec<Check>) {
        let mut told: Vec<(bool, Check)> = Vec::new();
        for (position, seen) in self.observations.iter().enumerate() {
            let Look::Call(observer) = seen.look else { continue };
            if seen.receiver != var || Some(observer) == focus {
                continue;
            }
            let values: Option<Vec<&Value>> =
                self.runs.iter().map(|run| run.observations.get(position)?.as_ref()?.value()).collect();
            let Some(first) = values.and_then(|values| agreed(&values)) else { continue };
            let is_news = self.before.and_then(|before| before.shown(*seen)).is_some_and(|old| *old != first);
            if let Some(expected) = observed(self.subject, self.package, &first) {
                told.push((is_news, Check::State { receiver: var, observer, expected }));
            }
        }
        let (news, rest): (Vec<_>, Vec<_>) = told.into_iter().partition(|(is_news, _)| *is_news);
        let has_news = !news.is_empty();
        let is_apt = |check: &Check| has_news || focus.is_none_or(|op| self.is_related(check, op));
        let mut checks: Vec<Check> = Vec::new();
        for (is_news, check) in news.into_iter().chain(rest).filter(|(_, check)| is_apt(check)) {
            // The whole as text leaves little to say, and so does what changed.
            let is_told = has_news && !is_news || checks.len() > 1 && self.has_text(&checks) && !is_news;
            if checks.len() == most || is_told && most == STATE_CHECKS {
                break;
            }
            if !self.is_implied(&check, &checks) {
                checks.push(check);
            }
        }
        (has_news, checks)
    }

    fn has_text(&self, checks: &[Check]) -> bool {
        checks.iter().any(|check| self.is_text(check))
    }

    fn is_text(&self, check: &Check) -> bool {
        matches!(check, Check::State { observer, .. } if &*self.subject[*observer].name == "toString")
    }

    /// Whether what an observer says has to do with an operation that changed nothing anyone can see: it speaks of the
    /// whole, or of what the operation is named after.
    fn is_related(&self, check: &Check, op: OpId) -> bool {
        let Check::State { observer, .. } = check else { return true };
        let (observer, name) = (&*self.subject[*observer].name, &*self.subject[op].name);
        let is_whole = tells_size(observer) || matches!(observer, "toString" | "isEmpty");
        is_whole || noun(observer).eq_ignore_ascii_case(noun(name))
    }

    /// True if checks made already say what this observer would: whether there is anything follows from the size,
    /// the name of an enum's constant from the constant.
    fn is_implied(&self, check: &Check, checks: &[Check]) -> bool {
        let Check::State { observer, .. } = check else { return false };
        let operation = &self.subject[*observer];
        let of_enum = self.subject[operation.owner].kind == ClassKind::Enum;
        let has_size = checks.iter().any(|check| {
            matches!(check, Check::State { observer, .. } if tells_size(&self.subject[*observer].name))
        });
        of_enum || has_size && (&*operation.name == "isEmpty" || tells_size(&operation.name))
    }
}

/// The value, if all are the same.
fn agreed(values: &[&Value]) -> Option<Value> {
    let first = *values.first()?;
    values.iter().all(|value| *value == first).then(|| first.clone())
}

/// What an accessor is named after: `ArrayStart` for `getArrayStart`.
fn noun(name: &str) -> &str {
    let rest = name.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
    if rest.is_empty() { name } else { rest }
}

fn tells_size(name: &str) -> bool {
    matches!(name, "size" | "length" | "count" | "getSize" | "getLength" | "getCount")
}

fn agrees(endings: &[&Ending], value: &Value) -> bool {
    endings.iter().all(|ending| ending.value() == Some(value))
}

/// True if two runs gave values of the same kind: null or not, the same class.
fn is_alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => one.class == other.class,
        (Value::Object(_), _) | (_, Value::Object(_)) => false,
        _ => true,
    }
}

/// The earlier value that all runs say this one is.
fn same_object(values: &[&Value]) -> Option<Var> {
    let same = |value: &Value| match value {
        Value::Object(object) => object.same_as,
        _ => None,
    };
    let first = same(values.first()?)?;
    values.iter().all(|value| same(value) == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::noun;

    #[test]
    fn accessors_of_one_property_are_named_after_it() {
        assert_eq!(noun("setArrayStart"), noun("getArrayStart"));
        assert_ne!(noun("appendFieldEnd"), noun("getArrayEnd"));
        assert_eq!(noun("size"), "size");
    }
}
