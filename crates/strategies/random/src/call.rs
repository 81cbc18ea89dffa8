//! What a session does next: which operation it calls, on what, and how often.

use jurat_protocol::{Need, Statement, Var};

use crate::history::{Width, inputs_by_statement, slice};
use crate::session::Session;
use crate::{Ended, Made, Vm};

/// How deep values are made from scratch.
const DEPTH: u32 = 3;
/// How often the same call is made again, inputs and all.
const AGAIN: f64 = 0.05;
/// How often a value is built a second time and used beside the first.
const TWIN: f64 = 0.04;
/// How often an operation is repeated.
const REPEAT: f64 = 0.1;
/// How often the operation is one of the focus.
const FOCUS: f64 = 0.7;
/// How often an operation that is not under test is called on a value.
const HELPER: f64 = 0.3;
/// How often an operation is called that computed more than its share.
const GREEDY: f64 = 0.1;
/// How often it is one of a value that lives, whatever its class.
const ON_VALUE: f64 = 0.8;

impl<V: Vm> Session<'_, '_, V> {
    /// Does one thing.
    pub(crate) fn step(&mut self) {
        if self.rng.chance(AGAIN)
            && let Some((operation, inputs)) = self.last.clone()
        {
            self.operate(operation, &inputs);
            return;
        }
        if self.rng.chance(TWIN) && self.twin() {
            return;
        }
        let Some(operation) = self.choose() else { return };
        let times = if self.rng.chance(REPEAT) { self.repetitions() } else { 1 };
        for _ in 0..times {
            if !self.goes_on() || self.call(operation, None, DEPTH).is_none() {
                return;
            }
        }
    }

    /// Mostly a few, seldom many: structures that grow change their shape at sizes like 10, 16 or 64.
    fn repetitions(&mut self) -> usize {
        match self.rng.below(10) {
            0 => 20 + self.rng.below(60),
            1..=3 => 5 + self.rng.below(15),
            _ => 2 + self.rng.below(4),
        }
    }

    /// The operation to call.
    fn choose(&mut self) -> Option<u32> {
        if self.values.is_empty() || self.rng.chance(FOCUS) {
            let focus = self.focus;
            let (one, other) = (*self.rng.pick(&focus.operations)?, *self.rng.pick(&focus.operations)?);
            let rarer = self.rarer(one, other);
            return self.may_call(rarer).then_some(rarer);
        }
        if self.rng.chance(ON_VALUE) {
            let value = *self.rng.pick(&self.values)?;
            let all = self.atlas.on_class(self.vm, value.class);
            let (one, other) = (*self.rng.pick(all)?, *self.rng.pick(all)?);
            let operation = self.rarer(one, other);
            let wanted = self.atlas.operation(operation)?.under_test || self.rng.chance(HELPER);
            return (wanted && self.may_call(operation)).then_some(operation);
        }
        let operation = u32::try_from(self.rng.below(self.atlas.chart.operations.len())).ok()?;
        let wanted = self.atlas.operation(operation)?.under_test;
        (wanted && self.may_call(operation)).then_some(operation)
    }

    /// Whether an operation can be called here, and is not one that computed too much already; such are called now and
    /// then.
    pub(crate) fn may_call(&mut self, operation: u32) -> bool {
        self.atlas.may_call(operation, self.focus.package)
            && (!self.atlas.is_greedy(operation) || self.rng.chance(GREEDY))
    }

    /// Of two operations, mostly the one that was called less often.
    fn rarer(&mut self, one: u32, other: u32) -> u32 {
        let directed = self.atlas.order.feedback && self.rng.chance(0.6);
        if directed && self.atlas.calls_of(other) < self.atlas.calls_of(one) { other } else { one }
    }

    /// Calls an operation, its inputs chosen first; `receiver` is used as such if it is given.
    pub(crate) fn call(&mut self, operation: u32, receiver: Option<Var>, depth: u32) -> Option<(Var, Ended)> {
        let charted = self.atlas.operation(operation)?;
        let mut inputs = Vec::with_capacity(charted.inputs.len());
        for (position, need) in charted.inputs.iter().enumerate() {
            let is_receiver = position == 0 && charted.has_receiver;
            let whose = charted.names_member_of(position).and_then(|whose| inputs.get(whose).copied());
            let name = whose.and_then(|whose| self.member_of(whose));
            let input = match (receiver.filter(|_| is_receiver).or(name), *need) {
                (Some(known), _) => Some(known),
                (_, Need::Primitive(letter)) if self.atlas.was_in_trouble(operation) => {
                    self.modest_primitive(letter, charted.pool)
                }
                _ if is_receiver => self.receiver(*need, charted.pool, depth),
                _ => {
                    let on = inputs.first().copied().filter(|_| charted.has_receiver);
                    self.input(*need, charted.pool, depth, on)
                }
            };
            inputs.push(input?);
        }
        let done = self.operate(operation, &inputs)?;
        if depth == DEPTH {
            self.last = Some((operation, inputs));
        }
        Some(done)
    }

    pub(crate) fn operate(&mut self, operation: u32, inputs: &[Var]) -> Option<(Var, Ended)> {
        if !self.goes_on() {
            return None;
        }
        let count = u8::try_from(inputs.len()).ok()?;
        let var = Var(u32::try_from(self.sequence().statements().len()).ok()?);
        let ended = self.run(Statement::Operate { operation, inputs: count }, inputs);
        Some((var, ended))
    }

    /// Builds a value a second time, as it was built first, and calls something on one that takes the other.
    fn twin(&mut self) -> bool {
        let Some(value) = self.rng.pick(&self.values).copied() else { return false };
        let Some(copy) = self.copy(value.var) else { return true };
        if self.rng.chance(0.4) {
            let all = self.atlas.on_class(self.vm, value.class).to_vec();
            if let Some(change) = self.rng.pick(&all).copied()
                && self.may_call(change)
            {
                self.call(change, Some(copy), DEPTH - 1);
            }
        }
        self.compare(value.var, value.class, copy);
        true
    }

    /// Calls an operation of `one` that can take `other`.
    fn compare(&mut self, one: Var, class: u32, other: Var) {
        let all = self.atlas.on_class(self.vm, class).to_vec();
        for _ in 0..8 {
            let Some(operation) = self.rng.pick(&all).copied() else { return };
            let Some(charted) = self.atlas.operation(operation) else { return };
            let [_, Need::Reference(ty)] = charted.inputs[..] else { continue };
            if self.may_call(operation) && self.atlas.fits(self.vm, class, ty) {
                self.operate(operation, &[one, other]);
                return;
            }
        }
    }

    /// Runs again what made a value.
    fn copy(&mut self, var: Var) -> Option<Var> {
        let made = slice(self.sequence(), var.0 as usize, Width::Narrow, &|_| false, &|position| {
            self.has_failed(position)
        });
        if made.len() > 12 {
            return None;
        }
        let inputs = inputs_by_statement(self.sequence());
        let mut renamed: Vec<(usize, Var)> = Vec::new();
        for position in made {
            let statement = self.sequence().statements()[position].clone();
            if matches!(statement, Statement::Mock(_)) {
                // Its answers are named inside; the lambda that is there will do.
                renamed.push((position, Var(u32::try_from(position).ok()?)));
                continue;
            }
            let rename = |at: &usize| renamed.iter().find(|(old, _)| old == at).map(|(_, new)| *new);
            let vars: Vec<Var> = inputs[position].iter().map(rename).collect::<Option<_>>()?;
            let new = Var(u32::try_from(self.sequence().statements().len()).ok()?);
            if !self.goes_on() {
                return None;
            }
            match self.run(statement, &vars) {
                Ended::Made(Made::Nothing | Made::Null)
                | Ended::Threw(_)
                | Ended::Trouble(_)
                | Ended::Unfit => {
                    return None;
                }
                Ended::Made(Made::Object(_) | Made::EmptyString(_) | Made::Primitive(..)) => {
                    renamed.push((position, new));
                }
            }
        }
        renamed.last().map(|(_, new)| *new)
    }
}
