//! Statements that make mocks: the class is synthesized once per epoch, the object allocated, its answers kept.

use std::ffi::CString;
use std::sync::Arc;

use jurat_classfile::Access;
use jurat_protocol::{Answer, Asked, Ending, MOCK_CLASS, Mock, MockAnswers, Outcome, Value, Var};

use crate::epoch::{Epoch, Unresolved};
use crate::execute::{Run, Slot};
use crate::jni::{Env, Id, Kind, Raw, Ref};
use crate::mocks::{self, Answers, Live, MockMethod, Reply, boxed};
use crate::synthesize::{MockClass, NUMBER};
use crate::table::{Type, class_descriptor, split_descriptor};

/// A synthesized class, ready to be allocated.
#[derive(Clone)]
pub(crate) struct StandIn {
    pub(crate) class: Ref,
    number: Id,
    methods: Arc<[MockMethod]>,
    /// The name of the abstract method, if all abstract methods share one.
    functional: Option<String>,
}

impl Run<'_> {
    /// Makes a mock.
    pub(crate) fn mock(&mut self, position: usize, mock: &Mock) -> Result<Slot, Ending> {
        let stand_in = match self.stand_in(mock) {
            Ok(stand_in) => stand_in,
            Err(why) => return Err(self.unresolved(why)),
        };
        let answers = self.answers(mock, &stand_in)?;
        let object = self.env.alloc(stand_in.class);
        if self.env.threw() {
            return Err(self.threw());
        }
        let var = Var(u32::try_from(position).expect("checked"));
        let number = mocks::add(Live { var, methods: stand_in.methods, answers });
        self.has_mocks = true;
        self.env.set(Kind::Int, object, stand_in.number, Raw::int(number));
        let declared = self.table.types.find(&class_descriptor(&mock.class)).unwrap_or(self.own_types.object);
        Ok(Slot { raw: Raw::object(object), declared: Type { id: declared, kind: Kind::Object }, made: true })
    }

    fn stand_in(&mut self, mock: &Mock) -> Result<StandIn, Unresolved> {
        let key = (mock.class.clone(), mock.keep_bodies);
        if let Some(known) = self.epoch.stand_ins.get(&key) {
            return Ok(known.clone());
        }
        let made = self.make_stand_in(mock)?;
        self.epoch.stand_ins.insert(key, made.clone());
        Ok(made)
    }

    fn make_stand_in(&mut self, mock: &Mock) -> Result<StandIn, Unresolved> {
        let name = mock.class.replace('/', ".");
        let mocked = self.jdk.load_initialized(self.env, &name, self.epoch.loader);
        let mocked = mocked.map_err(Unresolved::Threw)?;
        let shape = Shape::of(self, mocked, mock.keep_bodies)?;
        let own = self.epoch.contains(self.env, self.jdk, mocked);
        let suffix = if mock.keep_bodies { "$JuratLambda" } else { MOCK_CLASS };
        // Only there can it see what is not public; nobody may add to the JDK's own packages.
        let own =
            if own { format!("{}{suffix}", mock.class) } else { format!("jurat/{}{suffix}", mock.class) };
        let bytes = MockClass {
            name: &own,
            superclass: if shape.interface { "java/lang/Object" } else { &mock.class },
            interface: shape.interface.then_some(&mock.class),
            methods: &shape.methods,
            own_identity: !mock.keep_bodies,
        };
        let bytes = bytes.bytes().map_err(|error| cannot(&mock.class, &error.to_string()))?;
        let class = self.epoch.define(self.env, &own, &bytes);
        let class = class.map_err(|thrown| cannot(&mock.class, &self.jdk.describe(self.env, thrown)))?;
        let number = self.env.field(class, NUMBER.0, NUMBER.1);
        if let Some(thrown) = self.env.take_exception() {
            return Err(cannot(&mock.class, &self.jdk.describe(self.env, thrown)));
        }
        let number = number.ok_or_else(|| cannot(&mock.class, "its number has no id"))?;
        let functional = shape.functional();
        let methods = shape.methods.into_iter().map(|(method, _)| method).collect();
        Ok(StandIn { class, number, methods, functional })
    }

    /// What each method of a mock answers.
    fn answers(&mut self, mock: &Mock, stand_in: &StandIn) -> Result<Vec<Answers>, Ending> {
        let mut all = Vec::new();
        for method in stand_in.methods.iter() {
            let planned = mock.answers.iter().find(|planned| stand_in.is_meant(planned, method));
            let result = split_descriptor(&method.descriptor).and_then(|(_, result)| Kind::of(result));
            let result = result.unwrap_or(Kind::Void);
            let mut replies = Vec::new();
            for answer in planned.map_or(&[][..], |planned| &planned.answers) {
                replies.push(self.reply(*answer, result)?);
            }
            let default = boxed(self.env, self.jdk, result, Raw::ZERO);
            all.push(Answers { replies, given: 0, default: self.env.new_global(default) });
        }
        let known =
            |planned: &&MockAnswers| stand_in.methods.iter().any(|method| stand_in.is_meant(planned, method));
        match mock.answers.iter().find(|planned| !known(planned)) {
            Some(planned) => {
                let what = format!("{} has no method {}{}", mock.class, planned.name, planned.descriptor);
                Err(Ending::Unresolved(what))
            }
            None => Ok(all),
        }
    }

    fn reply(&mut self, answer: Answer, result: Kind) -> Result<Reply, Ending> {
        let Some(var) = answer.var() else {
            let Answer::Argument(position) = answer else { unreachable!("others name a value") };
            return Ok(Reply::Argument(position));
        };
        let slot = self.slots[var.0 as usize];
        let throws = matches!(answer, Answer::Throw(_));
        let wanted = if throws { Kind::Object } else { result };
        let thrown_is_none =
            throws && !slot.object().is_some_and(|object| self.jdk.is_throwable(self.env, object));
        if !slot.made || slot.declared.kind != wanted || thrown_is_none {
            return Err(Ending::Misfit(var.0));
        }
        let value = boxed(self.env, self.jdk, slot.declared.kind, slot.raw);
        let value = self.env.new_global(value);
        Ok(if throws { Reply::Throw(value) } else { Reply::Value(value) })
    }

    /// Reports what mocks were asked since the last statement, by the one at this position.
    pub(crate) fn collect_asked(&mut self, position: usize, outcome: &mut Outcome) {
        let during = u32::try_from(position).expect("checked");
        for question in mocks::take_asked() {
            let MockMethod { name, descriptor } = question.method;
            let parameters =
                split_descriptor(&descriptor).map_or_else(Vec::new, |(parameters, _)| parameters);
            let mut arguments = Vec::new();
            for (index, parameter) in (0..).zip(&parameters) {
                let argument = self.env.element(Kind::Object, question.arguments, index);
                let value = self.capture().value(Kind::Object, argument, &mut (Ref::NULL, 0));
                arguments.push(match (value, Kind::of(parameter)) {
                    (Value::Boxed(primitive), Some(kind)) if kind != Kind::Object => {
                        Value::Primitive(primitive)
                    }
                    (value, _) => value,
                });
            }
            self.env.delete_global(question.arguments);
            outcome.asked.push(Asked {
                mock: question.var,
                during,
                name,
                descriptor,
                arguments,
                planned: question.planned,
            });
        }
    }
}

impl StandIn {
    /// Whether planned answers are those of a method.
    fn is_meant(&self, planned: &MockAnswers, method: &MockMethod) -> bool {
        if planned.name.is_empty() {
            return self.functional.as_ref() == Some(&method.name);
        }
        planned.name == method.name && planned.descriptor == method.descriptor
    }
}

fn cannot(class: &str, why: &str) -> Unresolved {
    Unresolved::Missing(format!("{class} cannot be mocked: {why}"))
}

/// What there is to override in a class.
struct Shape {
    interface: bool,
    /// The methods a mock answers, with the flags it gives them.
    methods: Vec<(MockMethod, Access)>,
    /// Names of abstract methods.
    abstract_names: Vec<String>,
}

/// A method as its class declares it.
struct Declared {
    method: MockMethod,
    access: Access,
}

impl Shape {
    fn of(run: &Run<'_>, mocked: Ref, keep_bodies: bool) -> Result<Self, Unresolved> {
        let jvmti = run.jdk.jvmti;
        let access = jvmti.class_access(mocked);
        if access.contains(Access::FINAL) {
            return Err(Unresolved::Missing("a final class cannot be mocked".to_owned()));
        }
        let mut shape =
            Self { interface: access.is_interface(), methods: Vec::new(), abstract_names: Vec::new() };
        for Declared { method, access } in inherited(run, mocked) {
            let is_abstract = access.contains(Access::ABSTRACT);
            if is_abstract {
                shape.abstract_names.push(method.name.clone());
            } else if keep_bodies || access.contains(Access::BRIDGE) {
                continue;
            }
            let visible = access.0 & (Access::PUBLIC | Access::PROTECTED).0;
            shape.methods.push((method, Access(visible)));
        }
        Ok(shape)
    }

    fn functional(&self) -> Option<String> {
        let first = self.abstract_names.first()?;
        self.abstract_names.iter().all(|name| name == first).then(|| first.clone())
    }
}

/// The methods of a class that a subclass in the same package can override, each once, nearest declaration first.
/// Those of `Object` are left alone.
fn inherited(run: &Run<'_>, mocked: Ref) -> Vec<Declared> {
    let (env, jvmti) = (run.env, run.jdk.jvmti);
    let mut seen: Vec<MockMethod> = Vec::new();
    let mut found = Vec::new();
    let mut interfaces = Vec::new();
    let mut next = Some(mocked);
    let mut visit = |class: Ref, found: &mut Vec<Declared>| {
        let near = run.epoch.shares_package(env, run.jdk, class, mocked);
        for (name, descriptor, access) in jvmti.methods(class) {
            let hidden =
                access.contains(Access::STATIC) || access.contains(Access::PRIVATE) || name.starts_with('<');
            let method = MockMethod { name, descriptor };
            if hidden || seen.contains(&method) {
                continue;
            }
            let reachable = near || access.0 & (Access::PUBLIC | Access::PROTECTED).0 != 0;
            let counts = reachable && !access.contains(Access::FINAL) && !is_identity(&method);
            seen.push(method.clone());
            if counts {
                found.push(Declared { method, access });
            }
        }
    };
    while let Some(class) = next {
        interfaces.extend(jvmti.interfaces(class));
        next = env.superclass(class);
        // What `Object` has needs no body, also where an interface declares it again.
        if next.is_some() || jvmti.class_access(class).is_interface() {
            visit(class, &mut found);
        }
    }
    let mut position = 0;
    while position < interfaces.len() {
        let interface = interfaces[position];
        visit(interface, &mut found);
        interfaces.extend(jvmti.interfaces(interface));
        position += 1;
    }
    found
}

/// Whether a method is one of those by which objects are told apart, or run when they are gone.
fn is_identity(method: &MockMethod) -> bool {
    matches!(
        (method.name.as_str(), method.descriptor.as_str()),
        ("equals", "(Ljava/lang/Object;)Z")
            | ("hashCode", "()I")
            | ("toString", "()Ljava/lang/String;")
            | ("finalize", "()V")
    )
}

impl Epoch {
    /// Defines a class in the epoch's loader; what was thrown if that is not possible.
    pub(crate) fn define(&mut self, env: Env, name: &str, bytes: &[u8]) -> Result<Ref, Ref> {
        let name = CString::new(name).unwrap_or_default();
        let class = env.define_class(&name, self.loader, bytes);
        match (class, env.take_exception()) {
            (Some(class), None) => {
                let global = env.new_global(class);
                self.defined.push(global);
                Ok(global)
            }
            (_, Some(thrown)) => Err(thrown),
            (None, None) => Err(Ref::NULL),
        }
    }
}
