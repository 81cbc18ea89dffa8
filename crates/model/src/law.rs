//! Laws: what a failing test says must hold of the values it made.

use std::sync::Arc;

use crate::sequence::Var;

/// Something that must hold of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// The statement returns instead of throwing.
    Returns(Var),
    /// The value is `true`.
    True(Var),
    /// The value is `false`.
    False(Var),
    /// The two values are equal.
    Equal {
        /// What the other has to be.
        expected: Var,
        /// What is asked about.
        actual: Var,
    },
    /// The two are different objects.
    NotSame(Var, Var),
    /// The two objects are of one class.
    SameClass(Var, Var),
    /// The number is above zero.
    Positive(Var),
    /// The number is zero.
    Zero(Var),
    /// One number is negative where the other is positive, or both are zero.
    Opposite(Var, Var),
    /// Both numbers are negative, both zero or both positive.
    SameSign(Var, Var),
    /// Going through all elements gives as many as the size says.
    Counted {
        /// What can be gone through.
        iterable: Var,
        /// The size.
        size: Var,
    },
    /// The array is as long as the size says.
    Length {
        /// The array.
        array: Var,
        /// The size.
        size: Var,
    },
}

impl Law {
    /// The values it speaks of.
    pub fn vars(self) -> Vec<Var> {
        match self {
            Self::Returns(var)
            | Self::True(var)
            | Self::False(var)
            | Self::Positive(var)
            | Self::Zero(var) => {
                vec![var]
            }
            Self::Equal { expected: one, actual: other }
            | Self::NotSame(one, other)
            | Self::SameClass(one, other)
            | Self::Opposite(one, other)
            | Self::SameSign(one, other)
            | Self::Counted { iterable: one, size: other }
            | Self::Length { array: one, size: other } => vec![one, other],
        }
    }
}

/// How a law is broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Broken {
    /// Which law, in a word for the name of the test: `isNotSymmetric`.
    pub word: Arc<str>,
    /// Which law, and what happens instead, in a sentence.
    pub sentence: Arc<str>,
}
