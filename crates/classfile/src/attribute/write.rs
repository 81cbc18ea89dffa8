//! Encodes attributes.

use super::{Attribute, BootstrapMethod, Content, InnerClass, MethodParameter};
use crate::code::CodeWriter;
use crate::output::{Output, Written};

/// What encoding an attribute needs to know of its class.
pub(crate) struct Encoder {
    /// True before version 45.3, when `Code` had smaller fields.
    pub(crate) old_code: bool,
    pub(crate) code: CodeWriter,
}

impl Encoder {
    pub(crate) fn attributes(&mut self, output: &mut Output, attributes: &[Attribute]) -> Written {
        output.list(attributes, "attributes", |output, attribute| {
            output.index(attribute.name);
            output.sized(|output| self.content(output, &attribute.content))
        })
    }

    fn content(&mut self, output: &mut Output, content: &Content) -> Written {
        match content {
            Content::Code(code) => {
                let written = self.code(output, code);
                // Labels mean nothing outside the code.
                self.code.clear();
                written
            }
            Content::StackMapTable(frames) => self.code.frames(output, frames),
            Content::LineNumberTable(lines) => self.code.line_numbers(output, lines),
            Content::LocalVariableTable(variables) | Content::LocalVariableTypeTable(variables) => {
                self.code.local_variables(output, variables)
            }
            Content::CharacterRangeTable(ranges) => self.code.character_ranges(output, ranges),
            Content::Annotations(_, annotations) => Self::annotations(output, annotations),
            Content::ParameterAnnotations(_, parameters) => Self::parameter_annotations(output, parameters),
            Content::TypeAnnotations(_, annotations) => self.type_annotations(output, annotations),
            Content::AnnotationDefault(value) => Self::element_value(output, value),
            Content::Record(components) => {
                output.list(components, "record components", |output, component| {
                    output.index(component.name);
                    output.index(component.descriptor);
                    self.attributes(output, &component.attributes)
                })
            }
            Content::Module(module) => Self::module(output, module),
            Content::ModuleHashes(hashes) => Self::module_hashes(output, hashes),
            _ => plain_content(output, content),
        }
    }
}

/// Content that consists of indices, numbers and bytes only.
fn plain_content(output: &mut Output, content: &Content) -> Written {
    match content {
        Content::ConstantValue(constant) => output.index(*constant),
        Content::Exceptions(classes) => return output.indices(classes, "exceptions"),
        Content::InnerClasses(classes) => return inner_classes(output, classes),
        Content::EnclosingMethod { class, method } => {
            output.index(*class);
            output.optional_index(*method);
        }
        Content::Signature(text)
        | Content::SourceFile(text)
        | Content::ModuleTarget(text)
        | Content::CompilationId(text)
        | Content::SourceId(text) => output.index(*text),
        Content::SourceDebugExtension(bytes) => output.raw(bytes),
        Content::BootstrapMethods(methods) => {
            return output.list(methods, "bootstrap methods", bootstrap_method);
        }
        Content::MethodParameters(parameters) => return method_parameters(output, parameters),
        Content::ModulePackages(packages) => return output.indices(packages, "packages"),
        Content::ModuleMainClass(class) | Content::NestHost(class) => output.index(*class),
        Content::ModuleResolution(flags) => output.u2(*flags),
        Content::NestMembers(classes) => return output.indices(classes, "nest members"),
        Content::PermittedSubclasses(classes) => return output.indices(classes, "permitted subclasses"),
        Content::Opaque(opaque) => output.raw(&opaque.bytes),
        // The rest has either no content or was written by the caller.
        _ => {}
    }
    Ok(())
}

fn inner_classes(output: &mut Output, classes: &[InnerClass]) -> Written {
    output.list(classes, "inner classes", |output, inner| {
        output.index(inner.class);
        output.optional_index(inner.outer);
        output.optional_index(inner.name);
        output.u2(inner.access.0);
        Ok(())
    })
}

fn bootstrap_method(output: &mut Output, method: &BootstrapMethod) -> Written {
    output.index(method.method);
    output.indices(&method.arguments, "bootstrap arguments")
}

fn method_parameters(output: &mut Output, parameters: &[MethodParameter]) -> Written {
    output.small_count(parameters.len(), "method parameters")?;
    for parameter in parameters {
        output.optional_index(parameter.name);
        output.u2(parameter.access.0);
    }
    Ok(())
}
