//! Control dependence: which edges decide whether a branch is evaluated.
//!
//! A branch depends on an edge if it is evaluated on every way from that edge to the end of the method, and not on every
//! way from the branch that the edge belongs to. Whatever is inevitable once the method is entered depends on the entry
//! alone, loops included, which evaluate their condition at least once. Exceptions are not followed: what a handler does
//! depends on nothing but the method's entry, as far as this tells.

use jurat_base::FxHashMap;
use jurat_classfile::{BranchOp, ClassFile, Code, Insn};

use crate::map::{Edge, MethodName, ProbeId, ProbeKind, ProbeMap};

/// Every edge of a class with the edges it depends on, in order of id. What depends on no edge depends on the entry of its
/// method, if that has a probe.
pub fn dependences(class: &ClassFile, map: &ProbeMap) -> Vec<(ProbeId, Vec<ProbeId>)> {
    let methods: FxHashMap<MethodName, usize> =
        (0..class.methods.len()).map(|index| (MethodName::of(class, index), index)).collect();
    let mut by_method: Vec<Vec<ProbeId>> = vec![Vec::new(); map.methods.len()];
    for (id, probe) in map.ids().zip(&map.probes) {
        by_method[probe.method as usize].push(id);
    }
    let mut all = Vec::new();
    for (name, ids) in map.methods.iter().zip(by_method) {
        let code = methods.get(name).and_then(|index| class.methods[*index].code());
        if let Some(code) = code {
            all.extend(of_method(code, map, &ids));
        }
    }
    all.sort_unstable_by_key(|(edge, _)| *edge);
    all
}

fn of_method(code: &Code, map: &ProbeMap, ids: &[ProbeId]) -> Vec<(ProbeId, Vec<ProbeId>)> {
    let entry = ids.iter().copied().find(|id| kind(map, *id) == Some(&ProbeKind::Entry));
    let edges: Vec<(ProbeId, usize, usize)> = ids.iter().filter_map(|id| edge(code, map, *id)).collect();
    let graph = Graph::of(code);
    let after = graph.post_dominators();
    let mut deciding: FxHashMap<usize, Vec<ProbeId>> = FxHashMap::default();
    for (id, branch, target) in &edges {
        // Everything that is inevitable from the target on, up to what is inevitable from the branch on.
        let mut at = *target;
        while at != after[*branch] && at != graph.exit() {
            deciding.entry(at).or_default().push(*id);
            at = after[at];
        }
    }
    let inevitable = graph.inevitable(code, &after);
    let parents = |branch: usize, own: ProbeId| {
        if inevitable[branch]
            && let Some(entry) = entry
        {
            return vec![entry];
        }
        let mut parents = deciding.get(&branch).cloned().unwrap_or_default();
        // The edge that closes a loop decides whether the loop's branch is evaluated again, not whether it is at all.
        parents.retain(|parent| map.branch(*parent) != map.branch(own));
        if parents.is_empty() { entry.into_iter().collect() } else { parents }
    };
    edges.iter().map(|(id, branch, _)| (*id, parents(*branch, *id))).collect()
}

fn kind(map: &ProbeMap, id: ProbeId) -> Option<&ProbeKind> {
    map.probe(id).map(|probe| &probe.kind)
}

/// An edge: its branch and the instruction it leads to.
fn edge(code: &Code, map: &ProbeMap, id: ProbeId) -> Option<(ProbeId, usize, usize)> {
    let Some(ProbeKind::Edge { insn, edge, .. }) = kind(map, id) else { return None };
    let branch = *insn as usize;
    let target = match (edge, code.insns.get(branch)?) {
        (Edge::Taken(_), Insn::Branch { target, .. }) => target.index(),
        (Edge::NotTaken(_), _) => branch + 1,
        (Edge::Switch { keys, default }, insn) => switch_target(insn, keys, *default)?,
        _ => return None,
    };
    (target < code.insns.len()).then_some((id, branch, target))
}

fn switch_target(insn: &Insn, keys: &[i32], default: bool) -> Option<usize> {
    let key = keys.first();
    let target = match (insn, key) {
        (Insn::TableSwitch(switch), _) if default => switch.default,
        (Insn::LookupSwitch(switch), _) if default => switch.default,
        (Insn::TableSwitch(switch), Some(key)) => {
            *switch.targets.get(usize::try_from(key.checked_sub(switch.low)?).ok()?)?
        }
        (Insn::LookupSwitch(switch), Some(key)) => switch.pairs.iter().find(|(own, _)| own == key)?.1,
        _ => return None,
    };
    Some(target.index())
}

/// Instructions and where they lead; the last node is the end of the method.
struct Graph {
    next: Vec<Vec<usize>>,
}

impl Graph {
    fn of(code: &Code) -> Self {
        let exit = code.insns.len();
        let mut next: Vec<Vec<usize>> = Vec::with_capacity(exit + 1);
        for (at, insn) in code.insns.iter().enumerate() {
            let mut leads_to = Vec::new();
            insn.for_each_target(|target| leads_to.push(target.index()));
            let is_return_from_jsr = matches!(insn, Insn::Branch { op: BranchOp::Jsr, .. });
            if !insn.ends_block() || is_return_from_jsr {
                leads_to.push((at + 1).min(exit));
            }
            if leads_to.is_empty() {
                leads_to.push(exit);
            }
            next.push(leads_to);
        }
        next.push(Vec::new());
        Self { next }
    }

    fn exit(&self) -> usize {
        self.next.len() - 1
    }

    /// For each instruction the first one that comes after it whichever way is taken (Cooper, Harvey and Kennedy's
    /// algorithm, on the reversed graph). What never ends is taken to end where it is.
    fn post_dominators(&self) -> Vec<usize> {
        let order = self.backwards();
        let mut position = vec![usize::MAX; self.next.len()];
        for (number, node) in order.iter().enumerate() {
            position[*node] = number;
        }
        let mut after: Vec<Option<usize>> = vec![None; self.next.len()];
        after[self.exit()] = Some(self.exit());
        let mut changed = true;
        while changed {
            changed = false;
            for node in order.iter().skip(1) {
                let known = self.next[*node].iter().copied().filter(|next| after[*next].is_some());
                let met = known.reduce(|one, other| meet(&after, &position, one, other));
                if met.is_some() && after[*node] != met {
                    after[*node] = met;
                    changed = true;
                }
            }
        }
        after.into_iter().map(|node| node.unwrap_or(self.exit())).collect()
    }

    /// For each instruction whether it comes whichever way is taken: from the first instruction, or, if nothing but an
    /// exception leads there, from that of a handler.
    fn inevitable(&self, code: &Code, after: &[usize]) -> Vec<bool> {
        let plain = self.reachable();
        let mut inevitable = vec![false; self.next.len()];
        let handlers = code.handlers.iter().map(|handler| handler.target.index());
        for start in std::iter::once(0).chain(handlers) {
            let mut at = start;
            while at < self.exit() && (start == 0 || !plain[at]) && !inevitable[at] {
                inevitable[at] = true;
                at = after[at];
            }
        }
        inevitable
    }

    /// For each node whether something leads there from the first instruction.
    fn reachable(&self) -> Vec<bool> {
        let mut reachable = vec![false; self.next.len()];
        let mut stack = vec![0];
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut reachable[node], true) {
                stack.extend(&self.next[node]);
            }
        }
        reachable
    }

    /// All nodes that reach the end, nearest first (reverse postorder of the reversed graph).
    fn backwards(&self) -> Vec<usize> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.next.len()];
        for (node, next) in self.next.iter().enumerate() {
            for target in next {
                before[*target].push(node);
            }
        }
        let mut done = vec![false; self.next.len()];
        let mut postorder = Vec::new();
        let mut stack = vec![(self.exit(), 0)];
        done[self.exit()] = true;
        while let Some((node, child)) = stack.pop() {
            match before[node].get(child) {
                Some(&previous) => {
                    stack.push((node, child + 1));
                    if !std::mem::replace(&mut done[previous], true) {
                        stack.push((previous, 0));
                    }
                }
                None => postorder.push(node),
            }
        }
        postorder.reverse();
        postorder
    }
}

/// The first node that is after both.
fn meet(after: &[Option<usize>], position: &[usize], one: usize, other: usize) -> usize {
    let (mut one, mut other) = (one, other);
    while one != other {
        while position[one] > position[other] {
            one = after[one].unwrap_or(one);
        }
        while position[other] > position[one] {
            other = after[other].unwrap_or(other);
        }
    }
    one
}

#[cfg(test)]
mod tests {
    use jurat_classfile::{Access, CodeBuilder, LocalOp, Op};

    use super::*;
    use crate::{ProbePlan, instrument};

    /// The parents of each edge in `static void f(int a, int b)`, by position among the probes: 0 is the entry.
    fn check(body: impl FnOnce(&mut CodeBuilder<'_>), expected: &[(u32, &[u32])]) {
        let mut class = ClassFile::new("a/A", "java/lang/Object").expect("a name");
        class
            .add_method(Access::STATIC, "f", "(II)V", |code| {
                body(code);
                Ok(())
            })
            .expect("a method");
        let plan = ProbePlan { fuel: false, ..ProbePlan::exploring() };
        let map = instrument(&class, &plan, ProbeId(0)).map;
        let found = dependences(&class, &map);
        let found: Vec<(u32, Vec<u32>)> = found
            .into_iter()
            .map(|(edge, parents)| (edge.0, parents.into_iter().map(|parent| parent.0).collect()))
            .collect();
        let expected: Vec<(u32, Vec<u32>)> =
            expected.iter().map(|(edge, parents)| (*edge, parents.to_vec())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_nested_condition_depends_on_the_outer_one() {
        // if (a != 0) { if (b != 0) {} } if (a != 0) {}
        check(
            |code| {
                let (end, last) = (code.label(), code.label());
                code.local(LocalOp::Iload, 0);
                code.branch(BranchOp::Ifeq, end);
                code.local(LocalOp::Iload, 1);
                code.branch(BranchOp::Ifeq, end);
                code.push(Op::Nop);
                code.place(end);
                code.local(LocalOp::Iload, 0);
                code.branch(BranchOp::Ifeq, last);
                code.push(Op::Nop);
                code.place(last);
                code.push(Op::Return);
            },
            &[(1, &[0]), (2, &[0]), (3, &[2]), (4, &[2]), (5, &[0]), (6, &[0])],
        );
    }

    #[test]
    fn what_follows_an_early_return_depends_on_not_returning() {
        // if (a == 0) return; if (b == 0) return;
        check(
            |code| {
                let (second, end) = (code.label(), code.label());
                code.local(LocalOp::Iload, 0);
                code.branch(BranchOp::Ifne, second);
                code.push(Op::Return);
                code.place(second);
                code.local(LocalOp::Iload, 1);
                code.branch(BranchOp::Ifne, end);
                code.push(Op::Return);
                code.place(end);
                code.push(Op::Return);
            },
            &[(1, &[0]), (2, &[0]), (3, &[1]), (4, &[1])],
        );
    }

    #[test]
    fn a_loop_does_not_depend_on_itself() {
        // while (a != 0) { if (b == 0) {} }
        check(
            |code| {
                let (top, end) = (code.label(), code.label());
                code.place(top);
                code.local(LocalOp::Iload, 0);
                code.branch(BranchOp::Ifeq, end);
                code.local(LocalOp::Iload, 1);
                code.branch(BranchOp::Ifne, top);
                code.branch(BranchOp::Goto, top);
                code.place(end);
                code.push(Op::Return);
            },
            &[(1, &[0]), (2, &[0]), (3, &[2]), (4, &[2])],
        );
    }

    #[test]
    fn a_loop_with_two_conditions_is_entered_before_it_goes_round() {
        // while (a != 0 && b != 0) {}
        check(
            |code| {
                let (top, end) = (code.label(), code.label());
                code.place(top);
                code.local(LocalOp::Iload, 0);
                code.branch(BranchOp::Ifeq, end);
                code.local(LocalOp::Iload, 1);
                code.branch(BranchOp::Ifne, top);
                code.place(end);
                code.push(Op::Return);
            },
            &[(1, &[0]), (2, &[0]), (3, &[2]), (4, &[2])],
        );
    }

    #[test]
    fn a_loop_that_may_return_is_entered_before_it_goes_round() {
        // do { if (b == 0) return; } while (a != 0)
        check(
            |code| {
                let (top, on) = (code.label(), code.label());
                code.place(top);
                code.local(LocalOp::Iload, 1);
                code.branch(BranchOp::Ifne, on);
                code.push(Op::Return);
                code.place(on);
                code.local(LocalOp::Iload, 0);
                code.branch(BranchOp::Ifne, top);
                code.push(Op::Return);
            },
            &[(1, &[0]), (2, &[0]), (3, &[1]), (4, &[1])],
        );
    }
}
