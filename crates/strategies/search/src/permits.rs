//! What a search may use besides calls that any test can make.

/// How likely private members and mocks are used. Both are a last resort: tests that use them break more easily.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Permits {
    /// How likely private members are used.
    pub private: f64,
    /// How likely a mock is used where there is something real.
    pub mocks: f64,
    /// Whether a mock is used where there is nothing else.
    pub stand_ins: bool,
}

impl Permits {
    /// True if nothing is permitted that random calls do not do.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}
