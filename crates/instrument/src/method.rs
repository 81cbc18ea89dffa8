//! Collects the probes of one method and puts them in.

use jurat_classfile::{
    Access, BuildError, ClassFile, ClassOp, Code, ConstantPool, Insn, InvokeOp, Label, LdcForm, Op, PoolFull,
    Splice,
};

use crate::line::{Lines, jump_targets};
use crate::map::{MethodName, Probe, ProbeId, ProbeKind};
use crate::mutants::{Collected, generated, points};
use crate::plan::{Branches, ProbePlan};
use crate::{Instrumented, runtime};

/// How many constants a class may have, less some for what is not counted one by one: names of probe methods, and
/// classes that new frames mention.
const CONSTANTS: usize = 65_535 - 1024;

/// Puts probes, and mutants if wanted, into the methods of one class, one after the other.
pub(crate) struct Weaver<'a> {
    original: &'a ClassFile,
    plan: &'a ProbePlan,
    /// How many more constants probes may use. Counted as if every number needed one, so that what fits does not
    /// depend on the size of ids.
    room: usize,
    /// The mutants so far, if there are to be any.
    pub(crate) mutants: Option<Collected>,
}

impl<'a> Weaver<'a> {
    pub(crate) fn new(original: &'a ClassFile, plan: &'a ProbePlan) -> Self {
        let room = CONSTANTS.saturating_sub(original.pool.count());
        Self { original, plan, room, mutants: None }
    }

    /// Puts probes and mutants into the method at `index`, or says why it has not all of them.
    pub(crate) fn weave(&mut self, done: &mut Instrumented, index: usize) -> Result<(), String> {
        let Some(code) = self.original.methods[index].code() else { return Ok(()) };
        let name = MethodName::of(self.original, index);
        if is_empty_finalizer(&name, code) {
            return Err("an empty finalizer, which the JVM does not call as long as it is empty".to_owned());
        }
        let Some(mut mutants) = self.mutants.take() else { return self.put_probes(done, index, code, &name) };
        let before = mutants.mutants.len();
        let with_mutants = self.put(done, index, code, &name, self.plan, Some(&mut mutants));
        if with_mutants.is_err() {
            mutants.mutants.truncate(before);
        }
        self.mutants = Some(mutants);
        // Without its mutants the method may still have its probes.
        with_mutants.or_else(|reason| self.put(done, index, code, &name, self.plan, None).and(Err(reason)))
    }

    /// Puts probes into a method. Where distances do not fit, edges are told alone: ids are then the same as without
    /// distances.
    fn put_probes(
        &mut self,
        done: &mut Instrumented,
        index: usize,
        code: &Code,
        name: &MethodName,
    ) -> Result<(), String> {
        let whole = self.put(done, index, code, name, self.plan, None);
        if whole.is_ok() || self.plan.branches != Branches::Distances {
            return whole;
        }
        let plan = ProbePlan { branches: Branches::Edges, ..self.plan.clone() };
        self.put(done, index, code, name, &plan, None)
    }

    fn put(
        &mut self,
        done: &mut Instrumented,
        index: usize,
        code: &Code,
        name: &MethodName,
        plan: &ProbePlan,
        mutants: Option<&mut Collected>,
    ) -> Result<(), String> {
        let access = self.original.methods[index].access;
        let mut draft = Draft::new(&mut done.class.pool, code, name, done.map.next(), self.room);
        draft.fill(plan, access).map_err(|unfit| unfit.0)?;
        if let Some(mutants) = mutants
            && !generated::whole_method(self.original, access, name)
        {
            let points = points::find(&self.original.pool, code, name, mutants.operators);
            draft.mutants(points, mutants).map_err(|unfit| unfit.0)?;
        }
        let Draft { splice, probes, room, .. } = draft;
        if splice.is_empty() {
            return Ok(());
        }
        done.class.splice(index, &splice).map_err(|error| error.to_string())?;
        self.room = room;
        if !probes.is_empty() {
            let method = u32::try_from(done.map.methods.len()).expect("a class has at most 65535 methods");
            done.map.methods.push(name.clone());
            let probes = probes.into_iter().map(|(line, kind)| Probe { method, line, kind });
            done.map.probes.extend(probes);
        }
        Ok(())
    }
}

impl MethodName {
    pub(crate) fn of(class: &ClassFile, index: usize) -> Self {
        let method = &class.methods[index];
        let text = |index| class.pool.utf8(index).into_owned();
        Self { name: text(method.name), descriptor: text(method.descriptor) }
    }
}

/// Why a method cannot have its probes.
#[derive(Clone, Debug)]
pub(crate) struct Unfit(pub(crate) String);

impl Unfit {
    fn full() -> Self {
        Self("no room for more constants".to_owned())
    }
}

impl From<PoolFull> for Unfit {
    fn from(_: PoolFull) -> Self {
        Self::full()
    }
}

impl From<BuildError> for Unfit {
    fn from(error: BuildError) -> Self {
        Self(error.to_string())
    }
}

/// The probes of one method, before they are put in.
pub(crate) struct Draft<'a> {
    pub(crate) pool: &'a mut ConstantPool,
    pub(crate) name: &'a MethodName,
    pub(crate) code: &'a Code,
    pub(crate) lines: Lines,
    /// Where control may come from elsewhere than the instruction before.
    pub(crate) targets: Vec<Label>,
    /// Whether a reference may be one to an object whose constructor has not run: such must not be passed on.
    pub(crate) raw_objects: bool,
    pub(crate) splice: Splice,
    first: ProbeId,
    probes: Vec<(Option<u16>, ProbeKind)>,
    room: usize,
}

impl<'a> Draft<'a> {
    fn new(
        pool: &'a mut ConstantPool,
        code: &'a Code,
        name: &'a MethodName,
        first: ProbeId,
        room: usize,
    ) -> Self {
        let makes = |insn: &Insn| matches!(insn, Insn::Class { op: ClassOp::New, .. });
        Self {
            pool,
            name,
            code,
            lines: Lines::of(code),
            targets: jump_targets(code),
            raw_objects: name.name == "<init>" || code.insns.iter().any(makes),
            splice: Splice::default(),
            first,
            probes: Vec::new(),
            room,
        }
    }

    fn fill(&mut self, plan: &ProbePlan, access: Access) -> Result<(), Unfit> {
        self.entry(plan)?;
        if let Some(trace) = plan.trace.as_ref().filter(|trace| trace.callees) {
            self.traced_method(trace, access)?;
        }
        let ways_in = if plan.lines { self.lines.ways_in(self.code) } else { Vec::new() };
        let handlers = if plan.fuel { self.backward_handlers() } else { Vec::new() };
        let mut known_lines = Vec::new();
        for (index, insn) in self.code.insns.iter().enumerate() {
            let at = Label::at(index);
            if ways_in.binary_search(&at).is_ok() {
                self.line(at, &mut known_lines)?;
            }
            if plan.fuel && (goes_back(insn, at) || handlers.contains(&at)) {
                self.fuel(at)?;
            }
            if plan.branches != Branches::None {
                self.branch(at, insn, plan.branches)?;
            }
            self.call_site(at, insn, plan)?;
        }
        Ok(())
    }

    fn entry(&mut self, plan: &ProbePlan) -> Result<(), Unfit> {
        if plan.entries {
            let id = self.probe(Label(0), ProbeKind::Entry);
            let hit = self.hit(id)?;
            self.splice.entry(hit);
        }
        // Also where nothing is called: a loop without probes, say of the JDK, may call this for ever.
        if plan.fuel {
            let fuel = self.report("fuel", "()V")?;
            self.splice.entry(vec![fuel]);
        }
        Ok(())
    }

    /// The line that `at` belongs to is reached. All ways into a line share its id.
    fn line(&mut self, at: Label, known: &mut Vec<(u16, i32)>) -> Result<(), Unfit> {
        let Some(line) = self.lines.at(at) else { return Ok(()) };
        let found = known.iter().find(|known| known.0 == line).map(|known| known.1);
        let id = found.unwrap_or_else(|| {
            let id = self.probe(at, ProbeKind::Line);
            known.push((line, id));
            id
        });
        let hit = self.hit(id)?;
        self.splice.before(at, hit);
        Ok(())
    }

    fn fuel(&mut self, at: Label) -> Result<(), Unfit> {
        let fuel = self.report("fuel", "()V")?;
        self.splice.before(at, vec![fuel]);
        Ok(())
    }

    /// Where handlers that stand before what they guard begin: an exception can close a loop, too. A handler that
    /// guards itself gets no fuel probe: that one would throw into itself for ever.
    fn backward_handlers(&self) -> Vec<Label> {
        let backward = self.code.handlers.iter().filter(|handler| handler.target < handler.start);
        backward.map(|handler| handler.target).collect()
    }

    /// Gives out the next id.
    pub(crate) fn probe(&mut self, at: Label, kind: ProbeKind) -> i32 {
        let id = self.first.0 as usize + self.probes.len();
        self.probes.push((self.lines.at(at), kind));
        i32::try_from(id).expect("there are fewer than 2^31 probes")
    }

    /// Reports `id`.
    pub(crate) fn hit(&mut self, id: i32) -> Result<Vec<Insn>, Unfit> {
        Ok(self.report_id(id, "hit", "(I)V")?.to_vec())
    }

    /// Calls a method of the probes whose last argument is `id`: the one for the id's page, because a constant for every
    /// id makes the JVM slow to change a class, by the square of their number.
    pub(crate) fn report_id(&mut self, id: i32, name: &str, descriptor: &str) -> Result<[Insn; 2], Unfit> {
        match runtime::paged(id) {
            Some((page, rest)) => {
                Ok([self.push(rest.into())?, self.report(&runtime::page_method(name, page), descriptor)?])
            }
            None => Ok([self.push(id)?, self.report(name, descriptor)?]),
        }
    }

    /// Calls a method of the probes.
    pub(crate) fn report(&mut self, name: &str, descriptor: &str) -> Result<Insn, Unfit> {
        let method = self.pool.add_method(runtime::CLASS, name, descriptor)?;
        Ok(Insn::Invoke { op: InvokeOp::Static, method })
    }

    /// Pushes a number, always in three bytes: whether a method fits must not depend on its ids.
    pub(crate) fn push(&mut self, value: i32) -> Result<Insn, Unfit> {
        self.room = self.room.checked_sub(1).ok_or_else(Unfit::full)?;
        if let Ok(short) = i16::try_from(value) {
            return Ok(Insn::Sipush(short));
        }
        let constant = self.pool.add_integer(value)?;
        Ok(Insn::Ldc { constant, form: LdcForm::Wide })
    }
}

/// An object whose class has a finalizer is registered when it is made and collected late; an empty one, such as that
/// of `Object`, does not count.
fn is_empty_finalizer(name: &MethodName, code: &Code) -> bool {
    name.name == "finalize" && name.descriptor == "()V" && matches!(code.insns[..], [Insn::Op(Op::Return)])
}

/// Whether the instruction may jump to itself or before it.
fn goes_back(insn: &Insn, at: Label) -> bool {
    let mut back = false;
    insn.for_each_target(|target| back |= target <= at);
    back
}

/// An instruction without operands.
pub(crate) fn op(op: Op) -> Insn {
    Insn::Op(op)
}
