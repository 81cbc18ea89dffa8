//! Structures as small multiples on one SVG page.

use std::fmt::Write as _;

use crate::layout::{Boxed, LINE, LOOP, Layout, Port, STRIP, dip};
use crate::space::simple_name;
use crate::structure::Structure;

/// Width that a page is filled to, unless one structure alone is wider.
const PAGE: f64 = 1180.0;
const MARGIN: f64 = 24.0;
const PADDING: f64 = 12.0;
const CAPTION: f64 = 14.0;
const HEAD: f64 = 64.0;
/// Lines of references that do not lead on, by the number of the field.
const LINES: [&str; 4] = ["#b04a3a", "#2a6ea6", "#7b4fa3", "#8a6a14"];
/// Fills and strokes by class, the root's first.
const COLORS: [(&str, &str); 6] = [
    ("#e8eefc", "#3b5bb5"),
    ("#e9f6ee", "#2f7d4f"),
    ("#fdf1e0", "#a8681a"),
    ("#f6e9f5", "#8a3f86"),
    ("#e6f5f7", "#23737f"),
    ("#f3f0e6", "#6f6433"),
];

/// The page for these structures, of `total` in all, under a title.
pub fn draw(title: &str, structures: &[Structure], total: u64) -> String {
    let layouts = Layout::all(structures);
    let cells: Vec<Cell<'_>> =
        structures.iter().zip(layouts).map(|(structure, layout)| Cell { structure, layout }).collect();
    let classes = classes(structures);
    let (places, width, height) = flow(&cells);
    let mut page = String::new();
    let _ = write!(
        page,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"ui-sans-serif, 'Helvetica Neue', Helvetica, Arial, sans-serif\" \
         font-size=\"9\">\n<defs>{}</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        tips()
    );
    head(&mut page, title, structures.len() as u64, total, &classes);
    for (number, (cell, (x, y))) in cells.iter().zip(places).enumerate() {
        cell.draw(&mut page, number + 1, x, y, &classes);
    }
    page.push_str("</svg>\n");
    page
}

/// One structure and its layout.
struct Cell<'a> {
    structure: &'a Structure,
    layout: Layout,
}

impl Cell<'_> {
    fn size(&self) -> (f64, f64) {
        let (width, height) = self.layout.size;
        (width + 2.0 * PADDING, height + 2.0 * PADDING + CAPTION)
    }

    fn draw(&self, page: &mut String, number: usize, x: f64, y: f64, classes: &[&str]) {
        let (width, height) = self.size();
        let _ = writeln!(page, "<g transform=\"translate({x:.1} {y:.1})\">");
        let _ = writeln!(
            page,
            "<rect width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\" fill=\"none\" stroke=\"#e3e3e3\"/>\
             <text x=\"{PADDING}\" y=\"{:.1}\" fill=\"#999\" font-size=\"8\">{number}</text>",
            height - 6.0
        );
        let _ = writeln!(page, "<g transform=\"translate({PADDING} {PADDING})\">");
        for (each, part) in self.layout.boxes.iter().zip(&self.structure.objects) {
            let class = classes.iter().position(|class| *class == part.class).unwrap_or(0);
            draw_box(page, each, COLORS[class % COLORS.len()]);
        }
        for each in &self.layout.boxes {
            for port in &each.ports {
                self.edge(page, each, port);
            }
        }
        page.push_str("</g></g>\n");
    }

    fn edge(&self, page: &mut String, from: &Boxed, port: &Port) {
        let Some(to) = port.target.map(|target| &self.layout.boxes[target]) else { return };
        let path = match (port.is_first, self.layout.sideways) {
            (true, true) => {
                let y = from.y + LINE * 0.6;
                format!("M{:.1} {y:.1} L{:.1} {y:.1}", from.x + from.width, to.x)
            }
            (true, false) => {
                let (x, y) = (from.x + port.offset, from.y + from.height);
                format!("M{x:.1} {y:.1} L{:.1} {:.1}", to.middle(), to.y)
            }
            (false, _) => side_path(from, port, to),
        };
        let number = from.ports.iter().position(|own| std::ptr::eq(own, port)).unwrap_or(0) % LINES.len();
        let look = if port.is_first {
            "stroke=\"#555\" marker-end=\"url(#tip)\"".to_owned()
        } else {
            format!(
                "stroke=\"{}\" stroke-width=\"0.9\" stroke-dasharray=\"3 2\" marker-end=\"url(#tip{number})\"",
                LINES[number]
            )
        };
        let _ = writeln!(page, "<path d=\"{path}\" fill=\"none\" {look}/>");
    }
}

/// The points of arrows, one for each color.
fn tips() -> String {
    let tip = |name: &str, color: &str| {
        format!(
            "<marker id=\"tip{name}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"5\" markerHeight=\"5\" \
             orient=\"auto-start-reverse\"><path d=\"M0 0.6 L7.4 4 L0 7.4 z\" fill=\"{color}\"/></marker>"
        )
    };
    let sides = LINES.iter().enumerate().map(|(number, color)| tip(&number.to_string(), color));
    tip("", "#555") + &sides.collect::<String>()
}

/// The way of a reference to an object that hangs elsewhere: below the boxes within a layer, else to the near side.
fn side_path(from: &Boxed, port: &Port, to: &Boxed) -> String {
    let (x, y) = (from.x + port.offset, from.y + from.height);
    let center = to.middle();
    if std::ptr::eq(from, to) {
        let low = y + LOOP / DEEPEST;
        format!(
            "M{:.1} {y:.1} C{:.1} {low:.1} {:.1} {low:.1} {:.1} {y:.1}",
            x - 3.0,
            x - 9.0,
            x + 9.0,
            x + 3.0
        )
    } else if (to.y - from.y).abs() < 1.0 {
        let bottom = to.y + to.height;
        let low = y.max(bottom) + dip((x - center).abs()) / DEEPEST;
        // Those from the left arrive left of the middle.
        let end = center + if x < center { -5.0 } else { 5.0 };
        format!("M{x:.1} {y:.1} C{x:.1} {low:.1} {end:.1} {low:.1} {end:.1} {bottom:.1}")
    } else {
        let (side, out) = if x < center { (to.x, -16.0) } else { (to.x + to.width, 16.0) };
        let middle = to.y + LINE * 0.6;
        format!("M{x:.1} {y:.1} C{x:.1} {:.1} {:.1} {middle:.1} {side:.1} {middle:.1}", y + 12.0, side + out)
    }
}

/// How much of the way to its control points a curve goes down.
const DEEPEST: f64 = 0.75;

fn draw_box(page: &mut String, each: &Boxed, (fill, stroke): (&str, &str)) {
    let Boxed { x, y, width, height, .. } = each;
    let _ = write!(
        page,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\" fill=\"{fill}\" stroke=\"{stroke}\"/>"
    );
    let middle = each.middle();
    for (index, line) in each.lines.iter().enumerate() {
        let baseline = y + LINE * (f64::from(u32::try_from(index).unwrap_or(0)) + 0.85);
        let weight = if index == 0 { " font-weight=\"600\"" } else { "" };
        let _ = write!(
            page,
            "<text x=\"{middle:.1}\" y=\"{baseline:.1}\" text-anchor=\"middle\" fill=\"#222\"{weight}>{}</text>",
            escaped(line)
        );
    }
    let strip = y + height - STRIP;
    for port in &each.ports {
        let at = x + port.offset;
        let color = if port.target.is_some() { stroke } else { "#aaa" };
        let _ = write!(
            page,
            "<path d=\"M{:.1} {strip:.1} h{:.1} v{STRIP}\" fill=\"none\" stroke=\"{stroke}\" stroke-opacity=\"0.35\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"7\" fill=\"{color}\">{}</text>",
            at - port.width / 2.0,
            port.width,
            strip + 8.0,
            escaped(&port.name)
        );
    }
    page.push('\n');
}

fn head(page: &mut String, title: &str, shown: u64, total: u64, classes: &[&str]) {
    let count = match (shown, total) {
        (1, 1) => "1 structure".to_owned(),
        (shown, total) if shown == total => format!("{total} structures"),
        (shown, total) => format!("the first {shown} of {total} structures"),
    };
    let _ = writeln!(
        page,
        "<text x=\"{MARGIN}\" y=\"30\" font-size=\"16\" font-weight=\"600\" fill=\"#222\">{}</text>\
         <text x=\"{MARGIN}\" y=\"48\" font-size=\"10\" fill=\"#666\">{count}. Grey names are null; \
         dashed lines lead to objects drawn elsewhere.</text>",
        escaped(title)
    );
    let mut x = MARGIN;
    for (class, (fill, stroke)) in classes.iter().zip(COLORS.iter().cycle()) {
        let name = simple_name(class);
        let _ = writeln!(
            page,
            "<rect x=\"{x:.1}\" y=\"55\" width=\"9\" height=\"9\" rx=\"2\" fill=\"{fill}\" stroke=\"{stroke}\"/>\
             <text x=\"{:.1}\" y=\"63\" fill=\"#444\">{}</text>",
            x + 13.0,
            escaped(name)
        );
        x += 28.0 + 5.4 * f64::from(u32::try_from(name.len()).unwrap_or(0));
    }
}

/// The classes of all structures, as first met.
fn classes(structures: &[Structure]) -> Vec<&str> {
    let mut classes: Vec<&str> = Vec::new();
    for part in structures.iter().flat_map(|structure| &structure.objects) {
        if !classes.contains(&part.class.as_str()) {
            classes.push(&part.class);
        }
    }
    classes
}

/// Puts cells into rows, left to right: their places, and the width and height of the page.
fn flow(cells: &[Cell<'_>]) -> (Vec<(f64, f64)>, f64, f64) {
    let (mut x, mut y, mut row) = (MARGIN, HEAD + 12.0, 0.0_f64);
    let mut widest: f64 = PAGE / 2.0;
    let mut places = Vec::new();
    for cell in cells {
        let (width, height) = cell.size();
        if x > MARGIN && x + width > PAGE {
            x = MARGIN;
            y += row + 10.0;
            row = 0.0;
        }
        places.push((x, y));
        x += width + 10.0;
        row = row.max(height);
        widest = widest.max(x);
    }
    (places, widest - 10.0 + MARGIN, y + row + MARGIN)
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // Control characters are not allowed in XML, however they are written.
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finitization::Finitization;
    use crate::korat::{BINARY_TREE, run};
    use crate::space::Space;
    use crate::testing::shape;

    fn overlap(a: &Boxed, b: &Boxed) -> bool {
        a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
    }

    #[test]
    fn boxes_never_overlap_and_stay_inside_their_cell() {
        let space = BINARY_TREE.space(&[5, 0, 5]);
        let (_, vectors) = run(&BINARY_TREE, &[5, 0, 5]);
        let structures: Vec<_> = vectors.iter().map(|vector| Structure::new(&space, vector)).collect();
        for layout in Layout::all(&structures) {
            for (index, each) in layout.boxes.iter().enumerate() {
                assert!(each.x >= 0.0 && each.x + each.width <= layout.size.0 + 0.01, "{layout:?}");
                assert!(each.y >= 0.0 && each.y + each.height <= layout.size.1 + 0.01, "{layout:?}");
                assert!(!layout.boxes[..index].iter().any(|other| overlap(each, other)), "{layout:?}");
            }
        }
    }

    #[test]
    fn a_left_child_stands_left_and_a_right_child_right() {
        let bounds = Finitization::derive(&shape("T: N root\nN: N left; N right"), 3);
        let space = Space::new(&bounds).expect("a space");
        let layouts = Layout::all(
            &[&[1, 2][..], &[1, 0, 2], &[1, 2, 3]].map(|choices| Structure::from_choices(&space, choices)),
        );
        let middle = |layout: &Layout, index: usize| layout.boxes[index].x + layout.boxes[index].width / 2.0;
        assert!(middle(&layouts[0], 2) < middle(&layouts[0], 1));
        assert!(middle(&layouts[1], 2) > middle(&layouts[1], 1));
    }

    #[test]
    fn text_is_escaped() {
        let shape = shape("T: java.lang.String s");
        let text = "[classes.T.fields]\ns = { values = [\"<&>\\u0001\"] }";
        let space = Space::new(&Finitization::parse(text, &shape).expect("good")).expect("a space");
        let page = draw("a<b>", &[Structure::from_choices(&space, &[1])], 1);
        assert!(page.contains("a&lt;b&gt;") && page.contains("&lt;&amp;&gt;"), "{page}");
        assert!(page.chars().all(|c| c == '\n' || !c.is_control()));
    }
}
