//! Writes checks as JUnit assertions.

use jurat_model::{Check, JavaType, Literal, Observed, Obstacle, Primitive};

use crate::Junit;
use crate::body::Writer;
use crate::expression::{Expr, Place};
use crate::layout::BREAK;
use crate::literal::Width;

const JUNIT_FIVE: &str = "org.junit.jupiter.api.Assertions";
const JUNIT_FOUR: &str = "org.junit.Assert";

impl Writer<'_, '_> {
    /// The name of an assertion method, imported from now on.
    pub(crate) fn assertion(&mut self, name: &'static str) -> &'static str {
        let class = match self.options.junit {
            Junit::Five => JUNIT_FIVE,
            Junit::Four => JUNIT_FOUR,
        };
        self.out.statics.insert((class, name));
        name
    }

    /// The statement that checks `actual`.
    pub(crate) fn check_text(&mut self, check: usize, actual: Expr) -> Result<String, Obstacle> {
        let test = self.test;
        match &test.checks[check] {
            Check::Result { expected, .. }
            | Check::Contents { expected, .. }
            | Check::State { expected, .. } => self.expects(expected, actual),
            Check::Same { other, .. } => {
                let expected = self.expr(*other, Place::Bare)?.text;
                Ok(self.two("assertSame", &expected, &actual.text))
            }
            Check::NotNull { .. } => Ok(self.one("assertNotNull", &actual.text)),
            Check::Law { .. } => Err(Obstacle::Misfit("a law is written at the end".into())),
        }
    }

    fn one(&mut self, name: &'static str, actual: &str) -> String {
        format!("{}({BREAK}{actual});", self.assertion(name))
    }

    fn two(&mut self, name: &'static str, expected: &str, actual: &str) -> String {
        format!("{}({BREAK}{expected}, {BREAK}{actual});", self.assertion(name))
    }

    fn three(&mut self, name: &'static str, expected: &str, actual: &str, delta: &str) -> String {
        format!("{}({BREAK}{expected}, {BREAK}{actual}, {BREAK}{delta});", self.assertion(name))
    }

    fn expects(&mut self, expected: &Observed, actual: Expr) -> Result<String, Obstacle> {
        match expected {
            Observed::Literal(literal) => self.expects_literal(literal, actual),
            Observed::Array { component, elements } => self.expects_array(component, elements, actual),
            Observed::Enum(_) | Observed::List(_) | Observed::Set(_) | Observed::Optional(_) => {
                let expected = self.observed(expected)?;
                Ok(self.two("assertEquals", &expected, &actual.text))
            }
        }
    }

    fn expects_literal(&mut self, literal: &Literal, actual: Expr) -> Result<String, Obstacle> {
        let (primitive, is_boxed) = self.kind_of(&actual);
        match literal {
            Literal::Null => return Ok(self.one("assertNull", &actual.text)),
            Literal::Boolean(value) if primitive == Some(Primitive::Boolean) => {
                let name = if *value { "assertTrue" } else { "assertFalse" };
                return Ok(self.one(name, &actual.text));
            }
            Literal::Class(named) => {
                let expected = self.class_literal(named)?;
                return Ok(self.two("assertEquals", &expected, &actual.text));
            }
            _ => {}
        }
        let width = if primitive.is_some() && !is_boxed { Width::Wanted } else { Width::Own };
        let expected = self.literal_expr(literal, width)?.text;
        let actual = match primitive {
            // JUnit 4 has no assertion for a primitive and a box.
            Some(primitive) if is_boxed && self.options.junit == Junit::Four => {
                format!("{}.{}Value()", actual.primary(), primitive.keyword())
            }
            _ => actual.text,
        };
        let is_fraction = matches!(primitive, Some(Primitive::Float | Primitive::Double));
        Ok(match self.delta(literal).filter(|_| is_fraction) {
            Some(delta) => self.three("assertEquals", &expected, &actual, &delta),
            None => self.two("assertEquals", &expected, &actual),
        })
    }

    /// The primitive type of an expression or of what it boxes, and whether it is boxed.
    fn kind_of(&self, expr: &Expr) -> (Option<Primitive>, bool) {
        match &expr.ty {
            Some(JavaType::Primitive(primitive)) => (Some(*primitive), false),
            Some(JavaType::Class(class_type)) => (self.subject.classes().unboxed(class_type.class), true),
            _ => (None, false),
        }
    }

    /// By how much a floating-point value may differ; none to compare it exactly, which JUnit 5 does without.
    fn delta(&self, literal: &Literal) -> Option<String> {
        let (size, (least, most), delta, exact) = match literal {
            Literal::Double(bits) => (f64::from_bits(*bits), (1e-3, 1e6), "1e-9", "0.0"),
            Literal::Float(bits) => (f64::from(f32::from_bits(*bits)), (1e-1, 1e1), "1e-6f", "0.0f"),
            _ => return None,
        };
        let is_usual = (least..=most).contains(&size.abs()) || size == 0.0 && size.is_sign_positive();
        if is_usual {
            return Some(delta.to_owned());
        }
        (self.options.junit == Junit::Four).then(|| exact.to_owned())
    }

    fn expects_array(
        &mut self,
        component: &JavaType,
        elements: &[Observed],
        actual: Expr,
    ) -> Result<String, Obstacle> {
        let array = JavaType::array_of(component.clone());
        let expected = self.observed_array(&array, elements)?;
        let actual = match &actual.ty {
            Some(JavaType::Array(_)) => actual.text,
            _ => format!("({}) {}", self.type_text(&array)?, actual.primary()),
        };
        let delta = match (component, self.options.junit) {
            (JavaType::Primitive(Primitive::Double), Junit::Four) => Some("0.0"),
            (JavaType::Primitive(Primitive::Float), Junit::Four) => Some("0.0f"),
            _ => None,
        };
        Ok(match delta {
            Some(delta) => self.three("assertArrayEquals", &expected, &actual, delta),
            None => self.two("assertArrayEquals", &expected, &actual),
        })
    }

    fn observed_array(&mut self, array: &JavaType, elements: &[Observed]) -> Result<String, Obstacle> {
        let is_plain = array.component().is_some_and(JavaType::is_primitive);
        let mut texts = Vec::new();
        for element in elements {
            texts.push(match element {
                Observed::Literal(literal) if is_plain => self.literal_expr(literal, Width::Wanted)?.text,
                _ => self.observed(element)?,
            });
        }
        Ok(self.array_text(array, &texts)?.0)
    }

    /// A value as an expression of its own.
    fn observed(&mut self, value: &Observed) -> Result<String, Obstacle> {
        match value {
            Observed::Literal(Literal::Class(named)) => self.class_literal(named),
            Observed::Literal(literal) => Ok(self.literal_expr(literal, Width::Own)?.text),
            Observed::Array { component, elements } => {
                self.observed_array(&JavaType::array_of(component.clone()), elements)
            }
            Observed::Enum(constant) => {
                let demand =
                    jurat_model::Demand { package: Some(self.scope.package()), ..Default::default() };
                let operation = &self.subject[*constant];
                let instance = self
                    .subject
                    .instantiate(*constant, &demand)
                    .ok_or_else(|| Obstacle::Misfit(self.subject.member_name(operation)))?;
                Ok(self.call_on(&instance.into(), None, &[], Place::Bare)?.text)
            }
            Observed::List(elements) => self.observed_list(elements),
            Observed::Set(elements) => self.observed_set(elements),
            Observed::Optional(None) => Ok(format!("{}.empty()", self.library("java.util.Optional"))),
            Observed::Optional(Some(held)) => {
                let held = self.observed(held)?;
                Ok(format!("{}.of({held})", self.library("java.util.Optional")))
            }
        }
    }

    fn observed_set(&mut self, elements: &[Observed]) -> Result<String, Obstacle> {
        Ok(match elements {
            [] => format!("{}.emptySet()", self.library("java.util.Collections")),
            [single] => {
                let single = self.observed(single)?;
                format!("{}.singleton({single})", self.library("java.util.Collections"))
            }
            several => {
                let list = self.observed_list(several)?;
                format!("new {}<>({BREAK}{list})", self.library("java.util.HashSet"))
            }
        })
    }

    fn observed_list(&mut self, elements: &[Observed]) -> Result<String, Obstacle> {
        let mut texts = Vec::new();
        for element in elements {
            texts.push(self.observed(element)?);
        }
        let has_null = elements.contains(&Observed::Literal(Literal::Null));
        let list = texts.join(&format!(", {BREAK}"));
        // One null would be taken for an array of elements.
        let (class, method) = match (elements.len(), has_null) {
            (_, false) if self.options.release >= 9 => ("java.util.List", "of"),
            (0, _) => ("java.util.Collections", "emptyList"),
            (1, _) => ("java.util.Collections", "singletonList"),
            _ => ("java.util.Arrays", "asList"),
        };
        Ok(format!("{}.{method}({list})", self.library(class)))
    }
}
