//! Which types may stand in for which: subtyping by supertypes with substitution.

use crate::class::ClassId;
use crate::classes::Classes;
use crate::substitution::Substitution;
use crate::types::{ClassType, JavaType, TypeArg};

/// Nested wildcards can make subtyping run in circles (it is undecidable); past this depth the
/// answer is no, which is always safe.
const MAX_DEPTH: u32 = 24;

/// What may happen to a value on its way, besides being seen as a supertype.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conversion {
    /// `int` for `Integer` and back.
    pub boxing: bool,
    /// A raw type for a parameterized one, which compiles with an unchecked warning.
    pub unchecked: bool,
}

impl Conversion {
    /// Widening only: never a warning, never a new object.
    pub const STRICT: Self = Self { boxing: false, unchecked: false };
    /// Widening and boxing.
    pub const BOXING: Self = Self { boxing: true, unchecked: false };
    /// All that compiles.
    pub const LOOSE: Self = Self { boxing: true, unchecked: true };
}

impl Classes {
    /// True if a value of type `from` may be used where `to` is wanted, without boxing and
    /// without a compiler warning.
    pub fn is_assignable(&self, from: &JavaType, to: &JavaType) -> bool {
        self.converts(from, to, Conversion::STRICT)
    }

    /// True if a value of type `from` may be used where `to` is wanted under this conversion.
    pub fn converts(&self, from: &JavaType, to: &JavaType, conversion: Conversion) -> bool {
        match (from, to) {
            (JavaType::Void, _) | (_, JavaType::Void) => from == to,
            (JavaType::Primitive(narrow), JavaType::Primitive(wide)) => narrow.widens_to(*wide),
            (JavaType::Primitive(primitive), _) => {
                conversion.boxing && self.is_subtype(&JavaType::class(self.boxed(*primitive)), to)
            }
            (_, JavaType::Primitive(wide)) => {
                conversion.boxing && self.unboxed_type(from).is_some_and(|narrow| narrow.widens_to(*wide))
            }
            _ => self.is_subtype(from, to) || conversion.unchecked && self.is_unchecked(from, to),
        }
    }

    fn unboxed_type(&self, ty: &JavaType) -> Option<crate::types::Primitive> {
        ty.class_id().and_then(|class| self.unboxed(class))
    }

    /// True if assigning compiles only with an unchecked warning: a raw type lies on the way up.
    fn is_unchecked(&self, from: &JavaType, to: &JavaType) -> bool {
        match (from, to) {
            (JavaType::Array(from), JavaType::Array(to)) => self.is_unchecked(from, to),
            (_, JavaType::Class(to)) => self.as_super(from, to.class).is_some_and(|seen| self.is_raw(&seen)),
            _ => false,
        }
    }

    /// True if the compiler warns of a value of type `from` where a parameter is declared as `to`: raw types pass
    /// unnoticed for `C<?>` only, not for `C<? extends T>`, whatever `T` stands for.
    pub fn warns_of_raw(&self, from: &JavaType, to: &JavaType) -> bool {
        match (from, to) {
            (JavaType::Array(from), JavaType::Array(to)) => self.warns_of_raw(from, to),
            (_, JavaType::Class(declared)) => !unbounded(declared) && self.is_unchecked(from, to),
            _ => false,
        }
    }

    /// True if `from` is `to` or a subtype of it; both are reference types.
    pub fn is_subtype(&self, from: &JavaType, to: &JavaType) -> bool {
        self.subtype(from, to, 0)
    }

    /// The type as its supertype `ancestor`, with the type arguments that follow: an
    /// `ArrayList<String>` as `Collection` is a `Collection<String>`.
    pub fn as_super(&self, ty: &JavaType, ancestor: ClassId) -> Option<ClassType> {
        match ty {
            JavaType::Class(class_type) => self.class_as_super(class_type, ancestor),
            JavaType::Variable(variable) => {
                self[*variable].bounds.iter().find_map(|bound| self.as_super(bound, ancestor))
            }
            JavaType::Array(_) => self.is_array_supertype(ancestor).then(|| ClassType::plain(ancestor)),
            JavaType::Void | JavaType::Primitive(_) => None,
        }
    }

    fn class_as_super(&self, class_type: &ClassType, ancestor: ClassId) -> Option<ClassType> {
        if class_type.class == ancestor {
            return Some(class_type.clone());
        }
        let known = self.ancestors(class_type.class);
        let Ok(position) = known.binary_search_by_key(&ancestor, |known| known.class) else {
            return (ancestor == self.object()).then(|| ClassType::plain(ancestor));
        };
        let seen = &known[position];
        if seen.is_plain() {
            return Some(seen.clone());
        }
        if self.is_raw(class_type) {
            return Some(ClassType::plain(ancestor));
        }
        Some(self.arguments_of(class_type).up_class(self, seen))
    }

    fn subtype(&self, from: &JavaType, to: &JavaType, depth: u32) -> bool {
        if from == to {
            return from.is_reference();
        }
        if depth > MAX_DEPTH {
            return false;
        }
        match (from, to) {
            (JavaType::Variable(variable), _) => {
                self[*variable].bounds.iter().any(|bound| self.subtype(bound, to, depth))
            }
            (JavaType::Array(from), JavaType::Array(to)) => {
                from == to || from.is_reference() && self.subtype(from, to, depth)
            }
            (JavaType::Array(_), JavaType::Class(to)) => to.is_plain() && self.is_array_supertype(to.class),
            (JavaType::Class(from), JavaType::Class(to)) => self.class_subtype(from, to, depth),
            _ => false,
        }
    }

    fn class_subtype(&self, from: &ClassType, to: &ClassType, depth: u32) -> bool {
        if !self.is_subclass(from.class, to.class) {
            return false;
        }
        if to.is_plain() {
            return true;
        }
        self.class_as_super(from, to.class).is_some_and(|seen| self.contained(&seen, to, depth))
    }

    /// True if each type argument of `from` lies within that of `to`; both are of one class.
    fn contained(&self, from: &ClassType, to: &ClassType, depth: u32) -> bool {
        if from.is_plain() {
            // Raw: only `C<?>` accepts it without a warning, and only as a whole; a `List<List>` is
            // no `List<? extends List<?>>`.
            return depth == 0 && unbounded(to);
        }
        let outer_fits = match (from.outer(), to.outer()) {
            (Some(from), Some(to)) => self.contained(from, to, depth),
            (_, None) => true,
            (None, Some(to)) => unbounded(to),
        };
        let params = &self[from.class].type_params;
        let known = self.arguments_of(from);
        outer_fits
            && params.len() == to.args().len()
            && params.iter().zip(from.args()).zip(to.args()).all(|((param, from), to)| {
                self.arg_within(from, to, || self.declared_bound(*param, &known), depth + 1)
            })
    }

    /// What a type parameter's declaration says of a wildcard given for it.
    fn declared_bound(&self, param: crate::types::TypeVarId, known: &Substitution) -> JavaType {
        match self[param].bounds.first() {
            Some(bound) => known.up(self, bound),
            None => self.object_type(),
        }
    }

    fn arg_within(
        &self,
        from: &TypeArg,
        to: &TypeArg,
        declared: impl FnOnce() -> JavaType,
        depth: u32,
    ) -> bool {
        if from == to {
            return true;
        }
        match (from, to) {
            (_, TypeArg::Any) => true,
            (TypeArg::Exact(from), TypeArg::Exact(to)) => from == to,
            (TypeArg::Exact(from), TypeArg::Extends(to)) => self.subtype(from, to, depth),
            (TypeArg::Extends(from), TypeArg::Extends(to)) => {
                self.subtype(from, to, depth) || self.subtype(&declared(), to, depth)
            }
            (TypeArg::Any | TypeArg::Super(_), TypeArg::Extends(to)) => {
                *to == self.object_type() || self.subtype(&declared(), to, depth)
            }
            (TypeArg::Exact(from) | TypeArg::Super(from), TypeArg::Super(to)) => {
                self.subtype(to, from, depth)
            }
            _ => false,
        }
    }

    /// True if `arg` may be given for `param`: it lies within all declared bounds, which may
    /// mention other parameters of `substitution`.
    pub fn within_bounds(
        &self,
        param: crate::types::TypeVarId,
        arg: &JavaType,
        substitution: &Substitution,
    ) -> bool {
        // Of what a wildcard stands for in a bound nothing is known that would do for all it may stand for.
        self[param].bounds.iter().all(|bound| {
            let below = substitution.down(self, bound);
            below.is_some_and(|bound| self.is_subtype(arg, &bound)) || self.fits_raw_bound(arg, bound)
        })
    }

    /// A raw class given for `T extends Comparable<T>` is legal with an unchecked warning only; a
    /// bound that is raw itself is met by subclassing alone.
    fn fits_raw_bound(&self, arg: &JavaType, bound: &JavaType) -> bool {
        bound.as_class().is_some_and(|bound| self.is_raw(bound))
            && bound.class_id().is_some_and(|class| self.as_super(arg, class).is_some())
    }

    /// True if all type arguments in the type lie within the bounds of the parameters they are
    /// given for, so that the compiler accepts the type.
    pub fn is_well_formed(&self, ty: &JavaType) -> bool {
        !ty.any(&mut |part| match part {
            JavaType::Class(class_type) => !self.args_within_bounds(class_type),
            _ => false,
        })
    }

    fn args_within_bounds(&self, class_type: &ClassType) -> bool {
        let known = self.arguments_of(class_type);
        let params = &self[class_type.class].type_params;
        params.iter().zip(class_type.args()).all(|(param, arg)| match arg {
            TypeArg::Exact(exact) => self[*param].bounds.iter().all(|bound| {
                self.is_subtype(exact, &known.up(self, bound)) || self.fits_raw_bound(exact, bound)
            }),
            TypeArg::Extends(bound) => self.may_meet(bound, &self.declared_bound(*param, &known)),
            TypeArg::Super(_) | TypeArg::Any => true,
        })
    }

    /// True if a type can lie below both: what a wildcard's bound and the declared one must allow.
    fn may_meet(&self, left: &JavaType, right: &JavaType) -> bool {
        let (left, right) = (self.erasure(left), self.erasure(right));
        let open = |ty: &JavaType| ty.class_id().is_some_and(|class| self[class].is_interface());
        self.is_subtype(&left, &right) || self.is_subtype(&right, &left) || open(&left) || open(&right)
    }
}

fn unbounded(class_type: &ClassType) -> bool {
    class_type.args().iter().all(|arg| *arg == TypeArg::Any) && class_type.outer().is_none_or(unbounded)
}
