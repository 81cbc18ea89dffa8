//! What to put into a class: the kinds of probes, chosen by whoever runs the class.

/// Which probes to splice into a class, and which calls to send elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbePlan {
    /// One probe at the start of each method.
    pub entries: bool,
    /// One probe for each source line of each method.
    pub lines: bool,
    /// One probe for each way a conditional jump or switch can go.
    pub branches: Branches,
    /// Counts back-edges, and entries of methods that call something; throws when the budget is spent.
    pub fuel: bool,
}

/// What branch probes report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Branches {
    /// There are none.
    #[default]
    None,
    /// Which way the branch went.
    Edges,
    /// Also how far the operands were from sending it every other way.
    Distances,
}

impl ProbePlan {
    /// What coverage-guided exploration needs: branch edges and fuel.
    pub fn exploring() -> Self {
        Self { branches: Branches::Edges, fuel: true, entries: true, ..Self::default() }
    }
}
