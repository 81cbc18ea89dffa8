//! Finitizations as files: TOML that people edit, read with the line of every mistake.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::derive::bound;
use crate::entry::{self, Entry, Node};
use crate::finitization::{ArrayDomain, ClassDomain, FieldBound, Finitization, Values};
use crate::shape::{ClassKind, ClassShape, FieldType, OBJECT, Shape};

/// A mistake in a finitization file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct FileError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl Finitization {
    /// Reads the bounds of `shape` from a file.
    ///
    /// With `size = N` at its top, what the file leaves out is as derived for that size. Without, classes it
    /// does not count have no objects, and every number must be given its range.
    pub fn parse(text: &str, shape: &Shape) -> Result<Self, FileError> {
        let file = File { text, shape };
        let document = DeTable::parse(text)
            .map_err(|error| file.error(&error.span().unwrap_or(0..0), error.message().to_owned()))?;
        file.read(document.get_ref())
    }
}

/// A file being read.
pub(crate) struct File<'a> {
    text: &'a str,
    pub(crate) shape: &'a Shape,
}

impl File<'_> {
    /// The mistake at a place of the text.
    pub(crate) fn error(&self, span: &Range<usize>, message: impl Into<String>) -> FileError {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = 1 + before.matches('\n').count();
        FileError { line, message: message.into() }
    }

    fn read(&self, document: &DeTable<'_>) -> Result<Finitization, FileError> {
        let document = Entry::new(self, document, &["root", "size", "classes", "arrays"], "the file")?;
        if let Some((span, root)) = document.text("root")?.filter(|(_, root)| *root != self.shape.root) {
            let message = format!("these bounds are for {root}, not for {}", self.shape.root);
            return Err(self.error(&span, message));
        }
        let size = document.count("size")?;
        let mut bounds = Finitization::derive(self.shape, size.unwrap_or(0));
        if size.is_none() {
            forget_sizes(&mut bounds);
        }
        for (name, node) in document.children("classes")? {
            self.read_class(&mut bounds, &name, &node)?;
        }
        for (name, node) in document.children("arrays")? {
            self.read_array(&mut bounds, &name, &node)?;
        }
        if size.is_none() {
            demand_ranges(&bounds)?;
        }
        Ok(bounds)
    }

    fn read_class(&self, bounds: &mut Finitization, name: &str, node: &Node<'_>) -> Result<(), FileError> {
        let owner = format!("class {name}");
        let entry = Entry::of(self, node, &["count", "interchangeable", "fields"], &owner)?;
        let class = self.shape.class(name);
        match class.map(|class| &class.kind) {
            None if name != OBJECT => {
                let known = self.shape.classes.iter().map(|class| class.name.as_str());
                let message =
                    format!("no structure can contain {name}; {}", entry::listed("it may contain", known));
                return Err(self.error(&node.key, message));
            }
            Some(ClassKind::Enum(_)) => {
                let message = format!("{name} is an enum: its constants are there without being counted");
                return Err(self.error(&node.key, message));
            }
            Some(ClassKind::Abstract) if entry.has("count") => {
                let subtypes = self.shape.assignable(name).map(|class| class.name.as_str());
                let message =
                    format!("{name} has no objects of its own; {}", entry::listed("count", subtypes));
                return Err(self.error(&node.key, message));
            }
            _ => {}
        }
        if class.is_none_or(|class| class.kind == ClassKind::Concrete) {
            let domain = domain_of(bounds, self.shape, name);
            domain.count = entry.count("count")?.unwrap_or(domain.count);
            domain.interchangeable = entry.truth("interchangeable")?.unwrap_or(domain.interchangeable);
        }
        for (field, node) in entry.children("fields")? {
            self.read_field(bounds, name, &field, &node)?;
        }
        Ok(())
    }

    /// Reads one field and gives its bound to the class and to every subclass that inherits it.
    fn read_field(
        &self,
        bounds: &mut Finitization,
        class: &str,
        field: &str,
        node: &Node<'_>,
    ) -> Result<(), FileError> {
        let shape = self.shape.class(class);
        let Some(found) = shape.and_then(|class| class.field(field)) else {
            let known = shape.map_or(&[][..], |class| &class.fields);
            let known = known
                .iter()
                .filter(|field| !field.is_static && !field.is_final)
                .map(|field| field.name.as_str());
            let message = format!("class {class} has no field {field}; {}", entry::listed("it has", known));
            return Err(self.error(&node.key, message));
        };
        for (is, word) in [(found.is_static, "static"), (found.is_final, "final")] {
            if is {
                let message =
                    format!("field {field} of {class} is {word}: it is the same in every structure");
                return Err(self.error(&node.key, message));
            }
        }
        let owner = format!("field {field} of {class}");
        let read = self.read_bound(node, &found.ty, &owner)?;
        for domain in &mut bounds.classes {
            let inherits = |shape: &ClassShape| {
                shape.is(class)
                    && shape.field(field).is_some_and(|seen| seen.declared_in == found.declared_in)
            };
            if domain.class != class && !self.shape.class(&domain.class).is_some_and(inherits) {
                continue;
            }
            domain
                .fields
                .retain(|known| (&known.name, &known.declared_in) != (&found.name, &found.declared_in));
            if let Some(bound) = read.clone() {
                let (name, declared_in, ty) =
                    (found.name.clone(), found.declared_in.clone(), found.ty.clone());
                domain.fields.push(FieldBound { name, declared_in, ty, bound });
            }
            in_order_of_declaration(domain, self.shape);
        }
        Ok(())
    }

    fn read_array(&self, bounds: &mut Finitization, name: &str, node: &Node<'_>) -> Result<(), FileError> {
        let FieldType::Array(element) = FieldType::from_java(name) else {
            return Err(self.error(&node.key, format!("{name} is no array type: write it like int[]")));
        };
        let owner = format!("array {name}");
        let entry = Entry::of(self, node, &["count", "interchangeable", "length", "elements"], &owner)?;
        let derived = bounds.arrays.iter().position(|domain| domain.element == *element);
        let number = derived.unwrap_or_else(|| {
            bounds.arrays.push(ArrayDomain {
                elements: bound(self.shape, &element, 0).unwrap_or_default(),
                element: *element.clone(),
                count: 0,
                interchangeable: true,
                min_length: 0,
                max_length: 0,
            });
            bounds.arrays.len() - 1
        });
        let domain = &mut bounds.arrays[number];
        domain.count = entry.count("count")?.unwrap_or(domain.count);
        domain.interchangeable = entry.truth("interchangeable")?.unwrap_or(domain.interchangeable);
        if let Some((min, max)) = entry.lengths("length")? {
            (domain.min_length, domain.max_length) = (min, max);
        }
        if let Some(node) = entry.child("elements") {
            let Some(bound) = self.read_bound(&node, &element, &format!("an element of {name}"))? else {
                return Err(self.error(&node.key, "the elements of an array cannot be kept as they are"));
            };
            domain.elements = bound;
        }
        Ok(())
    }
}

/// Numbers have no bounds of their own, so a file without a size must give them.
fn demand_ranges(bounds: &Finitization) -> Result<(), FileError> {
    let used = bounds.classes.iter().filter(|class| class.count > 0);
    let fields = used.flat_map(|class| {
        class
            .fields
            .iter()
            .map(move |field| (format!("field {} of {}", field.name, class.class), &field.bound))
    });
    let arrays = bounds.arrays.iter().filter(|array| array.count > 0 && array.max_length > 0);
    let elements = arrays.map(|array| (format!("an element of {}", array.name()), &array.elements));
    let open = fields.chain(elements).find(|(_, bound)| bound.values == UNBOUNDED);
    open.map_or(Ok(()), |(owner, _)| {
        let message = format!("{owner} needs min and max, or values, or the file a size");
        Err(FileError { line: 1, message })
    })
}

/// What a number holds until the file gives it a range; no file can write this range.
const UNBOUNDED: Values = Values::Range(0, -1);

/// Takes back everything that [`Finitization::derive`] got from its size.
fn forget_sizes(bounds: &mut Finitization) {
    for class in &mut bounds.classes {
        class.count = u32::from(class.class == bounds.root);
    }
    let fields = bounds.classes.iter_mut().flat_map(|class| &mut class.fields).map(|field| &mut field.bound);
    let elements = bounds.arrays.iter_mut().map(|array| {
        array.count = 0;
        &mut array.elements
    });
    for bound in fields.chain(elements) {
        match bound.values {
            Values::Range(..) if bound.null => bound.values = Values::None,
            Values::Range(..) => bound.values = UNBOUNDED,
            Values::Text(_) => bound.values = Values::None,
            _ => {}
        }
    }
}

/// The domain of a class, made anew if no field was found to hold one.
fn domain_of<'a>(bounds: &'a mut Finitization, shape: &Shape, name: &str) -> &'a mut ClassDomain {
    let number = bounds.classes.iter().position(|domain| domain.class == name).unwrap_or_else(|| {
        let alone = Shape { root: name.to_owned(), classes: shape.classes.clone() };
        let derived = Finitization::derive(&alone, 0).classes.into_iter().find(|domain| domain.class == name);
        let mut domain = derived.expect("the root is always derived");
        domain.count = 0;
        bounds.classes.push(domain);
        bounds.classes.len() - 1
    });
    &mut bounds.classes[number]
}

fn in_order_of_declaration(domain: &mut ClassDomain, shape: &Shape) {
    let declared = shape.class(&domain.class).map_or(&[][..], |class| &class.fields);
    domain.fields.sort_by_key(|field| {
        declared
            .iter()
            .position(|known| (&known.name, &known.declared_in) == (&field.name, &field.declared_in))
    });
}

/// A table's key and value with their places.
pub(crate) fn node<'t, 'i>(
    key: &Spanned<std::borrow::Cow<'i, str>>,
    value: &'t Spanned<DeValue<'i>>,
) -> Node<'t>
where
    'i: 't,
{
    Node { key: key.span(), span: value.span(), value: value.get_ref() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::shape;

    const TREE: &str = "
        tree.Tree: tree.Node root; int size; static int made; final int id; tree.Color color; char mark; double weight
        tree.Node: tree.Node left; tree.Node right; java.lang.String name; boolean red; java.lang.Object item
        tree.Leaf < tree.Node: tree.Node left; int[] data
        enum tree.Color RED GREEN
        abstract tree.Base";

    fn check_error(text: &str, expected: &str) {
        let error = Finitization::parse(text, &shape(TREE)).expect_err("the file has a mistake");
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        check_error("size = 2\nsize = 3", "line 2: duplicate key");
        check_error("size = -1", "line 1: size is a whole number from 0 up");
        check_error("root = \"tree.Node\"", "line 1: these bounds are for tree.Node, not for tree.Tree");
        check_error(
            "\nsizes = 2",
            "line 2: the file has no setting sizes; it has root, size, classes and arrays",
        );
        check_error(
            "size = 2\n[classes.\"tree.Nod\"]\ncount = 3",
            "line 2: no structure can contain tree.Nod; it may contain tree.Tree, tree.Node, tree.Leaf, tree.Color and tree.Base",
        );
        check_error(
            "size = 1\n[classes.\"tree.Color\"]\ncount = 3",
            "line 2: tree.Color is an enum: its constants are there without being counted",
        );
        check_error(
            "size = 1\n[classes.\"tree.Base\"]\ncount = 3",
            "line 2: tree.Base has no objects of its own; count none",
        );
        check_error("size = 1\n[arrays.int]\ncount = 3", "line 2: int is no array type: write it like int[]");
        check_error(
            "size = 1\n[arrays.\"int[]\"]\nlength = {min = 3, max = 2}",
            "line 3: empty range: min 3 is above max 2",
        );
    }

    #[test]
    fn mistakes_in_a_field_are_told_with_their_line() {
        let tree = |line: &str| format!("size = 2\n[classes.\"tree.Tree\".fields]\n{line}\n");
        let node = |line: &str| format!("size = 2\n[classes.\"tree.Node\".fields]\n{line}\n");
        check_error(
            &node("lft = {}"),
            "line 3: class tree.Node has no field lft; it has left, right, name, red and item",
        );
        check_error(
            &tree("made = {}"),
            "line 3: field made of tree.Tree is static: it is the same in every structure",
        );
        check_error(
            &tree("id = {}"),
            "line 3: field id of tree.Tree is final: it is the same in every structure",
        );
        check_error(&tree("size = { min = 3, max = 1 }"), "line 3: empty range: min 3 is above max 1");
        check_error(&tree("size = { min = 3 }"), "line 3: field size of tree.Tree needs max as well");
        check_error(&tree("size = {}"), "line 3: field size of tree.Tree needs min and max, or values");
        check_error(&tree("size = 3"), "line 3: field size of tree.Tree is a table, not the number 3");
        check_error(
            &tree("size = { null = true }"),
            "line 3: field size of tree.Tree is of type int, which has no null",
        );
        check_error(
            &tree("size = { values = [1, \"a\"] }"),
            "line 3: field size of tree.Tree is of type int and cannot hold the string \"a\"",
        );
        check_error(
            &tree("size = { values = [] }"),
            "line 3: field size of tree.Tree has an empty list of values",
        );
        check_error(
            &tree("size = { min = 0, max = 3000000000 }"),
            "line 3: 3000000000 is outside the ints, which go from -2147483648 to 2147483647",
        );
        check_error(
            &tree("color = { values = [\"BLUE\"] }"),
            "line 3: tree.Color has no constant BLUE; it has RED and GREEN",
        );
        check_error(
            &node("red = { min = 0, max = 1 }"),
            "line 3: field red of tree.Node is of type boolean and cannot hold the number 0",
        );
        check_error(
            &node("left = { objects = [\"tree.Tree\"] }"),
            "line 3: field left of tree.Node is of type tree.Node and cannot refer to tree.Tree",
        );
        check_error(
            &node("left = { null = false, objects = [] }"),
            "line 3: field left of tree.Node can hold nothing",
        );
        check_error(
            &node("left = { nul = true }"),
            "line 3: field left of tree.Node has no setting nul; it has null, objects, min, max, step, values, interchangeable and keep",
        );
    }

    #[test]
    fn without_a_size_every_number_needs_its_range() {
        check_error("", "line 1: field size of tree.Tree needs min and max, or values, or the file a size");
        let text = "[classes.\"tree.Tree\".fields]\nsize = {min = 0, max = 1}\nmark = {min = \"a\", max = \"c\"}\nweight = {min = 0.0, max = 1.0, step = 0.5}";
        let bounds = Finitization::parse(text, &shape(TREE)).expect("all numbers have ranges");
        let tree = bounds.class("tree.Tree").expect("the root");
        assert_eq!(tree.field("mark").map(|field| &field.bound.values), Some(&Values::Range(97, 99)));
        assert_eq!(
            tree.field("weight").map(|field| &field.bound.values),
            Some(&Values::Floating(vec![0.0, 0.5, 1.0]))
        );
        assert_eq!(bounds.class("tree.Node").map(|node| node.count), Some(0));
    }

    #[test]
    fn a_field_of_a_superclass_is_bounded_for_its_subclasses() {
        let shape = shape("T: B b\nabstract B: int x\nC < B: int x\nD < B: int x");
        let mut shape = shape;
        for class in &mut shape.classes[2..] {
            class.fields[0].declared_in = "B".to_owned();
        }
        let text =
            "size = 2\n[classes.B.fields]\nx = { min = 5, max = 6 }\n[classes.D.fields]\nx = { keep = true }";
        let bounds = Finitization::parse(text, &shape).expect("a good file");
        assert_eq!(bounds.class("C").expect("counted").fields[0].bound.values, Values::Range(5, 6));
        assert!(bounds.class("D").expect("counted").fields.is_empty());
    }

    #[test]
    fn what_is_printed_is_read_back() {
        let shape = shape(TREE);
        for size in 0..4 {
            let bounds = Finitization::derive(&shape, size);
            let text = bounds.to_toml(&shape);
            assert_eq!(Finitization::parse(&text, &shape).as_ref(), Ok(&bounds), "{text}");
        }
    }
}
