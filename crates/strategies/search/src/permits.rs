//! What a search may use besides calls that any test can make.

use jurat_protocol::InsteadOf;

/// How much less likely a class is mocked that can be made: a real one mostly leads further, and its mock has to learn what
/// it is asked.
const REAL: f64 = 0.25;

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
    /// How likely a mock is used for what it stands in for.
    pub fn mocking(self, instead_of: InsteadOf) -> f64 {
        match instead_of {
            InsteadOf::Nothing if self.stand_ins => 1.0,
            InsteadOf::Nothing | InsteadOf::Implementation => self.mocks,
            InsteadOf::Real => self.mocks * REAL,
        }
    }

    /// True if nothing is permitted that random calls do not do.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}
