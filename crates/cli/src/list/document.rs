//! The list as a JSON document. Field names are stable; docs/list.md explains them.

use jurat_model::{
    Class, ClassId, Constant, JavaType, LeftOut, Nesting, Operation, OperationKind, Subject, TypeVarId,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Listing, text};

/// The whole document.
#[derive(Serialize)]
pub(super) struct Document {
    version: &'static str,
    jdk: JdkEntry,
    class_path: Vec<String>,
    summary: Summary,
    classes: Vec<ClassEntry>,
    operations: Vec<OperationEntry>,
    left_out: Vec<LeftOutEntry>,
}

#[derive(Serialize)]
struct JdkEntry {
    home: String,
    version: String,
}

#[derive(Serialize)]
struct Summary {
    classes: usize,
    operations: usize,
    callable: usize,
    left_out: usize,
}

#[derive(Serialize)]
struct ClassEntry {
    name: String,
    binary_name: String,
    package: String,
    module: Option<String>,
    source: Option<String>,
    kind: &'static str,
    visibility: &'static str,
    modifiers: Vec<&'static str>,
    nesting: &'static str,
    outer: Option<String>,
    deprecated: bool,
    type_parameters: Vec<TypeParameterEntry>,
    superclass: Option<String>,
    interfaces: Vec<String>,
    permitted: Vec<String>,
    enum_constants: Vec<String>,
    record_components: Vec<TypedName>,
    functional_method: Option<FunctionalEntry>,
    predicates: Vec<String>,
    implementations: Vec<String>,
    constants: Vec<ConstantEntry>,
}

#[derive(Serialize)]
struct TypeParameterEntry {
    name: String,
    bounds: Vec<String>,
}

#[derive(Serialize)]
struct TypedName {
    name: Option<String>,
    #[serde(rename = "type")]
    ty: String,
}

#[derive(Serialize)]
struct FunctionalEntry {
    name: String,
    descriptor: String,
    parameters: Vec<String>,
    result: String,
}

#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the document")]
struct OperationEntry {
    class: String,
    kind: &'static str,
    name: String,
    descriptor: String,
    visibility: &'static str,
    #[serde(rename = "static")]
    is_static: bool,
    type_parameters: Vec<TypeParameterEntry>,
    receiver: Option<String>,
    parameters: Vec<TypedName>,
    result: String,
    throws: Vec<String>,
    varargs: bool,
    deprecated: bool,
    native: bool,
    #[serde(rename = "abstract")]
    is_abstract: bool,
    caller_sensitive: bool,
    test_package: String,
    call: Option<String>,
    obstacle: Option<String>,
    constants: Vec<ConstantEntry>,
}

#[derive(Serialize)]
struct ConstantEntry {
    #[serde(rename = "type")]
    ty: &'static str,
    value: Value,
}

#[derive(Serialize)]
struct LeftOutEntry {
    what: String,
    reason: &'static str,
    detail: Option<String>,
    text: String,
}

impl Document {
    pub(super) fn of(listing: &Listing<'_>) -> Self {
        let subject = listing.subject;
        let classes: Vec<ClassEntry> = subject.under_test().map(|id| class_entry(listing, id)).collect();
        let operations: Vec<OperationEntry> =
            subject.operations_under_test().map(|operation| operation_entry(listing, operation)).collect();
        let left_out: Vec<LeftOutEntry> = subject.left_out().iter().map(left_out_entry).collect();
        Self {
            version: env!("CARGO_PKG_VERSION"),
            jdk: JdkEntry {
                home: listing.jdk.home.display().to_string(),
                version: listing.jdk.version.clone(),
            },
            class_path: listing.sources(),
            summary: Summary {
                classes: classes.len(),
                operations: operations.len(),
                callable: operations.iter().filter(|operation| operation.call.is_some()).count(),
                left_out: left_out.len(),
            },
            classes,
            operations,
            left_out,
        }
    }
}

fn class_entry(listing: &Listing<'_>, id: ClassId) -> ClassEntry {
    let subject = listing.subject;
    let class = &subject[id];
    let names = |ids: &[ClassId]| ids.iter().map(|id| subject[*id].source_name.to_string()).collect();
    ClassEntry {
        name: class.source_name.to_string(),
        binary_name: class.internal_name.to_string(),
        package: class.package.to_string(),
        module: class.module.as_ref().map(ToString::to_string),
        source: listing.class_path.source(&class.internal_name).map(ToString::to_string),
        kind: class.kind.word(),
        visibility: class.visibility.word(),
        modifiers: text::modifiers(class),
        nesting: nesting(class),
        outer: class.outer.map(|outer| subject[outer].source_name.to_string()),
        deprecated: class.is_deprecated,
        type_parameters: type_parameters(subject, &class.type_params),
        superclass: class.superclass.as_ref().map(|ty| subject.classes().show(ty)),
        interfaces: shown(subject, &class.interfaces),
        permitted: names(&class.permitted),
        enum_constants: class.enum_constants.iter().map(ToString::to_string).collect(),
        record_components: class
            .record_components
            .iter()
            .map(|component| TypedName {
                name: Some(component.name.to_string()),
                ty: subject.classes().show(&component.ty),
            })
            .collect(),
        functional_method: class.functional.as_ref().map(|method| FunctionalEntry {
            name: method.name.to_string(),
            descriptor: method.descriptor.to_string(),
            parameters: shown(subject, &method.params),
            result: subject.classes().show(&method.result),
        }),
        predicates: class.predicates.iter().map(|id| subject[*id].name.to_string()).collect(),
        implementations: names(&class.implementations),
        constants: constants(subject, &class.constants),
    }
}

fn nesting(class: &Class) -> &'static str {
    match class.nesting {
        Nesting::TopLevel => "top-level",
        Nesting::Static => "static",
        Nesting::Inner => "inner",
        Nesting::Local => "local",
        Nesting::Anonymous => "anonymous",
    }
}

fn operation_entry(listing: &Listing<'_>, operation: &Operation) -> OperationEntry {
    let subject = listing.subject;
    let test_package = listing.test_package(operation.owner);
    let call = subject.sketch(operation.id, &test_package);
    let parameters = operation.params.iter().enumerate().map(|(position, ty)| TypedName {
        name: operation.param_names.get(position).map(ToString::to_string),
        ty: subject.classes().show(ty),
    });
    OperationEntry {
        class: subject[operation.owner].source_name.to_string(),
        kind: operation.kind.word(),
        name: operation.name.to_string(),
        descriptor: operation.descriptor.to_string(),
        visibility: operation.visibility.word(),
        is_static: is_static(operation.kind),
        type_parameters: type_parameters(subject, &operation.type_params),
        receiver: operation.receiver.as_ref().map(|ty| subject.classes().show(ty)),
        parameters: parameters.collect(),
        result: subject.classes().show(&operation.result),
        throws: shown(subject, &operation.throws),
        varargs: operation.is_varargs,
        deprecated: operation.is_deprecated,
        native: operation.is_native,
        is_abstract: operation.is_abstract,
        caller_sensitive: operation.is_caller_sensitive,
        test_package,
        obstacle: call.as_ref().err().map(ToString::to_string),
        call: call.ok(),
        constants: constants(subject, &operation.constants),
    }
}

fn is_static(kind: OperationKind) -> bool {
    !kind.has_receiver() && kind != OperationKind::Constructor
}

fn shown(subject: &Subject, types: &[JavaType]) -> Vec<String> {
    types.iter().map(|ty| subject.classes().show(ty)).collect()
}

fn type_parameters(subject: &Subject, variables: &[TypeVarId]) -> Vec<TypeParameterEntry> {
    variables
        .iter()
        .map(|variable| &subject.classes()[*variable])
        .map(|variable| TypeParameterEntry {
            name: variable.name.to_string(),
            bounds: shown(subject, &variable.bounds),
        })
        .collect()
}

fn constants(subject: &Subject, constants: &[Constant]) -> Vec<ConstantEntry> {
    constants.iter().map(|constant| constant_entry(subject, constant)).collect()
}

fn constant_entry(subject: &Subject, constant: &Constant) -> ConstantEntry {
    let (ty, value) = match constant {
        Constant::Int(value) => ("int", json!(value)),
        Constant::Long(value) => ("long", json!(value)),
        Constant::Float(bits) => ("float", number(f64::from(f32::from_bits(*bits)))),
        Constant::Double(bits) => ("double", number(f64::from_bits(*bits))),
        Constant::String(text) => ("string", json!(text.to_string())),
        Constant::Class(ty) => ("class", json!(subject.classes().show(ty))),
    };
    ConstantEntry { ty, value }
}

/// JSON has no NaN and no infinities; they are strings.
fn number(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string()) }
}

fn left_out_entry(left_out: &LeftOut) -> LeftOutEntry {
    LeftOutEntry {
        what: left_out.what.to_string(),
        reason: left_out.reason.key(),
        detail: left_out.reason.detail().map(str::to_owned),
        text: left_out.reason.to_string(),
    }
}
