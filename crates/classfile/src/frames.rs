//! Stack map frames: spelled out, inferred where code was added, and packed again.

use jurat_base::FxHashMap;

use crate::code::{Code, Frame, FrameKind, FullFrame, Handler, VerificationType};
use crate::insn::{Insn, InvokeOp, Label};
use crate::pool::ConstantPool;
use crate::state::{Context, Kind, NoFrame, State};

/// A frame that says everything.
pub(crate) type Spelled = (Label, State);

/// Spells out frames that are given relative to each other; `None` if one takes away more than is there.
pub(crate) fn spell_out(frames: &[Frame], entry: State) -> Option<Vec<Spelled>> {
    let mut current = entry;
    let mut spelled = Vec::with_capacity(frames.len());
    for frame in frames {
        current = current.framed(&frame.kind)?;
        spelled.push((frame.at, current.clone()));
    }
    Some(spelled)
}

/// The shortest relative forms of `frames`, which are in order of position.
pub(crate) fn pack(
    frames: &[Spelled],
    entry: &State,
    pool: &mut ConstantPool,
) -> Result<Vec<Frame>, NotInferred> {
    let mut before = entry.local_values();
    let mut packed = Vec::with_capacity(frames.len());
    for (at, state) in frames {
        let locals = state.local_values();
        let kind = relative(&before, &locals, state.stack(), pool);
        packed.push(Frame { at: *at, kind: kind.map_err(|reason| NotInferred { at: at.index(), reason })? });
        before = locals;
    }
    Ok(packed)
}

fn relative(
    before: &[Kind],
    locals: &[Kind],
    stack: &[Kind],
    pool: &mut ConstantPool,
) -> Result<FrameKind, NoFrame> {
    match (locals == before, stack) {
        (true, []) => return Ok(FrameKind::Same { extended: false }),
        (true, [only]) => {
            return Ok(FrameKind::OneStack { stack: only.verification_type(pool)?, extended: false });
        }
        (false, []) => {
            if let Some(more @ ([_] | [_, _] | [_, _, _])) = locals.strip_prefix(before) {
                return Ok(FrameKind::Append(verification_types(more, pool)?));
            }
            match before.strip_prefix(locals) {
                Some([_]) => return Ok(FrameKind::Chop(1)),
                Some([_, _]) => return Ok(FrameKind::Chop(2)),
                Some([_, _, _]) => return Ok(FrameKind::Chop(3)),
                _ => {}
            }
        }
        _ => {}
    }
    let (locals, stack) = (verification_types(locals, pool)?, verification_types(stack, pool)?);
    Ok(FrameKind::Full(Box::new(FullFrame { locals, stack })))
}

fn verification_types(kinds: &[Kind], pool: &mut ConstantPool) -> Result<Vec<VerificationType>, NoFrame> {
    kinds.iter().map(|kind| kind.verification_type(pool)).collect()
}

/// A stretch of added code whose labels need frames.
pub(crate) struct Span {
    /// Its first instruction.
    pub(crate) start: usize,
    /// The instruction after its last one. A label there may need a frame, too.
    pub(crate) end: usize,
    /// Labels within it that something jumps to, in order.
    pub(crate) wanted: Vec<Label>,
}

/// Why a frame could not be inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotInferred {
    pub(crate) at: usize,
    pub(crate) reason: NoFrame,
}

/// Finds the frames that added code needs by following it from the nearest known frame.
pub(crate) struct Inference<'a> {
    pub(crate) code: &'a Code,
    pub(crate) context: Context<'a>,
    /// Frames known, in order of position.
    pub(crate) known: &'a [Spelled],
    pub(crate) entry: &'a State,
}

impl Inference<'_> {
    /// The states at all labels that `spans`, in order of position, want and that have no known frame.
    pub(crate) fn states(&self, spans: &[Span]) -> Result<Vec<Spelled>, NotInferred> {
        let mut walk = Walk::default();
        for span in spans {
            walk.open.clear();
            walk.open.extend(span.wanted.iter().filter(|label| find(self.known, **label).is_none()));
            walk.handlers.clear();
            walk.handlers
                .extend(self.code.handlers.iter().filter(|handler| walk.open.contains(&handler.target)));
            if !walk.open.is_empty() {
                self.follow(span, &mut walk)?;
            }
        }
        Ok(walk.found)
    }

    /// Follows the code from the last frame before `span` to its end.
    fn follow(&self, span: &Span, walk: &mut Walk) -> Result<(), NotInferred> {
        let (mut at, mut state) = self.start(span, walk);
        let end = span.end.min(self.code.insns.len());
        loop {
            let label = Label::at(at);
            if let Some(framed) = self.state_at(label, walk) {
                state = Some(framed);
            } else if walk.is_open(label) {
                state = walk.arrive(label, state.as_ref(), self)?;
            }
            if at >= end {
                return Ok(());
            }
            if let Some(current) = state.as_mut() {
                self.step(at, current, walk)?;
            }
            if self.code.insns[at].ends_block() {
                state = None;
            }
            at += 1;
        }
    }

    /// Where to start following, and the state there.
    fn start(&self, span: &Span, walk: &Walk) -> (usize, Option<State>) {
        let known = last_before(self.known, span.start);
        let found = last_before(&walk.found, span.start);
        let nearest = if known.map(|known| known.0) < found.map(|found| found.0) { found } else { known };
        match nearest {
            Some((at, state)) => (at.index(), Some(state.clone())),
            None => (0, Some(self.entry.clone())),
        }
    }

    fn state_at(&self, label: Label, walk: &Walk) -> Option<State> {
        find(self.known, label).or_else(|| find(&walk.found, label)).cloned()
    }

    fn step(&self, at: usize, state: &mut State, walk: &mut Walk) -> Result<(), NotInferred> {
        self.enter_handlers(at, state, walk)?;
        let insn = &self.code.insns[at];
        state
            .step(insn, Label::at(at), self.context)
            .map_err(|_| NotInferred { at, reason: NoFrame::Unverifiable })?;
        if matches!(insn, Insn::Invoke { op: InvokeOp::Special, .. }) {
            // A constructor may throw with its object raw or initialized, as the verifier sees it.
            self.enter_handlers(at, state, walk)?;
        }
        let mut result = Ok(());
        insn.for_each_target(|target| {
            if target.index() > at && walk.is_open(target) {
                result = result.and_then(|()| walk.capture(target, state, self));
            }
        });
        result
    }

    /// Every instruction of a guarded range may lead to its handler, with whatever the locals hold there.
    fn enter_handlers(&self, at: usize, state: &State, walk: &mut Walk) -> Result<(), NotInferred> {
        for index in 0..walk.handlers.len() {
            let handler = walk.handlers[index];
            if (handler.start.index()..handler.end.index()).contains(&at) {
                let caught = handler.catch.map_or(Kind::known("java/lang/Throwable"), Kind::class);
                walk.capture(handler.target, &state.in_handler(caught), self)?;
            }
        }
        Ok(())
    }
}

/// The last of `frames`, which are in order, that is not after `position`.
fn last_before(frames: &[Spelled], position: usize) -> Option<&Spelled> {
    frames.partition_point(|(at, _)| at.index() <= position).checked_sub(1).map(|index| &frames[index])
}

/// The state at `label`, if `frames`, which are in order, have one there.
pub(crate) fn find(frames: &[Spelled], label: Label) -> Option<&State> {
    frames.binary_search_by_key(&label, |(at, _)| *at).ok().map(|index| &frames[index].1)
}

/// What is known so far about labels ahead.
#[derive(Default)]
struct Walk {
    /// Labels of the current span that need a frame, in order.
    open: Vec<Label>,
    /// Handlers that lead to one of those.
    handlers: Vec<Handler>,
    /// States in which the code followed so far jumps to labels ahead.
    seen: FxHashMap<Label, State>,
    /// Labels done, in order.
    found: Vec<Spelled>,
}

impl Walk {
    fn is_open(&self, label: Label) -> bool {
        self.open.binary_search(&label).is_ok()
    }

    fn capture(&mut self, label: Label, state: &State, inference: &Inference<'_>) -> Result<(), NotInferred> {
        let Some(seen) = self.seen.get_mut(&label) else {
            self.seen.insert(label, state.clone());
            return Ok(());
        };
        if seen.merge(state, inference.context.pool) {
            Ok(())
        } else {
            Err(NotInferred { at: label.index(), reason: NoFrame::Unverifiable })
        }
    }

    /// Control gets to a label, by jumps seen before and perhaps by falling through.
    fn arrive(
        &mut self,
        label: Label,
        falling: Option<&State>,
        inference: &Inference<'_>,
    ) -> Result<Option<State>, NotInferred> {
        if let Some(state) = falling {
            self.capture(label, state, inference)?;
        }
        match self.seen.remove(&label) {
            Some(mut state) => {
                state.trim();
                self.found.push((label, state.clone()));
                Ok(Some(state))
            }
            // Nothing that was followed leads here: jumped to from behind, out of dead code.
            None => Err(NotInferred { at: label.index(), reason: NoFrame::Unverifiable }),
        }
    }
}
