//! Where the boxes of one drawn structure stand.
//!
//! Objects hang below the reference that a walk, depth first, reaches them by. A null takes a little room of its own, so that a
//! left child and a right child stand where one expects them. Structures that never branch run sideways.

use crate::space::Value;
use crate::structure::{Part, Structure};

/// Width of a character in a box, and in the smaller names of references.
const LETTER: f64 = 5.6;
const SMALL_LETTER: f64 = 4.4;
/// Height of a line of text.
pub(crate) const LINE: f64 = 12.0;
/// Height of the strip that holds the names of references.
pub(crate) const STRIP: f64 = 11.0;
/// How far a reference of an object to itself goes down.
pub(crate) const LOOP: f64 = 10.0;
const GAP: f64 = 10.0;
const LAYER_GAP: f64 = 20.0;
const NULL_WIDTH: f64 = 8.0;

/// The boxes of one structure.
#[derive(Debug)]
pub(crate) struct Layout {
    /// One box for each object, in the structure's order.
    pub(crate) boxes: Vec<Boxed>,
    /// Width and height of all of them together.
    pub(crate) size: (f64, f64),
    /// Whether the structure runs sideways.
    pub(crate) sideways: bool,
}

/// One object's box.
#[derive(Debug)]
pub(crate) struct Boxed {
    /// Left, top, width, height.
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// What it says: the title, then fields that hold values.
    pub(crate) lines: Vec<String>,
    /// Its references.
    pub(crate) ports: Vec<Port>,
}

/// One reference of an object.
#[derive(Debug)]
pub(crate) struct Port {
    /// Name of the field, or index of the element.
    pub(crate) name: String,
    /// The middle of the port, from the left of its box.
    pub(crate) offset: f64,
    pub(crate) width: f64,
    /// The object it refers to.
    pub(crate) target: Option<usize>,
    /// Whether the target hangs on this reference.
    pub(crate) is_first: bool,
}

impl Layout {
    /// The layouts of structures that are seen side by side: sideways if none of them branches.
    pub(crate) fn all(structures: &[Structure]) -> Vec<Self> {
        let hung: Vec<(Vec<Boxed>, Vec<usize>)> = structures
            .iter()
            .map(|structure| {
                let mut boxes: Vec<Boxed> =
                    structure.objects.iter().map(|part| boxed(structure, part)).collect();
                let depth = hang(&mut boxes);
                (boxes, depth)
            })
            .collect();
        let sideways = hung.iter().flat_map(|(boxes, _)| boxes).all(Boxed::leads_on_at_most_once);
        let place = |(mut boxes, depth): (Vec<Boxed>, Vec<usize>)| {
            let size = if sideways { place_in_row(&mut boxes) } else { place_in_layers(&mut boxes, &depth) };
            Self { boxes, size, sideways }
        };
        hung.into_iter().map(place).collect()
    }
}

impl Boxed {
    /// Halfway between its left and its right.
    pub(crate) fn middle(&self) -> f64 {
        self.x + self.width / 2.0
    }

    fn leads_on_at_most_once(&self) -> bool {
        self.ports.iter().filter(|port| port.is_first).count() <= 1
    }
}

fn boxed(structure: &Structure, part: &Part) -> Boxed {
    let is_array = part.class.ends_with("[]");
    let mut lines = vec![part.name.replace('#', " ")];
    let mut ports = Vec::new();
    let mut values = Vec::new();
    for field in &part.fields {
        match &field.value {
            Value::Null | Value::Object(_) => {
                let target = match field.value {
                    Value::Object(object) => structure.objects.iter().position(|part| part.object == object),
                    _ => None,
                };
                let width = (text_width(&field.name, SMALL_LETTER) + 5.0).max(14.0);
                ports.push(Port { name: field.name.clone(), offset: 0.0, width, target, is_first: false });
            }
            _ if is_array => values.push(field.text.clone()),
            _ => lines.push(format!("{} {}", field.name, field.text)),
        }
    }
    if is_array {
        let what = if part.fields.is_empty() { "empty".to_owned() } else { values.join(" ") };
        lines.extend((!what.is_empty()).then_some(what));
    }
    let text = lines.iter().map(|line| text_width(line, LETTER)).fold(0.0, f64::max) + 10.0;
    let strip: f64 = ports.iter().map(|port| port.width).sum();
    let width = text.max(strip).max(22.0);
    let stretch = width / strip.max(1.0);
    let mut left = 0.0;
    for port in &mut ports {
        port.width *= stretch;
        port.offset = left + port.width / 2.0;
        left += port.width;
    }
    let height = LINE * count(lines.len()) + 4.0 + if ports.is_empty() { 0.0 } else { STRIP };
    Boxed { x: 0.0, y: 0.0, width, height, lines, ports }
}

/// Marks the references that objects hang on, depth first as one would walk a list; gives each object's depth.
fn hang(boxes: &mut [Boxed]) -> Vec<usize> {
    let mut depth = vec![usize::MAX; boxes.len()];
    depth[0] = 0;
    let mut path = vec![(0, 0)];
    while let Some((at, next)) = path.pop() {
        let Some(port) = boxes[at].ports.get_mut(next) else { continue };
        path.push((at, next + 1));
        if let Some(target) = port.target.filter(|&target| depth[target] == usize::MAX) {
            port.is_first = true;
            depth[target] = path.len();
            path.push((target, 0));
        }
    }
    depth
}

fn place_in_row(boxes: &mut [Boxed]) -> (f64, f64) {
    let height = boxes.iter().map(|each| each.height).fold(0.0, f64::max);
    let (mut at, mut x) = (Some(0), 0.0);
    while let Some(index) = at {
        let each = &mut boxes[index];
        each.x = x;
        x += each.width + LAYER_GAP;
        at = each.ports.iter().find(|port| port.is_first).and_then(|port| port.target);
    }
    (x - LAYER_GAP, height + lowest_dip(boxes))
}

/// The room that references need which do not lead on, and run below a row of boxes.
fn lowest_dip(boxes: &[Boxed]) -> f64 {
    let edges = boxes.iter().flat_map(|from| from.ports.iter().map(move |port| (from, port)));
    let dips = edges.filter(|(_, port)| !port.is_first).filter_map(|(from, port)| {
        let to = &boxes[port.target?];
        Some(if std::ptr::eq(from, to) { LOOP } else { dip((from.x + port.offset - to.middle()).abs()) })
    });
    dips.fold(0.0, f64::max)
}

/// How far a reference that runs below a row of boxes goes down, so that longer ones run below shorter ones.
pub(crate) fn dip(length: f64) -> f64 {
    (5.0 + 0.07 * length).min(36.0)
}

fn place_in_layers(boxes: &mut [Boxed], depth: &[usize]) -> (f64, f64) {
    let layers = depth.iter().max().map_or(0, |deepest| deepest + 1);
    let mut top = 0.0;
    for layer in 0..layers {
        let in_layer = || (0..depth.len()).filter(|&index| depth[index] == layer);
        let height = in_layer().map(|index| boxes[index].height).fold(0.0, f64::max);
        for index in in_layer() {
            boxes[index].y = top;
        }
        top += height + LAYER_GAP;
    }
    let width = spread(boxes, 0, 0.0);
    (width, top - LAYER_GAP)
}

/// Gives an object and what hangs on it places from `left` on; gives the width they take.
fn spread(boxes: &mut [Boxed], index: usize, left: f64) -> f64 {
    let hanging: Vec<Option<usize>> = boxes[index]
        .ports
        .iter()
        .filter(|port| port.is_first || port.target.is_none())
        .map(|port| port.target)
        .collect();
    let mut right = left;
    let mut centers = Vec::new();
    if hanging.iter().any(Option::is_some) {
        for child in hanging {
            let width = child.map_or(NULL_WIDTH, |child| spread(boxes, child, right));
            centers
                .push(child.map_or(right + width / 2.0, |child| boxes[child].x + boxes[child].width / 2.0));
            right += width + GAP;
        }
        right -= GAP;
    }
    let middle = match (centers.first(), centers.last()) {
        (Some(first), Some(last)) => f64::midpoint(*first, *last),
        _ => left + boxes[index].width / 2.0,
    };
    let x = (middle - boxes[index].width / 2.0).max(left);
    boxes[index].x = x;
    (right - left).max(x + boxes[index].width - left)
}

fn text_width(text: &str, letter: f64) -> f64 {
    count(text.chars().count()) * letter
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
