//! Draws the chart that sessions roam: operations, types and literals of a subject, as erasure sees them, but for what
//! collections hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use jurat_base::FxHashMap;
use jurat_model::{
    ClassId, Constant, Demand, JavaType, OpId, Operation, OperationKind, Origin, Primitive, Subject, TypeArg,
    Visibility,
};
use jurat_protocol::{
    Chart, ChartedOperation, ChartedType, Focus, InsteadOf, LiteralPool, Mockable, MockableMethod, Need,
    Text, TypeSort, Usable, Way,
};

use super::naming;
use super::retype::is_telling;

/// A package that no class is in: what can be called from there can be called from everywhere.
const ELSEWHERE: &str = "jurat.elsewhere";

/// The most values of one kind that a pool holds; classes full of tables would drown the rest.
const POOL: usize = 400;

/// Classes to ask questions about: plain ones, one with a supertype and a parameter, one with a field that not everyone may
/// use, interfaces, an annotation. Those that are not known here cannot be named by a test.
const ASKED_ABOUT: [&str; 11] = [
    "java/lang/String",
    "java/lang/Object",
    "java/lang/Integer",
    "java/lang/Number",
    "java/lang/Comparable",
    "java/util/ArrayList",
    "java/util/AbstractList",
    "java/util/List",
    "java/util/Map",
    "java/lang/Runnable",
    "java/lang/Deprecated",
];
/// The same, of types that need not be known.
const ASKED_ABOUT_ANYWAY: [&str; 4] = ["[Ljava/lang/String;", "[I", "I", "Z"];

/// What people take where some stream is needed.
const USUAL: [(&str, &str); 4] = [
    ("java/io/StringReader", "(Ljava/lang/String;)V"),
    ("java/io/ByteArrayInputStream", "([B)V"),
    ("java/io/StringWriter", "()V"),
    ("java/io/ByteArrayOutputStream", "()V"),
];
/// Collections and maps that people fill by hand.
const HOLDERS: [&str; 8] = [
    "java/util/ArrayList",
    "java/util/LinkedList",
    "java/util/ArrayDeque",
    "java/util/HashSet",
    "java/util/LinkedHashSet",
    "java/util/TreeSet",
    "java/util/HashMap",
    "java/util/TreeMap",
];
/// Those that compare what they hold.
const SORTED: [&str; 2] = ["java/util/TreeSet", "java/util/TreeMap"];
/// How something is put into a collection.
const ADD: (&str, &str) = ("add", "(Ljava/lang/Object;)Z");
/// How something is put into a map.
const PUT: (&str, &str) = ("put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;");

/// What is made of the one thing that it holds, and how.
const WRAPPERS: [(&str, &str, &str); 2] = [
    ("java/util/Optional", "of", "(Ljava/lang/Object;)Ljava/util/Optional;"),
    ("java/util/stream/Stream", "of", "(Ljava/lang/Object;)Ljava/util/stream/Stream;"),
];

/// How many fields of a class under test are known by name.
const OWN_NAMES: usize = 6;

/// Exceptions of those who wait, or who talk to the outside.
const WAITING: [&str; 3] =
    ["java/lang/InterruptedException", "java/io/IOException", "java/util/concurrent/TimeoutException"];

/// A chart, with what its numbers mean.
#[derive(Debug)]
pub(crate) struct Charted {
    pub(crate) chart: Arc<Chart>,
    /// The class each focus is about.
    pub(crate) focuses: Vec<ClassId>,
    /// The packages by number.
    pub(crate) packages: Vec<Arc<str>>,
}

/// Draws the chart of a subject.
pub(crate) fn chart(subject: &Subject) -> Charted {
    let mut draft = Draft {
        subject,
        types: Vec::new(),
        numbers: FxHashMap::default(),
        packages: Vec::new(),
        uses: uses(subject),
    };
    let mut operations: Vec<ChartedOperation> =
        subject.operations().iter().map(|operation| draft.operation(operation)).collect();
    let mut focuses = Vec::new();
    let mut focus_classes = Vec::new();
    for class in subject.under_test() {
        let package = draft.package(&subject.test_package(class));
        let usable = |op: OpId| match operations[op.index()].usable {
            Usable::Nowhere | Usable::Privately(_) => false,
            Usable::Anywhere => true,
            Usable::In(only) => only == package,
        };
        // Whoever can make an object in another way gains little by a private constructor.
        let is_made = !draft.producers(&JavaType::class(class), &operations).makers.is_empty();
        let is_private = |op: &OpId| {
            let is_idle = is_made && subject[*op].is_constructor();
            operations[op.index()].usable == Usable::Privately(package) && !is_idle
        };
        let private_operations: Vec<u32> =
            subject.operations_of(class).iter().filter(|op| is_private(op)).map(|op| op.0).collect();
        let operations: Vec<u32> =
            members(subject, class).into_iter().filter(|op| usable(*op)).map(|op| op.0).collect();
        if !operations.is_empty() {
            focuses.push(Focus { package, operations, private_operations });
            focus_classes.push(class);
        }
    }
    let pools = pools(subject, &mut operations);
    let types = draft.finish(&operations);
    let boxing = u32::try_from(subject.operations().len()).expect("fewer than 2^32 operations");
    let names = naming::names(subject, &operations, &types, &pools);
    let chart = Chart { operations, types, focuses, pools, names, boxing };
    Charted { chart: Arc::new(chart), focuses: focus_classes, packages: draft.packages }
}

/// The types, without wildcards or variables, as which what is not the JDK's asks for objects of generic classes.
fn uses(subject: &Subject) -> FxHashMap<ClassId, Vec<JavaType>> {
    let mut found: FxHashMap<ClassId, Vec<JavaType>> = FxHashMap::default();
    let classes = subject.classes();
    let own = subject.operations().iter().filter(|operation| subject[operation.owner].origin != Origin::Jdk);
    for param in own.flat_map(|operation| &operation.params) {
        let Some(class) = param.class_id().filter(|class| classes.is_generic(*class)) else { continue };
        let used = classes.without_wildcards(param).filter(|used| is_telling(used) && used.is_ground());
        let known = found.entry(class).or_default();
        known.extend(used.filter(|used| !known.contains(used)));
    }
    found
}

/// What a class declares, and what it inherits from classes under test.
fn members(subject: &Subject, class: ClassId) -> Vec<OpId> {
    let mut found: Vec<OpId> = subject.operations_of(class).to_vec();
    let mut seen: Vec<(Arc<str>, Arc<str>)> =
        found.iter().map(|op| (subject[*op].name.clone(), subject[*op].descriptor.clone())).collect();
    for above in subject.classes().ancestors(class) {
        if above.class == class || !subject[above.class].under_test {
            continue;
        }
        for op in subject.operations_of(above.class) {
            let operation = &subject[*op];
            let key = (operation.name.clone(), operation.descriptor.clone());
            let inherited = operation.kind.has_receiver() && operation.visibility != Visibility::Private;
            if inherited && !seen.contains(&key) {
                seen.push(key);
                found.push(*op);
            }
        }
    }
    found
}

/// Operations that may give a value of a type.
#[derive(Default)]
struct Producers {
    /// Those without a receiver, and constructors of inner classes.
    makers: Vec<u32>,
    /// Those with a receiver.
    givers: Vec<u32>,
    /// Private ones without a receiver.
    private_makers: Vec<u32>,
}

struct Draft<'a> {
    subject: &'a Subject,
    types: Vec<JavaType>,
    numbers: FxHashMap<JavaType, u32>,
    packages: Vec<Arc<str>>,
    /// The types as which generic classes are asked for.
    uses: FxHashMap<ClassId, Vec<JavaType>>,
}

impl Draft<'_> {
    fn package(&mut self, package: &Arc<str>) -> u32 {
        let position = self.packages.iter().position(|known| known == package).unwrap_or_else(|| {
            self.packages.push(package.clone());
            self.packages.len() - 1
        });
        u32::try_from(position).expect("fewer than 2^32 packages")
    }

    fn operation(&mut self, operation: &Operation) -> ChartedOperation {
        let subject = self.subject;
        let usable = if self.is_nuisance(operation) {
            Usable::Nowhere
        } else if subject.check_operation(operation.id, ELSEWHERE).is_ok() {
            Usable::Anywhere
        } else {
            let package = subject.test_package(operation.owner);
            if subject.check_operation(operation.id, &package).is_ok() {
                Usable::In(self.package(&package))
            } else if subject.check_private(operation.id, &package).is_ok() {
                Usable::Privately(self.package(&package))
            } else {
                Usable::Nowhere
            }
        };
        if usable == Usable::Nowhere {
            return ChartedOperation {
                inputs: Vec::new(),
                has_receiver: false,
                gives: None,
                usable,
                pool: 0,
                under_test: false,
                naming: None,
            };
        }
        let receiver = operation.receiver.iter().map(|receiver| self.need(receiver));
        let mut inputs: Vec<Need> = receiver.collect();
        inputs.extend(operation.params.iter().map(|param| self.argument(operation.owner, param)));
        let gives = match self.argument(operation.owner, &operation.result) {
            Need::Reference(number) if operation.result.is_reference() => Some(number),
            _ => None,
        };
        ChartedOperation {
            inputs,
            has_receiver: operation.receiver.is_some(),
            gives,
            usable,
            pool: 0,
            under_test: subject[operation.owner].under_test,
            naming: naming::naming(subject, operation),
        }
    }

    /// Helpers that wait for others or for the outside world, by what they declare to throw: nothing that a test
    /// of other classes needs, and each such call costs a worker.
    fn is_nuisance(&self, operation: &Operation) -> bool {
        let subject = self.subject;
        let waits = |thrown: &JavaType| {
            let class = thrown.class_id().map(|class| &*subject[class].internal_name);
            class.is_some_and(|class| WAITING.contains(&class))
        };
        !subject[operation.owner].under_test && operation.throws.iter().any(waits)
    }

    fn need(&mut self, ty: &JavaType) -> Need {
        match ty {
            JavaType::Primitive(primitive) => Need::Primitive(primitive.descriptor()),
            reference => Need::Reference(self.number(reference)),
        }
    }

    /// What an operation of a class takes or gives: of collections it is known what they should hold. The JDK's own
    /// operations are about anything.
    fn argument(&mut self, owner: ClassId, ty: &JavaType) -> Need {
        if self.subject[owner].origin == Origin::Jdk { self.need(ty) } else { self.held(ty) }
    }

    /// A type of its own for what should hold something.
    fn held(&mut self, ty: &JavaType) -> Need {
        match self.holding(ty) {
            Some(holding) => Need::Reference(self.number_as(holding)),
            None => self.need(ty),
        }
    }

    fn number(&mut self, ty: &JavaType) -> u32 {
        self.number_as(self.subject.classes().erasure(ty))
    }

    fn number_as(&mut self, ty: JavaType) -> u32 {
        if let Some(number) = self.numbers.get(&ty) {
            return *number;
        }
        let number = u32::try_from(self.types.len()).expect("fewer than 2^32 types");
        self.types.push(ty.clone());
        self.numbers.insert(ty, number);
        number
    }

    /// All types, and those that describing them brings in.
    fn finish(&mut self, operations: &[ChartedOperation]) -> Vec<ChartedType> {
        let mut finished = Vec::new();
        while finished.len() < self.types.len() {
            let ty = self.types[finished.len()].clone();
            finished.push(self.describe(&ty, operations));
        }
        finished
    }

    fn describe(&mut self, whole: &JavaType, operations: &[ChartedOperation]) -> ChartedType {
        let subject = self.subject;
        let classes = subject.classes();
        let ty = &classes.erasure(whole);
        let Producers { mut makers, givers, private_makers } = self.producers(ty, operations);
        let holder = self.holder(whole, &makers, operations);
        self.prefer_usual(ty, &mut makers);
        let is_given =
            ty.class_id().is_some_and(|class| givers.iter().any(|giver| self.has_own(*giver, class)));
        let is_made = !makers.is_empty();
        let takes_strings = classes.is_assignable(&JavaType::class(classes.string()), ty);
        let boxes = Primitive::ALL.into_iter();
        let boxes =
            boxes.filter(|primitive| classes.is_assignable(&JavaType::class(classes.boxed(*primitive)), ty));
        ChartedType {
            descriptor: classes.descriptor(ty),
            makers,
            givers,
            takes_strings,
            takes_boxes: boxes.map(Primitive::descriptor).collect(),
            sort: holder.unwrap_or_else(|| self.sort(ty)),
            private_makers,
            mock: ty.class_id().and_then(|class| self.mockable(class, is_made, is_given)),
        }
    }

    /// Whether there can be an object on which an operation gives a value of a class without having been given it before.
    fn has_own(&self, giver: u32, class: ClassId) -> bool {
        let subject = self.subject;
        let owner = subject[OpId(giver)].owner;
        let takes = |op: &OpId| {
            let operation = &subject[*op];
            let is_it = |param: &JavaType| param.class_id() == Some(class);
            operation.visibility != Visibility::Private && operation.params.iter().any(is_it)
        };
        let can_be = !subject[owner].is_abstract || !subject[owner].implementations.is_empty();
        can_be && !subject.operations_of(owner).iter().any(takes)
    }

    /// How to mock a class. What the JDK has implementations of is made by these.
    fn mockable(&mut self, class: ClassId, is_made: bool, is_given: bool) -> Option<Mockable> {
        let subject = self.subject;
        let declared = &subject[class];
        let has_other = is_made
            || !declared.is_abstract
            || !declared.implementations.is_empty()
            || declared.functional.is_some();
        if declared.origin == Origin::Jdk && has_other {
            return None;
        }
        let instead_of = match (has_other || is_given, declared.is_abstract) {
            (false, _) => InsteadOf::Nothing,
            (true, true) => InsteadOf::Implementation,
            (true, false) => InsteadOf::Real,
        };
        let methods = subject.mocked_methods(class)?;
        let package = if subject.classes().accessible(class, ELSEWHERE) && !self.is_domestic(class, &methods)
        {
            Arc::from(ELSEWHERE)
        } else {
            declared.package.clone()
        };
        subject.classes().check_class(class, &package).ok()?;
        let mut found = Vec::new();
        for op in methods.into_iter().filter(|op| subject.check_operation(*op, &package).is_ok()) {
            let operation = &subject[op];
            let results = self.answered(class, operation);
            let (name, descriptor) = (operation.name.to_string(), operation.descriptor.to_string());
            found.push(MockableMethod { name, descriptor, results });
        }
        let usable =
            if *package == *ELSEWHERE { Usable::Anywhere } else { Usable::In(self.package(&package)) };
        Some(Mockable { class: declared.internal_name.to_string(), instead_of, usable, methods: found })
    }

    /// Whether a mock is asked what only its package can plan, by classes under test that are there, too.
    fn is_domestic(&self, class: ClassId, methods: &[OpId]) -> bool {
        let subject = self.subject;
        let package = &subject[class].package;
        let is_closed = |op: &OpId| {
            subject.check_operation(*op, ELSEWHERE).is_err() && subject.check_operation(*op, package).is_ok()
        };
        let is_neighbour = |other: ClassId| subject.test_package(other) == *package;
        methods.iter().any(is_closed) && subject.under_test().any(is_neighbour)
    }

    /// What a method of a mocked class may give: `T find()` of a `Repository<Customer>` gives customers.
    fn answered(&mut self, class: ClassId, operation: &Operation) -> Vec<Need> {
        if operation.result.is_void() {
            return Vec::new();
        }
        let uses = if self.subject.classes().is_generic(class) {
            self.uses.get(&class).cloned().unwrap_or_default()
        } else {
            vec![JavaType::class(class)]
        };
        let mut found = Vec::new();
        for used in uses {
            let demand = Demand { receiver: Some(&used), ..Demand::default() };
            let result = self.subject.instantiate(operation.id, &demand).map(|instance| instance.result);
            let need = self.held(result.as_ref().unwrap_or(&operation.result));
            if !found.contains(&need) {
                found.push(need);
            }
        }
        if found.is_empty() {
            found.push(self.held(&operation.result));
        }
        found
    }

    /// Operations whose declared result fits.
    fn producers(&self, ty: &JavaType, operations: &[ChartedOperation]) -> Producers {
        let subject = self.subject;
        let classes = subject.classes();
        if ty.class_id() == Some(classes.object()) {
            return Producers::default();
        }
        let fits = |op: &OpId| {
            let operation = &subject[*op];
            operations[op.index()].usable != Usable::Nowhere
                && !operation.kind.is_set()
                && classes.is_assignable(&classes.erasure(&operation.result), ty)
        };
        let fitting: Vec<OpId> = subject.producers(ty).into_iter().filter(fits).collect();
        let (private, open): (Vec<OpId>, Vec<OpId>) =
            fitting.into_iter().partition(|op| matches!(operations[op.index()].usable, Usable::Privately(_)));
        let (with, without): (Vec<OpId>, Vec<OpId>) =
            open.into_iter().partition(|op| subject[*op].receiver.is_some());
        let inner = |op: &&OpId| subject[**op].kind != OperationKind::Constructor;
        let makers = without.iter().chain(with.iter().filter(|op| !inner(op))).map(|op| op.0).collect();
        Producers {
            makers,
            givers: with.iter().filter(inner).map(|op| op.0).collect(),
            private_makers: private
                .iter()
                .filter(|op| subject[**op].receiver.is_none())
                .map(|op| op.0)
                .collect(),
        }
    }

    /// Lets what people take for a stream be drawn as often as all others together.
    fn prefer_usual(&self, ty: &JavaType, makers: &mut Vec<u32>) {
        let subject = self.subject;
        let is_usual = |maker: &&u32| {
            let operation = &subject.operations()[**maker as usize];
            let made = &*subject[operation.owner].internal_name;
            ty.class_id() != Some(operation.owner) && USUAL.contains(&(made, &*operation.descriptor))
        };
        let usual: Vec<u32> = makers.iter().filter(is_usual).copied().collect();
        let others = makers.len() - usual.len();
        makers.extend(usual.iter().cycle().take(others.saturating_sub(usual.len())));
    }

    /// A collection or map as a type of its own: only the classes of what it holds matter.
    fn holding(&self, ty: &JavaType) -> Option<JavaType> {
        let held = self.contents(ty)?;
        let plain = |held: &JavaType| {
            let erased = || self.subject.classes().erasure(held);
            self.holding(held).unwrap_or_else(erased)
        };
        Some(JavaType::generic(ty.class_id()?, held.iter().map(plain)))
    }

    /// What a collection or map of the JDK that can be filled should hold; none if that can be anything.
    fn contents(&self, ty: &JavaType) -> Option<Vec<JavaType>> {
        let classes = self.subject.classes();
        let JavaType::Class(class_type) = ty else { return None };
        let is_filled = |name: &&str| {
            classes.find(name).is_some_and(|holder| classes.is_subclass(holder, class_type.class))
        };
        let is_wrapper = self.wrapping(class_type.class).is_some();
        if !is_wrapper && !HOLDERS.iter().any(is_filled) {
            return None;
        }
        let is_a =
            |name: &str| classes.find(name).is_some_and(|above| classes.is_subclass(class_type.class, above));
        let count = if is_a("java/util/Map") { 2 } else { 1 };
        let is_holder = is_wrapper
            || count == 2
            || is_a("java/util/Collection")
            || classes.find("java/lang/Iterable") == Some(class_type.class);
        let args = Some(class_type.args()).filter(|args| is_holder && args.len() == count)?;
        let held: Vec<JavaType> = args
            .iter()
            .map(|arg| match arg {
                TypeArg::Exact(ty) | TypeArg::Extends(ty) | TypeArg::Super(ty) => ty.clone(),
                TypeArg::Any => classes.object_type(),
            })
            .collect();
        let is_telling = |ty: &JavaType| classes.erasure(ty) != classes.object_type();
        held.iter().any(is_telling).then_some(held)
    }

    /// How one of the JDK's wrappers is made.
    fn wrapping(&self, class: ClassId) -> Option<(&'static str, &'static str)> {
        let name = &*self.subject[class].internal_name;
        WRAPPERS.iter().find(|wrapper| wrapper.0 == name).map(|wrapper| (wrapper.1, wrapper.2))
    }

    /// How to make a collection, map or wrapper that holds what it should.
    fn holder(&mut self, ty: &JavaType, makers: &[u32], operations: &[ChartedOperation]) -> Option<TypeSort> {
        let subject = self.subject;
        let held = self.contents(ty)?;
        let put = if held.len() == 2 { PUT } else { ADD };
        let comparable = JavaType::class(subject.classes().comparable());
        let is_comparable = held.first().is_some_and(|first| {
            let classes = subject.classes();
            classes.is_assignable(&classes.erasure(first), &comparable)
        });
        let wrapping = ty.class_id().and_then(|class| self.wrapping(class));
        let way = |maker: &u32| {
            let operation = &subject.operations()[*maker as usize];
            if let Some(wrapping) = wrapping {
                let is_it = (&*operation.name, &*operation.descriptor) == wrapping;
                return is_it.then_some(Way { maker: *maker, put: None });
            }
            let is_empty = operation.is_constructor() && operations[*maker as usize].inputs.is_empty();
            let owner = &*subject[operation.owner].internal_name;
            let is_sorted = || SORTED.contains(&owner) && !is_comparable;
            if !is_empty || !HOLDERS.contains(&owner) || is_sorted() {
                return None;
            }
            let above = subject.classes().ancestors(operation.owner).iter().map(|above| above.class);
            let near = std::iter::once(operation.owner).chain(above);
            let mut members = near.flat_map(|class| subject.operations_of(class));
            let is_put = |op: &&OpId| {
                let found = &subject[**op];
                (&*found.name, &*found.descriptor) == put && operations[op.index()].usable == Usable::Anywhere
            };
            members.find(is_put).map(|op| Way { maker: *maker, put: Some(op.0) })
        };
        let ways: Vec<Way> = makers.iter().filter_map(way).collect();
        let needs = held.iter().map(|held| self.held(held)).collect();
        (!ways.is_empty()).then_some(TypeSort::Holder { ways, needs })
    }

    fn sort(&mut self, ty: &JavaType) -> TypeSort {
        let classes = self.subject.classes();
        match ty {
            JavaType::Array(component) => {
                TypeSort::Array { element: classes.descriptor(component), need: self.need(component) }
            }
            JavaType::Class(class_type) if class_type.class == classes.class_class() => TypeSort::Class,
            JavaType::Class(class_type) => match classes.function_type(ty) {
                Some(function) => {
                    let echoes = (0..).zip(&function.params).filter_map(|(position, param)| {
                        classes.is_assignable(param, &function.result).then_some(position)
                    });
                    TypeSort::Function {
                        class: self.subject[class_type.class].internal_name.to_string(),
                        echoes: if function.result.is_void() { Vec::new() } else { echoes.collect() },
                        result: (!function.result.is_void()).then(|| self.need(&function.result)),
                    }
                }
                None => TypeSort::Plain,
            },
            _ => TypeSort::Plain,
        }
    }
}

/// One pool for everyone, with the constants of helpers beside classes under test, and one for each class under test: its
/// constants, and those of what it extends.
fn pools(subject: &Subject, operations: &mut [ChartedOperation]) -> Vec<LiteralPool> {
    let mut pools = vec![LiteralPool::default()];
    let mut by_class: BTreeMap<ClassId, u32> = BTreeMap::new();
    for class in subject.under_test() {
        let mut own = LiteralPool::default();
        let package = subject.test_package(class);
        let above = subject.classes().ancestors(class).iter().map(|above| above.class);
        for class in std::iter::once(class).chain(above).filter(|class| subject[*class].under_test) {
            take(subject, &mut own, &subject[class].constants, &package);
            for op in subject.operations_of(class) {
                take(subject, &mut own, &subject[*op].constants, &package);
            }
        }
        field_names(subject, class, &mut own);
        take_pool(&mut pools[0], &own);
        by_class.insert(class, u32::try_from(pools.len()).expect("fewer than 2^32 classes"));
        pools.push(own);
    }
    let known = ASKED_ABOUT.iter().filter(|name| subject.classes().find(name).is_some());
    let classes = known.map(|name| format!("L{name};"));
    for class in classes.chain(ASKED_ABOUT_ANYWAY.map(str::to_owned)) {
        add(&mut pools[0].classes, class);
    }
    for (_, neighbour) in subject.classes().iter().filter(|(_, class)| !class.under_test) {
        take(subject, &mut pools[0], &neighbour.constants, ELSEWHERE);
    }
    for (operation, charted) in subject.operations().iter().zip(operations) {
        charted.pool = by_class.get(&operation.owner).copied().unwrap_or(0);
    }
    pools
}

/// Texts that a class may be asked with are often names of its fields.
fn field_names(subject: &Subject, class: ClassId, pool: &mut LiteralPool) {
    let fields = subject.operations_of(class).iter().map(|op| &subject[*op]);
    let fields = fields.filter(|operation| operation.kind.is_get()).take(OWN_NAMES);
    for field in fields {
        add(&mut pool.strings, Text::from(&*field.name));
    }
}

/// Takes constants, without classes that code of the package cannot name.
fn take(subject: &Subject, pool: &mut LiteralPool, constants: &[Constant], package: &str) {
    for constant in constants {
        match constant {
            Constant::Int(value) => add(&mut pool.ints, *value),
            Constant::Long(value) => add(&mut pool.longs, *value),
            Constant::Float(bits) => add(&mut pool.floats, *bits),
            Constant::Double(bits) => add(&mut pool.doubles, *bits),
            Constant::String(text) => add(&mut pool.strings, Text::from_units(text.units())),
            Constant::Class(ty) if subject.classes().check_type(ty, package).is_err() => {}
            Constant::Class(ty) => add(&mut pool.classes, subject.classes().descriptor(ty)),
        }
    }
}

fn take_pool(into: &mut LiteralPool, pool: &LiteralPool) {
    pool.ints.iter().for_each(|value| add(&mut into.ints, *value));
    pool.longs.iter().for_each(|value| add(&mut into.longs, *value));
    pool.floats.iter().for_each(|value| add(&mut into.floats, *value));
    pool.doubles.iter().for_each(|value| add(&mut into.doubles, *value));
    pool.strings.iter().for_each(|value| add(&mut into.strings, value.clone()));
    pool.classes.iter().for_each(|value| add(&mut into.classes, value.clone()));
}

fn add<T: PartialEq>(pool: &mut Vec<T>, value: T) {
    if pool.len() < POOL && !pool.contains(&value) {
        pool.push(value);
    }
}

#[cfg(test)]
mod tests {
    use jurat_testkit::{operation, subject};

    use super::*;

    const CLASSES: &str = "
class Item { Item(); }
class Shop { Shop(); void keep(List<Item> items); void price(Map<String, ? extends Item> prices); void any(List<?> items); }
";

    /// What the only argument of a method of a shop should hold.
    fn held(chart: &Chart, method: OpId) -> Option<Vec<&str>> {
        let Need::Reference(ty) = chart.operations[method.index()].inputs[1] else { return None };
        let TypeSort::Holder { ways, needs } = &chart.types[ty as usize].sort else { return None };
        assert!(!ways.is_empty());
        let name = |need: &Need| match need {
            Need::Reference(ty) => &*chart.types[*ty as usize].descriptor,
            Need::Primitive(_) => "",
        };
        Some(needs.iter().map(name).collect())
    }

    #[test]
    fn a_mock_gives_what_its_class_is_used_with() {
        let subject = subject(
            "interface Store<T> { T find(int id); java.util.List<T> all(); void clear(); }
             interface Safes extends Store<Safe> { int count(); }
             class Safe { Safe(int number); }
             class Bank { Bank(Safes safes); void audit(Store<? extends Safe> safes, Store<Bank> banks); }",
        );
        let chart = chart(&subject).chart;
        let shown = |need: &Need| match need {
            Need::Primitive(letter) => letter.to_string(),
            Need::Reference(ty) => match &chart.types[*ty as usize].sort {
                TypeSort::Holder { needs, .. } => match needs[0] {
                    Need::Reference(held) => format!("of {}", chart.types[held as usize].descriptor),
                    Need::Primitive(_) => String::new(),
                },
                _ => chart.types[*ty as usize].descriptor.clone(),
            },
        };
        let gives = |class: &str, method: &str| -> Vec<String> {
            let mocks = chart.types.iter().filter_map(|charted| charted.mock.as_ref());
            let mock = mocks.clone().find(|mock| mock.class == class).expect("it can be mocked");
            let method = mock.methods.iter().find(|found| found.name == method).expect("it is asked");
            method.results.iter().map(shown).collect()
        };
        assert_eq!(gives("Safes", "find"), ["LSafe;"]);
        assert_eq!(gives("Safes", "all"), ["of LSafe;"]);
        assert_eq!(gives("Safes", "count"), ["I"]);
        assert_eq!(gives("Safes", "clear"), [""; 0]);
        assert_eq!(gives("Store", "find"), ["LSafe;", "LBank;"]);
    }

    #[test]
    fn a_mock_is_used_in_its_own_package_if_only_that_can_plan_what_it_is_asked() {
        let subject = subject(
            "package p;
             abstract class Source { hidden abstract int next(); }
             abstract class Sink { abstract int put(int item); }
             class Pump { Pump(Source source, Sink sink); }",
        );
        let charted = chart(&subject);
        let usable = |class: &str| {
            let mocks = charted.chart.types.iter().filter_map(|charted| charted.mock.as_ref());
            mocks.clone().find(|mock| mock.class == class).map(|mock| mock.usable)
        };
        let home = charted.packages.iter().position(|package| &**package == "p").expect("it is tested");
        assert_eq!(usable("p/Source"), Some(Usable::In(u32::try_from(home).expect("small"))));
        assert_eq!(usable("p/Sink"), Some(Usable::Anywhere));
    }

    #[test]
    fn what_nobody_implements_is_always_mocked_unless_somebody_has_one_of_its_own() {
        let subject = subject(
            "interface Gauge { int read(); int unit(); }
             class Boiler { Boiler(Gauge gauge); Gauge gauge(); }
             interface Ticket { int row(); int seat(); }
             class Cinema { Cinema(); Ticket sell(); void admit(String name); }
             class Usher { Usher(Cinema cinema); void check(Ticket ticket); void greet(Object anybody); }",
        );
        let chart = chart(&subject).chart;
        let instead_of = |name: &str| {
            let of = |charted: &ChartedType| charted.mock.clone().filter(|mock| mock.class == name);
            chart.types.iter().find_map(of).map(|mock| mock.instead_of)
        };
        assert_eq!(
            instead_of("Gauge"),
            Some(InsteadOf::Nothing),
            "a boiler has only the one that it was given"
        );
        assert_eq!(instead_of("Ticket"), Some(InsteadOf::Implementation), "a cinema has some");
        assert_eq!(instead_of("Cinema"), Some(InsteadOf::Real));
        assert_eq!(instead_of("java/lang/Object"), None, "there are plenty");
    }

    #[test]
    fn it_is_known_what_collections_and_maps_should_hold() {
        let subject = subject(CLASSES);
        let chart = chart(&subject).chart;
        let held = |method| held(&chart, operation(&subject, "Shop", method));
        assert_eq!(held("keep"), Some(vec!["LItem;"]));
        assert_eq!(held("price"), Some(vec!["Ljava/lang/String;", "LItem;"]));
        assert_eq!(held("any"), None);
    }
}
