//! Writes laws: the assertions of a failing test, each with the sentence that says what is wrong.

use jurat_model::{Broken, Check, Law, Literal, Obstacle, Var};

use crate::Junit;
use crate::body::{INDENT, Writer};
use crate::expression::Place;
use crate::layout::{BREAK, WIDTH};
use crate::literal::Width;

impl Writer<'_, '_> {
    /// Says, before a statement that should return, what it does instead.
    pub(crate) fn announce(&mut self, var: Var) -> Result<(), Obstacle> {
        let test = self.test;
        for check in &test.checks {
            if let Check::Law { law: Law::Returns(call), broken: Some(broken) } = check
                && *call == var
            {
                self.flush()?;
                self.comment(&broken.sentence);
            }
        }
        Ok(())
    }

    /// Writes the laws in order.
    pub(crate) fn laws(&mut self) -> Result<(), Obstacle> {
        let test = self.test;
        for (position, check) in test.checks.iter().enumerate() {
            if let Check::Law { law, broken } = check {
                self.law(position, *law, broken.as_ref())?;
            }
        }
        Ok(())
    }

    fn law(&mut self, check: usize, law: Law, broken: Option<&Broken>) -> Result<(), Obstacle> {
        let (name, values) = match law {
            Law::Returns(_) => return Ok(()),
            Law::True(value) => ("assertTrue", vec![self.named(value)?]),
            Law::False(value) => ("assertFalse", vec![self.named(value)?]),
            Law::Equal { expected, actual } => {
                ("assertEquals", vec![self.named(expected)?, self.named(actual)?])
            }
            Law::NotSame(one, other) => ("assertNotSame", vec![self.named(one)?, self.named(other)?]),
            Law::SameClass(one, other) => {
                let class = |name: String| format!("{name}.getClass()");
                ("assertEquals", vec![class(self.named(one)?), class(self.named(other)?)])
            }
            Law::Positive(value) => ("assertTrue", vec![format!("{} > 0", self.named(value)?)]),
            Law::Zero(value) => ("assertEquals", vec!["0".to_owned(), self.named(value)?]),
            Law::Opposite(one, other) => {
                let [one, other] = [self.sign(one)?, self.sign(other)?];
                ("assertEquals", vec![format!("-{one}"), other])
            }
            Law::SameSign(one, other) => ("assertEquals", vec![self.sign(one)?, self.sign(other)?]),
            Law::Counted { iterable, size } => {
                let count = self.count(iterable)?;
                ("assertEquals", vec![count, self.named(size)?])
            }
            Law::Length { array, size } => {
                ("assertEquals", vec![format!("{}.length", self.named(array)?), self.named(size)?])
            }
        };
        let text = self.with_sentence(name, values, broken)?;
        self.push_assertion(text, Some(check));
        Ok(())
    }

    fn named(&mut self, var: Var) -> Result<String, Obstacle> {
        Ok(self.expr(var, Place::Asserted)?.text)
    }

    fn sign(&mut self, var: Var) -> Result<String, Obstacle> {
        let value = self.named(var)?;
        Ok(format!("{}.signum({value})", self.library("java.lang.Integer")))
    }

    /// Counts the elements; gives the name of the count.
    fn count(&mut self, iterable: Var) -> Result<String, Obstacle> {
        let iterable = self.named(iterable)?;
        let count = self.names.take("count");
        let element = self.names.take("element");
        let object = self.library("java.lang.Object");
        self.push(format!("int {count} = 0;"), false, None);
        self.push(format!("for ({object} {element} : {iterable}) {{"), false, None);
        self.push(format!("    {count}++;"), false, None);
        self.push("}".to_owned(), false, None);
        Ok(count)
    }

    /// JUnit 5 takes the sentence last, JUnit 4 first.
    fn with_sentence(
        &mut self,
        name: &'static str,
        mut arguments: Vec<String>,
        broken: Option<&Broken>,
    ) -> Result<String, Obstacle> {
        if let Some(broken) = broken {
            let sentence = Literal::String(broken.sentence.as_ref().into());
            let sentence = self.literal_expr(&sentence, Width::Own)?.text;
            let place = if self.options.junit == Junit::Four { 0 } else { arguments.len() };
            arguments.insert(place, sentence);
        }
        let arguments = arguments.join(&format!(", {BREAK}"));
        Ok(format!("{}({BREAK}{arguments});", self.assertion(name)))
    }

    /// A comment, broken into lines that fit.
    fn comment(&mut self, sentence: &str) {
        let room = WIDTH - INDENT - "// ".len();
        let mut line = String::new();
        for word in sentence.split_whitespace() {
            if !line.is_empty() && line.len() + 1 + word.len() > room {
                self.push(format!("// {line}"), false, None);
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if !line.is_empty() {
            self.push(format!("// {line}"), false, None);
        }
    }
}
