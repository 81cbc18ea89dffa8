//! What each probe id stands for.

use std::ops::Range;

use jurat_base::typed_id;
use jurat_classfile::BranchOp;

typed_id! {
    /// A probe's number: where it reports to, and its position in the maps of all instrumented classes together.
    pub ProbeId
}

/// The probes of one class. Ids run from [`ProbeMap::first`] without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeMap {
    /// Binary name of the class, with slashes.
    pub class: String,
    /// The first id.
    pub first: ProbeId,
    /// Methods that probes name by position.
    pub methods: Vec<MethodName>,
    /// The probes in order of their ids.
    pub probes: Vec<Probe>,
}

/// A method of the class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodName {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

impl std::fmt::Display for MethodName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.name, self.descriptor)
    }
}

/// One probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Position of its method in [`ProbeMap::methods`].
    pub method: u32,
    /// The source line, if the class file tells.
    pub line: Option<u16>,
    /// What it reports.
    pub kind: ProbeKind,
}

/// What a probe reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeKind {
    /// The method was entered.
    Entry,
    /// The line was reached.
    Line,
    /// A branch went this way.
    Edge {
        /// Position of the jump among the method's instructions, before instrumentation.
        insn: u32,
        /// How many edges of the same branch have smaller ids.
        ordinal: u32,
        /// How many edges the branch has.
        of: u32,
        /// Which way.
        edge: Edge,
    },
    /// A call is made, returns or throws.
    Call {
        /// Position of the call among the method's instructions, before instrumentation.
        insn: u32,
        /// Binary name of the class that the call names.
        class: String,
        /// Name of the method that the call names.
        name: String,
        /// Descriptor of the method that the call names.
        descriptor: String,
    },
    /// The method is entered and left.
    Callee,
}

/// One way a branch can go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The condition of a conditional jump held.
    Taken(BranchOp),
    /// The condition of a conditional jump did not hold.
    NotTaken(BranchOp),
    /// A switch went to a target. Cases that share a target share an edge.
    Switch {
        /// The keys that lead there, ascending, without those that only fill a table's holes.
        keys: Box<[i32]>,
        /// Whether all keys without a case lead there, too.
        default: bool,
    },
}

impl ProbeMap {
    /// How many ids the class uses.
    pub fn count(&self) -> u32 {
        u32::try_from(self.probes.len()).expect("a class has fewer than 2^32 probes")
    }

    /// The first id after those of this class.
    pub fn next(&self) -> ProbeId {
        ProbeId(self.first.0 + self.count())
    }

    /// All ids.
    pub fn ids(&self) -> impl Iterator<Item = ProbeId> + use<> {
        (self.first.0..self.next().0).map(ProbeId)
    }

    /// The probe with this id, if it is one of this class.
    pub fn probe(&self, id: ProbeId) -> Option<&Probe> {
        self.probes.get(id.0.checked_sub(self.first.0)? as usize)
    }

    /// The method a probe is in.
    pub fn method(&self, probe: &Probe) -> &MethodName {
        &self.methods[probe.method as usize]
    }

    /// The ids of all edges of the branch that this edge belongs to; none if the probe is no edge.
    pub fn branch(&self, id: ProbeId) -> Option<Range<u32>> {
        match self.probe(id)?.kind {
            ProbeKind::Edge { ordinal, of, .. } => Some(id.0 - ordinal..id.0 - ordinal + of),
            _ => None,
        }
    }
}
