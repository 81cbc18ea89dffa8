//! The structures of `subjects/structures` and how large they are published to be.

use std::fmt::Write as _;

/// One published run.
pub(crate) struct Row {
    /// Simple name of the class.
    pub(crate) structure: &'static str,
    /// What its bounds are made of.
    pub(crate) arguments: Vec<i64>,
    /// Candidates that the published search ran.
    pub(crate) explored: u64,
    /// Structures it found.
    pub(crate) valid: u64,
}

/// All published runs.
pub(crate) fn rows() -> Vec<Row> {
    include_str!("../../../../subjects/structures/counts.csv").lines().skip(1).map(row).collect()
}

fn row(line: &'static str) -> Row {
    let cells: Vec<&str> = line.split(['"', ',']).filter(|cell| !cell.is_empty()).collect();
    let [structure, arguments @ .., _, _, explored, valid] = cells.as_slice() else { panic!("{line}") };
    Row {
        structure,
        arguments: arguments.iter().map(|number| number.parse().expect("a number")).collect(),
        explored: explored.parse().expect("a count"),
        valid: valid.parse().expect("a count"),
    }
}

/// The bounds of a run, as a file.
pub(crate) fn bounds(structure: &str, arguments: &[i64]) -> String {
    match (structure, arguments) {
        ("BinaryTree", &[n]) => tree("BinaryTree", n, n, n, ""),
        ("BinaryTree", &[nodes, min, max]) => tree("BinaryTree", nodes, min, max, ""),
        ("SearchTree", &[n]) => search_tree(n, n, n, 0, n - 1),
        ("SearchTree", &[nodes, min, max, low, high]) => search_tree(nodes, min, max, low, high),
        ("SinglyLinkedList", &[n]) => linked_list(n, n, n + 1, n + 1),
        ("SinglyLinkedList", &[min, max, entries, elements]) => linked_list(min, max, entries, elements),
        ("SortedList", &[min, max, entries, elements]) => {
            let mut text = class("SortedList", 1);
            let _ = writeln!(text, "fields.size = {{ min = {min}, max = {max} }}");
            text += &class("SortedList$Entry", entries);
            let _ = writeln!(text, "fields.element = {{ null = true, min = 1, max = {elements} }}");
            text
        }
        ("HeapArray", &[n]) => {
            let mut text = class("HeapArray", 1);
            let _ =
                writeln!(text, "fields.size = {{ min = 0, max = {n} }}\nfields.array = {{ null = false }}");
            let _ = writeln!(text, "[arrays.\"int[]\"]\ncount = 1\nlength = {{ max = {n} }}");
            let _ = writeln!(text, "elements = {{ min = -1, max = {n} }}");
            text
        }
        ("RedBlackTree", &[n]) => red_black_tree(n, n, n, n),
        ("RedBlackTree", &[nodes, min, max, keys]) => red_black_tree(nodes, min, max, keys),
        other => panic!("no bounds for {other:?}"),
    }
}

fn class(name: &str, count: i64) -> String {
    format!("[classes.\"structures.{name}\"]\ncount = {count}\n")
}

fn tree(name: &str, nodes: i64, min: i64, max: i64, fields: &str) -> String {
    let size = format!("fields.size = {{ min = {min}, max = {max} }}\n");
    class(name, 1) + &size + &class(&format!("{name}$Node"), nodes) + fields
}

fn search_tree(nodes: i64, min: i64, max: i64, low: i64, high: i64) -> String {
    tree("SearchTree", nodes, min, max, &format!("fields.info = {{ min = {low}, max = {high} }}\n"))
}

fn linked_list(min: i64, max: i64, entries: i64, elements: i64) -> String {
    let size = format!("fields.size = {{ min = {min}, max = {max} }}\n");
    let elements = format!("[classes.\"java.lang.Object\"]\ncount = {elements}\n");
    class("SinglyLinkedList", 1) + &size + &class("SinglyLinkedList$Entry", entries) + &elements
}

fn red_black_tree(nodes: i64, min: i64, max: i64, keys: i64) -> String {
    let fields = format!(
        "fields.color = {{ min = 0, max = 1 }}\nfields.key = {{ min = -1, max = {} }}\n\
         fields.value = {{ null = false }}\n[classes.\"java.lang.Object\"]\ncount = 1\n",
        keys - 1
    );
    tree("RedBlackTree", nodes, min, max, &fields)
}
