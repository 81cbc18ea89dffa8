//! Moves the tables of the code to the new positions.

use super::SpliceError;
use super::apply::Layout;
use crate::annotation::{LocalRange, TypeAnnotation, TypeTarget};
use crate::attribute::{Attribute, Content};
use crate::code::{CharacterRange, FrameKind, LineNumber, LocalVariable, VerificationType};

type Moved<T> = Result<T, SpliceError>;

/// The attributes of the code at their new positions. Frames keep their place in the list but are filled in by
/// the caller; what could not be decoded is left out, because it may hold positions nobody can move.
pub(super) fn relocate(attributes: &[Attribute], layout: &Layout) -> Moved<Vec<Attribute>> {
    let mut moved = Vec::with_capacity(attributes.len());
    for attribute in attributes {
        let content = match &attribute.content {
            Content::StackMapTable(_) => Content::StackMapTable(Vec::new()),
            Content::LineNumberTable(lines) => Content::LineNumberTable(all(lines, |line| {
                Ok(LineNumber { start: layout.beginning(line.start)?, line: line.line })
            })?),
            Content::LocalVariableTable(variables) => {
                Content::LocalVariableTable(all(variables, |variable| local_variable(variable, layout))?)
            }
            Content::LocalVariableTypeTable(variables) => {
                Content::LocalVariableTypeTable(all(variables, |variable| local_variable(variable, layout))?)
            }
            Content::CharacterRangeTable(ranges) => Content::CharacterRangeTable(all(ranges, |range| {
                let (start, end) = (layout.beginning(range.start)?, layout.landing(range.end)?);
                Ok(CharacterRange { start, end, ..*range })
            })?),
            Content::TypeAnnotations(retention, annotations) => {
                let moved = annotations.iter().filter_map(|each| type_annotation(each, layout).transpose());
                Content::TypeAnnotations(*retention, moved.collect::<Moved<_>>()?)
            }
            Content::Opaque(_) => continue,
            other => other.clone(),
        };
        moved.push(Attribute { name: attribute.name, content });
    }
    Ok(moved)
}

fn all<T>(items: &[T], item: impl FnMut(&T) -> Moved<T>) -> Moved<Vec<T>> {
    items.iter().map(item).collect()
}

fn local_variable(variable: &LocalVariable, layout: &Layout) -> Moved<LocalVariable> {
    let (start, end) = (layout.beginning(variable.start)?, layout.landing(variable.end)?);
    Ok(LocalVariable { start, end, ..*variable })
}

/// The annotation at its new position, or none if the handler it belonged to is gone.
fn type_annotation(annotation: &TypeAnnotation, layout: &Layout) -> Moved<Option<TypeAnnotation>> {
    let target = match &annotation.target {
        TypeTarget::LocalVariable { resource, ranges } => {
            let ranges = all(ranges, |range| {
                let (start, end) = (layout.beginning(range.start)?, layout.landing(range.end)?);
                Ok(LocalRange { start, end, slot: range.slot })
            })?;
            TypeTarget::LocalVariable { resource: *resource, ranges }
        }
        TypeTarget::Catch(index) => match layout.handler_number(*index) {
            Some(number) => TypeTarget::Catch(number),
            None => return Ok(None),
        },
        TypeTarget::InstanceOf(at) => TypeTarget::InstanceOf(layout.instruction(*at)?),
        TypeTarget::New(at) => TypeTarget::New(layout.instruction(*at)?),
        TypeTarget::ConstructorReference(at) => TypeTarget::ConstructorReference(layout.instruction(*at)?),
        TypeTarget::MethodReference(at) => TypeTarget::MethodReference(layout.instruction(*at)?),
        TypeTarget::Argument(site, at, argument) => {
            TypeTarget::Argument(*site, layout.instruction(*at)?, *argument)
        }
        other => other.clone(),
    };
    let (path, annotation) = (annotation.path.clone(), annotation.annotation.clone());
    Ok(Some(TypeAnnotation { target, path, annotation }))
}

/// A frame with the positions of `new` instructions moved.
pub(super) fn relocate_frame(kind: &FrameKind, layout: &Layout) -> Moved<FrameKind> {
    let mut kind = kind.clone();
    let result = match &mut kind {
        FrameKind::Same { .. } | FrameKind::Chop(_) => Ok(()),
        FrameKind::OneStack { stack, .. } => relocate_type(stack, layout),
        FrameKind::Append(locals) => locals.iter_mut().try_for_each(|local| relocate_type(local, layout)),
        FrameKind::Full(full) => {
            full.locals.iter_mut().chain(&mut full.stack).try_for_each(|entry| relocate_type(entry, layout))
        }
    };
    result.map(|()| kind)
}

fn relocate_type(kind: &mut VerificationType, layout: &Layout) -> Moved<()> {
    if let VerificationType::Uninitialized(label) = kind {
        *label = layout.instruction(*label)?;
    }
    Ok(())
}
