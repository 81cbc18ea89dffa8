//! Contracts that every class has, whatever it does: as data, asked and judged in one place.
//!
//! A [`Trial`] puts a contract to the test: some values of a sequence, and the calls that show whether the
//! contract holds of them. What comes of it is judged without knowing how it was run; a contract that does not
//! hold is a [`Breach`], which carries the test that shows it.

mod judge;
mod plan;
mod question;
mod specimen;
mod thrown;

use std::sync::Arc;

use jurat_model::{Check, ClassId, OpId, Sequence};

use crate::policy::Policy;

pub use plan::{Asking, trials};
pub use question::{Asked, Trial};
pub use specimen::{Specimen, specimens};
pub use thrown::of_exception;

/// A property that must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Contract {
    /// An assertion of the subject itself.
    NoAssertionError,
    /// An exception that the user calls an error.
    NoError,
    /// No `NullPointerException` where nobody passed null.
    NoNullPointer,
    /// A static method that the user named.
    UserCheck(OpId),
    /// `repOK`, `checkRep` or `invariant` of the class itself.
    Predicate(OpId),
    /// `x.equals(x)`
    EqualsReflexive,
    /// `x.equals(y)` is `y.equals(x)`.
    EqualsSymmetric,
    /// What equals the same equals each other.
    EqualsTransitive,
    /// `x.equals(null)` is false.
    EqualsNull,
    /// `equals` returns.
    EqualsReturns,
    /// Equal objects have equal hash codes.
    HashCodeAgrees,
    /// `hashCode` returns.
    HashCodeReturns,
    /// `x.compareTo(y)` has the opposite sign of `y.compareTo(x)`.
    CompareToAntisymmetric,
    /// What is above something that is above a third is above the third.
    CompareToTransitive,
    /// What compares as equal compares alike with everything.
    CompareToConsistent,
    /// `compareTo` returns.
    CompareToReturns,
    /// `c.compare(x, y)` has the opposite sign of `c.compare(y, x)`.
    ComparatorAntisymmetric,
    /// What a comparator puts above something that is above a third is above the third.
    ComparatorTransitive,
    /// What a comparator calls equal compares alike with everything.
    ComparatorConsistent,
    /// `compare` returns.
    ComparatorReturns,
    /// `size()` is the number of elements.
    SizeAgrees,
    /// `size()` is the length of `toArray()`.
    ToArrayAgrees,
    /// A clone is another object.
    CloneDistinct,
    /// A clone is of the same class.
    CloneSameClass,
    /// A clone equals its original.
    CloneEqual,
    /// Changing a clone leaves its original alone.
    CloneIndependent,
    /// `toString` returns.
    ToStringReturns,
}

impl Contract {
    /// The name that scripts and settings know it by.
    pub fn key(self) -> &'static str {
        match self {
            Self::NoAssertionError => "no-assertion-error",
            Self::NoError => "no-error",
            Self::NoNullPointer => "no-null-pointer",
            Self::UserCheck(_) => "user-check",
            Self::Predicate(_) => "predicate",
            Self::EqualsReflexive => "equals-reflexive",
            Self::EqualsSymmetric => "equals-symmetric",
            Self::EqualsTransitive => "equals-transitive",
            Self::EqualsNull => "equals-null",
            Self::EqualsReturns => "equals-returns",
            Self::HashCodeAgrees => "hash-code-agrees",
            Self::HashCodeReturns => "hash-code-returns",
            Self::CompareToAntisymmetric => "compare-to-antisymmetric",
            Self::CompareToTransitive => "compare-to-transitive",
            Self::CompareToConsistent => "compare-to-consistent",
            Self::CompareToReturns => "compare-to-returns",
            Self::ComparatorAntisymmetric => "comparator-antisymmetric",
            Self::ComparatorTransitive => "comparator-transitive",
            Self::ComparatorConsistent => "comparator-consistent",
            Self::ComparatorReturns => "comparator-returns",
            Self::SizeAgrees => "size-agrees",
            Self::ToArrayAgrees => "to-array-agrees",
            Self::CloneDistinct => "clone-distinct",
            Self::CloneSameClass => "clone-same-class",
            Self::CloneEqual => "clone-equal",
            Self::CloneIndependent => "clone-independent",
            Self::ToStringReturns => "to-string-returns",
        }
    }

    /// The names of all contracts.
    pub fn keys() -> Vec<&'static str> {
        let some = OpId(0);
        let mut all = vec![
            Self::NoAssertionError,
            Self::NoError,
            Self::NoNullPointer,
            Self::UserCheck(some),
            Self::Predicate(some),
        ];
        all.extend(OF_ONE.iter().chain(&OF_TWO).chain(&OF_THREE).chain(&OF_COMPARATOR));
        all.extend([Self::EqualsReturns, Self::CompareToReturns]);
        all.into_iter().map(Self::key).collect()
    }
}

/// Contracts that speak of one value.
pub(crate) const OF_ONE: [Contract; 11] = [
    Contract::EqualsReflexive,
    Contract::EqualsNull,
    Contract::HashCodeReturns,
    Contract::ToStringReturns,
    Contract::SizeAgrees,
    Contract::ToArrayAgrees,
    Contract::CloneDistinct,
    Contract::CloneSameClass,
    Contract::CloneEqual,
    Contract::CloneIndependent,
    Contract::CompareToReturns,
];
/// Contracts that speak of two values.
pub(crate) const OF_TWO: [Contract; 3] =
    [Contract::EqualsSymmetric, Contract::HashCodeAgrees, Contract::CompareToAntisymmetric];
/// Contracts that speak of three values.
pub(crate) const OF_THREE: [Contract; 3] =
    [Contract::EqualsTransitive, Contract::CompareToTransitive, Contract::CompareToConsistent];

/// Contracts that speak of a comparator and of three values it compares.
pub(crate) const OF_COMPARATOR: [Contract; 4] = [
    Contract::ComparatorReturns,
    Contract::ComparatorAntisymmetric,
    Contract::ComparatorTransitive,
    Contract::ComparatorConsistent,
];

/// Which contracts are checked, and how exceptions are judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// What exceptions mean.
    pub policy: Policy,
    /// Names of contracts that are not checked.
    pub off: Vec<String>,
    /// Static methods that must hold of their argument: `org.foo.Checks.isBalanced`.
    pub checks: Vec<String>,
}

impl Rules {
    /// True if the contract is to be checked.
    pub fn has(&self, contract: Contract) -> bool {
        !self.off.iter().any(|off| off == contract.key())
    }
}

/// A contract that does not hold, with the test that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The contract.
    pub contract: Contract,
    /// The method that breaks it.
    pub method: OpId,
    /// The class that declares the method.
    pub class: ClassId,
    /// What the test does.
    pub sequence: Sequence,
    /// What it asserts; the last one does not hold.
    pub checks: Vec<Check>,
    /// Which law is broken, and how.
    pub sentence: Arc<str>,
    /// The exception that ends the test, by its internal name; none if an assertion does.
    pub thrown: Option<Arc<str>>,
}
