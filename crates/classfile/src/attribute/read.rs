//! Decodes attributes by name and place.

use super::{
    Attribute, BootstrapMethod, Content, InnerClass, MethodParameter, Opaque, OpaqueReason, RecordComponent,
};
use crate::access::Access;
use crate::annotation::{MAX_DEPTH, Retention};
use crate::code::Positions;
use crate::input::{Input, Read};
use crate::pool::{ConstantPool, Utf8Index};

/// Where an attribute stands. One that stands where the format does not define it means nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Location {
    Class,
    Field,
    Method,
    Code,
    RecordComponent,
}

/// What decoding an attribute needs to know of its class.
pub(crate) struct Decoder<'a> {
    pub(crate) pool: &'a ConstantPool,
    pub(crate) version: (u16, u16),
    pub(crate) positions: Positions,
}

impl Decoder<'_> {
    /// Before version 45.3, `Code` had smaller fields.
    pub(crate) fn has_old_code(&self) -> bool {
        self.version < (45, 3)
    }

    pub(crate) fn attributes(&mut self, input: &mut Input<'_>, location: Location) -> Read<Vec<Attribute>> {
        input.list(6, |input| self.attribute(input, location))
    }

    fn attribute(&mut self, input: &mut Input<'_>, location: Location) -> Read<Attribute> {
        let name: Utf8Index = input.index(self.pool)?;
        let length = input.u4()? as usize;
        let body = input.part(length)?;
        let text = self.pool.utf8_bytes(name);
        let mut rest = body;
        let content = self.content(text, &mut rest, location).and_then(|content| match content {
            Some(_) => rest.finish().map(|()| content),
            None => Ok(None),
        });
        let reason = match content {
            Ok(Some(content)) => return Ok(Attribute { name, content }),
            Ok(None) => OpaqueReason::Unknown,
            Err(fault) if is_essential(text) => return Err(fault),
            Err(fault) => OpaqueReason::Broken(fault),
        };
        let mut body = body;
        let bytes = body.take(length)?.into();
        Ok(Attribute { name, content: Content::Opaque(Opaque { bytes, reason }) })
    }

    /// The content of the attribute of this name, or none if it is not known at this location.
    fn content(&mut self, name: &[u8], input: &mut Input<'_>, location: Location) -> Read<Option<Content>> {
        let specific = match location {
            Location::Class => self.class_content(name, input)?,
            Location::Field => self.field_content(name, input)?,
            Location::Method => self.method_content(name, input)?,
            Location::Code => return self.code_content(name, input),
            Location::RecordComponent => None,
        };
        match specific {
            None => self.shared_content(name, input, location),
            found => Ok(found),
        }
    }

    fn code_content(&self, name: &[u8], input: &mut Input<'_>) -> Read<Option<Content>> {
        Ok(Some(match name {
            b"LineNumberTable" => Content::LineNumberTable(self.line_numbers(input)?),
            b"LocalVariableTable" => Content::LocalVariableTable(self.local_variables(input)?),
            b"LocalVariableTypeTable" => Content::LocalVariableTypeTable(self.local_variables(input)?),
            b"StackMapTable" => Content::StackMapTable(self.frames(input)?),
            b"RuntimeVisibleTypeAnnotations" => {
                Content::TypeAnnotations(Retention::Visible, self.type_annotations(input, true)?)
            }
            b"RuntimeInvisibleTypeAnnotations" => {
                Content::TypeAnnotations(Retention::Invisible, self.type_annotations(input, true)?)
            }
            b"CharacterRangeTable" => Content::CharacterRangeTable(self.character_ranges(input)?),
            _ => return Ok(None),
        }))
    }

    fn field_content(&self, name: &[u8], input: &mut Input<'_>) -> Read<Option<Content>> {
        Ok(match name {
            b"ConstantValue" => Some(Content::ConstantValue(input.index(self.pool)?)),
            _ => None,
        })
    }

    fn method_content(&mut self, name: &[u8], input: &mut Input<'_>) -> Read<Option<Content>> {
        Ok(Some(match name {
            b"Code" => Content::Code(Box::new(self.code(input)?)),
            b"Exceptions" => Content::Exceptions(input.list(2, |input| input.index(self.pool))?),
            b"MethodParameters" => {
                let count = usize::from(input.u1()?);
                Content::MethodParameters(input.items(count, 4, |input| {
                    let name = input.optional_index(self.pool)?;
                    Ok(MethodParameter { name, access: Access(input.u2()?) })
                })?)
            }
            b"AnnotationDefault" => {
                Content::AnnotationDefault(Box::new(self.element_value(input, MAX_DEPTH)?))
            }
            b"RuntimeVisibleParameterAnnotations" => {
                Content::ParameterAnnotations(Retention::Visible, self.parameter_annotations(input)?)
            }
            b"RuntimeInvisibleParameterAnnotations" => {
                Content::ParameterAnnotations(Retention::Invisible, self.parameter_annotations(input)?)
            }
            _ => return Ok(None),
        }))
    }

    fn class_content(&mut self, name: &[u8], input: &mut Input<'_>) -> Read<Option<Content>> {
        let pool = self.pool;
        Ok(Some(match name {
            b"SourceFile" => Content::SourceFile(input.index(pool)?),
            b"InnerClasses" => Content::InnerClasses(input.list(8, |input| self.inner_class(input))?),
            b"NestHost" => Content::NestHost(input.index(pool)?),
            b"NestMembers" => Content::NestMembers(input.list(2, |input| input.index(pool))?),
            b"BootstrapMethods" => Content::BootstrapMethods(input.list(4, |input| {
                let method = input.index(pool)?;
                Ok(BootstrapMethod { method, arguments: input.list(2, |input| input.index(pool))? })
            })?),
            b"EnclosingMethod" => {
                Content::EnclosingMethod { class: input.index(pool)?, method: input.optional_index(pool)? }
            }
            b"Record" => Content::Record(input.list(6, |input| self.record_component(input))?),
            b"PermittedSubclasses" => Content::PermittedSubclasses(input.list(2, |input| input.index(pool))?),
            b"SourceDebugExtension" => Content::SourceDebugExtension(input.take(input.remaining())?.into()),
            b"Module" => Content::Module(Box::new(self.module(input)?)),
            b"ModulePackages" => Content::ModulePackages(input.list(2, |input| input.index(pool))?),
            b"ModuleMainClass" => Content::ModuleMainClass(input.index(pool)?),
            b"ModuleTarget" => Content::ModuleTarget(input.index(pool)?),
            b"ModuleHashes" => Content::ModuleHashes(Box::new(self.module_hashes(input)?)),
            b"ModuleResolution" => Content::ModuleResolution(input.u2()?),
            b"CompilationID" => Content::CompilationId(input.index(pool)?),
            b"SourceID" => Content::SourceId(input.index(pool)?),
            _ => return Ok(None),
        }))
    }

    /// What may stand at more than one location.
    fn shared_content(
        &self,
        name: &[u8],
        input: &mut Input<'_>,
        location: Location,
    ) -> Read<Option<Content>> {
        Ok(Some(match name {
            b"Signature" => Content::Signature(input.index(self.pool)?),
            b"RuntimeVisibleAnnotations" => {
                Content::Annotations(Retention::Visible, self.annotations(input)?)
            }
            b"RuntimeInvisibleAnnotations" => {
                Content::Annotations(Retention::Invisible, self.annotations(input)?)
            }
            b"RuntimeVisibleTypeAnnotations" => {
                Content::TypeAnnotations(Retention::Visible, self.type_annotations(input, false)?)
            }
            b"RuntimeInvisibleTypeAnnotations" => {
                Content::TypeAnnotations(Retention::Invisible, self.type_annotations(input, false)?)
            }
            b"Deprecated" if location != Location::RecordComponent => Content::Deprecated,
            b"Synthetic" if location != Location::RecordComponent => Content::Synthetic,
            _ => return Ok(None),
        }))
    }

    fn inner_class(&self, input: &mut Input<'_>) -> Read<InnerClass> {
        Ok(InnerClass {
            class: input.index(self.pool)?,
            outer: input.optional_index(self.pool)?,
            name: input.optional_index(self.pool)?,
            access: Access(input.u2()?),
        })
    }

    fn record_component(&mut self, input: &mut Input<'_>) -> Read<RecordComponent> {
        Ok(RecordComponent {
            name: input.index(self.pool)?,
            descriptor: input.index(self.pool)?,
            attributes: self.attributes(input, Location::RecordComponent)?,
        })
    }
}

/// True for attributes without which the class would mean something else. The others describe the class to
/// debuggers, reflection and the verifier: if one of them is broken it is set aside, with the reason.
fn is_essential(name: &[u8]) -> bool {
    matches!(
        name,
        b"ConstantValue"
            | b"Code"
            | b"Exceptions"
            | b"InnerClasses"
            | b"EnclosingMethod"
            | b"BootstrapMethods"
            | b"Module"
            | b"ModulePackages"
            | b"ModuleMainClass"
            | b"NestHost"
            | b"NestMembers"
            | b"Record"
            | b"PermittedSubclasses"
    )
}
