//! Writes the use of private members: by reflection, through a few small methods of the test class.
//!
//! A member that is gone skips the test. It is looked up before anything that it throws could be taken for what is
//! asserted.

use jurat_model::{Action, Instance, JavaType, Obstacle, OpId, Operation, OperationKind, Var};

use crate::aid::Aid;
use crate::body::{INDENT, Writer};
use crate::expression::{Expr, Form, Place, is_reifiable};
use crate::layout::{BREAK, WIDTH, width};
use crate::lints::{self, Lint};

impl Writer<'_, '_> {
    /// True if the operation can be used by reflection only.
    pub(crate) fn is_reflective(&self, op: OpId) -> bool {
        self.subject.check_private(op, self.scope.package()).is_ok()
    }

    /// True if the statement uses an operation that can be used by reflection only.
    pub(crate) fn is_reflective_call(&self, var: Var) -> bool {
        matches!(&self.sequence.statement(var).action, Action::Call { instance, .. }
            if self.is_reflective(instance.operation))
    }

    /// `(boolean) call(method(Pafm.class, "checkIfOk", AnInterface.class), pafm, anInterface)`
    pub(crate) fn reflective(
        &mut self,
        instance: &Instance,
        receiver: Option<&Expr>,
        inputs: &[Var],
        place: Place<'_>,
    ) -> Result<Expr, Obstacle> {
        let operation = &self.subject[instance.operation];
        let mut args = Vec::new();
        for input in inputs {
            let object = self.subject.classes().object_type();
            args.push(self.expr(*input, Place::Arg { param: &object, is_fixed: false })?);
        }
        let calls = args.iter().chain(receiver).map(|part| part.calls).sum::<usize>() + 1;
        if operation.kind == OperationKind::StaticSet {
            return self.lent(instance, &args, calls);
        }
        let member = match &self.found {
            Some((op, name)) if *op == operation.id => name.clone(),
            _ => self.member(operation)?,
        };
        let target = receiver.map_or_else(|| "null".to_owned(), |receiver| receiver.text.clone());
        self.note_thrown(if operation.kind.is_set() { "Exception" } else { "Throwable" });
        let text = match operation.kind {
            OperationKind::Constructor => {
                self.out.aids.insert(Aid::Create);
                format!("create({BREAK}{member}{})", self.variable_arguments(&args))
            }
            OperationKind::InstanceSet => {
                let value = args.first().map_or("null", |value| &value.text);
                format!("{member}{BREAK}.set({target}, {BREAK}{value})")
            }
            _ => {
                self.out.aids.insert(Aid::Call);
                format!("call({BREAK}{member}, {BREAK}{target}{})", self.variable_arguments(&args))
            }
        };
        self.seen_as(text, instance, calls, place)
    }

    /// `lend(Pafm.class, "isLocked", true)`: what other tests see must not depend on this one.
    fn lent(&mut self, instance: &Instance, args: &[Expr], calls: usize) -> Result<Expr, Obstacle> {
        let operation = &self.subject[instance.operation];
        lints::of_class(self.subject, operation.owner, &mut self.lints);
        let owner = self.class_literal(&JavaType::class(operation.owner))?;
        self.out.aids.extend([Aid::Field, Aid::Lend]);
        self.note_thrown("Exception");
        let value = args.first().map_or("null", |value| &value.text);
        let text = format!("lend({BREAK}{owner}, \"{}\", {BREAK}{value})", operation.name);
        Ok(Expr { text, ty: Some(instance.result.clone()), form: Form::Primary, calls })
    }

    /// What comes out of a reflective call, at the type that the member declares.
    fn seen_as(
        &mut self,
        text: String,
        instance: &Instance,
        calls: usize,
        place: Place<'_>,
    ) -> Result<Expr, Obstacle> {
        let classes = self.subject.classes();
        let ty = classes.denotable(&instance.result, self.scope.package());
        let given = match self.subject[instance.operation].kind {
            OperationKind::Constructor => classes.erasure(&ty),
            _ => classes.object_type(),
        };
        let is_unused = ty.is_void() || matches!(place, Place::Statement);
        if is_unused || given == ty {
            return Ok(Expr { text, ty: Some(ty), form: Form::Primary, calls });
        }
        if !is_reifiable(&ty) {
            self.lints.insert(Lint::Unchecked);
        }
        let ty_text = self.type_text(&ty)?;
        Ok(Expr { text: format!("({ty_text}) {text}"), ty: Some(ty), form: Form::Loose, calls })
    }

    /// `method(Pafm.class, "checkIfOk", AnInterface.class)`
    fn member(&mut self, operation: &Operation) -> Result<String, Obstacle> {
        lints::of_class(self.subject, operation.owner, &mut self.lints);
        let owner = self.class_literal(&JavaType::class(operation.owner))?;
        let (aid, word, name) = match operation.kind {
            OperationKind::Constructor => (Aid::Constructor, "constructor", None),
            OperationKind::InstanceSet | OperationKind::StaticSet => {
                (Aid::Field, "field", Some(&operation.name))
            }
            _ => (Aid::Method, "method", Some(&operation.name)),
        };
        self.out.aids.insert(aid);
        let mut parts = vec![owner];
        parts.extend(name.map(|name| format!("\"{name}\"")));
        if !operation.kind.is_set() {
            for param in &operation.params {
                parts.push(self.class_literal(param)?);
            }
        }
        Ok(format!("{word}({})", parts.join(", ")))
    }

    /// Looks a private method up in a statement of its own if it would make a call too long.
    pub(crate) fn find_if_long(&mut self, var: Var) -> Result<(), Obstacle> {
        let Action::Call { instance, .. } = &self.sequence.statement(var).action else { return Ok(()) };
        if !self.is_reflective(instance.operation) {
            return Ok(());
        }
        let declared = self.type_text(&self.types[var.index()].clone())?.len() + " result = ;".len();
        let made = self.made(var, Place::Init)?;
        self.lints.clear();
        // What a constructor of an unknown type makes has no type.
        if INDENT + declared + width(&made.text) <= WIDTH || self.makes_generic(instance.operation) {
            return Ok(());
        }
        self.find_first(instance.operation)
    }

    /// True for constructors of generic classes, which only a raw type could name.
    fn makes_generic(&self, op: OpId) -> bool {
        let operation = &self.subject[op];
        operation.is_constructor() && self.subject.classes().has_raw(&JavaType::class(operation.owner))
    }

    /// Looks a private member up before the statement that uses it and throws: that it is gone is no such exception.
    pub(crate) fn find_first(&mut self, op: OpId) -> Result<(), Obstacle> {
        let operation = &self.subject[op];
        if operation.kind.is_set() || !self.is_reflective(op) {
            return Ok(());
        }
        let is_found = self.found.as_ref().is_some_and(|(found, _)| *found == op);
        if is_found {
            return Ok(());
        }
        let member = self.member(operation)?;
        let (ty, wanted) = if operation.is_constructor() {
            let constructor = self.library("java.lang.reflect.Constructor");
            let made = if self.makes_generic(op) {
                "?".to_owned()
            } else {
                self.type_text(&JavaType::class(operation.owner))?
            };
            (format!("{constructor}<{made}>"), "constructor")
        } else {
            (self.library("java.lang.reflect.Method"), &*operation.name)
        };
        let name = self.names.take(wanted);
        self.push(format!("{ty} {name} = {BREAK}{member};"), true, None);
        self.found = Some((op, name));
        Ok(())
    }

    /// Arguments for a parameter `Object...`, with a comma before each; a single null or array says that it is one
    /// argument.
    fn variable_arguments(&mut self, args: &[Expr]) -> String {
        let is_doubtful = match args {
            [single] => match &single.ty {
                None => true,
                Some(JavaType::Array(component)) => component.is_reference(),
                _ => false,
            },
            _ => false,
        };
        let cast =
            if is_doubtful { format!("({}) ", self.library("java.lang.Object")) } else { String::new() };
        let parts: Vec<String> = args.iter().map(|arg| format!(", {BREAK}{cast}{}", arg.text)).collect();
        parts.concat()
    }
}
