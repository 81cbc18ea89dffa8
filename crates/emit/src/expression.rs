//! Writes values as Java expressions.

use jurat_model::{Action, Conversion, JavaType, LambdaBody, Literal, Obstacle, Primitive, TypeArg, Var};

use crate::body::{Slot, Writer};
use crate::layout::BREAK;
use crate::lints::{self, Lint};
use crate::literal::{self, Width};

/// The most elements an array may be written with; a method's code has its limit.
const MAX_ELEMENTS: usize = 2000;
/// The most units a string may be written with; a class file's constants have their limit.
const MAX_STRING: usize = 10_000;

/// What stands around an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'p> {
    /// Nothing that tells the compiler what type is wanted.
    Bare,
    /// An assertion looks at it, and there is one for each kind of value.
    Asserted,
    /// Nothing at all: what it gives is not used.
    Statement,
    /// A dot follows.
    Receiver,
    /// It initializes a variable of its type.
    Init,
    /// It is passed where `param` is wanted.
    Arg {
        /// The type wanted.
        param: &'p JavaType,
        /// True if the compiler knows that type without looking at the arguments.
        is_fixed: bool,
    },
}

/// How an expression binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A dot may follow.
    Primary,
    /// It begins with a minus sign.
    Negative,
    /// It begins with a cast, or is joined by operators.
    Loose,
    /// A lambda.
    Lambda,
}

/// The text of an expression, and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) text: String,
    /// The type the compiler sees; none for `null`.
    pub(crate) ty: Option<JavaType>,
    pub(crate) form: Form,
    /// How many calls it makes.
    pub(crate) calls: usize,
}

impl Expr {
    /// A name, or anything that reads like one.
    pub(crate) fn name(text: &str, ty: JavaType) -> Self {
        Self { text: text.to_owned(), ty: Some(ty), form: Form::Primary, calls: 0 }
    }

    /// The text with a dot to follow.
    pub(crate) fn primary(&self) -> String {
        if self.form == Form::Primary { self.text.clone() } else { format!("({})", self.text) }
    }
}

impl Writer<'_, '_> {
    /// A value as it is written where it is used.
    pub(crate) fn expr(&mut self, var: Var, place: Place<'_>) -> Result<Expr, Obstacle> {
        match &self.slots[var.index()] {
            Slot::Local(name) => Ok(Expr::name(name, self.types[var.index()].clone())),
            _ => self.made(var, place),
        }
    }

    /// The expression that makes a value.
    pub(crate) fn made(&mut self, var: Var, place: Place<'_>) -> Result<Expr, Obstacle> {
        let sequence = self.sequence;
        let ty = self.types[var.index()].clone();
        match &sequence.statement(var).action {
            Action::Literal(literal) => self.literal(literal, &ty, place),
            Action::Call { inputs, .. } => self.call(var, inputs, place),
            Action::Array { elements } => self.array(&ty, elements),
            Action::Cast { value } => self.cast(*value, ty),
            Action::Lambda(body) => self.lambda(body, ty),
            Action::Mock { .. } => self.mock(&ty),
        }
    }

    /// The text of a type, with the warnings that naming it causes.
    pub(crate) fn type_text(&mut self, ty: &JavaType) -> Result<String, Obstacle> {
        lints::of_type(self.subject, ty, &mut self.lints);
        self.scope.type_text(ty)
    }

    /// A class of `java.lang` or another package that the subject need not know.
    pub(crate) fn library(&mut self, qualified: &str) -> String {
        self.scope.named(qualified)
    }

    fn literal(&mut self, literal: &Literal, ty: &JavaType, place: Place<'_>) -> Result<Expr, Obstacle> {
        if let Literal::Class(named) = literal {
            let text = self.class_literal(named)?;
            return Ok(Expr::name(&text, ty.clone()));
        }
        let width = match place {
            Place::Init if ty.is_primitive() => Width::Wanted,
            Place::Arg { param, is_fixed: true } if *param == JavaType::LONG => Width::Wanted,
            _ => Width::Own,
        };
        let mut expr = self.literal_expr(literal, width)?;
        if let (Place::Receiver, Some(JavaType::Primitive(primitive))) = (place, &expr.ty) {
            let class = self.library(&primitive.box_name().replace('/', "."));
            expr = Expr::name(&format!("{class}.valueOf({})", expr.text), ty.clone());
        }
        if let (Place::Receiver, Literal::Null) = (place, literal) {
            let ty_text = self.type_text(ty)?;
            expr =
                Expr { text: format!("({ty_text}) null"), ty: Some(ty.clone()), form: Form::Loose, calls: 0 };
        }
        Ok(expr)
    }

    /// A literal by itself; class literals are not among them.
    pub(crate) fn literal_expr(&mut self, literal: &Literal, width: Width) -> Result<Expr, Obstacle> {
        if matches!(literal, Literal::String(text) if text.units().len() > MAX_STRING) {
            return Err(Obstacle::TooLarge("a string".into()));
        }
        let scope = &mut *self.scope;
        let mut named = |class: &str| scope.named(&format!("java.lang.{class}"));
        let text = literal::text(literal, width, &mut named).unwrap_or_default();
        let ty = self.literal_type(literal, width);
        let form = if text.starts_with('-') {
            Form::Negative
        } else if text.starts_with('(') || literal::is_joined(&text) {
            Form::Loose
        } else {
            Form::Primary
        };
        Ok(Expr { text, ty, form, calls: 0 })
    }

    /// What the compiler takes a literal for.
    fn literal_type(&self, literal: &Literal, width: Width) -> Option<JavaType> {
        let primitive = match literal {
            Literal::Null => return None,
            Literal::String(_) => return Some(JavaType::class(self.subject.classes().string())),
            Literal::Class(_) => return Some(JavaType::class(self.subject.classes().class_class())),
            Literal::Byte(_) | Literal::Short(_) | Literal::Long(_) if width == Width::Wanted => {
                Primitive::Int
            }
            Literal::Boolean(_) => Primitive::Boolean,
            Literal::Byte(_) => Primitive::Byte,
            Literal::Short(_) => Primitive::Short,
            Literal::Char(_) => Primitive::Char,
            Literal::Int(_) => Primitive::Int,
            Literal::Long(_) => Primitive::Long,
            Literal::Float(_) => Primitive::Float,
            Literal::Double(_) => Primitive::Double,
        };
        Some(JavaType::Primitive(primitive))
    }

    /// `String.class`
    pub(crate) fn class_literal(&mut self, named: &JavaType) -> Result<String, Obstacle> {
        let erased = self.subject.classes().erasure(named);
        erased.each_class(&mut |class| lints::of_class(self.subject, class, &mut self.lints));
        Ok(format!("{}.class", self.scope.type_text(&erased)?))
    }

    fn array(&mut self, ty: &JavaType, elements: &[Var]) -> Result<Expr, Obstacle> {
        if elements.len() > MAX_ELEMENTS {
            return Err(Obstacle::TooLarge("an array".into()));
        }
        let component = ty.component().cloned().unwrap_or_else(|| self.subject.classes().object_type());
        let mut texts = Vec::new();
        let mut calls = 0;
        for element in elements {
            let place = Place::Arg { param: &component, is_fixed: true };
            let written = match (&self.slots[element.index()], &self.sequence.statement(*element).action) {
                (Slot::Inline, Action::Literal(literal)) if component.is_primitive() => {
                    self.literal_expr(literal, Width::Wanted)?
                }
                _ => self.expr(*element, place)?,
            };
            calls += written.calls;
            texts.push(written.text);
        }
        let (text, made) = self.array_text(ty, &texts)?;
        Ok(Expr { text, ty: Some(made), form: Form::Primary, calls })
    }

    /// `new int[] {1, 2}`, and its type. Arrays of parameterized types are made with wildcards and cast.
    pub(crate) fn array_text(
        &mut self,
        ty: &JavaType,
        elements: &[String],
    ) -> Result<(String, JavaType), Obstacle> {
        let (element, dimensions) = ty.element();
        let classes = self.subject.classes();
        let makeable = match element.as_class() {
            Some(class_type) if classes.is_generic(class_type.class) => {
                classes.wildcard_type(class_type.class)
            }
            _ => element.clone(),
        };
        let element_text = self.type_text(&makeable)?;
        let text = if elements.is_empty() {
            format!("new {element_text}[0]{}", "[]".repeat(dimensions - 1))
        } else {
            let list = elements.join(&format!(", {BREAK}"));
            format!("new {element_text}{} {{{BREAK}{list}}}", "[]".repeat(dimensions))
        };
        let made = (0..dimensions).fold(makeable, |ty, _| JavaType::array_of(ty));
        if classes.is_subtype(&made, ty) {
            return Ok((text, made));
        }
        self.lints.insert(Lint::Unchecked);
        let ty_text = self.type_text(ty)?;
        Ok((format!("({ty_text}) {text}"), ty.clone()))
    }

    fn cast(&mut self, value: Var, ty: JavaType) -> Result<Expr, Obstacle> {
        let operand = self.expr(value, Place::Bare)?;
        let Some(given) = operand.ty.clone() else { return self.cast_to(&operand, &ty) };
        if given == ty {
            return Ok(operand);
        }
        let classes = self.subject.classes();
        if given.is_reference() && ty.is_reference() && !classes.is_subtype(&given, &ty) && !is_reifiable(&ty)
        {
            self.lints.insert(Lint::Unchecked);
        }
        if self.casts_directly(&given, &ty) {
            return self.cast_to(&operand, &ty);
        }
        let object = classes.object_type();
        let seen = self.cast_to(&operand, &object)?;
        let ty_text = self.type_text(&ty)?;
        Ok(Expr { text: format!("({ty_text}) {}", seen.text), ty: Some(ty), ..seen })
    }

    /// True if the compiler accepts a cast from one type to the other whatever their type arguments.
    fn casts_directly(&self, given: &JavaType, ty: &JavaType) -> bool {
        if given.is_primitive() || ty.is_primitive() {
            return true;
        }
        let classes = self.subject.classes();
        let (from, to) = (classes.erasure(given), classes.erasure(ty));
        let is_related = classes.is_subtype(&from, &to) || classes.is_subtype(&to, &from);
        is_related && (*given == from || *ty == to || is_reifiable(ty) || classes.is_subtype(given, ty))
    }

    fn lambda(&mut self, body: &LambdaBody, ty: JavaType) -> Result<Expr, Obstacle> {
        let function = self
            .subject
            .classes()
            .function_type(&ty)
            .ok_or_else(|| Obstacle::Misfit(self.subject.classes().show(&ty).into()))?;
        let params = self.names.for_lambda(function.params.len());
        let head = match params.as_slice() {
            [single] => single.clone(),
            several => format!("({})", several.join(", ")),
        };
        let misfit = || Obstacle::Misfit(self.subject.classes().show(&ty).into());
        let result = match body {
            _ if function.result.is_void() => "{}".into(),
            LambdaBody::Gives(None) => return Err(misfit()),
            LambdaBody::Gives(Some(value)) => {
                let place = Place::Arg { param: &function.result, is_fixed: false };
                let given = self.expr(*value, place)?;
                if !self.fits(&given, &function.result) {
                    return Err(misfit());
                }
                given.text
            }
            LambdaBody::Echoes(position) => {
                let position = usize::from(*position);
                let given = function.params.get(position).ok_or_else(misfit)?;
                if !self.subject.classes().converts(given, &function.result, Conversion::BOXING) {
                    return Err(misfit());
                }
                params[position].clone()
            }
        };
        Ok(Expr { text: format!("{head} -> {result}"), ty: Some(ty), form: Form::Lambda, calls: 0 })
    }
}

/// True for types of which arrays can be made: those without type arguments other than `?`.
pub(crate) fn is_reifiable(ty: &JavaType) -> bool {
    !ty.any(&mut |part| match part {
        JavaType::Class(class_type) => class_type.args().iter().any(|arg| *arg != TypeArg::Any),
        _ => false,
    })
}
