//! Which probes there are, and what a suite covers of them.

use std::collections::{BTreeMap, BTreeSet};

use jurat_classfile::ClassFile;
use jurat_classpath::ClassPath;
use jurat_instrument::control::dependences;
use jurat_instrument::{Branches, ProbeKind, ProbeMap, ProbePlan, instrument};
use jurat_model::{ProbeId, Subject};
use jurat_protocol::{ProbedBranches, Probes};
use jurat_search::Goal;

/// All probes of the classes under test, numbered.
#[derive(Debug, Default)]
pub struct ProbeTable {
    maps: Vec<ProbeMap>,
    /// Entries and edges, with what they depend on.
    goals: Vec<Goal>,
}

/// How much is covered: reached and in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Source lines.
    pub lines: (usize, usize),
    /// Branch edges.
    pub branches: (usize, usize),
}

/// The probes every run uses.
pub(crate) fn plan() -> ProbePlan {
    ProbePlan { lines: true, ..ProbePlan::exploring() }
}

impl ProbeTable {
    /// The probes of the classes under test and of the classes inside them, in order of name. A class that cannot
    /// be read has none; the subject says why.
    pub fn new(subject: &Subject, class_path: &ClassPath) -> Self {
        let (mut maps, mut goals) = (Vec::new(), Vec::new());
        let mut next = jurat_instrument::ProbeId(0);
        for name in names(subject, class_path) {
            let Ok(Some(bytes)) = class_path.read(&name) else { continue };
            let Ok(class) = ClassFile::read(&bytes) else { continue };
            let map = instrument(&class, &plan(), next).map;
            next = map.next();
            goals.extend(goals_of(&class, &map));
            maps.push(map);
        }
        Self { maps, goals }
    }

    /// What workers are told.
    pub fn setup(&self) -> Probes {
        let plan = plan();
        Probes {
            entries: plan.entries,
            lines: plan.lines,
            branches: match plan.branches {
                Branches::None => ProbedBranches::None,
                Branches::Edges => ProbedBranches::Edges,
                Branches::Distances => ProbedBranches::Distances,
            },
            fuel: plan.fuel,
            classes: self.maps.iter().map(|map| (map.class.clone(), map.first.0)).collect(),
            count: self.maps.last().map_or(0, |map| map.next().0),
            mutants: None,
        }
    }

    /// How many probes there are.
    pub(crate) fn count(&self) -> usize {
        self.maps.last().map_or(0, |map| map.next().0 as usize)
    }

    /// What a search seeks: entries and edges, with what they depend on.
    pub(crate) fn goals(&self) -> Vec<Goal> {
        self.goals.clone()
    }

    /// What a probe tells of.
    pub(crate) fn kind(&self, probe: ProbeId) -> Option<&ProbeKind> {
        let map = self.map_of(probe.0)?;
        map.probe(jurat_instrument::ProbeId(probe.0)).map(|probe| &probe.kind)
    }

    /// The probes of the class that a probe belongs to.
    fn map_of(&self, probe: u32) -> Option<&ProbeMap> {
        let after = self.maps.partition_point(|map| map.first.0 <= probe);
        Some(&self.maps[after.checked_sub(1)?])
    }

    /// The edges of the branch that an edge belongs to, itself included.
    pub(crate) fn branch(&self, edge: u32) -> std::ops::Range<u32> {
        let map = self.map_of(edge);
        map.and_then(|map| map.branch(jurat_instrument::ProbeId(edge))).unwrap_or(edge..edge + 1)
    }

    /// The classes that have probes, and the numbers of these.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (&str, std::ops::Range<u32>)> {
        self.maps.iter().map(|map| (map.class.as_str(), map.first.0..map.next().0))
    }

    /// The probes of one method: its class by internal name, its own name and its descriptor.
    pub(crate) fn of_method<'t>(
        &'t self,
        class: &str,
        name: &'t str,
        descriptor: &'t str,
    ) -> impl Iterator<Item = ProbeId> + 't {
        let position = self.maps.binary_search_by(|map| map.class.as_str().cmp(class)).ok();
        let map = position.map(|position| &self.maps[position]);
        let is_it = move |map: &ProbeMap, method: u32| {
            let method = map.methods.get(method as usize);
            method.is_some_and(|method| method.name == name && method.descriptor == descriptor)
        };
        map.into_iter().flat_map(move |map| {
            let probes = map.ids().zip(&map.probes);
            probes.filter(move |(_, probe)| is_it(map, probe.method)).map(|(id, _)| ProbeId(id.0))
        })
    }

    /// What these probes cover.
    pub fn coverage(&self, hits: &BTreeSet<ProbeId>) -> Coverage {
        let mut coverage = Coverage::default();
        for map in &self.maps {
            let mut lines: BTreeMap<u16, bool> = BTreeMap::new();
            for (id, probe) in map.ids().zip(&map.probes) {
                let hit = hits.contains(&ProbeId(id.0));
                match probe.kind {
                    ProbeKind::Edge { .. } => {
                        coverage.branches.0 += usize::from(hit);
                        coverage.branches.1 += 1;
                    }
                    ProbeKind::Line => {
                        if let Some(line) = probe.line {
                            *lines.entry(line).or_default() |= hit;
                        }
                    }
                    ProbeKind::Entry | ProbeKind::Call { .. } | ProbeKind::Callee => {}
                }
            }
            coverage.lines.0 += lines.values().filter(|hit| **hit).count();
            coverage.lines.1 += lines.len();
        }
        coverage
    }
}

/// The entries and edges of a class.
fn goals_of(class: &ClassFile, map: &ProbeMap) -> Vec<Goal> {
    let is_entry =
        |id: &jurat_instrument::ProbeId| map.probe(*id).is_some_and(|probe| probe.kind == ProbeKind::Entry);
    let entries = map.ids().filter(is_entry).map(|id| Goal { probe: id.0, parents: Vec::new() });
    let edges = dependences(class, map).into_iter().map(|(edge, parents)| Goal {
        probe: edge.0,
        parents: parents.into_iter().map(|parent| parent.0).collect(),
    });
    entries.chain(edges).collect()
}

/// The classes under test, and the nameless and hidden ones inside them, whose code is theirs.
fn names(subject: &Subject, class_path: &ClassPath) -> BTreeSet<String> {
    let mut names: BTreeSet<String> =
        subject.under_test().map(|class| subject[class].internal_name.to_string()).collect();
    let inside = |name: &str| name.match_indices('$').any(|(at, _)| names.contains(&name[..at]));
    let more: Vec<String> = class_path.names().filter(|name| inside(name)).map(str::to_owned).collect();
    names.extend(more);
    names
}
