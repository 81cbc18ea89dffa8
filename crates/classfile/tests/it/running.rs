//! Spliced code in real JVMs: where fragments run, and that jumps which got too long still arrive.

use jurat_base::FxHashMap;
use jurat_classfile::{
    Access, BranchOp, ClassFile, ClassOp, CodeBuilder, FieldOp, Fragment, FullFrame, Insn, Label, LocalOp,
    LookupSwitch, Op, Splice, SpliceError, TableSwitch, VerificationType,
};
use jurat_testkit::{java, machine};

/// The class `Spliced`, whose `main` prints what its methods of type `(int) int` return for 3.
struct Program {
    class: ClassFile,
    methods: Vec<String>,
}

impl Program {
    fn new() -> Self {
        Self { class: ClassFile::new("Spliced", "java/lang/Object").expect("room"), methods: Vec::new() }
    }

    fn method(&mut self, name: &str, body: impl FnOnce(&mut CodeBuilder<'_>)) -> usize {
        self.methods.push(name.to_owned());
        self.class
            .add_method(Access::STATIC, name, "(I)I", |code| {
                body(code);
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn splice(&mut self, method: usize, splice: &Splice) {
        self.class.splice(method, splice).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Runs it on every JDK and compares what each method returned.
    fn check(mut self, expected: &[(&str, i32)]) {
        let methods = std::mem::take(&mut self.methods);
        self.class
            .add_method(Access::PUBLIC | Access::STATIC, "main", "([Ljava/lang/String;)V", |code| {
                for name in &methods {
                    code.field(FieldOp::GetStatic, "java/lang/System", "out", "Ljava/io/PrintStream;")?;
                    code.push_int(3)?;
                    code.invoke_static("Spliced", name, "(I)I")?;
                    code.invoke_virtual("java/io/PrintStream", "println", "(I)V")?;
                }
                code.push(Op::Return);
                Ok(())
            })
            .expect("fits");
        let bytes = self.class.write().unwrap_or_else(|error| panic!("{error}"));
        let expected: FxHashMap<&str, i32> = expected.iter().copied().collect();
        for jdk in machine::jdks() {
            let folder = tempfile::tempdir().expect("a temporary folder can be made");
            java::save(folder.path(), "Spliced", &bytes);
            let text = java::run(java::java(&jdk).arg("-cp").arg(folder.path()).arg("Spliced"));
            for (name, line) in methods.iter().zip(text.lines()) {
                assert_eq!(line, expected[name.as_str()].to_string(), "{name} on JDK {}", jdk.feature);
            }
            assert_eq!(text.lines().count(), methods.len());
        }
    }
}

fn add(amount: i16) -> Vec<Insn> {
    vec![Insn::iinc(1, amount)]
}

/// `for (sum = 0; n > 0; n--) sum += 1; return sum`, with the loop's head at label 2 and its end at label 6.
fn count_down(code: &mut CodeBuilder<'_>) {
    code.push(Op::Iconst0);
    code.local(LocalOp::Istore, 1);
    let head = code.here();
    let end = code.label();
    code.local(LocalOp::Iload, 0);
    code.branch(BranchOp::Ifle, end);
    code.push(Insn::iinc(1, 1));
    code.push(Insn::iinc(0, -1));
    code.branch(BranchOp::Goto, head);
    code.place(end);
    code.local(LocalOp::Iload, 1);
    code.push(Op::Ireturn);
}

#[test]
fn fragments_run_where_they_were_put() {
    let (head, test, jump, end) = (Label(2), Label(3), Label(6), Label(7));
    let mut program = Program::new();
    let mut check = |name: &str, splice: &dyn Fn(&mut Splice)| {
        let method = program.method(name, count_down);
        let mut edits = Splice::default();
        splice(&mut edits);
        program.splice(method, &edits);
    };
    check("nothing", &|_| {});
    check("before_the_head", &|splice| splice.before(head, add(100)));
    check("into_the_head", &|splice| splice.falling_into(head, add(100)));
    check("after_the_test", &|splice| splice.after(test, add(100)));
    check("on_the_way_out", &|splice| splice.on_jump(test, end, add(100)));
    check("on_the_way_back", &|splice| splice.on_jump(jump, head, add(100)));
    check("both_on_the_way_back", &|splice| {
        splice.on_jump(jump, head, add(100));
        splice.on_jump(jump, head, add(1000));
    });
    check("instead", &|splice| splice.replace(Label(4), add(100)));
    check("instead_nothing", &|splice| splice.replace(Label(4), Vec::new()));
    check("in_order", &|splice| {
        splice.before(end, vec![Insn::local(LocalOp::Iload, 1), Op::Iconst2.into(), Op::Imul.into()]);
        splice.before(end, vec![Op::Iconst5.into(), Op::Iadd.into(), Insn::local(LocalOp::Istore, 1)]);
    });
    program.check(&[
        ("nothing", 3),
        ("before_the_head", 403),
        ("into_the_head", 103),
        ("after_the_test", 303),
        ("on_the_way_out", 103),
        ("on_the_way_back", 303),
        ("both_on_the_way_back", 3303),
        ("instead", 300),
        ("instead_nothing", 0),
        ("in_order", 11),
    ]);
}

/// The loop's head is the first instruction, so that there is a frame at offset 0.
#[test]
fn entry_code_runs_once_even_if_the_method_begins_with_a_loop() {
    let body = |code: &mut CodeBuilder<'_>| {
        let head = code.here();
        code.push(Insn::iinc(0, 10));
        code.local(LocalOp::Iload, 0);
        code.push(Insn::Bipush(100));
        code.branch(BranchOp::IfIcmplt, head);
        code.local(LocalOp::Iload, 0);
        code.push(Op::Ireturn);
    };
    let mut program = Program::new();
    let plain = program.method("plain", body);
    assert_eq!(program.class.methods[plain].code().expect("code").frames()[0].at, Label(0));
    let entry = program.method("entry", body);
    let mut splice = Splice::default();
    splice.entry(vec![Insn::iinc(0, 5)]);
    program.splice(entry, &splice);
    let before = program.method("before", body);
    let mut splice = Splice::default();
    splice.before(Label(0), vec![Insn::iinc(0, 5)]);
    program.splice(before, &splice);
    program.check(&[("plain", 103), ("entry", 108), ("before", 108)]);
}

#[test]
fn exceptions_pass_by_the_code_put_in_their_way() {
    // try { return 60 / (n - 3); } catch (ArithmeticException e) { return n; }
    let body = |code: &mut CodeBuilder<'_>| {
        let (start, end, caught) = (code.label(), code.label(), code.label());
        code.place(start);
        code.push(Insn::Bipush(60));
        code.local(LocalOp::Iload, 0);
        code.push(Op::Iconst3);
        code.push(Op::Isub);
        code.push(Op::Idiv);
        code.push(Op::Ireturn);
        code.place(end);
        code.place(caught);
        code.push(Op::Pop);
        code.local(LocalOp::Iload, 0);
        code.push(Op::Ireturn);
        code.handler(start, end, caught, Some("java/lang/ArithmeticException")).expect("room");
    };
    let mut program = Program::new();
    program.method("plain", body);
    let handled = program.method("handled", body);
    let mut splice = Splice::default();
    splice.on_handler(0, vec![Insn::iinc(0, 7)]);
    program.splice(handled, &splice);
    // The method's own handler comes first, so a guard sees only what that one throws.
    let guarded = program.method("guarded", body);
    let mut splice = Splice::default();
    splice.before(Label(7), [Op::Iconst1, Op::Iconst0, Op::Idiv, Op::Pop].map(Insn::Op).to_vec());
    splice.guard(Label(0), Label(9), None, vec![Op::Pop.into(), Insn::Bipush(42), Op::Ireturn.into()]);
    program.splice(guarded, &splice);
    // A fragment's own handler comes before the method's.
    let inner = program.method("inner", body);
    let failing = Fragment::build(&mut program.class.pool, |code| {
        let (start, caught, end) = (code.label(), code.label(), code.label());
        code.place(start);
        code.push(Op::Iconst1);
        code.push(Op::Iconst0);
        code.push(Op::Idiv);
        code.push(Op::Pop);
        code.branch(BranchOp::Goto, end);
        code.place(caught);
        code.push(Op::Pop);
        code.push(Insn::iinc(0, 1));
        code.place(end);
        code.handler(start, caught, caught, Some("java/lang/ArithmeticException"))?;
        Ok(())
    });
    let mut splice = Splice::default();
    splice.before(Label(0), failing.expect("fits"));
    program.splice(inner, &splice);
    program.check(&[("plain", 3), ("handled", 10), ("guarded", 42), ("inner", 60)]);
}

/// A loop whose body takes `size` times three bytes, then switches with far targets.
fn long_loop(size: usize) -> impl Fn(&mut CodeBuilder<'_>) {
    move |code| {
        let (head, end, never) = (code.label(), code.label(), code.label());
        code.push(Op::Iconst0);
        code.local(LocalOp::Istore, 1);
        code.place(head);
        code.local(LocalOp::Iload, 0);
        code.branch(BranchOp::Ifle, end);
        // What a `new` made stays on the stack while a frame is needed.
        code.class(ClassOp::New, "java/lang/Object").expect("room");
        code.push(Op::Dup);
        code.local(LocalOp::Iload, 0);
        code.branch(BranchOp::Iflt, never);
        code.invoke_special("java/lang/Object", "<init>", "()V").expect("room");
        code.push(Op::Pop);
        for _ in 0..size {
            code.push(Insn::iinc(1, 1));
        }
        code.push(Insn::iinc(0, -1));
        code.local(LocalOp::Iload, 0);
        let targets = vec![end, head, head];
        code.push(Insn::TableSwitch(Box::new(TableSwitch {
            default: head,
            low: 0,
            targets,
            padding: [0; 3],
        })));
        code.place(never);
        code.push(Op::Pop2);
        code.local(LocalOp::Iload, 0);
        let pairs = vec![(-5, head), (0, end)];
        code.push(Insn::LookupSwitch(Box::new(LookupSwitch { default: end, pairs, padding: [0; 3] })));
        code.place(end);
        code.local(LocalOp::Iload, 1);
        code.push(Op::Ireturn);
    }
}

/// `nop`s before each instruction that only counts.
fn stretch(program: &Program, method: usize, nops: usize) -> Splice {
    let code = program.class.methods[method].code().expect("code");
    let mut splice = Splice::default();
    for (index, insn) in code.insns.iter().enumerate() {
        if matches!(insn, Insn::Iinc { .. }) {
            splice.before(Label::at(index), vec![Op::Nop.into(); nops]);
        }
    }
    splice
}

#[test]
fn jumps_that_got_too_long_still_arrive() {
    let mut program = Program::new();
    let size = 9000;
    let method = program.method("stretched", long_loop(size));
    let splice = stretch(&program, method, 2);
    program.splice(method, &splice);
    let code = program.class.methods[method].code().expect("code");
    let far = code.insns.iter().filter(|insn| matches!(insn, Insn::Branch { wide: true, .. })).count();
    assert_eq!(far, 2, "both conditional branches now go around a goto_w");
    assert!(code.frames().len() > 3, "which needs frames of its own");

    // A plain `goto` only changes its form.
    let method = program.method("turned", |code| {
        let (head, body) = (code.label(), code.label());
        code.push(Op::Iconst0);
        code.local(LocalOp::Istore, 1);
        code.branch(BranchOp::Goto, body);
        code.place(head);
        // What leads here comes later, so somebody has to say what it brings.
        code.frame(FullFrame { locals: vec![VerificationType::Integer; 2], stack: Vec::new() });
        code.local(LocalOp::Iload, 1);
        code.push(Op::Ireturn);
        code.place(body);
        (0..9000).for_each(|_| code.push(Insn::iinc(1, 1)));
        code.branch(BranchOp::Goto, head);
    });
    let splice = stretch(&program, method, 2);
    program.splice(method, &splice);
    program.check(&[("stretched", 27_000), ("turned", 9000)]);
}

#[test]
fn a_builder_gives_long_jumps_the_form_they_need() {
    let mut program = Program::new();
    let method = program.method("long", long_loop(12_000));
    let code = program.class.methods[method].code().expect("code");
    assert!(code.insns.iter().any(|insn| matches!(insn, Insn::Branch { wide: true, .. })));
    let too_long = program.class.add_method(Access::STATIC, "longer", "(I)I", |code| {
        long_loop(22_000)(code);
        Ok(())
    });
    assert_eq!(
        too_long.expect_err("66000 bytes").to_string(),
        "the method would take 66078 bytes, more than 65535"
    );
    program.check(&[("long", 36_000)]);
}

/// Classes before version 50 have no frames and may have subroutines.
#[test]
fn subroutines_are_spliced_and_still_return() {
    let mut program = Program::new();
    program.class.major = 48;
    let method = program.method("subroutine", |code| {
        let (subroutine, rest) = (code.label(), code.label());
        code.branch(BranchOp::Jsr, subroutine);
        code.branch(BranchOp::Jsr, subroutine);
        code.branch(BranchOp::Goto, rest);
        code.place(subroutine);
        code.local(LocalOp::Astore, 1);
        code.push(Insn::iinc(0, 10));
        code.local(LocalOp::Ret, 1);
        code.place(rest);
        code.local(LocalOp::Iload, 0);
        code.push(Op::Ireturn);
    });
    let mut splice = Splice::default();
    let skip = vec![Op::Iconst0.into(), Insn::branch(BranchOp::Ifeq, Label(3)), Insn::iinc(0, 1)];
    for index in 0..8 {
        splice.before(Label(index), skip.clone());
    }
    splice.before(Label(4), vec![Insn::iinc(0, 100)]);
    splice.before(Label(4), vec![Op::Nop.into(); 40_000]);
    program.splice(method, &splice);
    let code = program.class.methods[method].code().expect("code");
    assert!(
        code.insns.iter().any(|insn| matches!(insn, Insn::Branch { op: BranchOp::Goto, wide: true, .. }))
    );
    assert!(code.frames().is_empty());
    program.check(&[("subroutine", 223)]);
}

#[test]
fn a_method_that_would_be_too_long_is_left_alone() {
    let mut program = Program::new();
    let method = program.method("full", long_loop(9000));
    let before = program.class.methods[method].clone();
    let splice = stretch(&program, method, 5);
    let error = program.class.splice(method, &splice).expect_err("72000 bytes");
    assert!(matches!(error, SpliceError::TooLong { size: 72_000.. }), "{error}");
    assert_eq!(program.class.methods[method], before);
    program.check(&[("full", 27_000)]);
}

#[test]
fn a_constant_far_back_in_the_pool_is_loaded_by_the_long_form() {
    let mut program = Program::new();
    for value in 1000..1300 {
        program.class.pool.add_integer(value * 1000).expect("room");
    }
    let far = program.class.pool.add_integer(77_777).expect("room");
    assert!(far.raw() > 0xFF);
    let method = program.method("far", count_down);
    let short = Insn::Ldc { constant: far, form: jurat_classfile::LdcForm::Short };
    let mut splice = Splice::default();
    splice.before(Label(7), vec![short, Insn::local(LocalOp::Istore, 1)]);
    program.splice(method, &splice);
    program.check(&[("far", 77_777)]);
}

#[test]
fn what_cannot_be_spliced_is_refused_with_a_reason() {
    let mut program = Program::new();
    let method = program.method("plain", count_down);
    let mut refused = |edit: &dyn Fn(&mut Splice)| {
        let mut splice = Splice::default();
        edit(&mut splice);
        program.class.splice(method, &splice).expect_err("refused").to_string()
    };
    let nop = || vec![Insn::Op(Op::Nop)];
    assert_eq!(
        refused(&|splice| splice.after(Label(6), nop())),
        "code before instruction 7 would never run: the instruction before does not fall through"
    );
    assert_eq!(refused(&|splice| splice.before(Label(9), nop())), "the method has no instruction 9");
    assert_eq!(refused(&|splice| splice.on_handler(0, nop())), "the method has no handler 0");
    assert_eq!(
        refused(&|splice| splice.on_jump(Label(3), Label(2), nop())),
        "the method has no jump at instruction 3"
    );
    assert_eq!(
        refused(&|splice| {
            splice.replace(Label(1), nop());
            splice.replace(Label(1), nop());
        }),
        "instruction 1 is already replaced"
    );
    assert_eq!(
        refused(&|splice| splice.before(Label(1), vec![Insn::goto(Label(2))])),
        "the method has no label in a fragment 2"
    );
    assert_eq!(
        refused(&|splice| splice.guard(Label(0), Label(2), None, nop())),
        "a fragment that guards a range must not fall out of its end"
    );
    program.check(&[("plain", 3)]);
}
