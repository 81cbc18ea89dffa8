//! Puts calls together over a chart without running them: for what sessions leave alone, private members and mocks.

use std::collections::BTreeMap;

use jurat_base::Rng;
use jurat_model::OpId;
use jurat_protocol::{
    Answer, Asked, Chart, ChartedType, Literal, LiteralPool, Mock, MockAnswers, Mockable, Need, Primitive,
    Sequence, Statement, Text, Trouble, TypeSort, Usable, Var, Way,
};
use jurat_search::Permits;

use super::stock::Stock;

/// The most answers of one method of a mock; the last is repeated.
const ANSWERS: usize = 5;
/// How deep what mocks answer is made of other things: a map of lists of objects.
const ANSWER: u32 = 3;
/// The most elements of an array.
const ELEMENTS: usize = 3;
/// How many ways to make an object are tried.
const TRIES: usize = 4;
/// How often an object is made as one was made before.
const KNOWN: f64 = 0.6;
/// How often a string, box or filled collection is taken where other objects would do.
const PLAIN: f64 = 0.7;

/// How often a string is one that some run compared with, if there are any.
const SEEN: f64 = 0.25;

const INTS: [i32; 7] = [0, 1, -1, 2, 3, 10, 100];
const LARGE_INTS: [i32; 2] = [i32::MAX, i32::MIN];
/// How often an int is one of the largest: as a size, it takes all memory, and the worker with it.
const LARGE: f64 = 0.03;
const STRINGS: [&str; 5] = ["", "a", "abc", "1", " "];

/// A sequence under way.
pub(crate) struct Composer<'a> {
    pub(crate) chart: &'a Chart,
    /// The package of the test.
    pub(crate) package: u32,
    /// Which literals are preferred.
    pub(crate) pool: u32,
    pub(crate) permits: Permits,
    pub(crate) rng: &'a mut Rng,
    /// What was made before.
    pub(crate) stock: Option<&'a Stock<'a>>,
    /// What is not called any more.
    pub(crate) barred: &'a BTreeMap<OpId, Trouble>,
    /// Strings that runs compared with.
    pub(crate) seen: &'a [Text],
    pub(crate) sequence: Sequence,
}

impl<'a> Composer<'a> {
    /// Appends a call with inputs made for it, on this receiver if there is one.
    pub(crate) fn call(&mut self, operation: u32, receiver: Option<Var>, depth: u32) -> Option<Var> {
        let charted = self.chart.operations.get(operation as usize)?;
        let is_private = matches!(charted.usable, Usable::Privately(_));
        let mut inputs = Vec::new();
        for (position, need) in charted.inputs.iter().enumerate() {
            let is_receiver = position == 0 && charted.has_receiver;
            let var = match receiver.filter(|_| is_receiver) {
                Some(receiver) => receiver,
                None if is_receiver => self.receiver(*need, depth)?,
                None => self.value(*need, depth, !is_private)?,
            };
            inputs.push(var);
        }
        Some(self.sequence.operate(operation, &inputs))
    }

    /// Appends what makes an object to call something upon: no mock, because no test calls those.
    pub(crate) fn receiver(&mut self, need: Need, depth: u32) -> Option<Var> {
        match need {
            Need::Primitive(_) => None,
            Need::Reference(number) => self.real(number, depth),
        }
    }

    /// Appends what makes a value that fits.
    pub(crate) fn value(&mut self, need: Need, depth: u32, may_be_null: bool) -> Option<Var> {
        let number = match need {
            Need::Primitive(letter) => {
                let primitive = self.primitive(letter)?;
                return Some(self.sequence.literal(Literal::Primitive(primitive)));
            }
            Need::Reference(number) => number,
        };
        let chart = self.chart;
        let charted = chart.types.get(number as usize)?;
        if let Some(mockable) = &charted.mock
            && self.may_use(mockable.usable)
            && self.rng.chance(self.permits.mocking(mockable.instead_of))
        {
            return Some(self.mock(mockable));
        }
        let made = self.real(number, depth);
        made.or_else(|| may_be_null.then(|| self.sequence.literal(Literal::Null)))
    }

    /// An object that is no mock.
    fn real(&mut self, number: u32, depth: u32) -> Option<Var> {
        let charted = self.chart.types.get(number as usize)?;
        let known = self.known(number, charted);
        known.or_else(|| self.plain(charted, depth)).or_else(|| self.object(charted, depth))
    }

    /// An object made as one was made before, if it is nothing that is better made anew.
    fn known(&mut self, number: u32, charted: &ChartedType) -> Option<Var> {
        let is_object =
            charted.sort == TypeSort::Plain && !charted.takes_strings && charted.takes_boxes.is_empty();
        let stock = self.stock.filter(|_| is_object)?;
        if !self.rng.chance(KNOWN) {
            return None;
        }
        let made = stock.draw(number, self.package, self.rng)?;
        let offset = u32::try_from(self.sequence.statements().len()).ok()?;
        let mut next = 0;
        let mut last = None;
        for statement in made.statements() {
            let inputs = &made.inputs()[next..next + statement.input_count()];
            next += inputs.len();
            let moved: Vec<Var> = inputs.iter().map(|input| Var(input.0 + offset)).collect();
            last = Some(self.sequence.push(statement.clone(), &moved));
        }
        last
    }

    fn mock(&mut self, mockable: &Mockable) -> Var {
        self.sequence.mock(Mock { class: mockable.class.clone(), keep_bodies: false, answers: Vec::new() })
    }

    /// A string, box, class, lambda or array.
    fn plain(&mut self, charted: &ChartedType, depth: u32) -> Option<Var> {
        match &charted.sort {
            TypeSort::Class => {
                let class = self.rng.pick(&self.pool().classes).cloned()?;
                return Some(self.sequence.literal(Literal::Class(class)));
            }
            TypeSort::Function { class, result, .. } => {
                let answer = match result {
                    Some(result) => Some(self.value(*result, depth.checked_sub(1)?, true)?),
                    None => None,
                };
                let answers = answer.map(Answer::Value).into_iter().collect();
                let (name, descriptor) = (String::new(), String::new());
                let answers = vec![MockAnswers { name, descriptor, answers }];
                return Some(self.sequence.mock(Mock { class: class.clone(), keep_bodies: true, answers }));
            }
            TypeSort::Array { element, need } => {
                let (count, left) = (self.rng.below(ELEMENTS + 1), depth.checked_sub(1)?);
                let elements: Option<Vec<Var>> = (0..count).map(|_| self.value(*need, left, true)).collect();
                return Some(self.sequence.array(element, &elements?));
            }
            TypeSort::Holder { ways, needs } => {
                if self.rng.chance(PLAIN)
                    && let Some(holder) = self.filled(ways, needs, depth)
                {
                    return Some(holder);
                }
            }
            TypeSort::Plain => {}
        }
        let is_only = charted.makers.is_empty() && charted.givers.is_empty();
        if !is_only && !self.rng.chance(PLAIN) {
            return None;
        }
        if charted.takes_strings && (charted.takes_boxes.is_empty() || self.rng.chance(0.5)) {
            let text = self.string();
            return Some(self.sequence.literal(Literal::String(text)));
        }
        let letter = *self.rng.pick(&charted.takes_boxes)?;
        let primitive = self.primitive(letter)?;
        let value = self.sequence.literal(Literal::Primitive(primitive));
        Some(self.sequence.operate(self.chart.boxing_of(letter)?, &[value]))
    }

    /// A collection or map with something in it that belongs there.
    fn filled(&mut self, ways: &[Way], needs: &[Need], depth: u32) -> Option<Var> {
        // What is put in must be made as well.
        let left = depth.checked_sub(1).filter(|left| *left > 0)?;
        let Way { maker, put } = *self.rng.pick(ways)?;
        let Some(put) = put else {
            let held = needs.iter().map(|need| self.value(*need, left, false));
            let inputs: Vec<Var> = held.collect::<Option<_>>()?;
            return Some(self.sequence.operate(maker, &inputs));
        };
        let mut entries: Vec<Vec<Var>> = Vec::new();
        for _ in 0..=self.rng.below(ELEMENTS) {
            let held = needs.iter().map(|need| self.value(*need, left, true));
            entries.push(held.collect::<Option<_>>()?);
        }
        let holder = self.call(maker, None, left)?;
        for entry in entries {
            let inputs: Vec<Var> = std::iter::once(holder).chain(entry).collect();
            self.sequence.operate(put, &inputs);
        }
        Some(holder)
    }

    /// An object, made by an operation.
    fn object(&mut self, charted: &ChartedType, depth: u32) -> Option<Var> {
        let left = depth.checked_sub(1)?;
        for turn in 0..TRIES {
            let by_private = self.rng.chance(self.permits.private) && !charted.private_makers.is_empty();
            let by_giver = charted.makers.is_empty() || turn + 1 == TRIES && !charted.givers.is_empty();
            let ways = if by_private {
                &charted.private_makers
            } else if by_giver {
                &charted.givers
            } else {
                &charted.makers
            };
            let Some(&operation) = self.rng.pick(ways) else { continue };
            if !self.may_call(operation) {
                continue;
            }
            let before = self.sequence.clone();
            if let Some(made) = self.call(operation, None, left) {
                return Some(made);
            }
            self.sequence = before;
        }
        None
    }

    fn may_call(&self, operation: u32) -> bool {
        let charted = self.chart.operations.get(operation as usize);
        charted.is_some_and(|charted| self.may_use(charted.usable))
            && !self.barred.contains_key(&OpId(operation))
    }

    fn may_use(&self, usable: Usable) -> bool {
        match usable {
            Usable::Nowhere => false,
            Usable::Anywhere => true,
            Usable::In(only) => only == self.package,
            Usable::Privately(only) => only == self.package && self.permits.private > 0.0,
        }
    }

    /// The literals to draw from.
    fn pool(&self) -> &'a LiteralPool {
        self.chart.pools.get(self.pool as usize).unwrap_or(&self.chart.pools[0])
    }

    fn int(&mut self) -> i32 {
        let own = self.pool().ints.as_slice();
        match self.rng.pick(own).copied() {
            // What lies beside a constant is as telling as the constant.
            Some(mined) if self.rng.chance(0.5) => {
                mined.wrapping_add(i32::try_from(self.rng.below(3)).unwrap_or(0) - 1)
            }
            _ if self.rng.chance(LARGE) => LARGE_INTS[self.rng.below(LARGE_INTS.len())],
            _ => INTS[self.rng.below(INTS.len())],
        }
    }

    fn string(&mut self) -> Text {
        if !self.seen.is_empty() && self.rng.chance(SEEN) {
            return self.seen[self.rng.below(self.seen.len())].clone();
        }
        match self.rng.pick(&self.pool().strings).cloned() {
            Some(mined) if self.rng.chance(0.6) => mined,
            _ => Text::from(STRINGS[self.rng.below(STRINGS.len())]),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "any value of the type will do"
    )]
    fn primitive(&mut self, letter: char) -> Option<Primitive> {
        let int = self.int();
        let pool = self.pool();
        let mined = |count: usize, rng: &mut Rng| (count > 0 && rng.chance(0.5)).then(|| rng.below(count));
        Some(match letter {
            'Z' => Primitive::Boolean(self.rng.chance(0.5)),
            'B' => Primitive::Byte(int as i8),
            'S' => Primitive::Short(int as i16),
            'C' => Primitive::Char(int as u16),
            'I' => Primitive::Int(int),
            'J' => {
                let longs = &pool.longs;
                Primitive::Long(mined(longs.len(), self.rng).map_or(i64::from(int), |at| longs[at]))
            }
            'F' => {
                let floats = &pool.floats;
                let other = Primitive::float(f32::from(int as i16));
                mined(floats.len(), self.rng).map_or(other, |at| Primitive::Float(floats[at]))
            }
            'D' => {
                let doubles = &pool.doubles;
                let other = Primitive::double(f64::from(int));
                mined(doubles.len(), self.rng).map_or(other, |at| Primitive::Double(doubles[at]))
            }
            _ => return None,
        })
    }

    /// Appends a sequence whose mocks answer what they were asked, and nothing else: as often as it was asked, at most
    /// [`ANSWERS`] times. Answers that are there are drawn anew with a chance of `redraw`.
    pub(crate) fn replan(&mut self, sequence: &Sequence, asked: &[Asked], redraw: f64) -> Option<()> {
        let mut vars: Vec<Var> = Vec::new();
        let mut next = 0;
        for (position, statement) in (0..).zip(sequence.statements()) {
            let inputs = &sequence.inputs()[next..next + statement.input_count()];
            next += inputs.len();
            let renamed: Vec<Var> = inputs.iter().map(|input| vars[input.0 as usize]).collect();
            let var = match statement {
                Statement::Mock(mock) => {
                    let answers = if mock.keep_bodies {
                        mock.answers.iter().map(|planned| rename(planned, &vars)).collect()
                    } else {
                        let asked = asked.iter().filter(|asked| asked.mock == Var(position));
                        self.answers(mock, &questions(asked), &vars, redraw)?
                    };
                    self.sequence.mock(Mock { answers, ..(**mock).clone() })
                }
                other => self.sequence.push(other.clone(), &renamed),
            };
            vars.push(var);
        }
        Some(())
    }

    fn answers(
        &mut self,
        mock: &Mock,
        questions: &[(&Asked, usize)],
        vars: &[Var],
        redraw: f64,
    ) -> Option<Vec<MockAnswers>> {
        let mut all = Vec::new();
        for (asked, times) in questions {
            let known = mock
                .answers
                .iter()
                .find(|planned| planned.name == asked.name && planned.descriptor == asked.descriptor)
                .map(|planned| rename(planned, vars).answers)
                .unwrap_or_default();
            let mut answers = Vec::new();
            for turn in 0..(*times).min(ANSWERS) {
                answers.push(match known.get(turn) {
                    Some(known) if !self.rng.chance(redraw) => *known,
                    _ => Answer::Value(self.answer(mock, asked)?),
                });
            }
            let (name, descriptor) = (asked.name.clone(), asked.descriptor.clone());
            all.push(MockAnswers { name, descriptor, answers });
        }
        Some(all)
    }

    /// A value for a method of a mock; none if the method is not one that a test can plan.
    fn answer(&mut self, mock: &Mock, asked: &Asked) -> Option<Var> {
        let mockables = self.chart.types.iter().filter_map(|charted| charted.mock.as_ref());
        let mockable = mockables.clone().find(|mockable| mockable.class == mock.class)?;
        let method = mockable
            .methods
            .iter()
            .find(|method| method.name == asked.name && method.descriptor == asked.descriptor)?;
        let result = *self.rng.pick(&method.results)?;
        self.value(result, ANSWER, true)
    }
}

/// The methods that were asked for a value, each once, with how often.
fn questions<'q>(asked: impl Iterator<Item = &'q Asked>) -> Vec<(&'q Asked, usize)> {
    let mut found: Vec<(&Asked, usize)> = Vec::new();
    for question in asked.filter(|question| !question.descriptor.ends_with(")V")) {
        let same = |known: &&Asked| known.name == question.name && known.descriptor == question.descriptor;
        match found.iter_mut().find(|(known, _)| same(known)) {
            Some((_, times)) => *times += 1,
            None => found.push((question, 1)),
        }
    }
    found
}

fn rename(planned: &MockAnswers, vars: &[Var]) -> MockAnswers {
    let renamed = |answer: &Answer| match answer {
        Answer::Value(var) => Answer::Value(vars[var.0 as usize]),
        Answer::Throw(var) => Answer::Throw(vars[var.0 as usize]),
        argument @ Answer::Argument(_) => *argument,
    };
    MockAnswers { answers: planned.answers.iter().map(renamed).collect(), ..planned.clone() }
}

#[cfg(test)]
mod tests {
    use jurat_base::Seed;
    use jurat_protocol::{ChartedOperation, InsteadOf, Usable};

    use super::*;

    fn charted(sort: TypeSort, makers: Vec<u32>) -> ChartedType {
        ChartedType {
            descriptor: String::new(),
            makers,
            givers: Vec::new(),
            private_makers: Vec::new(),
            takes_strings: false,
            takes_boxes: Vec::new(),
            sort,
            mock: None,
        }
    }

    /// Starts from nothing, without a stock.
    fn composer<'a>(chart: &'a Chart, permits: Permits, rng: &'a mut Rng) -> Composer<'a> {
        static NONE: BTreeMap<OpId, Trouble> = BTreeMap::new();
        let (sequence, seen) = (Sequence::default(), &[]);
        Composer { chart, package: 0, pool: 0, permits, rng, stock: None, barred: &NONE, seen, sequence }
    }

    #[test]
    fn what_is_made_of_lambdas_that_give_it_comes_to_an_end() {
        let function =
            TypeSort::Function { class: String::new(), result: Some(Need::Reference(1)), echoes: Vec::new() };
        let maker = ChartedOperation {
            inputs: vec![Need::Reference(0), Need::Reference(0)],
            has_receiver: false,
            gives: Some(1),
            usable: Usable::Anywhere,
            pool: 0,
            under_test: true,
            naming: None,
        };
        let chart = Chart {
            operations: vec![maker],
            types: vec![charted(function, Vec::new()), charted(TypeSort::Plain, vec![0])],
            focuses: Vec::new(),
            pools: vec![LiteralPool::default()],
            names: BTreeMap::new(),
            boxing: 1,
        };
        let mut rng = Seed(1).rng(0);
        let mut composer = composer(&chart, Permits::default(), &mut rng);
        assert!(composer.value(Need::Reference(1), ANSWER, true).is_some());
        assert!(composer.sequence.statements().len() < 100);
    }

    #[test]
    fn receivers_are_no_mocks_but_may_be_made_of_some() {
        let maker = ChartedOperation {
            inputs: vec![Need::Reference(1)],
            has_receiver: false,
            gives: Some(0),
            usable: Usable::Anywhere,
            pool: 0,
            under_test: true,
            naming: None,
        };
        let mockable = |class: &str| {
            let (class, usable) = (class.to_owned(), Usable::Anywhere);
            Some(Mockable { class, instead_of: InsteadOf::Nothing, usable, methods: Vec::new() })
        };
        let service = ChartedType { mock: mockable("p/Service"), ..charted(TypeSort::Plain, vec![0]) };
        let store = ChartedType { mock: mockable("p/Store"), ..charted(TypeSort::Plain, Vec::new()) };
        let chart = Chart {
            operations: vec![maker],
            types: vec![service, store],
            focuses: Vec::new(),
            pools: vec![LiteralPool::default()],
            names: BTreeMap::new(),
            boxing: 1,
        };
        let mut rng = Seed(1).rng(0);
        let permits = Permits { stand_ins: true, ..Permits::default() };
        let mut composer = composer(&chart, permits, &mut rng);
        let made = composer.receiver(Need::Reference(0), ANSWER).expect("there is a maker");
        let [Statement::Mock(mock), Statement::Operate { operation: 0, .. }] = composer.sequence.statements()
        else {
            panic!("{:?}", composer.sequence)
        };
        assert_eq!((mock.class.as_str(), made), ("p/Store", Var(1)));
        assert_eq!(composer.receiver(Need::Reference(1), ANSWER), None, "nothing makes a store");
    }
}
