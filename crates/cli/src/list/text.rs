//! Classes, operations and constants as a person would write them.

use std::fmt::Write;

use jurat_model::{
    Class, ClassId, ClassKind, ClassType, Constant, FunctionalMethod, JavaString, JavaType, Nesting,
    Operation, OperationKind, Subject, TypeArg, TypeVarId, Visibility,
};

/// A type without package names: `Map.Entry<K, V>`.
pub(super) fn short(subject: &Subject, ty: &JavaType) -> String {
    match ty {
        JavaType::Void => "void".into(),
        JavaType::Primitive(primitive) => primitive.keyword().into(),
        JavaType::Array(component) => format!("{}[]", short(subject, component)),
        JavaType::Variable(variable) => subject.classes()[*variable].name.to_string(),
        JavaType::Class(class_type) => short_class(subject, class_type),
    }
}

fn short_class(subject: &Subject, class_type: &ClassType) -> String {
    let class = &subject[class_type.class];
    let name = match class_type.outer() {
        Some(outer) => format!("{}.{}", short_class(subject, outer), class.simple_name),
        None => nested_name(class).to_owned(),
    };
    let args: Vec<String> = class_type.args().iter().map(|arg| short_arg(subject, arg)).collect();
    if args.is_empty() { name } else { format!("{name}<{}>", args.join(", ")) }
}

fn short_arg(subject: &Subject, arg: &TypeArg) -> String {
    match arg {
        TypeArg::Any => "?".into(),
        TypeArg::Exact(ty) => short(subject, ty),
        TypeArg::Extends(ty) => format!("? extends {}", short(subject, ty)),
        TypeArg::Super(ty) => format!("? super {}", short(subject, ty)),
    }
}

/// The name without its package: `Map.Entry`.
pub(super) fn nested_name(class: &Class) -> &str {
    match class.source_name.strip_prefix(&*class.package) {
        Some(name) if !class.package.is_empty() => name.trim_start_matches('.'),
        _ => &class.source_name,
    }
}

/// `T extends Comparable<T> & Cloneable`
pub(super) fn type_param(subject: &Subject, variable: TypeVarId) -> String {
    let declared = &subject.classes()[variable];
    let object = subject.classes().object_type();
    let bounds: Vec<String> =
        declared.bounds.iter().filter(|bound| **bound != object).map(|bound| short(subject, bound)).collect();
    if bounds.is_empty() {
        declared.name.to_string()
    } else {
        format!("{} extends {}", declared.name, bounds.join(" & "))
    }
}

fn type_params(subject: &Subject, variables: &[TypeVarId]) -> String {
    let params: Vec<String> = variables.iter().map(|variable| type_param(subject, *variable)).collect();
    if params.is_empty() { String::new() } else { format!("<{}>", params.join(", ")) }
}

/// The words before a class's name, as the language orders them.
pub(super) fn modifiers(class: &Class) -> Vec<&'static str> {
    let mut words = Vec::new();
    if class.visibility != Visibility::Package {
        words.push(class.visibility.word());
    }
    let plain = class.kind == ClassKind::Class;
    let flags = [
        (class.nesting == Nesting::Static && plain, "static"),
        (class.is_abstract && plain, "abstract"),
        (class.is_final && plain, "final"),
        (class.is_sealed, "sealed"),
    ];
    words.extend(flags.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word));
    words
}

/// A class as its declaration begins.
pub(super) fn declaration(subject: &Subject, id: ClassId) -> String {
    let class = &subject[id];
    let mut text = modifiers(class).join(" ");
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(class.kind.word());
    text.push(' ');
    text.push_str(nested_name(class));
    text.push_str(&type_params(subject, &class.type_params));
    if class.kind == ClassKind::Record {
        let components: Vec<String> = class
            .record_components
            .iter()
            .map(|component| format!("{} {}", short(subject, &component.ty), component.name))
            .collect();
        let _ = write!(text, "({})", components.join(", "));
    }
    let implied = ["java.lang.Object", "java.lang.Enum", "java.lang.Record"];
    if let Some(superclass) = &class.superclass
        && let Some(above) = superclass.class_id()
        && !implied.contains(&&*subject[above].source_name)
    {
        text.push_str(" extends ");
        text.push_str(&short(subject, superclass));
    }
    if !class.interfaces.is_empty() {
        let interfaces: Vec<String> = class.interfaces.iter().map(|ty| short(subject, ty)).collect();
        text.push_str(if class.is_interface() { " extends " } else { " implements " });
        text.push_str(&interfaces.join(", "));
    }
    text
}

/// An operation as its declaration reads; writes are shown as assignments.
pub(super) fn operation(subject: &Subject, operation: &Operation) -> String {
    let mut text = String::new();
    text.push_str(match operation.visibility {
        Visibility::Public => "",
        Visibility::Protected => "protected ",
        // Java has no word for it.
        Visibility::Package => "package-private ",
        Visibility::Private => "private ",
    });
    let is_static = matches!(
        operation.kind,
        OperationKind::StaticMethod | OperationKind::StaticGet | OperationKind::StaticSet
    );
    if is_static {
        text.push_str("static ");
    }
    let own = type_params(subject, &operation.type_params);
    if !own.is_empty() {
        text.push_str(&own);
        text.push(' ');
    }
    let name = &operation.name;
    let result = short(subject, &operation.result);
    match operation.kind {
        OperationKind::Constructor => {
            let simple = &subject[operation.owner].simple_name;
            let _ = write!(text, "{simple}({})", parameters(subject, operation));
        }
        kind if kind.is_method() => {
            let _ = write!(text, "{result} {name}({})", parameters(subject, operation));
        }
        OperationKind::EnumConstant => text.push_str(name),
        kind if kind.is_set() => {
            let ty = operation.params.first().map(|ty| short(subject, ty)).unwrap_or_default();
            let _ = write!(text, "{name} = {ty}");
        }
        _ => {
            let _ = write!(text, "{result} {name}");
        }
    }
    if !operation.throws.is_empty() {
        let thrown: Vec<String> = operation.throws.iter().map(|ty| short(subject, ty)).collect();
        let _ = write!(text, " throws {}", thrown.join(", "));
    }
    text
}

fn parameters(subject: &Subject, operation: &Operation) -> String {
    let last = operation.params.len().saturating_sub(1);
    let parameter = |(position, ty): (usize, &JavaType)| {
        let ty = match ty.component() {
            Some(component) if operation.is_varargs && position == last => {
                format!("{}...", short(subject, component))
            }
            _ => short(subject, ty),
        };
        match operation.param_names.get(position) {
            Some(name) => format!("{ty} {name}"),
            None => ty,
        }
    };
    operation.params.iter().enumerate().map(parameter).collect::<Vec<_>>().join(", ")
}

/// `R apply(T)`
pub(super) fn functional(subject: &Subject, method: &FunctionalMethod) -> String {
    let params: Vec<String> = method.params.iter().map(|ty| short(subject, ty)).collect();
    format!("{} {}({})", short(subject, &method.result), method.name, params.join(", "))
}

/// A constant as a literal.
pub(super) fn constant(subject: &Subject, constant: &Constant) -> String {
    match constant {
        Constant::Int(value) => value.to_string(),
        Constant::Long(value) => format!("{value}L"),
        Constant::Float(bits) => format!("{:?}f", f32::from_bits(*bits)),
        Constant::Double(bits) => format!("{:?}", f64::from_bits(*bits)),
        Constant::String(text) => quoted(text),
        Constant::Class(ty) => format!("{}.class", short(subject, ty)),
    }
}

/// Longer strings are cut: this is a list, not a dump.
const LONGEST_STRING: usize = 40;

fn quoted(text: &JavaString) -> String {
    let text = text.to_string();
    let mut shown: String = text.chars().take(LONGEST_STRING).flat_map(char::escape_default).collect();
    if text.chars().count() > LONGEST_STRING {
        shown.push('…');
    }
    format!("\"{shown}\"")
}
