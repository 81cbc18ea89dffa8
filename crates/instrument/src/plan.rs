//! What to put into a class: the kinds of probes, chosen by whoever runs the class.

use std::collections::BTreeSet;

/// Which probes to splice into a class, and which calls to send elsewhere.
///
/// Reads of fields and array elements, which the enumeration of structures needs, are [`crate::watch`]'s.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbePlan {
    /// One probe at the start of each method.
    pub entries: bool,
    /// One probe for each source line of each method.
    pub lines: bool,
    /// One probe for each way a conditional jump or switch can go.
    pub branches: Branches,
    /// Counts back-edges and entries of methods; throws when the budget is spent.
    pub fuel: bool,
    /// Reports calls with their values.
    pub trace: Option<TracePlan>,
    /// Calls that go elsewhere.
    pub rewrites: Vec<Rewrite>,
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

/// Which calls are reported, and to whom; see [`crate::trace`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePlan {
    /// Binary name of the class whose static methods are told, such as [`crate::trace::SINK`].
    pub sink: String,
    /// Calls to report, before and after they are made.
    pub calls: Calls,
    /// Whether to report when methods of the class are entered and left.
    pub callees: bool,
}

/// A choice of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// None.
    #[default]
    None,
    /// All but dynamically linked ones.
    All,
    /// Those that name one of these classes, by binary name with slashes.
    Of(BTreeSet<String>),
}

impl Calls {
    pub(crate) fn include(&self, class: &str) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Of(classes) => classes.contains(class),
        }
    }
}

/// A method whose calls go to another one. References to the method as a function are sent there, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// Binary name of the class that calls name, with slashes.
    pub class: String,
    /// Name of the method; not a constructor.
    pub name: String,
    /// Descriptor of the method.
    pub descriptor: String,
    /// Binary name of the class that has the other method.
    pub to_class: String,
    /// Name of the other method. It is static; what stands for an instance method takes the receiver first, as an
    /// object of [`Rewrite::class`].
    pub to_name: String,
}

impl ProbePlan {
    /// What coverage-guided exploration needs: branch edges, entries and fuel.
    pub fn exploring() -> Self {
        Self { branches: Branches::Edges, fuel: true, entries: true, ..Self::default() }
    }
}
