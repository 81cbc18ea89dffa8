//! Lays out the new code, then moves everything that refers to positions.

use jurat_base::FxHashMap;

use super::{Detour, Fragment, Insert, OUTSIDE, Place, Splice, SpliceError, Way, attributes, widen};
use crate::access::Access;
use crate::attribute::{Attribute, Content};
use crate::class::ClassFile;
use crate::code::{Code, Frame, Handler};
use crate::effect;
use crate::frames::{self, Inference, NotInferred, Span, Spelled};
use crate::insn::{Insn, Label, LdcForm};
use crate::pool::{ClassIndex, ConstantPool, Utf8Index};
use crate::state::{Context, Kind, NoFrame, State};

/// The code of `method` with everything in `splice` put in.
pub(super) fn apply(class: &mut ClassFile, method: usize, splice: &Splice) -> Result<Code, SpliceError> {
    let site = Site::of(class, method)?;
    let code = class.methods[method].code().ok_or(SpliceError::NoCode)?;
    let mut spliced = site.splice_once(&mut class.pool, code, splice)?;
    loop {
        let far = widen::widen(&mut spliced)?;
        if far.is_empty() {
            return Ok(spliced);
        }
        spliced = site.splice_once(&mut class.pool, &spliced, &far)?;
    }
}

/// What has to be known of the method around the code.
struct Site {
    major: u16,
    this_class: ClassIndex,
    descriptor: Utf8Index,
    /// What the receiver is on entry, if there is one.
    receiver: Option<Kind>,
}

impl Site {
    fn of(class: &ClassFile, index: usize) -> Result<Self, SpliceError> {
        let method = class.methods.get(index).ok_or(SpliceError::Missing { what: "method", index })?;
        let raw = class.pool.utf8_bytes(method.name) == b"<init>" && class.super_class.is_some();
        let receiver = if raw { Kind::UninitializedThis } else { Kind::class(class.this_class) };
        let receiver = (!method.access.contains(Access::STATIC)).then_some(receiver);
        Ok(Self { major: class.major, this_class: class.this_class, descriptor: method.descriptor, receiver })
    }

    fn splice_once(
        &self,
        pool: &mut ConstantPool,
        code: &Code,
        splice: &Splice,
    ) -> Result<Code, SpliceError> {
        let layout = Layout::new(code, splice)?;
        let (max_stack, max_locals) = limits(code, splice, pool)?;
        let attributes = attributes::relocate(&code.attributes, &layout)?;
        let old = layout.relocate_frames(code, pool)?;
        let Layout { insns, spans, blocks, land, table: handlers, .. } = layout;
        let mut spliced = Code { max_stack, max_locals, insns, handlers, attributes };
        let needs_new = self.major >= 50 && !(spans.is_empty() && blocks.is_empty()) || has_ties(&old);
        let frames = if needs_new {
            match self.frames(pool, &spliced, &old, &spans, &blocks, &land) {
                // Version 50 falls back to the verifier that works without frames.
                Err(_) if self.major == 50 && old.is_empty() => old,
                frames => frames?,
            }
        } else {
            old
        };
        set_frames(&mut spliced, frames, pool)?;
        check_order(&spliced)?;
        Ok(spliced)
    }

    /// The frames of the new code, given those of the old code at their new positions.
    fn frames(
        &self,
        pool: &mut ConstantPool,
        code: &Code,
        old: &[Frame],
        spans: &[Span],
        blocks: &[Block],
        land: &[u32],
    ) -> Result<Vec<Frame>, SpliceError> {
        let entry = State::on_entry(pool, self.descriptor, self.receiver);
        let entry = entry.map_err(|_| SpliceError::NoFrame(0))?;
        let known = frames::spell_out(old, entry.clone());
        let mut known =
            known.ok_or_else(|| SpliceError::BrokenFrames("too many locals are chopped".to_owned()))?;
        drop_ties(&mut known);
        for block in blocks {
            if let Some(like) = block.like {
                let target = Label(land[like.index()]);
                let state = frames::find(&known, target).ok_or(SpliceError::NoFrame(target.index()))?.clone();
                known.push((block.at, state));
            }
        }
        let context = Context { pool, this_class: self.this_class };
        let inference = Inference { code, context, known: &known, entry: &entry };
        let found = inference.states(spans).map_err(no_frame)?;
        known.extend(found);
        known.sort_by_key(|(at, _)| *at);
        frames::pack(&known, &entry, pool).map_err(no_frame)
    }
}

fn no_frame(error: NotInferred) -> SpliceError {
    match error.reason {
        NoFrame::Unverifiable => SpliceError::NoFrame(error.at),
        NoFrame::Pool(full) => SpliceError::Pool(full),
    }
}

/// True if two frames came to stand at one position because what was between them was taken away.
fn has_ties(frames: &[Frame]) -> bool {
    frames.windows(2).any(|pair| pair[0].at == pair[1].at)
}

/// In code that no verifier would pass, such as that with two tables of frames, what is found may not fit together.
fn check_order(code: &Code) -> Result<(), SpliceError> {
    let is_disorderly = |attribute: &Attribute| match &attribute.content {
        Content::StackMapTable(frames) => frames.windows(2).any(|pair| pair[0].at >= pair[1].at),
        _ => false,
    };
    if code.attributes.iter().any(is_disorderly) {
        return Err(SpliceError::BrokenFrames("two are at one position".to_owned()));
    }
    Ok(())
}

/// Keeps the last of frames at one position.
fn drop_ties(frames: &mut Vec<Spelled>) {
    frames.reverse();
    frames.dedup_by_key(|(at, _)| *at);
    frames.reverse();
}

fn set_frames(code: &mut Code, frames: Vec<Frame>, pool: &mut ConstantPool) -> Result<(), SpliceError> {
    let own = code.attributes.iter_mut().find_map(|attribute| match &mut attribute.content {
        Content::StackMapTable(own) => Some(own),
        _ => None,
    });
    match own {
        Some(own) => *own = frames,
        None if frames.is_empty() => {}
        None => code.attributes.extend(Attribute::new(pool, Content::StackMapTable(frames))?),
    }
    Ok(())
}

/// Words of stack and locals that the new code needs.
fn limits(code: &Code, splice: &Splice, pool: &ConstantPool) -> Result<(u16, u16), SpliceError> {
    let (mut stack, mut locals) = (0, code.max_locals);
    for fragment in splice.fragments() {
        let peak = effect::peak(&fragment.insns, &fragment.handlers, pool).ok_or(SpliceError::Descriptor)?;
        stack = stack.max(peak.0);
        locals = locals.max(peak.1);
    }
    // A guard finds the exception on a stack that may have been empty all along.
    let caught = splice.detours.iter().any(|detour| matches!(detour.way, Way::Guard { .. }));
    let stack = code.max_stack.max(u16::from(caught)).checked_add(stack).ok_or(SpliceError::TooDeep)?;
    Ok((stack, locals))
}

/// The new code, and where the old instructions went.
pub(super) struct Layout {
    insns: Vec<Insn>,
    /// For each old instruction, and the end, where jumps to it land.
    land: Vec<u32>,
    /// For each old instruction, where it is itself, or what stands for it.
    own: Vec<u32>,
    /// Handlers of fragments.
    handlers: Vec<Handler>,
    /// Fragments with jumps of their own.
    spans: Vec<Span>,
    blocks: Vec<Block>,
    /// New places for handlers of the method, by number.
    rerouted: FxHashMap<usize, Label>,
    /// Handlers that catch what the method's own do not.
    guards: Vec<Handler>,
    /// The whole exception table.
    table: Vec<Handler>,
    /// Where in it each of the method's handlers is.
    numbers: Vec<Option<u16>>,
}

/// A detour laid out behind the code.
pub(super) struct Block {
    at: Label,
    /// The old instruction whose frame it begins with; none for a guard.
    like: Option<Label>,
}

impl Layout {
    fn new(code: &Code, splice: &Splice) -> Result<Self, SpliceError> {
        let count = code.insns.len();
        let added: usize = splice.fragments().map(|fragment| fragment.insns.len()).sum();
        let mut layout = Self {
            insns: Vec::with_capacity(count + added),
            land: Vec::with_capacity(count + 1),
            own: Vec::with_capacity(count + 1),
            handlers: Vec::new(),
            spans: Vec::new(),
            blocks: Vec::new(),
            rerouted: FxHashMap::default(),
            guards: Vec::new(),
            table: Vec::new(),
            numbers: Vec::new(),
        };
        layout.lay_inserts(code, splice)?;
        layout.lay_detours(code, splice)?;
        layout.resolve_targets()?;
        layout.fill_table(code)?;
        Ok(layout)
    }

    fn lay_inserts(&mut self, code: &Code, splice: &Splice) -> Result<(), SpliceError> {
        let mut order: Vec<&Insert> = splice.inserts.iter().collect();
        order.sort_by_key(|insert| (insert.at, insert.place));
        let mut inserts = order.into_iter().peekable();
        let mut falls_through = true;
        for index in 0..=code.insns.len() {
            let here = Label::at(index);
            while let Some(insert) =
                inserts.next_if(|insert| (insert.at, insert.place) == (here, Place::Before))
            {
                if !falls_through {
                    return Err(SpliceError::Unreachable(index));
                }
                self.lay(&insert.fragment)?;
            }
            self.land.push(self.position());
            let Some(insn) = code.insns.get(index) else { break };
            while let Some(insert) =
                inserts.next_if(|insert| (insert.at, insert.place) == (here, Place::Behind))
            {
                self.lay(&insert.fragment)?;
            }
            self.own.push(self.position());
            if let Some(insert) = inserts.next_if(|insert| insert.at == here) {
                falls_through = self.lay_instead(&insert.fragment)?;
            } else {
                self.insns.push(insn.clone());
                falls_through = !insn.ends_block();
            }
            if inserts.peek().is_some_and(|insert| insert.at == here) {
                return Err(SpliceError::Replaced(index));
            }
        }
        match inserts.next() {
            Some(insert) => Err(SpliceError::Missing { what: "instruction", index: insert.at.index() }),
            None => Ok(()),
        }
    }

    /// Lays out a fragment that stands for an instruction; true if it falls through.
    fn lay_instead(&mut self, fragment: &Fragment) -> Result<bool, SpliceError> {
        let start = self.insns.len();
        self.lay(fragment)?;
        // Frames may speak of what a `new` made: if there is one it is what they mean.
        let is_new = |insn: &Insn| matches!(insn, Insn::Class { op: crate::insn::ClassOp::New, .. });
        if let (Some(new), Some(own)) = (fragment.insns.iter().rposition(is_new), self.own.last_mut()) {
            *own = Label::at(start + new).0;
        }
        Ok(!fragment.is_closed())
    }

    fn lay_detours(&mut self, code: &Code, splice: &Splice) -> Result<(), SpliceError> {
        let mut by_way: FxHashMap<Way, Vec<&Fragment>> = FxHashMap::default();
        for detour in &splice.detours {
            by_way.entry(detour.way).or_default().push(&detour.fragment);
        }
        for Detour { way, fragment } in &splice.detours {
            match *way {
                Way::Jump { from, to } => {
                    if let Some(fragments) = by_way.remove(way) {
                        let block = self.lay_block(&fragments, to, code)?;
                        self.reroute_jump(code, from, to, block)?;
                    }
                }
                Way::Handler(index) => {
                    if let Some(fragments) = by_way.remove(way) {
                        let handler = code.handlers.get(index);
                        let handler = handler.ok_or(SpliceError::Missing { what: "handler", index })?;
                        let block = self.lay_block(&fragments, handler.target, code)?;
                        self.rerouted.insert(index, block);
                    }
                }
                Way::Guard { start, end, catch } => self.lay_guard(fragment, (start, end), catch)?,
            }
        }
        Ok(())
    }

    /// Lays out fragments on the way to `to`.
    fn lay_block(&mut self, fragments: &[&Fragment], to: Label, code: &Code) -> Result<Label, SpliceError> {
        if to.index() >= code.insns.len() {
            return Err(SpliceError::Missing { what: "instruction", index: to.index() });
        }
        let at = Label(self.position());
        self.blocks.push(Block { at, like: Some(to) });
        for fragment in fragments {
            self.lay(fragment)?;
        }
        if !fragments.last().is_some_and(|fragment| fragment.is_closed()) {
            self.insns.push(Insn::goto(to));
        }
        Ok(at)
    }

    fn lay_guard(
        &mut self,
        fragment: &Fragment,
        (start, end): (Label, Label),
        catch: Option<ClassIndex>,
    ) -> Result<(), SpliceError> {
        if !fragment.is_closed() {
            return Err(SpliceError::OpenEnd);
        }
        let (start, end) = (self.landing(start)?, self.landing(end)?);
        let target = Label(self.position());
        self.blocks.push(Block { at: target, like: None });
        // All of the guarded range has to be followed to know what its states have in common.
        self.spans.push(Span { start: start.index(), end: target.index(), wanted: vec![target] });
        self.guards.push(Handler { start, end, target, catch });
        self.lay(fragment)
    }

    /// Lets the jump at `from` go to a block instead of `to`.
    fn reroute_jump(&mut self, code: &Code, from: Label, to: Label, block: Label) -> Result<(), SpliceError> {
        let index = from.index();
        let missing = SpliceError::Missing { what: "jump at instruction", index };
        let jump = code.insns.get(index).ok_or(missing.clone())?;
        let own = self.own[index] as usize;
        if self.insns.get(own).is_none_or(|insn| std::mem::discriminant(insn) != std::mem::discriminant(jump))
        {
            return Err(SpliceError::Replaced(index));
        }
        let mut found = false;
        self.insns[own].map_targets(|target| {
            let here = target == to;
            found |= here;
            if here { block.outside() } else { target }
        });
        if found { Ok(()) } else { Err(missing) }
    }

    /// Appends a fragment. Its own labels become final, and marked as such, those of the method stay as they are.
    fn lay(&mut self, fragment: &Fragment) -> Result<(), SpliceError> {
        let (start, length) = (self.insns.len(), fragment.insns.len());
        let mut wanted = Vec::new();
        let mut bad = None;
        let mut local = |label: Label, limit: usize| {
            if label.index() > limit {
                bad.get_or_insert(label.index());
            }
            Label::at(start + label.index().min(limit))
        };
        for insn in &fragment.insns {
            let mut insn = insn.clone();
            insn.map_targets(|target| {
                if target.0 & OUTSIDE == 0 {
                    let target = local(target, length);
                    wanted.push(target);
                    return target.outside();
                }
                Label(target.0 & !OUTSIDE)
            });
            if let Insn::Ldc { constant, form: form @ LdcForm::Short } = &mut insn
                && constant.raw() > 0xFF
            {
                *form = LdcForm::Wide;
            }
            self.insns.push(insn);
        }
        for handler in &fragment.handlers {
            let (from, to) = (local(handler.start, length), local(handler.end, length));
            let target = local(handler.target, length.saturating_sub(1));
            wanted.push(target);
            self.handlers.push(Handler { start: from, end: to, target, catch: handler.catch });
        }
        if let Some(index) = bad {
            return Err(SpliceError::Missing { what: "label in a fragment", index });
        }
        wanted.sort_unstable();
        wanted.dedup();
        if !wanted.is_empty() {
            self.spans.push(Span { start, end: start + length, wanted });
        }
        Ok(())
    }

    /// Turns what is still an old label in a jump into the place where it lands.
    fn resolve_targets(&mut self) -> Result<(), SpliceError> {
        let (land, mut bad) = (&self.land, None);
        let last = land.len() - 1;
        for insn in &mut self.insns {
            insn.map_targets(|target| {
                if target.0 & OUTSIDE != 0 {
                    return Label(target.0 & !OUTSIDE);
                }
                if target.index() >= last {
                    bad.get_or_insert(target.index());
                }
                Label(land[target.index().min(last)])
            });
        }
        match bad {
            Some(index) => Err(SpliceError::Missing { what: "instruction", index }),
            None => Ok(()),
        }
    }

    fn position(&self) -> u32 {
        Label::at(self.insns.len()).0
    }

    /// Where jumps to an old instruction land; also for the end of the code.
    pub(super) fn landing(&self, label: Label) -> Result<Label, SpliceError> {
        let found = self.land.get(label.index()).copied().map(Label);
        found.ok_or(SpliceError::Missing { what: "instruction", index: label.index() })
    }

    /// As `landing`, but what begins with the method still begins with it.
    pub(super) fn beginning(&self, label: Label) -> Result<Label, SpliceError> {
        if label == Label(0) { Ok(label) } else { self.landing(label) }
    }

    /// Where an old instruction is itself.
    pub(super) fn instruction(&self, label: Label) -> Result<Label, SpliceError> {
        let found = self.own.get(label.index()).copied().map(Label);
        found.ok_or(SpliceError::Missing { what: "instruction", index: label.index() })
    }

    /// Makes the new exception table: fragments' own handlers, the method's, then guards.
    fn fill_table(&mut self, code: &Code) -> Result<(), SpliceError> {
        self.table = self.handlers.clone();
        for (index, handler) in code.handlers.iter().enumerate() {
            let (start, end) = (self.landing(handler.start)?, self.landing(handler.end)?);
            let target = match self.rerouted.get(&index) {
                Some(block) => *block,
                None => self.landing(handler.target)?,
            };
            let number = self.table.len();
            // Nothing may be left of a range whose instructions were taken away.
            let kept = start < end;
            if kept {
                self.table.push(Handler { start, end, target, catch: handler.catch });
            }
            self.numbers.push(if kept { u16::try_from(number).ok() } else { None });
        }
        self.table.extend(&self.guards);
        Ok(())
    }

    /// The new number of the method's handler that had this one, if it is still there.
    pub(super) fn handler_number(&self, index: u16) -> Option<u16> {
        self.numbers.get(usize::from(index)).copied().flatten()
    }

    fn relocate_frames(&self, code: &Code, pool: &ConstantPool) -> Result<Vec<Frame>, SpliceError> {
        for attribute in &code.attributes {
            if let Content::Opaque(opaque) = &attribute.content
                && pool.utf8_bytes(attribute.name()) == b"StackMapTable"
            {
                return Err(SpliceError::BrokenFrames(opaque.reason.to_string()));
            }
        }
        code.frames()
            .iter()
            .map(|frame| {
                let kind = attributes::relocate_frame(&frame.kind, self)?;
                Ok(Frame { at: self.landing(frame.at)?, kind })
            })
            .collect()
    }
}
