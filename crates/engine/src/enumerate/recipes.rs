//! Structures as recipes: the objects first, then the fields they are told apart by.

use jurat_classfile::{Access, ClassFile, Insn};
use jurat_emit::structures::{Recipe, Step, Term};
use jurat_exhaustive::{FieldType, Part, Primitive, Scalar, Structure, Value};
use jurat_model::Literal;

use super::Target;

/// How a structure is made by writing its fields; none if two fields of one object share a name, because tests find
/// fields by name.
pub(super) fn recipe(target: &Target, structure: &Structure) -> Option<Recipe> {
    let mut recipe = Recipe { text: structure.to_string(), ..Recipe::default() };
    for part in &structure.objects {
        let step = object(target, structure, part)?;
        recipe.steps.push(step);
    }
    for (position, part) in structure.objects.iter().enumerate() {
        outer(target, structure, part, position, &mut recipe.steps);
        let fresh = holds_zeros(target, &slashed(&part.class));
        for (index, field) in (0..).zip(&part.fields) {
            let value = term(structure, &field.value);
            match &field.field {
                Some(known) if fresh && is_zero(&value, &known.ty) => {}
                Some(known) => recipe.steps.push(Step::Set {
                    object: position,
                    class: slashed(&known.declared_in),
                    field: known.name.clone(),
                    descriptor: known.ty.descriptor(),
                    value,
                }),
                None if matches!(value, Term::Made(_)) => {
                    recipe.steps.push(Step::Store { array: position, index, value });
                }
                None => {}
            }
        }
    }
    Some(recipe)
}

fn object(target: &Target, structure: &Structure, part: &Part) -> Option<Step> {
    if let Some(element) = part.class.strip_suffix("[]") {
        let value = |value: &Value| match term(structure, value) {
            Term::Made(_) => Term::Null,
            other => other,
        };
        let elements = part.fields.iter().map(|field| value(&field.value)).collect();
        return Some(Step::Array { element: FieldType::from_java(element).descriptor(), elements });
    }
    let mut names: Vec<&str> = part.fields.iter().map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let class = slashed(&part.class);
    let known = target.classes.get(&class);
    let has_constructor = known.is_none_or(|known| known.method("<init>", "()V").is_some());
    Some(if has_constructor {
        Step::New { class, descriptor: "()V".to_owned(), args: Vec::new() }
    } else {
        Step::Allocate { class }
    })
}

/// Gives an object of an inner class the first object of the class around it, as workers do.
fn outer(target: &Target, structure: &Structure, part: &Part, object: usize, steps: &mut Vec<Step>) {
    let Some((outer, _)) = part.class.rsplit_once('$') else { return };
    let class = slashed(&part.class);
    let Some(known) = target.classes.get(&class) else { return };
    let descriptor = FieldType::Class(outer.to_owned()).descriptor();
    let is_outer = |field: &&jurat_classfile::Field| {
        known.pool.utf8(field.name) == "this$0" && known.pool.utf8(field.descriptor) == descriptor
    };
    let Some(around) = structure.objects.iter().position(|part| part.class == outer) else { return };
    if known.fields.iter().any(|field| is_outer(&field)) {
        let (field, value) = ("this$0".to_owned(), Term::Made(around));
        steps.push(Step::Set { object, class, field, descriptor, value });
    }
}

/// Whether a new object's fields are all zero or null: no constructor is run, or none that does anything.
fn holds_zeros(target: &Target, class: &str) -> bool {
    let chain = target.chain(class);
    let inherits_object = chain
        .last()
        .is_some_and(|class: &&ClassFile| class.super_name().as_deref() == Some("java/lang/Object"));
    let does_nothing = |class: &&ClassFile| {
        class.method("<init>", "()V").is_none_or(|constructor| {
            let code = constructor.code();
            code.is_some_and(|code| {
                let real =
                    code.insns.iter().filter(|insn| !matches!(insn, Insn::Op(jurat_classfile::Op::Nop)));
                real.count() <= 3
            })
        })
    };
    // Without a constructor of its own an object is made without any.
    let is_allocated = chain.first().is_some_and(|class| class.method("<init>", "()V").is_none());
    inherits_object && (is_allocated || chain.iter().all(does_nothing))
}

/// Whether a field that nobody wrote holds the value. A boxed zero is an object like others.
fn is_zero(value: &Term, ty: &FieldType) -> bool {
    match value {
        Term::Null => true,
        Term::Literal(literal) if matches!(ty, FieldType::Primitive(_)) => matches!(
            literal,
            Literal::Boolean(false)
                | Literal::Byte(0)
                | Literal::Short(0)
                | Literal::Char(0)
                | Literal::Int(0)
                | Literal::Long(0)
                | Literal::Float(0)
                | Literal::Double(0)
        ),
        _ => false,
    }
}

/// A value of a structure as a recipe writes it.
fn term(structure: &Structure, value: &Value) -> Term {
    match value {
        Value::Object(object) => {
            let position = structure.objects.iter().position(|part| part.object == *object);
            position.map_or(Term::Null, Term::Made)
        }
        other => plain_term(other),
    }
}

/// A value that is no object of a structure.
pub(super) fn plain_term(value: &Value) -> Term {
    match value {
        Value::Null | Value::Object(_) => Term::Null,
        Value::Scalar(scalar) => Term::Literal(literal(*scalar)),
        Value::Text(text) => Term::Literal(Literal::String(text.as_str().into())),
        Value::Constant { class, name } => Term::Constant(slashed(class), name.clone()),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bounds keep numbers within the limits of their type"
)]
fn literal(scalar: Scalar) -> Literal {
    match scalar {
        Scalar::Truth(truth) => Literal::Boolean(truth),
        Scalar::Floating(Primitive::Float, number) => Literal::Float((number as f32).to_bits()),
        Scalar::Floating(_, number) => Literal::Double(number.to_bits()),
        Scalar::Whole(primitive, number) => match primitive {
            Primitive::Byte => Literal::Byte(number as i8),
            Primitive::Short => Literal::Short(number as i16),
            Primitive::Char => Literal::Char(number as u16),
            Primitive::Long => Literal::Long(number),
            _ => Literal::Int(number as i32),
        },
    }
}

/// Whether code of the tests' package may use a member: not private; package-private only in the same package.
pub(super) fn is_reachable(access: Access, same_package: bool) -> bool {
    access.contains(Access::PUBLIC) || same_package && !access.contains(Access::PRIVATE)
}

pub(super) fn slashed(name: &str) -> String {
    name.replace('.', "/")
}
