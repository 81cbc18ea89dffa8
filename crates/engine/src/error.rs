//! What can go wrong with us, by who can act on it.

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The user asked for something contradictory or unknown: exit 2.
    #[error("{0}")]
    Usage(String),
    /// The machine lacks something: exit 3.
    #[error("{0}")]
    Environment(String),
    /// We are wrong: exit 70.
    #[error("{0}; this is a bug in Jurat, please report it")]
    Bug(String),
}
