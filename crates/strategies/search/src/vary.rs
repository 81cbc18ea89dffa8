//! Variation: what is inserted, changed, deleted and exchanged, so that every statement still gets what it needs.

use jurat_base::Rng;
use jurat_protocol::{
    Answer, ChartedType, Literal, LiteralPool, Mock, MockAnswers, Need, Primitive, Statement, Text, TypeSort,
    Usable, Var, Way,
};

use crate::fitting::{Fitting, Made};
use crate::genome::{Gene, Genome};
use crate::literal::{Exchange, Guide, Literals};

/// The longest genome.
pub(crate) const LONGEST: usize = 60;
/// How deep values are made from scratch.
const DEPTH: u32 = 3;
/// The most elements of an array made here.
const ELEMENTS: usize = 4;
/// How many makers are tried for one value.
const TRIES: usize = 3;
/// How often a string that may be the name of a member is the name of one.
const NAMED: f64 = 0.4;
/// How often one more call is on something that is not under test.
const PREPARED: f64 = 0.3;

/// What a value is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// To be called upon: neither null nor a mock, which no test calls.
    Receiver,
    /// To be handed to a private member: not null.
    Private,
    /// To be handed over.
    Argument,
}

impl Use {
    /// That of the input at a position.
    fn of(position: usize, has_receiver: bool, is_private: bool) -> Self {
        match (position == 0 && has_receiver, is_private) {
            (true, _) => Self::Receiver,
            (false, true) => Self::Private,
            (false, false) => Self::Argument,
        }
    }
}

/// Varies genomes.
pub(crate) struct Variation<'v> {
    pub(crate) fitting: &'v Fitting,
    pub(crate) rng: Rng,
}

static NO_LITERALS: LiteralPool = LiteralPool {
    ints: Vec::new(),
    longs: Vec::new(),
    floats: Vec::new(),
    doubles: Vec::new(),
    strings: Vec::new(),
    classes: Vec::new(),
};

impl<'v> Variation<'v> {
    /// A genome that differs in one thing or a few; `guide` says where to go.
    pub(crate) fn varied(&mut self, genome: &Genome, guide: Guide<'_>) -> Genome {
        let mut varied = genome.clone();
        loop {
            if let Some(next) = self.vary_once(&varied, guide) {
                varied = next;
            }
            if self.rng.chance(0.65) {
                break;
            }
        }
        let mut varied = varied.compact();
        if varied.len() > LONGEST {
            varied = varied.prefix(LONGEST);
        }
        varied
    }

    fn vary_once(&mut self, genome: &Genome, guide: Guide<'_>) -> Option<Genome> {
        if guide.gap.is_some() && self.rng.chance(0.4) {
            return self.change_literal(genome, guide).or_else(|| self.insert(genome));
        }
        match self.rng.below(20) {
            0..=8 => self.change_literal(genome, guide).or_else(|| self.insert(genome)),
            9 => self.change_everywhere(genome, guide).or_else(|| self.insert(genome)),
            10..=12 => self.change_input(genome),
            13..=16 => self.insert(genome),
            17 => self.repeat(genome),
            _ => self.delete(genome),
        }
    }

    /// One number or letter is another wherever it occurs: what must be equal stays so.
    fn change_everywhere(&mut self, genome: &Genome, guide: Guide<'_>) -> Option<Genome> {
        let literals = literals(genome);
        let at = *self.rng.pick(&literals)?;
        let pool = self.literals(self.pool_at(genome, at));
        let hints: Vec<Exchange> = guide.compared.iter().filter_map(Exchange::hinted).collect();
        let hint = if self.rng.chance(0.5) { self.rng.pick(&hints).copied() } else { None };
        let exchange = match (hint, &genome.genes()[at].statement) {
            (Some(hint), _) => hint,
            (_, Statement::Literal(Literal::String(text))) => {
                Exchange::unit(*self.rng.pick(&text.units())?, &mut self.rng)
            }
            (_, Statement::Literal(Literal::Primitive(Primitive::Char(unit)))) => {
                Exchange::unit(*unit, &mut self.rng)
            }
            (_, Statement::Literal(Literal::Primitive(value))) => {
                Exchange::Number(*value, pool.near(*value, &[], None, &mut self.rng))
            }
            _ => return None,
        };
        let mut changed = genome.clone();
        for at in literals {
            let gene = changed.gene_mut(at)?;
            if let Statement::Literal(literal) = &gene.statement {
                gene.statement = Statement::Literal(exchange.apply(literal));
            }
        }
        (changed != *genome).then_some(changed)
    }

    /// One literal is another.
    fn change_literal(&mut self, genome: &Genome, guide: Guide<'_>) -> Option<Genome> {
        let literals = literals(genome);
        let at = *self.rng.pick(&literals)?;
        let pool = self.literals(self.pool_at(genome, at));
        let statement = match &genome.genes()[at].statement {
            Statement::Literal(Literal::String(text)) => {
                let is_led = guide.gap.is_some() || !guide.compared.is_empty();
                let named = if is_led { None } else { self.other_member(genome, at) };
                let near = named.unwrap_or_else(|| pool.near_text(text, guide, &mut self.rng));
                Statement::Literal(Literal::String(near))
            }
            Statement::Literal(Literal::Primitive(value)) => {
                let peers = peers(genome, at);
                Statement::Literal(Literal::Primitive(pool.near(*value, &peers, guide.gap, &mut self.rng)))
            }
            Statement::Literal(Literal::Class(_)) => {
                Statement::Literal(Literal::Class(pool.class(&mut self.rng)))
            }
            _ => return None,
        };
        let mut changed = genome.clone();
        changed.gene_mut(at)?.statement = statement;
        Some(changed)
    }

    /// One input of a statement is another value.
    fn change_input(&mut self, genome: &Genome) -> Option<Genome> {
        let using: Vec<usize> =
            (0..genome.len()).filter(|at| !genome.genes()[*at].inputs.is_empty()).collect();
        let at = *self.rng.pick(&using)?;
        let needs = self.fitting.needs(genome, at);
        let input = self.rng.below(needs.len());
        let need = *needs.get(input)?;
        let mut changed = genome.prefix(at);
        let pool = self.pool_of(&genome.genes()[at].statement);
        let statement = &genome.genes()[at].statement;
        let its_use = Use::of(input, self.has_receiver(statement), self.fitting.is_private(statement));
        let charted = match statement {
            Statement::Operate { operation, .. } => self.fitting.operation(*operation),
            _ => None,
        };
        let whose = charted.and_then(|charted| charted.names_member_of(input));
        let whose = whose.and_then(|whose| genome.genes()[at].inputs.get(whose));
        let name = whose.and_then(|whose| self.member_of(&mut changed, *whose));
        let var = name.or_else(|| self.value(&mut changed, need, pool, DEPTH, its_use))?;
        let mut gene = genome.genes()[at].clone();
        *gene.inputs.get_mut(input)? = var;
        let mut moved = identity(at);
        moved.push(Some(changed.push_gene(gene)));
        self.append(&mut changed, genome, moved);
        Some(changed)
    }

    /// One more call on something that is handed over: it may have to be prepared.
    fn prepare(&mut self, genome: &Genome) -> Option<Genome> {
        let given = |at: usize| match self.fitting.made(genome, at) {
            Made::Given(operation) => Some((at, operation)),
            _ => None,
        };
        let given: Vec<(usize, u32)> = (0..genome.len())
            .filter_map(given)
            .filter(|(_, operation)| self.fitting.called_on(*operation).next().is_some())
            .collect();
        let (at, maker) = *self.rng.pick(&given)?;
        let called: Vec<&Vec<u32>> = self.fitting.called_on(maker).collect();
        let called = *self.rng.pick(&called)?;
        let operation = *self.rng.pick(called)?;
        if !self.fitting.may_call(operation, genome.package) {
            return None;
        }
        let behind = at + 1 + if self.rng.chance(0.6) { 0 } else { self.rng.below(genome.len() - at) };
        let mut changed = genome.prefix(behind);
        let receiver = u32::try_from(at).ok().map(Var);
        self.call_on(&mut changed, operation, receiver, DEPTH)?;
        self.append(&mut changed, genome, identity(behind));
        Some(changed)
    }

    /// One more call somewhere: mostly one on what is there.
    fn insert(&mut self, genome: &Genome) -> Option<Genome> {
        if self.rng.chance(PREPARED)
            && let Some(prepared) = self.prepare(genome)
        {
            return Some(prepared);
        }
        let operation = self.choose(genome)?;
        let last = (0..genome.len()).rev().find(|at| self.calls_home(genome, *at));
        let at = match last {
            Some(last) if self.rng.chance(0.5) => last,
            _ => self.rng.below(genome.len() + 1),
        };
        let mut changed = genome.prefix(at);
        self.call(&mut changed, operation, DEPTH)?;
        self.append(&mut changed, genome, identity(at));
        Some(changed)
    }

    /// A call is made twice in a row.
    fn repeat(&mut self, genome: &Genome) -> Option<Genome> {
        let calls: Vec<usize> = (0..genome.len()).filter(|at| self.calls_home(genome, *at)).collect();
        let at = *self.rng.pick(&calls)?;
        let mut changed = genome.prefix(at);
        let mut again = genome.genes()[at].clone();
        // A mock stands for one argument only.
        for input in &mut again.inputs {
            let position = input.0 as usize;
            if self.fitting.made(genome, position) == Made::Mock {
                *input = changed.push_gene(genome.genes()[position].clone());
            }
        }
        changed.push_gene(again);
        self.append(&mut changed, genome, identity(at));
        Some(changed)
    }

    /// One statement less; what used its value uses another, or goes as well.
    fn delete(&mut self, genome: &Genome) -> Option<Genome> {
        let calls: Vec<usize> = (0..genome.len()).filter(|at| self.calls_home(genome, *at)).collect();
        let at = if self.rng.chance(0.8) { *self.rng.pick(&calls)? } else { self.rng.below(genome.len()) };
        let mut changed = genome.prefix(at);
        let mut moved = identity(at);
        moved.push(None);
        self.append(&mut changed, genome, moved);
        (!changed.is_empty()).then_some(changed)
    }

    /// The beginning of one genome, then the end of another with all that it needs.
    pub(crate) fn crossed(&mut self, one: &Genome, other: &Genome) -> Genome {
        if one.package != other.package || one.is_empty() || other.is_empty() {
            return one.clone();
        }
        let from = self.rng.below(other.len());
        let needed = other.needed_for(|at| at >= from);
        let mut child = one.prefix(self.rng.below(one.len() + 1));
        let own = child.len();
        let mut moved: Vec<Option<Var>> = Vec::with_capacity(other.len());
        for (at, is_needed) in needed.into_iter().enumerate() {
            let known =
                if at < from && self.rng.chance(0.5) { self.like(&child, own, other, at) } else { None };
            let copied = || other.genes()[at].renamed(|var| moved[var.0 as usize]);
            let var =
                if is_needed { known.or_else(|| copied().map(|gene| child.push_gene(gene))) } else { None };
            moved.push(var);
        }
        child.compact().prefix(LONGEST)
    }

    /// A value of `child` that is of the same declared type as one of `other`.
    fn like(&mut self, child: &Genome, before: usize, other: &Genome, at: usize) -> Option<Var> {
        let Made::Given(operation) = self.fitting.made(other, at) else { return None };
        let ty = self.fitting.operation(operation)?.gives?;
        let fitting = self.fitting.fitting(child, before, Need::Reference(ty));
        self.rng.pick(&fitting).copied()
    }

    /// Appends the rest of a genome, whose first statements have become other values or none.
    fn append(&mut self, to: &mut Genome, genome: &Genome, mut moved: Vec<Option<Var>>) {
        for at in moved.len()..genome.len() {
            let gene = &genome.genes()[at];
            let renamed = gene.renamed(|var| moved[var.0 as usize]);
            let gene = renamed.or_else(|| self.relinked(to, genome, at, &moved));
            moved.push(gene.map(|gene| to.push_gene(gene)));
        }
    }

    /// A statement whose missing inputs are replaced by values that fit.
    fn relinked(&mut self, to: &Genome, genome: &Genome, at: usize, moved: &[Option<Var>]) -> Option<Gene> {
        if let Statement::Mock(_) = genome.genes()[at].statement {
            return genome.genes()[at].forgetting(|var| moved[var.0 as usize]);
        }
        let needs = self.fitting.needs(genome, at);
        let mut gene = genome.genes()[at].clone();
        if needs.len() != gene.inputs.len() {
            return None;
        }
        for (input, need) in gene.inputs.iter_mut().zip(needs) {
            *input = match moved[input.0 as usize] {
                Some(var) => var,
                None => *self.rng.pick(&self.fitting.fitting(to, to.len(), need))?,
            };
        }
        Some(gene)
    }

    /// An operation of the class that the genome is about.
    fn choose(&mut self, genome: &Genome) -> Option<u32> {
        let homes: Vec<usize> = genome
            .genes()
            .iter()
            .filter_map(|gene| match gene.statement {
                Statement::Operate { operation, .. } => self.fitting.home(operation),
                _ => None,
            })
            .collect();
        let focuses = &self.fitting.chart.focuses;
        let focus = match homes.last() {
            Some(last) if self.rng.chance(0.8) => *last,
            Some(_) => *self.rng.pick(&homes)?,
            None => self.rng.below(focuses.len()),
        };
        let by_private = self.rng.chance(self.fitting.permits.private);
        let operation = *self.rng.pick(Fitting::operations(focuses.get(focus)?, by_private))?;
        self.fitting.may_call(operation, genome.package).then_some(operation)
    }

    /// Whether a statement calls an operation of a class under test.
    fn calls_home(&self, genome: &Genome, at: usize) -> bool {
        match genome.genes()[at].statement {
            Statement::Operate { operation, .. } => operation < self.fitting.chart.boxing,
            _ => false,
        }
    }

    fn has_receiver(&self, statement: &Statement) -> bool {
        match statement {
            Statement::Operate { operation, .. } => {
                self.fitting.operation(*operation).is_some_and(|operation| operation.has_receiver)
            }
            _ => false,
        }
    }

    fn pool_of(&self, statement: &Statement) -> u32 {
        match statement {
            Statement::Operate { operation, .. } => {
                self.fitting.operation(*operation).map_or(0, |operation| operation.pool)
            }
            _ => 0,
        }
    }

    /// The pool of whoever uses a value first, directly or in a box, array or collection.
    fn pool_at(&self, genome: &Genome, at: usize) -> u32 {
        let mut value = at;
        for user in at + 1..genome.len() {
            if genome.genes()[user].uses().iter().any(|var| var.0 as usize == value) {
                let gene = &genome.genes()[user];
                match (self.pool_of(&gene.statement), gene.inputs.first()) {
                    // What is put into something is used by whoever uses that.
                    (0, Some(on)) if self.has_receiver(&gene.statement) && on.0 as usize != value => {
                        value = on.0 as usize;
                    }
                    (0, _) => value = user,
                    (pool, _) => return pool,
                }
            }
        }
        0
    }

    /// Mostly nothing, sometimes the name of a member of a class, or of the class of an object.
    fn member_of(&mut self, genome: &mut Genome, whose: Var) -> Option<Var> {
        let name = self.name_of_member(genome, whose)?;
        Some(genome.push(Statement::Literal(Literal::String(name)), &[]))
    }

    fn name_of_member(&mut self, genome: &Genome, whose: Var) -> Option<Text> {
        if !self.rng.chance(NAMED) {
            return None;
        }
        let kinds = self.fitting.chart.members_of(&genome.genes().get(whose.0 as usize)?.statement)?;
        let names = self.rng.pick(kinds)?;
        self.rng.pick(names).cloned()
    }

    /// The same for a string that is there, if a call takes it for such a name.
    fn other_member(&mut self, genome: &Genome, at: usize) -> Option<Text> {
        let whose = genome.genes()[at + 1..].iter().find_map(|gene| {
            let Statement::Operate { operation, .. } = gene.statement else { return None };
            let naming = self.fitting.operation(operation)?.naming?;
            let name = gene.inputs.get(usize::from(naming.name))?;
            gene.inputs.get(usize::from(naming.whose)).filter(|_| name.0 as usize == at)
        });
        self.name_of_member(genome, *whose?)
    }

    fn literals(&self, pool: u32) -> Literals<'v> {
        let pools = &self.fitting.chart.pools;
        let all = pools.first().unwrap_or(&NO_LITERALS);
        let seen = self.fitting.seen.texts();
        Literals { own: pools.get(pool as usize).unwrap_or(all), all, seen }
    }

    /// Appends a call of an operation on fresh values; false if there are none.
    pub(crate) fn call_fresh(&mut self, genome: &mut Genome, operation: u32) -> bool {
        self.call(genome, operation, DEPTH).is_some()
    }

    /// Appends a call of an operation, its inputs chosen first.
    fn call(&mut self, genome: &mut Genome, operation: u32, depth: u32) -> Option<Var> {
        self.call_on(genome, operation, None, depth)
    }

    /// The same on an object that is there, if one is given.
    fn call_on(
        &mut self,
        genome: &mut Genome,
        operation: u32,
        receiver: Option<Var>,
        depth: u32,
    ) -> Option<Var> {
        let charted = self.fitting.operation(operation)?;
        let mut inputs = Vec::with_capacity(charted.inputs.len());
        let is_private = matches!(charted.usable, Usable::Privately(_));
        for (position, need) in charted.inputs.iter().enumerate() {
            let its_use = Use::of(position, charted.has_receiver, is_private);
            let whose = charted.names_member_of(position).and_then(|whose| inputs.get(whose));
            let name = whose.and_then(|whose| self.member_of(genome, *whose));
            let given = receiver.filter(|_| its_use == Use::Receiver).or(name);
            let chosen = || self.value(genome, *need, charted.pool, depth, its_use);
            inputs.push(given.or_else(chosen)?);
        }
        let count = u8::try_from(inputs.len()).ok()?;
        Some(genome.push(Statement::Operate { operation, inputs: count }, &inputs))
    }

    /// A value for a need: one that is there, or a fresh one.
    fn value(&mut self, genome: &mut Genome, need: Need, pool: u32, depth: u32, its_use: Use) -> Option<Var> {
        let may_be_null = its_use == Use::Argument;
        let reuse = match need {
            Need::Primitive(_) => 0.2,
            Need::Reference(_) if may_be_null => 0.4,
            Need::Reference(_) => 0.9,
        };
        if self.rng.chance(reuse) {
            let fitting = self.fitting.fitting(genome, genome.len(), need);
            if let Some(var) = self.rng.pick(&fitting) {
                return Some(*var);
            }
        }
        match need {
            Need::Primitive(letter) => {
                let literal = self.literals(pool).primitive(letter, &mut self.rng);
                Some(genome.push(Statement::Literal(Literal::Primitive(literal)), &[]))
            }
            Need::Reference(_) if may_be_null && self.rng.chance(0.05) => Some(null(genome)),
            Need::Reference(ty) => {
                let mock = if its_use == Use::Receiver { None } else { self.mock(genome, ty) };
                let fresh = mock.or_else(|| self.fresh(genome, ty, pool, depth));
                fresh.or_else(|| may_be_null.then(|| null(genome)))
            }
        }
    }

    /// A mock, where one may stand for a value of a type. What it is asked is known once it ran.
    fn mock(&mut self, genome: &mut Genome, ty: u32) -> Option<Var> {
        let mockable = self.fitting.ty(ty)?.mock.as_ref()?;
        let is_wanted = self.fitting.may_use(mockable.usable, genome.package)
            && self.rng.chance(self.fitting.permits.mocking(mockable.instead_of));
        let mock = Mock { class: mockable.class.clone(), keep_bodies: false, answers: Vec::new() };
        is_wanted.then(|| genome.push(Statement::Mock(Box::new(mock)), &[]))
    }

    /// A new value of a type that is no mock.
    fn fresh(&mut self, genome: &mut Genome, ty: u32, pool: u32, depth: u32) -> Option<Var> {
        let charted = self.fitting.ty(ty)?;
        match &charted.sort {
            TypeSort::Function { .. } if self.rng.chance(0.8) => {
                return self.lambda(genome, charted, pool, depth);
            }
            TypeSort::Array { element, need } => return self.array(genome, element, *need, pool, depth),
            TypeSort::Holder { ways, needs } if self.rng.chance(0.7) => {
                let filled = self.filled(genome, ways, needs, pool, depth);
                return filled.or_else(|| self.made(genome, charted, depth));
            }
            TypeSort::Class => {
                let class = self.literals(pool).class(&mut self.rng);
                return Some(genome.push(Statement::Literal(Literal::Class(class)), &[]));
            }
            _ => {}
        }
        let is_plain = charted.takes_strings || !charted.takes_boxes.is_empty();
        if is_plain && (charted.makers.is_empty() || self.rng.chance(0.9)) {
            return self.plain(genome, charted, pool);
        }
        self.made(genome, charted, depth)
    }

    /// A string or a box.
    fn plain(&mut self, genome: &mut Genome, charted: &ChartedType, pool: u32) -> Option<Var> {
        let literals = self.literals(pool);
        if charted.takes_strings && (charted.takes_boxes.is_empty() || self.rng.chance(0.6)) {
            let text = literals.text(&mut self.rng);
            return Some(genome.push(Statement::Literal(Literal::String(text)), &[]));
        }
        let letter = *self.rng.pick(&charted.takes_boxes)?;
        let literal = literals.primitive(letter, &mut self.rng);
        let plain = genome.push(Statement::Literal(Literal::Primitive(literal)), &[]);
        let operation = self.fitting.chart.boxing_of(letter)?;
        Some(genome.push(Statement::Operate { operation, inputs: 1 }, &[plain]))
    }

    /// A value that an operation gives.
    fn made(&mut self, genome: &mut Genome, charted: &ChartedType, depth: u32) -> Option<Var> {
        let depth = depth.checked_sub(1)?;
        for turn in 0..TRIES {
            let by_receiver = charted.makers.is_empty() || turn + 1 == TRIES;
            let by_private = self.rng.chance(self.fitting.permits.private);
            let list = if by_private && !charted.private_makers.is_empty() {
                &charted.private_makers
            } else if by_receiver && !charted.givers.is_empty() {
                &charted.givers
            } else {
                &charted.makers
            };
            let operation = *self.rng.pick(list)?;
            if self.fitting.may_call(operation, genome.package)
                && let Some(var) = self.call(genome, operation, depth)
            {
                return Some(var);
            }
        }
        None
    }

    fn array(
        &mut self,
        genome: &mut Genome,
        element: &str,
        need: Need,
        pool: u32,
        depth: u32,
    ) -> Option<Var> {
        let depth = depth.checked_sub(1)?;
        let length = self.rng.below(ELEMENTS + 1);
        let mut inputs = Vec::with_capacity(length);
        for _ in 0..length {
            inputs.push(self.value(genome, need, pool, depth, Use::Argument)?);
        }
        let length = u32::try_from(length).ok()?;
        Some(genome.push(Statement::NewArray { element: element.to_owned(), length }, &inputs))
    }

    /// A collection or map with something in it that belongs there.
    fn filled(
        &mut self,
        genome: &mut Genome,
        ways: &[Way],
        needs: &[Need],
        pool: u32,
        depth: u32,
    ) -> Option<Var> {
        // What is put in must be made as well.
        let depth = depth.checked_sub(1).filter(|left| *left > 0)?;
        let Way { maker, put } = *self.rng.pick(ways)?;
        let may_call = |operation| self.fitting.may_call(operation, genome.package);
        if !may_call(maker) || !put.is_none_or(may_call) {
            return None;
        }
        let Some(put) = put else {
            let held = needs.iter().map(|need| self.value(genome, *need, pool, depth, Use::Argument));
            let inputs: Vec<Var> = held.collect::<Option<_>>()?;
            let count = u8::try_from(inputs.len()).ok()?;
            return Some(genome.push(Statement::Operate { operation: maker, inputs: count }, &inputs));
        };
        let mut entries: Vec<Vec<Var>> = Vec::new();
        for _ in 0..=self.rng.below(ELEMENTS) {
            let held = needs.iter().map(|need| self.value(genome, *need, pool, depth, Use::Argument));
            entries.push(held.collect::<Option<_>>()?);
        }
        let holder = self.call(genome, maker, depth)?;
        for entry in entries {
            let inputs: Vec<Var> = std::iter::once(holder).chain(entry).collect();
            let count = u8::try_from(inputs.len()).ok()?;
            genome.push(Statement::Operate { operation: put, inputs: count }, &inputs);
        }
        Some(holder)
    }

    fn lambda(&mut self, genome: &mut Genome, charted: &ChartedType, pool: u32, depth: u32) -> Option<Var> {
        let TypeSort::Function { class, result, echoes } = &charted.sort else { return None };
        let depth = depth.checked_sub(1)?;
        let answer = match result {
            None => None,
            Some(_) if self.rng.chance(0.4) && !echoes.is_empty() => {
                self.rng.pick(echoes).copied().map(Answer::Argument)
            }
            Some(need) => Some(Answer::Value(self.value(genome, *need, pool, depth, Use::Argument)?)),
        };
        let answers = MockAnswers {
            name: String::new(),
            descriptor: String::new(),
            answers: answer.into_iter().collect(),
        };
        let mock = Mock { class: class.clone(), keep_bodies: true, answers: vec![answers] };
        Some(genome.push(Statement::Mock(Box::new(mock)), &[]))
    }
}

fn null(genome: &mut Genome) -> Var {
    genome.push(Statement::Literal(Literal::Null), &[])
}

/// Where the literals are that could be others.
fn literals(genome: &Genome) -> Vec<usize> {
    let is_literal =
        |gene: &Gene| matches!(&gene.statement, Statement::Literal(literal) if *literal != Literal::Null);
    (0..genome.len()).filter(|at| is_literal(&genome.genes()[*at])).collect()
}

/// The first values, each itself.
fn identity(count: usize) -> Vec<Option<Var>> {
    (0..u32::try_from(count).expect("genomes are short")).map(|at| Some(Var(at))).collect()
}

/// The other primitives of a genome.
fn peers(genome: &Genome, at: usize) -> Vec<Primitive> {
    let others = genome.genes().iter().enumerate().filter(|(other, _)| *other != at);
    others
        .filter_map(|(_, gene)| match gene.statement {
            Statement::Literal(Literal::Primitive(value)) => Some(value),
            _ => None,
        })
        .collect()
}
