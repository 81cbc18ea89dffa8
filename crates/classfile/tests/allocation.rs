//! Reading takes memory in proportion to the input, whatever counts and lengths the input claims.
//!
//! A test program of its own, because it watches the allocator.

use jurat_classfile::{Access, Attribute, ClassFile, Content, Frame, FrameKind, Insn, Label, Op};
use jurat_classpath::ClassPath;
use jurat_testkit::machine;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Bytes of memory for each byte of input: an instruction of one byte takes sixteen, twice that while its list
/// grows, and four more to find it by offset.
const FACTOR: usize = 40;
const SLACK: usize = 16 * 1024;

fn check(bytes: &[u8], what: &str) {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let result = ClassFile::read(bytes);
    let used = ALLOCATOR.peak_usage().saturating_sub(before);
    drop(result);
    let allowed = bytes.len() * FACTOR + SLACK;
    assert!(used <= allowed, "{what}: {used} bytes of memory for {} bytes of input", bytes.len());
}

/// A class whose only method has this body.
fn with_code(insns: Vec<Insn>, frames: Vec<Frame>) -> Vec<u8> {
    let mut class = ClassFile::new("A", "B").expect("room");
    let method = class.add_method(Access::STATIC, "f", "()V", |code| {
        code.push(Op::Return);
        Ok(())
    });
    let method = method.expect("fits");
    let content = Attribute::new(&mut class.pool, Content::StackMapTable(frames)).expect("room");
    let code = class.methods[method].code_mut().expect("it has code");
    code.insns = insns;
    code.attributes.extend(content);
    class.write().expect("fits")
}

#[test]
fn memory_stays_in_proportion_to_the_input() {
    // The densest input there is: instructions and frames of one byte each.
    let frame = |index| Frame { at: Label::at(index), kind: FrameKind::Same { extended: false } };
    check(&with_code(vec![Op::Nop.into(); 65_535], Vec::new()), "instructions");
    check(&with_code(vec![Op::Nop.into(); 65_535], (0..60_000).map(frame).collect()), "frames");

    // Every pair of bytes of real classes replaced by the largest count, and every four by the largest length.
    let jar = machine::jar("commons-lang3-3.12.0");
    let jar = ClassPath::open(&jar.to_string_lossy(), 17, None).unwrap_or_else(|error| panic!("{error}"));
    for name in jar.names().step_by(25) {
        let original = jar.read(name).unwrap_or_else(|error| panic!("{error}")).expect("a class of the jar");
        check(&original, name);
        for position in 8..original.len() - 4 {
            for number in [&[0xFF, 0xFF][..], &[0xFF, 0xFF, 0xFF, 0xFF], &[0x7F, 0xFF, 0xFF, 0xFF]] {
                let mut bytes = original.clone();
                bytes[position..position + number.len()].copy_from_slice(number);
                check(&bytes, name);
            }
        }
    }
}
