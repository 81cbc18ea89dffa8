//! Calls at random, straight from class files: no subject model, no strategy, only what a worker must survive.

use jurat_base::{Rng, Seed};
use jurat_classfile::descriptor::{FieldType, MethodType};
use jurat_classfile::{Access, ClassFile};
use jurat_classpath::ClassPath;
use jurat_instrument::{Branches, ProbeId, ProbePlan, instrument};
use jurat_protocol::{
    Ending, Literal, Operation, OperationKind, Outcome, Primitive, ProbedBranches, Probes, Sequence, Value,
    Var,
};

/// Operations, what they take and give, and the probes of their classes.
pub(crate) struct Wild {
    pub(crate) operations: Vec<Operation>,
    shapes: Vec<Shape>,
    pub(crate) probes: Probes,
}

/// How many calls were made, whatever came of them; literals and null receivers are no calls.
pub(crate) fn calls(outcome: &Outcome) -> usize {
    let is_call = |ending: &&Ending| !matches!(ending, Ending::Returned(Value::Literal) | Ending::Misfit(_));
    outcome.endings.iter().filter(is_call).count()
}

/// Descriptors: receiver first, if there is one.
struct Shape {
    inputs: Vec<String>,
    output: String,
}

impl Wild {
    /// All public constructors and methods of the public classes with a name that is wanted.
    pub(crate) fn new(path: &ClassPath, wanted: impl Fn(&str) -> bool) -> Self {
        let plan = ProbePlan { branches: Branches::Edges, fuel: true, ..ProbePlan::default() };
        let branches = ProbedBranches::Edges;
        let probes = Probes { branches, fuel: true, ..Probes::default() };
        let mut wild = Self { operations: Vec::new(), shapes: Vec::new(), probes };
        for name in path.names().filter(|name| wanted(name)) {
            let bytes = path.read(name).expect("it can be read").expect("it is there");
            let class = ClassFile::read(&bytes).expect("it is a class");
            let first = wild.probes.count;
            wild.probes.count = instrument(&class, &plan, ProbeId(first)).map.next().0;
            wild.probes.classes.push((name.to_owned(), first));
            if class.access.contains(Access::PUBLIC) {
                wild.add(&class);
            }
        }
        wild
    }

    fn add(&mut self, class: &ClassFile) {
        let owner = class.name().into_owned();
        let is_abstract = class.access.contains(Access::ABSTRACT);
        for method in &class.methods {
            let (name, descriptor) = (class.pool.utf8(method.name), class.pool.utf8(method.descriptor));
            let access = method.access;
            let constructs = name == "<init>";
            let Ok(MethodType { parameters, result }) = descriptor.parse() else { continue };
            if !access.contains(Access::PUBLIC) || name == "<clinit>" || (constructs && is_abstract) {
                continue;
            }
            let kind = match () {
                () if constructs => OperationKind::Constructor,
                () if access.contains(Access::STATIC) => OperationKind::Static,
                () => OperationKind::Virtual,
            };
            let own = format!("L{owner};");
            let mut inputs: Vec<String> = parameters.iter().map(FieldType::to_string).collect();
            if kind == OperationKind::Virtual {
                inputs.insert(0, own.clone());
            }
            let output = if constructs { own } else { result.map_or("V".to_owned(), |ty| ty.to_string()) };
            self.operations.push(Operation::new(kind, &owner, &name, &descriptor));
            self.shapes.push(Shape { inputs, output });
        }
    }

    /// A sequence of so many operations, and what they need.
    pub(crate) fn sequence(&self, seed: Seed, index: u64, calls: usize) -> Sequence {
        let mut draft = Draft { rng: seed.rng(index), sequence: Sequence::default(), values: Vec::new() };
        for _ in 0..calls {
            let chosen = draft.choose(self);
            let shape = &self.shapes[chosen];
            let inputs: Vec<Var> = shape.inputs.iter().map(|input| draft.value(self, input)).collect();
            let made = draft.sequence.operate(u32::try_from(chosen).expect("few"), &inputs);
            draft.values.push((shape.output.clone(), made));
        }
        draft.sequence
    }

    /// What makes values of a type out of primitives and strings.
    fn makers(&self, wanted: &str) -> Vec<usize> {
        let makes = |shape: &Shape| {
            let easy = |input: &String| input.len() == 1 || input == "Ljava/lang/String;";
            shape.output == wanted && shape.inputs.iter().all(easy)
        };
        (0..self.shapes.len()).filter(|at| makes(&self.shapes[*at])).collect()
    }
}

/// A sequence being made.
struct Draft {
    rng: Rng,
    sequence: Sequence,
    /// What there is, by declared type.
    values: Vec<(String, Var)>,
}

impl Draft {
    /// Something to pass for a type: a value that is there, a literal, something made for it, or null.
    fn value(&mut self, wild: &Wild, wanted: &str) -> Var {
        let fits = |ty: &str| ty == wanted || (wanted == "Ljava/lang/Object;" && ty.len() > 1);
        let there: Vec<Var> = self.values.iter().filter(|(ty, _)| fits(ty)).map(|(_, var)| *var).collect();
        if let Some(&var) = self.rng.pick(&there)
            && self.rng.chance(0.7)
        {
            return var;
        }
        let small = i8::try_from(self.rng.below(12)).expect("small") - 2;
        let literal = match wanted {
            "Z" => Primitive::Boolean(small > 3),
            "B" => Primitive::Byte(small),
            "C" => Primitive::Char(u16::from(b'a') + u16::from(small.unsigned_abs())),
            "S" => Primitive::Short(small.into()),
            "I" => Primitive::Int(small.into()),
            "J" => Primitive::Long(small.into()),
            "F" => Primitive::float(small.into()),
            "D" => Primitive::double(small.into()),
            "Ljava/lang/String;" | "Ljava/lang/Object;" | "Ljava/lang/CharSequence;" => {
                return self.sequence.string(["", "a", "Bb", "10"][self.rng.below(4)]);
            }
            _ => return self.made(wild, wanted),
        };
        self.sequence.literal(Literal::Primitive(literal))
    }

    /// An operation; one on a receiver that nothing makes is rarely worth a call.
    fn choose(&mut self, wild: &Wild) -> usize {
        let mut chosen = 0;
        for _ in 0..20 {
            chosen = self.rng.below(wild.shapes.len());
            let needs = match wild.operations[chosen].kind {
                OperationKind::Virtual => wild.shapes[chosen].inputs[0].as_str(),
                _ => break,
            };
            if self.values.iter().any(|(ty, _)| ty == needs) || !wild.makers(needs).is_empty() {
                break;
            }
        }
        chosen
    }

    /// An object of a type, by something that is known to make one, or null.
    fn made(&mut self, wild: &Wild, wanted: &str) -> Var {
        let makers = wild.makers(wanted);
        let Some(&maker) = self.rng.pick(&makers) else { return self.sequence.literal(Literal::Null) };
        let inputs: Vec<Var> =
            wild.shapes[maker].inputs.iter().map(|input| self.value(wild, input)).collect();
        let var = self.sequence.operate(u32::try_from(maker).expect("few"), &inputs);
        self.values.push((wanted.to_owned(), var));
        var
    }
}
