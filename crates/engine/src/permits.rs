//! How much of private access and of mocks is permitted when: both are a last resort, because tests that use them
//! break more easily than others.

/// What the user allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// Whether private members may be used.
    pub private_access: bool,
    /// Whether mocks may be used.
    pub mocks: bool,
}

impl Default for Allowed {
    fn default() -> Self {
        Self { private_access: true, mocks: true }
    }
}

/// The share of exploring after which private members are used, and how often from then on.
const PRIVATE: (f64, f64) = (0.8, 0.5);
/// The same for mocks of what could be had otherwise.
const MOCKS: (f64, f64) = (0.5, 0.8);

/// What is permitted at some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Permits {
    /// How likely private members are used.
    pub(crate) private: f64,
    /// How likely a mock is used where there is something real.
    pub(crate) mocks: f64,
    /// Whether a mock is used where there is nothing else.
    pub(crate) stand_ins: bool,
}

impl Permits {
    /// What is permitted once this share of exploring is over.
    pub(crate) fn at(share: f64, allowed: Allowed) -> Self {
        let from = |allowed: bool, (start, chance): (f64, f64)| {
            if allowed && share >= start { chance } else { 0.0 }
        };
        Self {
            private: from(allowed.private_access, PRIVATE),
            mocks: from(allowed.mocks, MOCKS),
            stand_ins: allowed.mocks,
        }
    }

    /// True if nothing is permitted that sessions do not do.
    pub(crate) fn is_none(self) -> bool {
        self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_easily_comes_late_and_only_if_allowed() {
        let all = Allowed::default();
        assert_eq!(Permits::at(0.0, all), Permits { private: 0.0, mocks: 0.0, stand_ins: true });
        assert_eq!(Permits::at(0.5, all), Permits { private: 0.0, mocks: 0.8, stand_ins: true });
        assert_eq!(Permits::at(0.8, all), Permits { private: 0.5, mocks: 0.8, stand_ins: true });
        let none = Allowed { private_access: false, mocks: false };
        assert!(Permits::at(1.0, none).is_none());
    }
}
