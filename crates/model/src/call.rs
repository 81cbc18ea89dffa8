//! The Java text that calls an operation.

use crate::access::Obstacle;
use crate::instance::Instance;
use crate::name_scope::NameScope;
use crate::operation::{OpId, Operation, OperationKind};
use crate::subject::Subject;
use crate::types::{JavaType, TypeArg};

/// How much the text says about type arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallStyle {
    /// Left to the compiler: `new ArrayList<>()`, `Collections.emptyList()`. Right where the result
    /// is assigned to a declared variable.
    #[default]
    Inferred,
    /// Written out: `new ArrayList<String>()`, `Collections.<String>emptyList()`. Needed where the
    /// call is a receiver or an argument.
    Explicit,
}

/// A call to print.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// What is called, with its types.
    pub instance: &'a Instance,
    /// The text of the receiver: something a dot can follow.
    pub receiver: Option<&'a str>,
    /// The texts of the arguments.
    pub args: &'a [&'a str],
    /// How much to say about type arguments.
    pub style: CallStyle,
}

impl Subject {
    /// The expression (for field writes, the assignment) that performs the call, or why code in
    /// the scope's package cannot.
    pub fn call_text(&self, scope: &mut NameScope<'_>, call: &Call<'_>) -> Result<String, Obstacle> {
        let instance = call.instance;
        let operation = &self[instance.operation];
        self.check_operation(operation.id, scope.package())?;
        if let Some(rival) = self.rival(instance) {
            return Err(Obstacle::Ambiguous(self.member_name(&self[rival])));
        }
        let args = call.args.join(", ");
        let name = &operation.name;
        match operation.kind {
            OperationKind::Constructor => self.new_text(scope, call, &args),
            OperationKind::StaticMethod | OperationKind::InstanceMethod | OperationKind::RecordAccessor => {
                let target = self.target_text(scope, operation, call)?;
                let type_args = method_args(scope, operation, call)?;
                Ok(format!("{target}.{type_args}{name}({args})"))
            }
            OperationKind::StaticGet | OperationKind::InstanceGet | OperationKind::EnumConstant => {
                Ok(format!("{}.{name}", self.target_text(scope, operation, call)?))
            }
            OperationKind::StaticSet | OperationKind::InstanceSet => {
                Ok(format!("{}.{name} = {args}", self.target_text(scope, operation, call)?))
            }
        }
    }

    /// What stands before the dot: the receiver, or the class for statics.
    fn target_text(
        &self,
        scope: &mut NameScope<'_>,
        operation: &Operation,
        call: &Call<'_>,
    ) -> Result<String, Obstacle> {
        match call.receiver {
            Some(receiver) if operation.kind.has_receiver() => Ok(receiver.to_owned()),
            _ => {
                let through = self.through(operation.id, scope.package())?;
                scope.class_text(through)
            }
        }
    }

    fn new_text(&self, scope: &mut NameScope<'_>, call: &Call<'_>, args: &str) -> Result<String, Obstacle> {
        let operation = &self[call.instance.operation];
        let owner = &self.classes()[operation.owner];
        let class_args = call.instance.result.as_class().map(crate::ClassType::args).unwrap_or_default();
        let is_explicit = || {
            call.style == CallStyle::Explicit
                || !operation.type_params.is_empty()
                || self.is_misread_with_diamond(call.instance)
        };
        let type_args = match class_args {
            [] => String::new(),
            args if is_explicit() => scope.args_text(args)?,
            _ => "<>".into(),
        };
        let own_args = method_args(scope, operation, call)?;
        match call.receiver {
            Some(outer) if owner.needs_outer() => {
                Ok(format!("{outer}.new {own_args}{}{type_args}({args})", owner.simple_name))
            }
            _ => Ok(format!("new {own_args}{}{type_args}({args})", scope.class_text(operation.owner)?)),
        }
    }

    /// The call as a sketch, with the parameters' names or types for arguments: what `jurat list`
    /// shows. Fails with the reason why code in `package` cannot call it.
    pub fn sketch(&self, operation: OpId, package: &str) -> Result<String, Obstacle> {
        self.check_operation(operation, package)?;
        let operation = &self[operation];
        let through = &self.classes()[self.through(operation.id, package)?];
        let args = self.sketch_args(operation);
        let receiver = decapitalized(&through.simple_name);
        let name = &operation.name;
        let diamond = if self.classes()[operation.owner].type_params.is_empty() { "" } else { "<>" };
        Ok(match operation.kind {
            OperationKind::Constructor if operation.receiver.is_some() => {
                format!("outer.new {}{diamond}({args})", through.simple_name)
            }
            OperationKind::Constructor => format!("new {}{diamond}({args})", nested_name(through)),
            OperationKind::StaticMethod => format!("{}.{name}({args})", nested_name(through)),
            OperationKind::InstanceMethod | OperationKind::RecordAccessor => {
                format!("{receiver}.{name}({args})")
            }
            OperationKind::StaticGet | OperationKind::EnumConstant => {
                format!("{}.{name}", nested_name(through))
            }
            OperationKind::InstanceGet => format!("{receiver}.{name}"),
            OperationKind::StaticSet => format!("{}.{name} = {args}", nested_name(through)),
            OperationKind::InstanceSet => format!("{receiver}.{name} = {args}"),
        })
    }

    fn sketch_args(&self, operation: &Operation) -> String {
        let named = operation.param_names.len() == operation.params.len();
        let arg = |(position, ty): (usize, &JavaType)| {
            if named { operation.param_names[position].to_string() } else { self.argument_name(ty) }
        };
        operation.params.iter().enumerate().map(arg).collect::<Vec<_>>().join(", ")
    }

    /// A name for an argument of which only the type is known.
    fn argument_name(&self, ty: &JavaType) -> String {
        let (element, dimensions) = ty.element();
        let base = match element {
            JavaType::Primitive(primitive) => primitive.keyword().to_owned(),
            JavaType::Variable(variable) => decapitalized(&self.classes()[*variable].name),
            JavaType::Class(class_type) => decapitalized(&self.classes()[class_type.class].simple_name),
            _ => "value".into(),
        };
        if dimensions > 0 { format!("{base}Array") } else { base }
    }
}

fn method_args(
    scope: &mut NameScope<'_>,
    operation: &Operation,
    call: &Call<'_>,
) -> Result<String, Obstacle> {
    let explicit = call.style == CallStyle::Explicit || operation.is_constructor();
    if operation.type_params.is_empty() || !explicit {
        return Ok(String::new());
    }
    let chosen: Option<Vec<TypeArg>> =
        operation.type_params.iter().map(|param| call.instance.chosen.get(*param).cloned()).collect();
    // Erased members have no type arguments to write.
    chosen.map_or_else(|| Ok(String::new()), |args| scope.args_text(&args))
}

/// `Map.Entry` for `java.util.Map.Entry`.
fn nested_name(class: &crate::class::Class) -> &str {
    class
        .source_name
        .strip_prefix(&*class.package)
        .map_or(&*class.source_name, |name| name.trim_start_matches('.'))
}

fn decapitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
