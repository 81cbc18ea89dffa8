//! How much of private access and of mocks is permitted when: both are a last resort, because tests that use them
//! break more easily than others.

use jurat_search::Permits;

/// What the user allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// Whether private members may be used.
    pub private_access: bool,
    /// Whether mocks may be used.
    pub mocks: bool,
}

impl Allowed {
    /// Neither.
    pub const NONE: Self = Self { private_access: false, mocks: false };
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

/// What is permitted once this share of exploring is over.
pub(crate) fn permits(share: f64, allowed: Allowed) -> Permits {
    let from = |allowed: bool, (start, chance): (f64, f64)| {
        if allowed && share >= start { chance } else { 0.0 }
    };
    Permits {
        private: from(allowed.private_access, PRIVATE),
        mocks: from(allowed.mocks, MOCKS),
        stand_ins: allowed.mocks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_easily_comes_late_and_only_if_allowed() {
        let all = Allowed::default();
        assert_eq!(permits(0.0, all), Permits { private: 0.0, mocks: 0.0, stand_ins: true });
        assert_eq!(permits(0.5, all), Permits { private: 0.0, mocks: 0.8, stand_ins: true });
        assert_eq!(permits(0.8, all), Permits { private: 0.5, mocks: 0.8, stand_ins: true });
        assert!(permits(1.0, Allowed::NONE).is_none());
    }
}
