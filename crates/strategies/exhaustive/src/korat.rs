//! The structures of the paper, with the published counts.

use jurat_base::FxHashSet;

use crate::fake::{Fake, Heap, Keep, Read};
use crate::finitization::Finitization;
use crate::range::Range;
use crate::search::{Search, Stop, Tally};
use crate::space::{ObjectId, Space};
use crate::testing::shape;

/// One structure: its classes, its predicate, and its bounds for given arguments.
pub(crate) struct Structure {
    classes: &'static str,
    pub(crate) predicate: fn(&mut Heap<'_>) -> bool,
    bounds: fn(&[i64]) -> String,
}

impl Structure {
    pub(crate) fn space(&self, arguments: &[i64]) -> Space {
        let bounds = Finitization::parse(&(self.bounds)(arguments), &shape(self.classes));
        Space::new(&bounds.expect("good bounds")).expect("a space")
    }
}

pub(crate) const BINARY_TREE: Structure = Structure {
    classes: "T: N root; int size\nN: N left; N right",
    predicate: |heap| {
        let root = heap.root();
        let Some(nodes) = tree(heap) else { return false };
        heap.get(root, "size").int() == nodes
    },
    bounds: |arguments| {
        let (nodes, min, max) = match *arguments {
            [n] => (n, n, n),
            [nodes, min, max] => (nodes, min, max),
            _ => panic!("one or three arguments"),
        };
        format!("[classes.T.fields]\nsize = {{ min = {min}, max = {max} }}\n[classes.N]\ncount = {nodes}")
    },
};

const SEARCH_TREE: Structure = Structure {
    classes: "T: N root; int size\nN: N left; N right; int info",
    predicate: |heap| {
        let root = heap.root();
        let Some(nodes) = tree(heap) else { return false };
        if heap.get(root, "size").int() != nodes {
            return false;
        }
        let top = heap.get(root, "root");
        ordered(heap, top, "info", None, None)
    },
    bounds: |arguments| {
        let [nodes, min, max, low, high] = match *arguments {
            [n] => [n, n, n, 0, n - 1],
            [a, b, c, d, e] => [a, b, c, d, e],
            _ => panic!("one or five arguments"),
        };
        format!(
            "[classes.T.fields]\nsize = {{ min = {min}, max = {max} }}\n[classes.N]\ncount = {nodes}\n\
             [classes.N.fields]\ninfo = {{ min = {low}, max = {high} }}"
        )
    },
};

const SINGLY_LINKED_LIST: Structure = Structure {
    classes: "L: E header; int size\nE: java.lang.Object element; E next",
    predicate: |heap| {
        let root = heap.root();
        let Some(header) = heap.get(root, "header").object() else { return false };
        if heap.get(header, "element") != Read::Null {
            return false;
        }
        let mut visited = FxHashSet::from_iter([header]);
        let mut current = header;
        while let Some(next) = heap.get(current, "next").object() {
            if heap.get(next, "element") == Read::Null || !visited.insert(next) {
                return false;
            }
            current = next;
        }
        heap.get(root, "size").int() == count(&visited) - 1
    },
    bounds: |arguments| {
        let (min, max, entries, elements) = match *arguments {
            [n] => (n, n, n + 1, n + 1),
            [min, max, entries, elements] => (min, max, entries, elements),
            _ => panic!("one or four arguments"),
        };
        format!(
            "[classes.L.fields]\nsize = {{ min = {min}, max = {max} }}\n[classes.E]\ncount = {entries}\n\
             [classes.\"java.lang.Object\"]\ncount = {elements}"
        )
    },
};

const SORTED_LIST: Structure = Structure {
    classes: "L: E header; int size\nE: java.lang.Comparable element; E next; E previous",
    predicate: |heap| {
        let root = heap.root();
        let Some(header) = heap.get(root, "header").object() else { return false };
        if heap.get(header, "element") != Read::Null {
            return false;
        }
        let mut visited = FxHashSet::from_iter([header]);
        let mut current = header;
        loop {
            let Some(next) = heap.get(current, "next").object() else { return false };
            if heap.get(next, "previous").object() != Some(current) {
                return false;
            }
            current = next;
            if !visited.insert(next) {
                break;
            }
        }
        current == header && heap.get(root, "size").int() == count(&visited) - 1 && ascending(heap, header)
    },
    bounds: |arguments| {
        let [min, max, entries, elements] = *arguments else { panic!("four arguments") };
        format!(
            "[classes.L.fields]\nsize = {{ min = {min}, max = {max} }}\n[classes.E]\ncount = {entries}\n\
             [classes.E.fields]\nelement = {{ null = true, min = 1, max = {elements} }}"
        )
    },
};

const HEAP_ARRAY: Structure = Structure {
    classes: "H: int size; int[] array",
    predicate: |heap| {
        let root = heap.root();
        let Some(array) = heap.get(root, "array").object() else { return false };
        let size = heap.get(root, "size").int();
        let length = heap.length(array);
        if size > length {
            return false;
        }
        for index in 0..size {
            let element = heap.element(array, index).int();
            if element < 0 || index > 0 && element > heap.element(array, (index - 1) / 2).int() {
                return false;
            }
        }
        (size..length).all(|index| heap.element(array, index).int() == -1)
    },
    bounds: |arguments| {
        let [n] = *arguments else { panic!("one argument") };
        format!(
            "[classes.H.fields]\nsize = {{ min = 0, max = {n} }}\n\
             array = {{ null = false }}\n[arrays.\"int[]\"]\ncount = 1\nlength = {{ max = {n} }}\n\
             elements = {{ min = -1, max = {n} }}"
        )
    },
};

const RED_BLACK_TREE: Structure = Structure {
    classes: "T: N root; int size\nN: N left; N right; N parent; int color; int key; java.lang.Object value",
    predicate: |heap| {
        let root = heap.root();
        let Some(top) = heap.get(root, "root").object() else { return heap.get(root, "size").int() == 0 };
        if heap.get(top, "parent") != Read::Null {
            return false;
        }
        let Some(nodes) = tree_with_parents(heap, top) else { return false };
        heap.get(root, "size").int() == nodes
            && red_above_black(heap, top)
            && black_height(heap, Read::Object(top)).is_some()
            && ordered(heap, Read::Object(top), "key", Some(-1), None)
    },
    bounds: |arguments| {
        let (nodes, min, max, keys) = match *arguments {
            [n] => (n, n, n, n),
            [nodes, min, max, keys] => (nodes, min, max, keys),
            _ => panic!("one or four arguments"),
        };
        format!(
            "[classes.T.fields]\nsize = {{ min = {min}, max = {max} }}\n[classes.N]\ncount = {nodes}\n\
             [classes.\"java.lang.Object\"]\ncount = 1\n[classes.N.fields]\ncolor = {{ min = 0, max = 1 }}\n\
             key = {{ min = -1, max = {} }}\nvalue = {{ null = false }}",
            keys - 1
        )
    },
};

fn count(visited: &FxHashSet<ObjectId>) -> i64 {
    i64::try_from(visited.len()).expect("few objects")
}

/// The number of nodes below the root, or none if they form no tree.
fn tree(heap: &mut Heap<'_>) -> Option<i64> {
    let root = heap.root();
    let Some(top) = heap.get(root, "root").object() else { return Some(0) };
    let mut visited = FxHashSet::from_iter([top]);
    let mut work = std::collections::VecDeque::from([top]);
    while let Some(node) = work.pop_front() {
        for side in ["left", "right"] {
            if let Some(child) = heap.get(node, side).object() {
                if !visited.insert(child) {
                    return None;
                }
                work.push_back(child);
            }
        }
    }
    Some(count(&visited))
}

fn tree_with_parents(heap: &mut Heap<'_>, top: ObjectId) -> Option<i64> {
    let mut visited = FxHashSet::from_iter([top]);
    let mut work = std::collections::VecDeque::from([top]);
    while let Some(node) = work.pop_front() {
        for side in ["left", "right"] {
            if let Some(child) = heap.get(node, side).object() {
                if !visited.insert(child) || heap.get(child, "parent").object() != Some(node) {
                    return None;
                }
                work.push_back(child);
            }
        }
    }
    Some(count(&visited))
}

fn red_above_black(heap: &mut Heap<'_>, top: ObjectId) -> bool {
    let mut work = std::collections::VecDeque::from([top]);
    while let Some(node) = work.pop_front() {
        let red = heap.get(node, "color").int() == 0;
        for side in ["left", "right"] {
            if let Some(child) = heap.get(node, side).object() {
                if red && heap.get(child, "color").int() == 0 {
                    return false;
                }
                work.push_back(child);
            }
        }
    }
    true
}

fn black_height(heap: &mut Heap<'_>, node: Read) -> Option<i64> {
    let Some(node) = node.object() else { return Some(0) };
    let (left, right) = (heap.get(node, "left"), heap.get(node, "right"));
    let (left, right) = (black_height(heap, left)?, black_height(heap, right)?);
    (left == right).then(|| left + heap.get(node, "color").int())
}

fn ordered(heap: &mut Heap<'_>, node: Read, key: &str, above: Option<i64>, below: Option<i64>) -> bool {
    let Some(node) = node.object() else { return true };
    let found = heap.get(node, key).int();
    if above.is_some_and(|above| found <= above) || below.is_some_and(|below| found >= below) {
        return false;
    }
    let left = heap.get(node, "left");
    if !ordered(heap, left, key, above, Some(found)) {
        return false;
    }
    let right = heap.get(node, "right");
    ordered(heap, right, key, Some(found), below)
}

fn ascending(heap: &mut Heap<'_>, header: ObjectId) -> bool {
    let mut last = i64::MIN;
    let mut current = heap.get(header, "next").object();
    while let Some(entry) = current.filter(|&entry| entry != header) {
        let element = heap.get(entry, "element");
        if element == Read::Null || element.int() < last {
            return false;
        }
        last = element.int();
        current = heap.get(entry, "next").object();
    }
    true
}

pub(crate) fn run(structure: &Structure, arguments: &[i64]) -> (Tally, Vec<Vec<u32>>) {
    let space = structure.space(arguments);
    let (mut vm, mut keep) = (Fake::new(&space, structure.predicate), Keep::default());
    let mut search = Search::new(&space, &Range::Whole, &mut vm).expect("the whole space");
    assert_eq!(search.run(&mut vm, &mut keep, u64::MAX), Stop::Finished);
    assert_eq!(search.rest(), None);
    (search.tally(), keep.vectors)
}

/// Published runs: structure, arguments, fields, logarithm of the space, candidates, structures.
const COUNTS: &str = include_str!("../../../../subjects/structures/counts.csv");

/// Checks every published run of a structure that is not too long for a test. Predicates here read fields in the
/// published order, so even the number of candidates is exact.
fn check(name: &str, structure: &Structure) {
    let mut checked = 0;
    for line in COUNTS.lines().filter(|line| line.split(',').next() == Some(name)) {
        let numbers: Vec<&str> =
            line[name.len() + 1..].split(['"', ',']).filter(|cell| !cell.is_empty()).collect();
        let [arguments @ .., _, log2, explored, valid] = numbers.as_slice() else { panic!("{line}") };
        let explored: u64 = explored.parse().expect("a count");
        if explored > 60_000 {
            continue;
        }
        let arguments: Vec<i64> = arguments.iter().map(|number| number.parse().expect("a number")).collect();
        let (log2, valid): (f64, u64) = (log2.parse().expect("a number"), valid.parse().expect("a count"));
        let size = structure.space(&arguments).log2_size();
        assert!((size - log2).abs() < 0.06, "{line}: 2^{size}");
        let (tally, _) = run(structure, &arguments);
        assert_eq!((tally.explored, tally.valid), (explored, valid), "{line}");
        checked += 1;
    }
    assert!(checked > 5, "{name} is hardly counted");
}

#[test]
fn binary_trees() {
    check("BinaryTree", &BINARY_TREE);
}

#[test]
fn search_trees() {
    check("SearchTree", &SEARCH_TREE);
}

#[test]
fn singly_linked_lists() {
    check("SinglyLinkedList", &SINGLY_LINKED_LIST);
}

#[test]
fn red_black_trees() {
    check("RedBlackTree", &RED_BLACK_TREE);
}

#[test]
fn sorted_lists() {
    check("SortedList", &SORTED_LIST);
}

#[test]
fn heap_arrays() {
    check("HeapArray", &HEAP_ARRAY);
}
