//! Messages about enumeration as the search's own types, and back.

use jurat_exhaustive::{
    ArrayDomain, Bound, ClassDomain, FieldBound, FieldType, Finitization, Pending, Position, Range,
    StateVector, Values,
};
use jurat_protocol::{ChoiceValues, Choices, Stretch, Watch};

use crate::WorkerError;

/// The bounds that a message tells.
pub(super) fn finitization(watch: &Watch) -> Result<Finitization, WorkerError> {
    let mut classes = Vec::new();
    for class in &watch.classes {
        let mut fields = Vec::new();
        for field in &class.fields {
            fields.push(FieldBound {
                name: field.name.clone(),
                declared_in: field.declared_in.clone(),
                ty: field_type(&field.descriptor)?,
                bound: bound(&field.choices),
            });
        }
        let (count, interchangeable) = (class.count, class.interchangeable);
        classes.push(ClassDomain { class: class.class.clone(), count, interchangeable, fields });
    }
    let mut arrays = Vec::new();
    for array in &watch.arrays {
        arrays.push(ArrayDomain {
            element: field_type(&array.element)?,
            count: array.count,
            interchangeable: array.interchangeable,
            min_length: array.lengths.0,
            max_length: array.lengths.1,
            elements: bound(&array.choices),
        });
    }
    Ok(Finitization { root: watch.root.clone(), classes, arrays })
}

fn field_type(descriptor: &str) -> Result<FieldType, WorkerError> {
    FieldType::from_descriptor(descriptor).ok_or_else(|| WorkerError::new(format!("{descriptor} is no type")))
}

fn bound(choices: &Choices) -> Bound {
    Bound {
        null: choices.null,
        objects: choices.objects.clone(),
        interchangeable: choices.interchangeable,
        values: match &choices.values {
            ChoiceValues::None => Values::None,
            ChoiceValues::Range(min, max) => Values::Range(*min, *max),
            ChoiceValues::Whole(numbers) => Values::Whole(numbers.clone()),
            ChoiceValues::Floating(numbers) => Values::Floating(numbers.clone()),
            ChoiceValues::Truth(truths) => Values::Truth(truths.clone()),
            ChoiceValues::Text(texts) => Values::Text(texts.clone()),
            ChoiceValues::Constants(names) => Values::Constants(names.clone()),
        },
    }
}

pub(super) fn range(stretch: &Stretch) -> Range {
    match stretch {
        Stretch::Whole => Range::Whole,
        Stretch::From(choices) => Range::From(StateVector::new(choices.clone())),
        Stretch::Part { stack, floor, run } => Range::Part {
            stack: stack.iter().map(|&(position, choice)| (Position(position), choice)).collect(),
            floor: *floor as usize,
            pending: if *run { Pending::Run } else { Pending::Advance },
        },
    }
}

pub(super) fn stretch(range: &Range) -> Stretch {
    match range {
        Range::Whole => Stretch::Whole,
        Range::From(vector) => Stretch::From(vector.choices().to_vec()),
        Range::Part { stack, floor, pending } => Stretch::Part {
            stack: stack.iter().map(|&(position, choice)| (position.0, choice)).collect(),
            floor: u32::try_from(*floor).expect("a stack is no longer than its vector"),
            run: *pending == Pending::Run,
        },
    }
}
