//! Annotations: types, and how they are read and written.

use crate::attribute::{Decoder, Encoder};
use crate::fault::{Fault, Problem};
use crate::input::{Input, Read};
use crate::insn::Label;
use crate::output::{Output, Written};
use crate::pool::{LoadableIndex, Utf8Index};

/// How deep annotation values may nest.
pub const MAX_DEPTH: u8 = 64;

/// Whether annotations can be seen by reflection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// `RuntimeVisible…`.
    Visible,
    /// `RuntimeInvisible…`.
    Invisible,
}

/// One annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Descriptor of the annotation interface.
    pub descriptor: Utf8Index,
    /// Names and values of the elements given.
    pub elements: Vec<(Utf8Index, ElementValue)>,
}

/// The value of an annotation's element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElementValue {
    /// A number, character or boolean: its tag (one of `BCDFIJSZ`) and the constant.
    Constant(u8, LoadableIndex),
    /// A string; the format points straight at the text.
    String(Utf8Index),
    /// An enum constant.
    Enum {
        /// Descriptor of the enum.
        descriptor: Utf8Index,
        /// Name of the constant.
        name: Utf8Index,
    },
    /// A class literal, by return descriptor (`V` for `void.class`).
    Class(Utf8Index),
    /// An annotation.
    Annotation(Box<Annotation>),
    /// An array.
    Array(Vec<ElementValue>),
}

/// An annotation on a use of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeAnnotation {
    /// Which type.
    pub target: TypeTarget,
    /// Which part of it: pairs of path kind and type argument index.
    pub path: Vec<(u8, u8)>,
    /// The annotation.
    pub annotation: Annotation,
}

/// Which type in a declaration or in code is annotated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeTarget {
    /// A type parameter of the class.
    ClassTypeParameter(u8),
    /// A type parameter of the method.
    MethodTypeParameter(u8),
    /// An interface by position, or 65535 for the superclass.
    Supertype(u16),
    /// A bound (second) of a type parameter (first) of the class.
    ClassTypeParameterBound(u8, u8),
    /// A bound (second) of a type parameter (first) of the method.
    MethodTypeParameterBound(u8, u8),
    /// The type of the field or record component.
    Field,
    /// The result type, or the object made.
    Return,
    /// The receiver.
    Receiver,
    /// A parameter.
    FormalParameter(u8),
    /// An entry of the `throws` clause.
    Throws(u16),
    /// A local variable.
    LocalVariable {
        /// True for a resource of `try`.
        resource: bool,
        /// Where the variable lives.
        ranges: Vec<LocalRange>,
    },
    /// The type of an exception handler, by position in the table.
    Catch(u16),
    /// An `instanceof`.
    InstanceOf(Label),
    /// A `new`.
    New(Label),
    /// A `Type::new`.
    ConstructorReference(Label),
    /// A `Type::method`.
    MethodReference(Label),
    /// A type argument, or a part of the type of a cast: where, at which instruction, and which one.
    Argument(ArgumentSite, Label, u8),
}

/// What a type argument belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ArgumentSite {
    /// A cast; the position is that of a type in an intersection.
    Cast = 0x47,
    /// `new <T>Type()`.
    ConstructorCall = 0x48,
    /// `value.<T>method()`.
    MethodCall = 0x49,
    /// `Type::<T>new`.
    ConstructorReference = 0x4A,
    /// `Type::<T>method`.
    MethodReference = 0x4B,
}

impl ArgumentSite {
    fn from_tag(tag: u8) -> Option<Self> {
        Some(match tag {
            0x47 => Self::Cast,
            0x48 => Self::ConstructorCall,
            0x49 => Self::MethodCall,
            0x4A => Self::ConstructorReference,
            0x4B => Self::MethodReference,
            _ => return None,
        })
    }
}

/// A part of a local variable's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalRange {
    /// The first instruction.
    pub start: Label,
    /// The first instruction after.
    pub end: Label,
    /// The slot.
    pub slot: u16,
}

impl Decoder<'_> {
    pub(crate) fn annotations(&self, input: &mut Input<'_>) -> Read<Vec<Annotation>> {
        input.list(4, |input| self.annotation(input, MAX_DEPTH))
    }

    pub(crate) fn parameter_annotations(&self, input: &mut Input<'_>) -> Read<Vec<Vec<Annotation>>> {
        let count = usize::from(input.u1()?);
        input.items(count, 2, |input| self.annotations(input))
    }

    pub(crate) fn type_annotations(&self, input: &mut Input<'_>, code: bool) -> Read<Vec<TypeAnnotation>> {
        input.list(6, |input| {
            let at = input.position();
            let tag = input.u1()?;
            let target = if code { self.code_target(input, tag)? } else { declaration_target(input, tag)? };
            let Some(target) = target else {
                let problem = Problem::Value { what: "a type annotation's target here", value: tag.into() };
                return Err(Fault { offset: at, problem });
            };
            let length = usize::from(input.u1()?);
            let path = input.items(length, 2, |input| Ok((input.u1()?, input.u1()?)))?;
            Ok(TypeAnnotation { target, path, annotation: self.annotation(input, MAX_DEPTH)? })
        })
    }

    fn annotation(&self, input: &mut Input<'_>, depth: u8) -> Read<Annotation> {
        let descriptor = input.index(self.pool)?;
        let elements =
            input.list(5, |input| Ok((input.index(self.pool)?, self.element_value(input, depth)?)))?;
        Ok(Annotation { descriptor, elements })
    }

    pub(crate) fn element_value(&self, input: &mut Input<'_>, depth: u8) -> Read<ElementValue> {
        let at = input.position();
        let deeper = || depth.checked_sub(1).ok_or(Fault { offset: at, problem: Problem::Depth });
        Ok(match input.u1()? {
            tag @ (b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z') => {
                ElementValue::Constant(tag, input.index(self.pool)?)
            }
            b's' => ElementValue::String(input.index(self.pool)?),
            b'e' => ElementValue::Enum { descriptor: input.index(self.pool)?, name: input.index(self.pool)? },
            b'c' => ElementValue::Class(input.index(self.pool)?),
            b'@' => ElementValue::Annotation(Box::new(self.annotation(input, deeper()?)?)),
            b'[' => {
                let depth = deeper()?;
                ElementValue::Array(input.list(3, |input| self.element_value(input, depth))?)
            }
            tag => {
                let problem = Problem::Value { what: "an element value's tag", value: tag.into() };
                return Err(Fault { offset: at, problem });
            }
        })
    }

    fn code_target(&self, input: &mut Input<'_>, tag: u8) -> Read<Option<TypeTarget>> {
        Ok(Some(match tag {
            0x40 | 0x41 => {
                TypeTarget::LocalVariable { resource: tag == 0x41, ranges: self.local_ranges(input)? }
            }
            0x42 => TypeTarget::Catch(input.u2()?),
            0x43 => TypeTarget::InstanceOf(self.positions.read(input)?),
            0x44 => TypeTarget::New(self.positions.read(input)?),
            0x45 => TypeTarget::ConstructorReference(self.positions.read(input)?),
            0x46 => TypeTarget::MethodReference(self.positions.read(input)?),
            _ => match ArgumentSite::from_tag(tag) {
                Some(site) => TypeTarget::Argument(site, self.positions.read(input)?, input.u1()?),
                None => return Ok(None),
            },
        }))
    }

    fn local_ranges(&self, input: &mut Input<'_>) -> Read<Vec<LocalRange>> {
        input.list(6, |input| {
            let (start, end) = self.positions.read_range(input)?;
            Ok(LocalRange { start, end, slot: input.u2()? })
        })
    }
}

fn declaration_target(input: &mut Input<'_>, tag: u8) -> Read<Option<TypeTarget>> {
    Ok(Some(match tag {
        0x00 => TypeTarget::ClassTypeParameter(input.u1()?),
        0x01 => TypeTarget::MethodTypeParameter(input.u1()?),
        0x10 => TypeTarget::Supertype(input.u2()?),
        0x11 => TypeTarget::ClassTypeParameterBound(input.u1()?, input.u1()?),
        0x12 => TypeTarget::MethodTypeParameterBound(input.u1()?, input.u1()?),
        0x13 => TypeTarget::Field,
        0x14 => TypeTarget::Return,
        0x15 => TypeTarget::Receiver,
        0x16 => TypeTarget::FormalParameter(input.u1()?),
        0x17 => TypeTarget::Throws(input.u2()?),
        _ => return Ok(None),
    }))
}

impl Encoder {
    pub(crate) fn annotations(output: &mut Output, annotations: &[Annotation]) -> Written {
        output.list(annotations, "annotations", Self::annotation)
    }

    pub(crate) fn parameter_annotations(output: &mut Output, parameters: &[Vec<Annotation>]) -> Written {
        output.small_count(parameters.len(), "annotated parameters")?;
        parameters.iter().try_for_each(|annotations| Self::annotations(output, annotations))
    }

    pub(crate) fn type_annotations(&self, output: &mut Output, annotations: &[TypeAnnotation]) -> Written {
        output.list(annotations, "type annotations", |output, each| {
            self.type_target(output, &each.target)?;
            output.small_count(each.path.len(), "steps of a type path")?;
            for (kind, argument) in &each.path {
                output.raw(&[*kind, *argument]);
            }
            Self::annotation(output, &each.annotation)
        })
    }

    fn annotation(output: &mut Output, annotation: &Annotation) -> Written {
        output.index(annotation.descriptor);
        output.list(&annotation.elements, "annotation elements", |output, (name, value)| {
            output.index(*name);
            Self::element_value(output, value)
        })
    }

    pub(crate) fn element_value(output: &mut Output, value: &ElementValue) -> Written {
        match value {
            ElementValue::Constant(tag, constant) => {
                output.u1(*tag);
                output.index(*constant);
            }
            ElementValue::String(text) => {
                output.u1(b's');
                output.index(*text);
            }
            ElementValue::Enum { descriptor, name } => {
                output.u1(b'e');
                output.index(*descriptor);
                output.index(*name);
            }
            ElementValue::Class(descriptor) => {
                output.u1(b'c');
                output.index(*descriptor);
            }
            ElementValue::Annotation(annotation) => {
                output.u1(b'@');
                Self::annotation(output, annotation)?;
            }
            ElementValue::Array(values) => {
                output.u1(b'[');
                output.list(values, "annotation array elements", Self::element_value)?;
            }
        }
        Ok(())
    }

    fn type_target(&self, output: &mut Output, target: &TypeTarget) -> Written {
        match target {
            TypeTarget::ClassTypeParameter(parameter) => output.raw(&[0x00, *parameter]),
            TypeTarget::MethodTypeParameter(parameter) => output.raw(&[0x01, *parameter]),
            TypeTarget::Supertype(index) => tagged(output, 0x10, *index),
            TypeTarget::ClassTypeParameterBound(parameter, bound) => output.raw(&[0x11, *parameter, *bound]),
            TypeTarget::MethodTypeParameterBound(parameter, bound) => output.raw(&[0x12, *parameter, *bound]),
            TypeTarget::Field => output.u1(0x13),
            TypeTarget::Return => output.u1(0x14),
            TypeTarget::Receiver => output.u1(0x15),
            TypeTarget::FormalParameter(parameter) => output.raw(&[0x16, *parameter]),
            TypeTarget::Throws(index) => tagged(output, 0x17, *index),
            TypeTarget::LocalVariable { resource, ranges } => {
                output.u1(0x40 + u8::from(*resource));
                return output.list(ranges, "ranges of a variable", |output, range| {
                    self.code.range(output, range.start, range.end)?;
                    output.u2(range.slot);
                    Ok(())
                });
            }
            TypeTarget::Catch(index) => tagged(output, 0x42, *index),
            TypeTarget::InstanceOf(at) => return self.tagged_label(output, 0x43, *at),
            TypeTarget::New(at) => return self.tagged_label(output, 0x44, *at),
            TypeTarget::ConstructorReference(at) => return self.tagged_label(output, 0x45, *at),
            TypeTarget::MethodReference(at) => return self.tagged_label(output, 0x46, *at),
            TypeTarget::Argument(site, at, argument) => {
                self.tagged_label(output, *site as u8, *at)?;
                output.u1(*argument);
            }
        }
        Ok(())
    }

    fn tagged_label(&self, output: &mut Output, tag: u8, label: Label) -> Written {
        output.u1(tag);
        self.code.label(output, label)
    }
}

fn tagged(output: &mut Output, tag: u8, value: u16) {
    output.u1(tag);
    output.u2(value);
}
