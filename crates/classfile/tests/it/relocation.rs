//! Code put into real methods at random: read back and with the additions taken out again, everything refers to
//! the instructions it referred to before.

use jurat_classfile::annotation::TypeTarget;
use jurat_classfile::{
    ClassFile, Code, Content, FrameKind, Insn, Label, Op, Splice, SpliceError, VerificationType,
};
use proptest::prelude::*;

use crate::corpus;

/// How many `nop`s go where, by instruction: on the way in by falling through, and right before it.
#[derive(Debug)]
struct Plan {
    falling: Vec<u32>,
    before: Vec<u32>,
}

impl Plan {
    fn random(code: &Code, density: u8, seed: u64) -> Self {
        let mut rng = jurat_base::Seed(seed).rng(0);
        let mut some = || {
            let wanted = rng.chance(f64::from(density) / 255.0);
            if wanted { 1 + u32::try_from(rng.below(3)).expect("small") } else { 0 }
        };
        let reached = |index: usize| index == 0 || !code.insns[index - 1].ends_block();
        let falling = (0..code.insns.len()).map(|index| if reached(index) { some() } else { 0 }).collect();
        let before = (0..code.insns.len()).map(|_| some()).collect();
        Self { falling, before }
    }

    fn splice(&self) -> Splice {
        let nops = |count: u32| vec![Insn::Op(Op::Nop); count as usize];
        let mut splice = Splice::default();
        for (index, count) in self.before.iter().enumerate().filter(|(_, count)| **count > 0) {
            splice.before(Label::at(index), nops(*count));
        }
        for (index, count) in self.falling.iter().enumerate().filter(|(_, count)| **count > 0) {
            splice.falling_into(Label::at(index), nops(*count));
        }
        splice
    }
}

/// The code without its `nop`s, in the shortest forms.
fn stripped(code: &Code) -> Code {
    let mut kept = 0;
    let mut places: Vec<Label> = Vec::new();
    for insn in &code.insns {
        places.push(Label(kept));
        kept += u32::from(*insn != Insn::Op(Op::Nop));
    }
    places.push(Label(kept));
    let mut stripped = code.clone();
    stripped.insns.retain(|insn| *insn != Insn::Op(Op::Nop));
    map_labels(&mut stripped, |label| places[label.index()]);
    for insn in &mut stripped.insns {
        if let Insn::Branch { wide, .. } = insn {
            *wide = false;
        }
    }
    stripped
}

fn map_labels(code: &mut Code, map: impl Fn(Label) -> Label) {
    code.insns.iter_mut().for_each(|insn| insn.map_targets(&map));
    for handler in &mut code.handlers {
        handler.start = map(handler.start);
        handler.end = map(handler.end);
        handler.target = map(handler.target);
    }
    for attribute in &mut code.attributes {
        match &mut attribute.content {
            Content::LineNumberTable(lines) => lines.iter_mut().for_each(|line| line.start = map(line.start)),
            Content::LocalVariableTable(variables) | Content::LocalVariableTypeTable(variables) => {
                for variable in variables {
                    (variable.start, variable.end) = (map(variable.start), map(variable.end));
                }
            }
            Content::StackMapTable(frames) => {
                for frame in frames {
                    frame.at = map(frame.at);
                    map_frame(&mut frame.kind, &map);
                }
            }
            Content::TypeAnnotations(_, annotations) => {
                for each in annotations {
                    map_target(&mut each.target, &map);
                }
            }
            other => panic!("no positions known in {other:?}"),
        }
    }
}

fn map_frame(kind: &mut FrameKind, map: impl Fn(Label) -> Label) {
    let each = |entry: &mut VerificationType| {
        if let VerificationType::Uninitialized(label) = entry {
            *label = map(*label);
        }
    };
    match kind {
        FrameKind::Same { extended } => *extended = false,
        FrameKind::OneStack { stack, extended } => {
            *extended = false;
            each(stack);
        }
        FrameKind::Chop(_) => {}
        FrameKind::Append(locals) => locals.iter_mut().for_each(each),
        FrameKind::Full(full) => full.locals.iter_mut().chain(&mut full.stack).for_each(each),
    }
}

fn map_target(target: &mut TypeTarget, map: impl Fn(Label) -> Label) {
    match target {
        TypeTarget::LocalVariable { ranges, .. } => {
            for range in ranges {
                (range.start, range.end) = (map(range.start), map(range.end));
            }
        }
        TypeTarget::InstanceOf(at)
        | TypeTarget::New(at)
        | TypeTarget::ConstructorReference(at)
        | TypeTarget::MethodReference(at)
        | TypeTarget::Argument(_, at, _) => *at = map(*at),
        _ => {}
    }
}

/// Jumps land after what only falling through runs, and before what every way runs.
fn check_landing(plan: &Plan, original: &Code, spliced: &Code) {
    let own: Vec<usize> =
        (0..spliced.insns.len()).filter(|at| spliced.insns[*at] != Insn::Op(Op::Nop)).collect();
    for (index, insn) in original.insns.iter().enumerate() {
        let mut wanted = Vec::new();
        insn.for_each_target(|target| {
            wanted.push(own[target.index()] - plan.before[target.index()] as usize);
        });
        let mut found = Vec::new();
        spliced.insns[own[index]].for_each_target(|target| found.push(target.index()));
        assert_eq!(found, wanted, "targets of instruction {index}");
    }
}

/// Puts `nop`s into one method, writes and reads the class, and compares. False if the method got too long.
fn check(class: &ClassFile, method: usize, density: u8, seed: u64) -> bool {
    let original = class.methods[method].code().expect("chosen for its code");
    let plan = Plan::random(original, density, seed);
    let mut edited = class.clone();
    match edited.splice(method, &plan.splice()) {
        Ok(()) => {}
        Err(SpliceError::TooLong { size }) => {
            assert!(size > 0xFFFF);
            assert_eq!(edited.methods[method], class.methods[method], "left alone");
            return false;
        }
        Err(error) => panic!("{}: {error}", class.name()),
    }
    let read = ClassFile::read(&edited.write().expect("fits")).expect("what was written is read");
    assert_eq!(read.opaque_bytes(), 0);
    let spliced = read.methods[method].code().expect("it still has its code");
    assert_eq!(stripped(spliced), stripped(original), "{}", class.name());
    check_landing(&plan, original, spliced);
    true
}

/// Few methods have a `nop` of their own, or jumps that need another form.
fn is_plain(code: &Code) -> bool {
    !code.insns.contains(&Insn::Op(Op::Nop)) && code.insns.len() < 5000
}

fn methods() -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (position, bytes) in corpus::sample().iter().enumerate() {
        let class = ClassFile::read(bytes).expect("a good class");
        for (method, each) in class.methods.iter().enumerate() {
            if each.code().is_some_and(is_plain) {
                found.push((position, method));
            }
        }
    }
    found
}

#[test]
fn everything_still_refers_to_what_it_referred_to() {
    let methods = methods();
    assert!(methods.len() > 2000, "only {} methods", methods.len());
    let strategy = (any::<prop::sample::Index>(), any::<u8>(), any::<u64>());
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) };
    proptest!(config, |((index, density, seed) in strategy)| {
        let (position, method) = methods[index.index(methods.len())];
        let class = ClassFile::read(&corpus::sample()[position]).expect("a good class");
        check(&class, method, density, seed);
    });
}

#[test]
fn large_switches_and_many_handlers_are_moved() {
    let newest = jurat_testkit::machine::jdks().pop().expect("there is at least one");
    let base = corpus::java_base(&newest);
    let mut seen = 0;
    for (_, bytes) in corpus::classes(&base) {
        let class = ClassFile::read(&bytes).expect("a good class");
        for (method, each) in class.methods.iter().enumerate() {
            let Some(code) = each.code().filter(|code| is_plain(code)) else { continue };
            let mut targets = 0;
            code.insns.iter().for_each(|insn| insn.for_each_target(|_| targets += 1));
            if targets > 100 || code.handlers.len() > 20 {
                seen += usize::from(check(&class, method, 200, 1));
            }
        }
    }
    assert!(seen > 30, "only {seen} such methods");
}
