//! Finds types for the type parameters of an operation, so that given values fit its inputs and
//! its result fits where it is wanted.
//!
//! As the compiler does it, constraints are first reduced to bounds on each variable. Unlike the
//! compiler, which must find the best answer or none, a sound one is enough here: variables are
//! then chosen one after the other from the few types that their bounds suggest, with backtracking,
//! and an answer counts only if every constraint and every declared bound holds under it.

use crate::class::ClassId;
use crate::classes::Classes;
use crate::substitution::Substitution;
use crate::subtyping::Conversion;
use crate::types::{ClassType, JavaType, TypeArg, TypeVarId};

/// How many choices are tried before giving up.
const MAX_TRIES: u32 = 400;
/// How many types are tried for one variable.
const MAX_CANDIDATES: usize = 40;
/// How deep types are taken apart.
const MAX_DEPTH: u32 = 12;

/// What must hold between a declared type (with variables) and a given one (without).
#[derive(Clone, Debug)]
pub enum Constraint {
    /// A value of type `given` is passed where `formal` is declared.
    Takes {
        /// The declared type.
        formal: JavaType,
        /// The value's type.
        given: JavaType,
    },
    /// What is declared as `formal` is used where `wanted` is needed.
    Gives {
        /// The declared type.
        formal: JavaType,
        /// The type needed.
        wanted: JavaType,
    },
}

/// One question to solve.
pub struct Inference<'a> {
    /// The table the types belong to.
    pub classes: &'a Classes,
    /// The variables to find types for.
    pub variables: &'a [TypeVarId],
    /// What other variables stand for already.
    pub known: &'a Substitution,
    /// What must hold.
    pub constraints: &'a [Constraint],
    /// Types to try first where nothing else decides.
    pub prefer: &'a [JavaType],
    /// Which classes may be named in the answer.
    pub usable: &'a dyn Fn(ClassId) -> bool,
    /// Variables that stand for themselves and may occur in the answer.
    pub opaque: &'a [TypeVarId],
}

/// What is known of the variables so far.
#[derive(Clone)]
struct State {
    chosen: Substitution,
    open: Vec<(TypeVarId, Bounds)>,
}

/// Which variables are chosen first where nothing is known of any.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Those whose bounds mention no other.
    Independent,
    /// Those whose bounds do.
    Dependent,
}

#[derive(Clone, Default)]
struct Bounds {
    equal: Vec<JavaType>,
    lower: Vec<JavaType>,
    upper: Vec<JavaType>,
}

impl State {
    fn is_open(&self, variable: TypeVarId) -> bool {
        self.open.iter().any(|(open, _)| *open == variable)
    }

    /// The bounds of `ty`, if it is a variable still to be chosen.
    fn bounds_of(&mut self, ty: &JavaType) -> Option<&mut Bounds> {
        let JavaType::Variable(variable) = ty else { return None };
        self.open.iter_mut().find(|(open, _)| open == variable).map(|(_, bounds)| bounds)
    }

    /// Learns from: `formal` is exactly `given`.
    fn learn_equal(&mut self, given: &JavaType, formal: &JavaType, depth: u32) {
        if depth > MAX_DEPTH || matches!(given, JavaType::Variable(variable) if self.is_open(*variable)) {
            return;
        }
        if let Some(bounds) = self.bounds_of(formal) {
            push_new(&mut bounds.equal, given.clone());
            return;
        }
        match (given, formal) {
            (JavaType::Array(given), JavaType::Array(formal)) => self.learn_equal(given, formal, depth + 1),
            (JavaType::Class(given), JavaType::Class(formal)) if given.class == formal.class => {
                for (given, formal) in given.args().iter().zip(formal.args()) {
                    if let (Some(given), Some(formal)) = (given.bound(), formal.bound()) {
                        self.learn_equal(given, formal, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }
}

impl Inference<'_> {
    /// Types for all variables under which everything holds, or none if none was found.
    pub fn solve(&self) -> Option<Substitution> {
        let open = self.variables.iter().map(|variable| (*variable, Bounds::default())).collect();
        let mut state = State { chosen: self.known.clone(), open };
        for constraint in self.constraints {
            match constraint {
                Constraint::Takes { formal, given } => self.reduce_takes(&mut state, given, formal, 0),
                Constraint::Gives { formal, wanted } => self.reduce_gives(&mut state, formal, wanted, 0),
            }
        }
        // `C extends Collection<T>` is best settled by choosing `T`; `S extends Base<T, S>` has an answer
        // only for some `T`, which the choice of `S` decides.
        self.search(&state, Order::Independent, &mut 0).or_else(|| {
            let entangled = self.variables.iter().any(|variable| self.depends(*variable, self.variables));
            if entangled { self.search(&state, Order::Dependent, &mut 0) } else { None }
        })
    }

    /// True if a declared bound of `variable` mentions another of these.
    fn depends(&self, variable: TypeVarId, others: &[TypeVarId]) -> bool {
        let others: Vec<_> = others.iter().copied().filter(|other| *other != variable).collect();
        self.classes[variable].bounds.iter().any(|bound| bound.mentions(&others))
    }

    fn search(&self, state: &State, order: Order, tries: &mut u32) -> Option<Substitution> {
        let Some(position) = self.next_variable(state, order) else {
            return self.holds(&state.chosen).then(|| state.chosen.clone());
        };
        let (variable, bounds) = &state.open[position];
        for candidate in self.candidates(state, *variable, bounds) {
            *tries += 1;
            if *tries > MAX_TRIES {
                return None;
            }
            let mut next = state.clone();
            next.open.remove(position);
            next.chosen.set(*variable, TypeArg::Exact(candidate.clone()));
            for bound in &self.classes[*variable].bounds {
                self.reduce_takes(&mut next, &candidate, bound, 0);
            }
            if self.bounds_hold(&next, *variable, &candidate)
                && let Some(answer) = self.search(&next, order, tries)
            {
                return Some(answer);
            }
        }
        None
    }

    /// The variable about which most is known.
    fn next_variable(&self, state: &State, order: Order) -> Option<usize> {
        let open: Vec<TypeVarId> = state.open.iter().map(|(variable, _)| *variable).collect();
        let rank = |(variable, bounds): &(TypeVarId, Bounds)| {
            if !bounds.equal.is_empty() {
                0
            } else if !bounds.lower.is_empty() {
                1
            } else if !bounds.upper.is_empty() {
                2
            } else {
                3 + u32::from(self.depends(*variable, &open) == (order == Order::Independent))
            }
        };
        (0..state.open.len()).min_by_key(|position| rank(&state.open[*position]))
    }

    /// False if a declared bound that no longer depends on open variables is broken.
    fn bounds_hold(&self, state: &State, variable: TypeVarId, candidate: &JavaType) -> bool {
        let open: Vec<TypeVarId> = state.open.iter().map(|(variable, _)| *variable).collect();
        let classes = self.classes;
        classes.is_well_formed(candidate)
            && (classes[variable].bounds.iter().any(|bound| bound.mentions(&open))
                || classes.within_bounds(variable, candidate, &state.chosen))
    }

    /// The last word: everything asked for holds under `answer`.
    fn holds(&self, answer: &Substitution) -> bool {
        let classes = self.classes;
        let bounded = self.variables.iter().all(|variable| {
            answer.exact(*variable).is_some_and(|chosen| classes.within_bounds(*variable, chosen, answer))
        });
        bounded
            && self.constraints.iter().all(|constraint| match constraint {
                Constraint::Takes { formal, given } => answer
                    .down(classes, formal)
                    .is_some_and(|formal| classes.converts(given, &formal, Conversion::BOXING)),
                Constraint::Gives { formal, wanted } => {
                    classes.converts(&answer.up(classes, formal), wanted, Conversion::BOXING)
                }
            })
    }

    /// Types to try for a variable, likeliest first.
    fn candidates(&self, state: &State, variable: TypeVarId, bounds: &Bounds) -> Vec<JavaType> {
        let mut list = Candidates { inference: self, list: Vec::new() };
        if let Some(equal) = bounds.equal.first() {
            list.push(equal);
            return list.list;
        }
        if !bounds.lower.is_empty() {
            bounds.lower.iter().for_each(|lower| list.push(lower));
            list.push_common(&bounds.lower);
            return list.list;
        }
        for preferred in self.prefer {
            list.push(preferred);
        }
        for upper in &bounds.upper {
            list.push_bound(upper);
        }
        let declared: Vec<JavaType> =
            self.classes[variable].bounds.iter().map(|bound| state.chosen.up(self.classes, bound)).collect();
        for bound in &declared {
            list.push_bound(bound);
        }
        for bound in bounds.upper.iter().chain(&declared) {
            list.push_below(bound);
        }
        list.list
    }

    /// Learns from: `given` is a subtype of `formal`.
    fn reduce_takes(&self, state: &mut State, given: &JavaType, formal: &JavaType, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        if let Some(bounds) = state.bounds_of(formal) {
            push_new(&mut bounds.lower, self.as_reference(given));
            return;
        }
        match formal {
            JavaType::Array(formal) => {
                if let JavaType::Array(given) = given {
                    self.reduce_takes(state, given, formal, depth + 1);
                }
            }
            JavaType::Class(formal) => {
                if let Some(seen) = self.classes.as_super(&self.as_reference(given), formal.class) {
                    self.reduce_args(state, &seen, formal, depth);
                }
            }
            _ => {}
        }
    }

    fn reduce_args(&self, state: &mut State, given: &ClassType, formal: &ClassType, depth: u32) {
        if let (Some(given), Some(formal)) = (given.outer(), formal.outer()) {
            self.reduce_args(state, given, formal, depth + 1);
        }
        for (given, formal) in given.args().iter().zip(formal.args()) {
            match (given, formal) {
                (TypeArg::Exact(given), TypeArg::Exact(formal)) => {
                    state.learn_equal(given, formal, depth + 1);
                }
                (TypeArg::Exact(given) | TypeArg::Extends(given), TypeArg::Extends(formal)) => {
                    self.reduce_takes(state, given, formal, depth + 1);
                }
                (TypeArg::Exact(given) | TypeArg::Super(given), TypeArg::Super(formal)) => {
                    self.reduce_gives(state, formal, given, depth + 1);
                }
                _ => {}
            }
        }
    }

    /// Learns from: `formal` is a subtype of `wanted`.
    fn reduce_gives(&self, state: &mut State, formal: &JavaType, wanted: &JavaType, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        if let Some(bounds) = state.bounds_of(formal) {
            push_new(&mut bounds.upper, self.as_reference(wanted));
            return;
        }
        match (formal, wanted) {
            (JavaType::Array(formal), JavaType::Array(wanted)) => {
                self.reduce_gives(state, formal, wanted, depth + 1);
            }
            (JavaType::Class(_), JavaType::Class(wanted)) => {
                if let Some(seen) = self.classes.as_super(formal, wanted.class) {
                    self.reduce_wanted_args(state, &seen, wanted, depth);
                }
            }
            _ => {}
        }
    }

    fn reduce_wanted_args(&self, state: &mut State, formal: &ClassType, wanted: &ClassType, depth: u32) {
        if let (Some(formal), Some(wanted)) = (formal.outer(), wanted.outer()) {
            self.reduce_wanted_args(state, formal, wanted, depth + 1);
        }
        for (formal, wanted) in formal.args().iter().zip(wanted.args()) {
            match (formal, wanted) {
                (TypeArg::Exact(formal), TypeArg::Exact(wanted)) => {
                    state.learn_equal(wanted, formal, depth + 1);
                }
                (TypeArg::Exact(formal) | TypeArg::Extends(formal), TypeArg::Extends(wanted)) => {
                    self.reduce_gives(state, formal, wanted, depth + 1);
                }
                (TypeArg::Exact(formal) | TypeArg::Super(formal), TypeArg::Super(wanted)) => {
                    self.reduce_takes(state, wanted, formal, depth + 1);
                }
                _ => {}
            }
        }
    }

    /// The type itself, or what boxes it: type variables stand for references only.
    fn as_reference(&self, ty: &JavaType) -> JavaType {
        match ty {
            JavaType::Primitive(primitive) => JavaType::class(self.classes.boxed(*primitive)),
            _ => ty.clone(),
        }
    }
}

fn push_new(list: &mut Vec<JavaType>, ty: JavaType) {
    if !list.contains(&ty) {
        list.push(ty);
    }
}

/// A list of types to try, each once.
struct Candidates<'a, 'b> {
    inference: &'a Inference<'b>,
    list: Vec<JavaType>,
}

impl Candidates<'_, '_> {
    fn push(&mut self, ty: &JavaType) {
        let classes = self.inference.classes;
        let opaque = self.inference.opaque;
        let is_open = |part: &JavaType| matches!(part, JavaType::Variable(known) if !opaque.contains(known));
        let mut usable = ty.is_reference() && !ty.any(&mut |part| is_open(part));
        ty.each_class(&mut |class| usable &= (self.inference.usable)(class));
        if usable && self.list.len() < MAX_CANDIDATES && !classes.has_raw(ty) {
            push_new(&mut self.list, ty.clone());
        }
    }

    /// A bound itself, without wildcards of its own if possible.
    fn push_bound(&mut self, bound: &JavaType) {
        if let Some(exact) = self.inference.classes.without_wildcards(bound) {
            self.push(&exact);
        }
        self.push(bound);
    }

    /// Known classes below a bound; what boxes a primitive and strings come first, because
    /// values for them are plenty.
    fn push_below(&mut self, bound: &JavaType) {
        let classes = self.inference.classes;
        let Some(top) = classes.member_class(bound) else { return };
        let familiar = [classes.boxed(crate::types::Primitive::Int), classes.string()];
        for class in familiar.into_iter().filter(|class| classes.is_subclass(*class, top)) {
            self.push(&JavaType::class(class));
        }
        for class in classes.subtypes(top) {
            if self.list.len() >= MAX_CANDIDATES {
                return;
            }
            if let Some(ty) = self.simplest(*class) {
                self.push(&ty);
            }
        }
    }

    /// The class with each type parameter at its bound.
    fn simplest(&self, class: ClassId) -> Option<JavaType> {
        let classes = self.inference.classes;
        if !classes.is_generic(class) {
            return Some(JavaType::class(class));
        }
        classes.without_wildcards(&classes.wildcard_type(class)).filter(JavaType::is_ground)
    }

    /// Supertypes that all of these types share, most specific first.
    fn push_common(&mut self, types: &[JavaType]) {
        let classes = self.inference.classes;
        let Some(JavaType::Class(first)) = types.first() else {
            self.push(&classes.object_type());
            return;
        };
        let mut shared: Vec<ClassId> = classes
            .ancestors(first.class)
            .iter()
            .map(|ancestor| ancestor.class)
            .filter(|ancestor| types.iter().all(|ty| classes.as_super(ty, *ancestor).is_some()))
            .collect();
        shared.sort_by_key(|class| {
            (std::cmp::Reverse(classes.ancestors(*class).len()), classes[*class].is_interface(), *class)
        });
        let merged: Vec<JavaType> = shared.into_iter().map(|class| merge(classes, types, class)).collect();
        // People would rather read `Object` than `Comparable<?>` or `Serializable`.
        let is_vague = |ty: &JavaType| {
            ty.has_wildcard() || ty.class_id().is_some_and(|class| classes.is_array_supertype(class))
        };
        let (vague, clear): (Vec<_>, Vec<_>) = merged.into_iter().partition(is_vague);
        for ty in clear.iter().chain([&classes.object_type()]).chain(&vague) {
            self.push(ty);
        }
    }
}

/// The types seen as `ancestor`: arguments they agree on are kept, others become `?`.
fn merge(classes: &Classes, types: &[JavaType], ancestor: ClassId) -> JavaType {
    let mut seen = types.iter().filter_map(|ty| classes.as_super(ty, ancestor));
    let Some(first) = seen.next() else { return JavaType::class(ancestor) };
    let mut args = first.args().to_vec();
    for other in seen {
        for (position, arg) in args.iter_mut().enumerate() {
            if other.args().get(position) != Some(arg) {
                *arg = TypeArg::Any;
            }
        }
    }
    JavaType::Class(ClassType::nested(first.outer().cloned(), ancestor, args))
}
