//! Broken class files: always an error that says where, or a class that can be written and edited; never a panic.

use jurat_classfile::annotation::{Annotation, ElementValue, Retention};
use jurat_classfile::{
    Access, Attribute, BranchOp, ClassFile, Content, Fragment, Label, Op, OpaqueReason, Problem, Splice,
};
use proptest::prelude::*;

use crate::corpus;

/// Whatever the bytes are: an error with a place, or a class that is written as it was read and can be edited.
fn check(bytes: &[u8]) {
    let mut class = match ClassFile::read(bytes) {
        Ok(class) => class,
        Err(error) => {
            assert!(error.fault.offset <= bytes.len(), "{error}: beyond {} bytes", bytes.len());
            assert!(error.to_string().contains(&format!("at byte {}", error.fault.offset)), "{error}");
            return;
        }
    };
    let written = class.write().unwrap_or_else(|error| panic!("what was read can be written: {error}"));
    assert!(written == bytes, "{} is written differently", class.name());
    splice_everywhere(&mut class);
    let spliced = class.write().unwrap_or_else(|error| panic!("what was spliced can be written: {error}"));
    ClassFile::read(&spliced).unwrap_or_else(|error| panic!("what was spliced can be read: {error}"));
}

fn splice_everywhere(class: &mut ClassFile) {
    for method in 0..class.methods.len() {
        let Some(code) = class.methods[method].code() else { continue };
        let (count, handlers) = (code.insns.len(), code.handlers.len());
        let mut splice = Splice::default();
        for index in (0..count).step_by(3) {
            splice.before(Label::at(index), jumping());
        }
        for handler in 0..handlers {
            splice.on_handler(handler, jumping());
        }
        // Frames that are broken, or that cannot be found in code no verifier would pass, are a reason to refuse.
        let _ = class.splice(method, &splice);
    }
}

/// A fragment that needs a frame.
fn jumping() -> Fragment {
    let jump = jurat_classfile::Insn::branch(BranchOp::Ifeq, Label(3));
    Fragment::new(vec![Op::Iconst0.into(), jump, Op::Nop.into()])
}

/// A class with most of what a class can have, in few bytes.
fn tiny() -> Vec<u8> {
    let mut class = ClassFile::new("a/Tiny", "java/lang/Object").expect("room");
    class.add_default_constructor().expect("fits");
    class.add_field(Access::PRIVATE, "f", "[J").expect("room");
    class
        .add_method(Access::STATIC, "g", "(IJLjava/lang/String;)I", |code| {
            let (head, out, caught, end) = (code.label(), code.label(), code.label(), code.label());
            code.place(head);
            code.line(7);
            code.local(jurat_classfile::LocalOp::Iload, 0);
            code.branch(BranchOp::Ifeq, out);
            code.push(jurat_classfile::Insn::iinc(0, -1));
            code.class(jurat_classfile::ClassOp::New, "java/lang/Object")?;
            code.push(Op::Dup);
            code.invoke_special("java/lang/Object", "<init>", "()V")?;
            code.push(Op::Pop);
            code.branch(BranchOp::Goto, head);
            code.place(out);
            code.local(jurat_classfile::LocalOp::Iload, 0);
            code.push(jurat_classfile::Insn::TableSwitch(Box::new(jurat_classfile::TableSwitch {
                default: end,
                low: -1,
                targets: vec![head, end],
                padding: [0; 3],
            })));
            code.place(caught);
            code.push(Op::Athrow);
            code.place(end);
            code.push_string("x")?;
            code.invoke_virtual("java/lang/String", "length", "()I")?;
            code.push(Op::Ireturn);
            code.handler(head, out, caught, Some("java/lang/RuntimeException"))?;
            Ok(())
        })
        .expect("fits");
    let text = class.pool.add_utf8("La/B;").expect("room");
    let number = class.pool.add_integer(3).expect("room");
    let array = ElementValue::Array(vec![ElementValue::Constant(b'I', number), ElementValue::String(text)]);
    let annotation = Annotation { descriptor: text, elements: vec![(text, array)] };
    let content = Content::Annotations(Retention::Visible, vec![annotation]);
    class.attributes.extend(Attribute::new(&mut class.pool, content).expect("room"));
    class.write().expect("fits")
}

#[test]
fn every_single_bit_flip_of_a_tiny_class_is_survived() {
    let original = tiny();
    check(&original);
    for position in 0..original.len() * 8 {
        let mut bytes = original.clone();
        bytes[position / 8] ^= 1 << (position % 8);
        check(&bytes);
    }
}

#[test]
fn every_truncation_is_an_error_that_names_the_class_once_it_is_known() {
    let name_known = |bytes: &[u8]| ClassFile::read(bytes).is_err_and(|error| error.class.is_some());
    let originals = corpus::sample().iter().step_by(40).cloned().chain([tiny()]);
    for original in originals {
        let class = ClassFile::read(&original).expect("a good class");
        let header = (0..original.len()).find(|length| name_known(&original[..*length])).expect("somewhere");
        for length in 0..original.len() {
            let error = ClassFile::read(&original[..length]).expect_err("something is missing");
            assert!(error.fault.offset <= length);
            let name = (length >= header).then(|| class.name().into_owned());
            assert_eq!(error.class, name, "{} of {} bytes", length, original.len());
        }
    }
}

#[test]
fn bytes_after_the_class_are_an_error() {
    let mut bytes = tiny();
    bytes.push(0);
    let error = ClassFile::read(&bytes).expect_err("one byte too many");
    assert_eq!(error.fault.problem, Problem::Excess(1));
    assert_eq!(error.to_string(), format!("class a/Tiny: at byte {}: bytes left over: 1", bytes.len() - 1));
}

#[test]
fn a_newer_version_is_named() {
    let mut bytes = tiny();
    bytes[7] = 72;
    let error = ClassFile::read(&bytes).expect_err("from the future");
    assert_eq!(
        error.to_string(),
        "not a class file Jurat can read: at byte 6: class file version 72 is newer than 71 (Java 27), the newest known"
    );
    bytes[7] = 44;
    assert!(ClassFile::read(&bytes).expect_err("from the past").to_string().contains("version 44"));
    assert!(ClassFile::read(b"PK\x03\x04").expect_err("a jar").to_string().contains("0x504b0304"));
    assert!(ClassFile::read(b"").is_err());
}

#[test]
fn annotations_without_end_are_set_aside() {
    let mut class = ClassFile::read(&tiny()).expect("a good class");
    let text = class.pool.add_utf8("La/B;").expect("room");
    let mut value = ElementValue::String(text);
    for _ in 0..5000 {
        value = ElementValue::Array(vec![value]);
    }
    let annotation = Annotation { descriptor: text, elements: vec![(text, value)] };
    let content = Content::Annotations(Retention::Invisible, vec![annotation]);
    class.attributes.extend(Attribute::new(&mut class.pool, content).expect("room"));
    let bytes = class.write().expect("nothing says it must not nest");
    let read = ClassFile::read(&bytes).expect("annotations do not keep a class from being used");
    let Some(Attribute { content: Content::Opaque(opaque), .. }) = read.attributes.last() else {
        panic!("set aside")
    };
    assert!(matches!(opaque.reason, OpaqueReason::Broken(fault) if fault.problem == Problem::Depth));
    assert_eq!(read.opaque_bytes(), opaque.bytes.len());
    check(&bytes);
}

fn any_class() -> impl Strategy<Value = Vec<u8>> {
    (0..corpus::sample().len()).prop_map(|index| corpus::sample()[index].clone())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn flipped_bits_are_survived(
        mut bytes in any_class(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u32), 1..6),
    ) {
        for (position, bit) in flips {
            let position = position.index(bytes.len());
            bytes[position] ^= 1 << bit;
        }
        check(&bytes);
    }

    #[test]
    fn odd_numbers_in_odd_places_are_survived(
        mut bytes in any_class(),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let numbers: [&[u8]; 8] =
            [&[0], &[0xFF], &[0, 0], &[0xFF, 0xFF], &[0x7F, 0xFF], &[0x80, 0], &[0, 1], &[0xFF; 4]];
        for (place, number) in places {
            let number = numbers[number.index(numbers.len())];
            let place = place.index(bytes.len() - number.len());
            bytes[place..place + number.len()].copy_from_slice(number);
        }
        check(&bytes);
    }

    #[test]
    fn missing_and_repeated_pieces_are_survived(
        mut bytes in any_class(),
        from in any::<prop::sample::Index>(),
        length in 1..9_usize,
        to in any::<prop::sample::Index>(),
    ) {
        let from = from.index(bytes.len() - length);
        let piece: Vec<u8> = bytes.drain(from..from + length).collect();
        check(&bytes);
        let to = to.index(bytes.len());
        bytes.splice(to..to, piece.iter().copied().chain(piece.iter().copied()));
        check(&bytes);
    }
}
