//! Writes mocks with Mockito.

use jurat_model::{Answer, JavaType, Obstacle, Primitive, Var};

use crate::aid::Aid;
use crate::body::{Slot, Writer};
use crate::expression::{Expr, Form, Place};
use crate::layout::BREAK;
use crate::lints::{self, Lint};

const MOCKITO: &str = "org.mockito.Mockito";
const MATCHERS: &str = "org.mockito.ArgumentMatchers";

impl Writer<'_, '_> {
    /// `mock(Clock.class, this::unplanned)`
    pub(crate) fn mock(&mut self, ty: &JavaType) -> Result<Expr, Obstacle> {
        if self.subject.classes().erasure(ty) != *ty {
            self.lints.insert(Lint::Unchecked);
        }
        let class = self.class_literal(ty)?;
        self.out.statics.insert((MOCKITO, "mock"));
        self.out.aids.insert(Aid::Unplanned);
        Ok(Expr {
            text: format!("mock({class}, {BREAK}this::unplanned)"),
            ty: Some(ty.clone()),
            form: Form::Primary,
            calls: 1,
        })
    }

    /// Declares a mock and says what it answers.
    pub(crate) fn declare_mock(&mut self, var: Var, answers: &[Answer]) -> Result<(), Obstacle> {
        let ty = self.types[var.index()].clone();
        let made = self.mock(&ty)?.text;
        let type_text = self.type_text(&ty)?;
        let name = self.names.take(&self.wanted_name(var));
        self.slots[var.index()] = Slot::Local(name.clone());
        self.push(format!("{type_text} {name} = {BREAK}{made};"), true, None);
        for answer in answers.iter().filter(|answer| !answer.values.is_empty()) {
            self.answer(&name, &ty, answer)?;
        }
        Ok(())
    }

    fn answer(&mut self, name: &str, ty: &JavaType, answer: &Answer) -> Result<(), Obstacle> {
        let subject = self.subject;
        let operation = &subject[answer.op];
        let misfit = || Obstacle::Misfit(subject.member_name(operation));
        let demand = jurat_model::Demand {
            receiver: Some(ty),
            package: Some(self.scope.package()),
            ..jurat_model::Demand::default()
        };
        let instance = subject.instantiate(answer.op, &demand).ok_or_else(misfit)?;
        if instance.result.is_void() {
            return Ok(());
        }
        lints::of_call(subject, &instance, Some(ty), &mut self.lints);
        self.note_exceptions(&instance.throws);
        let is_overloaded = !subject.overloads(&instance).is_empty();
        let mut matchers = Vec::new();
        for (position, param) in instance.params.iter().enumerate() {
            let is_several = operation.is_varargs && position + 1 == instance.params.len();
            // Since Mockito 5, `any()` stands for exactly one of several; an array of them stands for all, unless it is null.
            matchers.push(if is_several {
                self.out.statics.insert((MATCHERS, "any"));
                format!("any({})", self.class_literal(param)?)
            } else {
                self.matcher(param, is_overloaded)?
            });
        }
        let matchers: Vec<&str> = matchers.iter().map(String::as_str).collect();
        let receiver = format!("when({name})");
        let call = jurat_model::Call {
            instance: &instance,
            receiver: Some(&receiver),
            args: &matchers,
            style: jurat_model::CallStyle::Inferred,
        };
        let call = subject.call_text(self.scope, &call)?;
        let mut answers = Vec::new();
        for value in &answer.values {
            answers.push(format!("doReturn({})", self.expr(*value, Place::Bare)?.text));
        }
        // `when(…).thenReturn(…)` would ask the mock, which was not planned.
        self.out.statics.insert((MOCKITO, "doReturn"));
        let answers = answers.join(&format!("{BREAK}."));
        self.push(format!("{answers}{BREAK}.{call};"), false, None);
        Ok(())
    }

    /// What stands for any argument of this type.
    fn matcher(&mut self, param: &JavaType, is_overloaded: bool) -> Result<String, Obstacle> {
        let name = match param {
            JavaType::Primitive(primitive) => match primitive {
                Primitive::Boolean => "anyBoolean",
                Primitive::Byte => "anyByte",
                Primitive::Short => "anyShort",
                Primitive::Char => "anyChar",
                Primitive::Int => "anyInt",
                Primitive::Long => "anyLong",
                Primitive::Float => "anyFloat",
                Primitive::Double => "anyDouble",
            },
            _ => "any",
        };
        if name == "any" && is_overloaded {
            return self.typed_any(param);
        }
        self.out.statics.insert((MATCHERS, name));
        Ok(format!("{name}()"))
    }

    /// What stands for any argument of this type, null as well, where the compiler must be told which type is meant:
    /// `(String) any()`, but `ArgumentMatchers.<List<String>>any()`, since that cast could not be checked.
    fn typed_any(&mut self, param: &JavaType) -> Result<String, Obstacle> {
        let classes = self.subject.classes();
        let ty = classes.denotable(param, self.scope.package());
        let is_checked = classes.erasure(&ty) == ty;
        let text = self.type_text(&ty)?;
        if is_checked {
            self.out.statics.insert((MATCHERS, "any"));
            return Ok(format!("({text}) any()"));
        }
        Ok(format!("{}.<{text}>any()", self.library(MATCHERS)))
    }
}
