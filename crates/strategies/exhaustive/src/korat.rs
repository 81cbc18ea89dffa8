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

/// Arguments, size of the vector, logarithm of the space, candidates of the published run, structures.
type Row = (&'static [i64], usize, f64, u64, u64);

/// `valid` must be that of the row; `explored` too where the predicate reads in the published order.
fn check(structure: &Structure, rows: &[Row], exact: bool) {
    for &(arguments, _, log2, explored, valid) in rows {
        let space = structure.space(arguments);
        assert!((space.log2_size() - log2).abs() < 0.06, "{arguments:?}: 2^{}", space.log2_size());
        let (tally, _) = run(structure, arguments);
        assert_eq!(tally.valid, valid, "{arguments:?}");
        if exact {
            assert_eq!(tally.explored, explored, "{arguments:?}");
        } else {
            assert!(tally.explored < 3 * explored, "{arguments:?}: {} explored", tally.explored);
        }
    }
}

#[test]
fn binary_trees() {
    check(
        &BINARY_TREE,
        &[
            (&[1], 4, 3.0, 4, 1),
            (&[2], 6, 7.9, 16, 2),
            (&[3], 8, 14.0, 63, 5),
            (&[4], 10, 20.9, 245, 14),
            (&[5], 12, 28.4, 947, 42),
            (&[6], 14, 36.5, 3653, 132),
            (&[7], 16, 45.0, 14092, 429),
            (&[8], 18, 53.9, 54418, 1430),
            (&[3, 0, 3], 8, 16.0, 90, 9),
            (&[4, 0, 4], 10, 23.2, 337, 23),
            (&[5, 0, 5], 12, 31.0, 1272, 65),
            (&[6, 0, 6], 14, 39.3, 4835, 197),
        ],
        true,
    );
}

#[test]
fn search_trees() {
    check(
        &SEARCH_TREE,
        &[
            (&[1], 5, 3.0, 4, 1),
            (&[2], 8, 9.9, 22, 2),
            (&[3], 11, 18.8, 133, 5),
            (&[4], 14, 28.9, 875, 14),
            (&[5], 17, 40.0, 6155, 42),
            (&[6], 20, 52.0, 45233, 132),
            (&[3, 0, 3, 0, 2], 11, 20.8, 178, 15),
            (&[4, 0, 4, 0, 3], 14, 31.2, 1165, 51),
            (&[3, 0, 3, 0, 4], 11, 23.0, 462, 76),
            (&[4, 0, 4, 0, 5], 14, 33.6, 3902, 347),
        ],
        true,
    );
}

#[test]
fn singly_linked_lists() {
    check(
        &SINGLY_LINKED_LIST,
        &[
            (&[0], 4, 3.0, 4, 1),
            (&[1], 6, 7.9, 8, 1),
            (&[2], 8, 14.0, 17, 2),
            (&[3], 10, 20.9, 44, 5),
            (&[4], 12, 28.4, 139, 15),
            (&[5], 14, 36.5, 518, 52),
            (&[6], 16, 45.0, 2194, 203),
            (&[7], 18, 53.9, 10290, 877),
            (&[8], 20, 63.1, 52567, 4140),
            (&[0, 3, 4, 3], 10, 21.6, 71, 9),
            (&[0, 4, 5, 4], 12, 29.4, 235, 24),
            (&[0, 5, 6, 5], 14, 37.7, 898, 76),
            (&[0, 6, 7, 6], 16, 46.5, 3868, 279),
        ],
        true,
    );
}

#[test]
fn red_black_trees() {
    check(
        &RED_BLACK_TREE,
        &[
            (&[1], 8, 6.0, 8, 2),
            (&[2], 14, 16.3, 40, 2),
            (&[3], 20, 29.0, 179, 3),
            (&[4], 26, 43.5, 961, 8),
            (&[5], 32, 59.3, 4209, 14),
            (&[6], 38, 76.2, 16487, 20),
            (&[3, 0, 3, 3], 20, 31.0, 243, 16),
            (&[4, 0, 4, 4], 26, 45.8, 1270, 41),
            (&[5, 0, 5, 5], 32, 61.9, 6073, 115),
            (&[6, 0, 6, 6], 38, 79.0, 25938, 327),
            (&[3, 3, 3, 5], 20, 30.8, 356, 30),
        ],
        true,
    );
}

#[test]
fn sorted_lists() {
    check(
        &SORTED_LIST,
        &[
            (&[1, 1, 2, 1], 8, 9.9, 14, 1),
            (&[2, 2, 3, 2], 11, 18.8, 32, 3),
            (&[3, 3, 4, 3], 14, 28.9, 72, 10),
            (&[4, 4, 5, 4], 17, 40.0, 201, 35),
            (&[5, 5, 6, 5], 20, 52.0, 713, 126),
            (&[6, 6, 7, 6], 23, 64.7, 2880, 462),
            (&[7, 7, 8, 7], 26, 77.9, 12148, 1716),
            (&[8, 8, 9, 8], 29, 91.6, 51647, 6435),
        ],
        true,
    );
}

#[test]
fn heap_arrays() {
    check(
        &HEAP_ARRAY,
        &[
            (&[0], 3, 0.0, 1, 1),
            (&[1], 4, 3.6, 8, 4),
            (&[2], 5, 7.2, 45, 15),
            (&[3], 6, 11.0, 240, 66),
            (&[4], 7, 15.0, 1425, 320),
            (&[5], 8, 19.2, 8916, 1919),
        ],
        true,
    );
}
