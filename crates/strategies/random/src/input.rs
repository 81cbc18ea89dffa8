//! Chooses inputs: a value that lives, a literal, something made for the purpose, or null.

use jurat_protocol::{Answer, ChartedType, Literal, Mock, MockAnswers, Need, Statement, TypeSort, Var, Way};

use crate::literal::Literals;
use crate::session::{Session, Taste, Value};
use crate::{Ended, Made, Vm};

/// How often null is passed where an object would do.
const NULL: f64 = 0.04;
/// How often a value that lives is used where one fits.
const LIVE: f64 = 0.6;
/// The same for receivers: a session is about what becomes of a few objects.
const LIVE_RECEIVER: f64 = 0.85;
/// How often a number that a call gave is used where one is needed.
const LIVE_PRIMITIVE: f64 = 0.12;
/// How often a string is one that the session used before: what was put under a name is looked up by it.
const SAME_TEXT: f64 = 0.25;
/// How often the receiver itself is passed where it fits.
const SELF: f64 = 0.03;
/// How often a functional interface is given a lambda.
const LAMBDA: f64 = 0.85;
/// How often a collection is made and filled with what belongs there.
const FILLED: f64 = 0.4;
/// How often a class that is needed is a literal, and not what some call gives now.
const CLASS_LITERAL: f64 = 0.5;
/// How often a string that may be the name of a member is the name of one.
const NAMED: f64 = 0.4;
/// How many makers are tried for one value.
const TRIES: usize = 3;
/// The most elements of an array made here.
const ELEMENTS: usize = 4;

impl<V: Vm> Session<'_, '_, V> {
    /// An object to call something on.
    pub(crate) fn receiver(&mut self, need: Need, pool: u32, depth: u32) -> Option<Var> {
        let Need::Reference(ty) = need else { return None };
        if self.rng.chance(LIVE_RECEIVER)
            && let Some(value) = self.live(ty)
        {
            return Some(value.var);
        }
        let charted = self.atlas.ty(ty)?;
        if charted.makers.is_empty()
            && let Some(literal) = self.literal(charted, pool)
        {
            return Some(literal);
        }
        if let Some(var) = self.make(ty, depth) {
            return Some(var);
        }
        if let Some(value) = self.live(ty) {
            return Some(value.var);
        }
        match &charted.sort {
            TypeSort::Array { element, need } => self.array(element, *need, pool, depth),
            TypeSort::Function { .. } => self.lambda(charted, pool, depth),
            TypeSort::Plain | TypeSort::Class | TypeSort::Holder { .. } => self.literal(charted, pool),
        }
    }

    /// An argument; `on` is the receiver of the call it is for.
    pub(crate) fn input(&mut self, need: Need, pool: u32, depth: u32, on: Option<Var>) -> Option<Var> {
        match need {
            Need::Primitive(letter) => self.primitive(letter, pool),
            Need::Reference(ty) => self.reference(ty, pool, depth, on),
        }
    }

    /// An argument for an operation that ran out of memory or fuel before: to run out takes as long as hundreds of calls.
    pub(crate) fn modest_primitive(&mut self, letter: char, pool: u32) -> Option<Var> {
        let literal =
            Literals::of(self.atlas.chart, &self.atlas.order.seen, pool)?.modest(letter, &mut self.rng);
        self.push(Literal::Primitive(literal))
    }

    fn primitive(&mut self, letter: char, pool: u32) -> Option<Var> {
        if self.rng.chance(LIVE_PRIMITIVE) {
            let fitting: Vec<Var> =
                self.primitives.iter().filter(|(_, given)| *given == letter).map(|(var, _)| *var).collect();
            if let Some(var) = self.rng.pick(&fitting) {
                return Some(*var);
            }
        }
        let literal =
            Literals::of(self.atlas.chart, &self.atlas.order.seen, pool)?.primitive(letter, &mut self.rng);
        self.push(Literal::Primitive(literal))
    }

    fn reference(&mut self, ty: u32, pool: u32, depth: u32, on: Option<Var>) -> Option<Var> {
        if self.rng.chance(NULL) {
            return self.push(Literal::Null);
        }
        if let Some(on) = on
            && self.rng.chance(SELF)
            && let Some(value) = self.values.iter().find(|value| value.var == on).copied()
            && self.atlas.fits(self.vm, value.class, ty)
        {
            return Some(on);
        }
        let charted = self.atlas.ty(ty)?;
        if let TypeSort::Holder { ways, needs } = &charted.sort
            && self.rng.chance(FILLED)
            && let Some(var) = self.filled(ways, needs, pool, depth)
        {
            return Some(var);
        }
        let picky = charted.takes_strings || !charted.takes_boxes.is_empty();
        if self.rng.chance(if picky { LIVE / 2.0 } else { LIVE })
            && let Some(value) = self.live(ty)
        {
            return Some(value.var);
        }
        match &charted.sort {
            TypeSort::Class if self.rng.chance(CLASS_LITERAL) => {
                if let Some(var) = self.literal(charted, pool) {
                    return Some(var);
                }
            }
            TypeSort::Function { .. } if self.rng.chance(LAMBDA) => {
                if let Some(var) = self.lambda(charted, pool, depth) {
                    return Some(var);
                }
            }
            TypeSort::Array { element, need } => {
                if let Some(var) = self.array(element, *need, pool, depth) {
                    return Some(var);
                }
            }
            _ => {}
        }
        let wide = charted.takes_strings && !charted.takes_boxes.is_empty();
        if picky
            && self.rng.chance(if wide { 0.75 } else { 0.9 })
            && let Some(var) = self.literal(charted, pool)
        {
            return Some(var);
        }
        if let Some(var) = self.make(ty, depth) {
            return Some(var);
        }
        if let Some(value) = self.live(ty) {
            return Some(value.var);
        }
        if let Some(var) = self.literal(charted, pool) {
            return Some(var);
        }
        self.push(Literal::Null)
    }

    /// A value that lives and fits; one declared to fit is taken before one that only turned out to.
    fn live(&mut self, ty: u32) -> Option<Value> {
        let mut declared = Vec::new();
        let mut others = Vec::new();
        for position in 0..self.values.len() {
            let value = self.values[position];
            if self.atlas.fits(self.vm, value.class, ty) {
                if value.declared == Some(ty) { declared.push(value) } else { others.push(value) }
            }
        }
        let first = if !declared.is_empty() && (others.is_empty() || self.rng.chance(0.5)) {
            &declared
        } else {
            &others
        };
        self.rng.pick(first).copied()
    }

    /// Mostly nothing, sometimes the name of a member of a class, or of the class of an object.
    pub(crate) fn member_of(&mut self, whose: Var) -> Option<Var> {
        if !self.rng.chance(NAMED) {
            return None;
        }
        let chart = self.atlas.chart;
        let kinds = chart.members_of(self.sequence().statements().get(whose.0 as usize)?)?;
        let name = self.rng.pick(kinds).and_then(|names| self.rng.pick(names))?;
        self.push(Literal::String(name.clone()))
    }

    fn push(&mut self, literal: Literal) -> Option<Var> {
        self.statement(Statement::Literal(literal), &[])
    }

    /// Runs a statement that must make something, or null.
    fn statement(&mut self, statement: Statement, inputs: &[Var]) -> Option<Var> {
        if !self.goes_on() {
            return None;
        }
        let var = Var(u32::try_from(self.sequence().statements().len()).ok()?);
        matches!(self.run(statement, inputs), Ended::Made(_)).then_some(var)
    }

    /// A string, a box, or a class, where one of them is a value of the type.
    fn literal(&mut self, charted: &ChartedType, pool: u32) -> Option<Var> {
        let literals = Literals::of(self.atlas.chart, &self.atlas.order.seen, pool)?;
        if charted.sort == TypeSort::Class {
            let literal = literals.class(&mut self.rng);
            return self.push(literal);
        }
        let boxes = &charted.takes_boxes;
        let letter = if boxes.len() > 1 {
            let usual = self.rng.chance(0.85) && boxes.contains(&'I');
            if usual { Some('I') } else { self.rng.pick(boxes).copied() }
        } else {
            boxes.first().copied()
        };
        let as_text = match (charted.takes_strings, letter) {
            (true, None) => true,
            (false, _) => false,
            (true, Some(_)) => match self.taste {
                Taste::Strings => self.rng.chance(0.95),
                Taste::Ints => self.rng.chance(0.05),
                Taste::Anything => self.rng.chance(0.5),
            },
        };
        if as_text {
            if self.rng.chance(SAME_TEXT)
                && let Some(known) = self.rng.pick(&self.texts)
            {
                return Some(*known);
            }
            let text = literals.text(&mut self.rng);
            return self.push(Literal::String(text));
        }
        let letter = letter?;
        let literal = literals.primitive(letter, &mut self.rng);
        let plain = self.push(Literal::Primitive(literal))?;
        let operation = self.atlas.chart.boxing_of(literal.descriptor())?;
        self.statement(Statement::Operate { operation, inputs: 1 }, &[plain])
    }

    /// Makes a value by an operation that gives one.
    fn make(&mut self, ty: u32, depth: u32) -> Option<Var> {
        let depth = depth.checked_sub(1)?;
        let charted = self.atlas.ty(ty)?;
        for turn in 0..TRIES {
            let by_receiver = charted.makers.is_empty() || turn + 1 == TRIES;
            let list =
                if by_receiver && !charted.givers.is_empty() { &charted.givers } else { &charted.makers };
            let operation = *self.rng.pick(list)?;
            if !self.may_call(operation) {
                continue;
            }
            if let Some((var, Ended::Made(Made::Object(class)))) = self.call(operation, None, depth)
                && self.atlas.fits(self.vm, class, ty)
            {
                return Some(var);
            }
            if !self.goes_on() {
                return None;
            }
        }
        None
    }

    fn array(&mut self, element: &str, need: Need, pool: u32, depth: u32) -> Option<Var> {
        let depth = depth.checked_sub(1)?;
        let length = self.rng.below(ELEMENTS + 1);
        let mut elements = Vec::with_capacity(length);
        for _ in 0..length {
            elements.push(self.input(need, pool, depth, None)?);
        }
        let count = u32::try_from(length).ok()?;
        self.statement(Statement::NewArray { element: element.to_owned(), length: count }, &elements)
    }

    /// A collection or map with something in it that belongs there.
    fn filled(&mut self, ways: &[Way], needs: &[Need], pool: u32, depth: u32) -> Option<Var> {
        // What is put in must be made as well.
        let depth = depth.checked_sub(1).filter(|left| *left > 0)?;
        let Way { maker, put } = *self.rng.pick(ways)?;
        if !self.may_call(maker) || put.is_some_and(|put| !self.may_call(put)) {
            return None;
        }
        let Some(put) = put else {
            let held = needs.iter().map(|need| self.input(*need, pool, depth, None));
            let inputs: Vec<Var> = held.collect::<Option<_>>()?;
            let (holder, Ended::Made(Made::Object(_))) = self.operate(maker, &inputs)? else { return None };
            return Some(holder);
        };
        let mut entries: Vec<Vec<Var>> = Vec::new();
        for _ in 0..=self.rng.below(ELEMENTS - 1) {
            let held = needs.iter().map(|need| self.input(*need, pool, depth, None));
            entries.push(held.collect::<Option<_>>()?);
        }
        let (holder, Ended::Made(Made::Object(_))) = self.call(maker, None, depth)? else { return None };
        for entry in entries {
            let inputs: Vec<Var> = std::iter::once(holder).chain(entry).collect();
            let (_, Ended::Made(_)) = self.operate(put, &inputs)? else { break };
        }
        Some(holder)
    }

    fn lambda(&mut self, charted: &ChartedType, pool: u32, depth: u32) -> Option<Var> {
        let TypeSort::Function { class, result, echoes } = &charted.sort else { return None };
        let depth = depth.checked_sub(1)?;
        let answer = match result {
            None => None,
            Some(_) if !echoes.is_empty() && self.rng.chance(0.4) => {
                self.rng.pick(echoes).copied().map(Answer::Argument)
            }
            Some(need) => Some(Answer::Value(self.input(*need, pool, depth, None)?)),
        };
        let answers = MockAnswers {
            name: String::new(),
            descriptor: String::new(),
            answers: answer.into_iter().collect(),
        };
        let mock = Mock { class: class.clone(), keep_bodies: true, answers: vec![answers] };
        self.statement(Statement::Mock(Box::new(mock)), &[])
    }
}
