//! What workers are told: which fields are watched, and the bounds.

use jurat_exhaustive::{Bound, ClassDomain, Finitization, Values};
use jurat_instrument::watch::{WatchPlan, WatchedClass};
use jurat_protocol::{ArrayBound, ChoiceValues, Choices, ClassBound, FieldBound, Watch};

use super::Target;

/// What is watched: the fields that vary, in the classes that declare them.
pub(super) fn plan(target: &Target, bounds: &Finitization) -> WatchPlan {
    let root = slashed(&target.shape.root);
    let package = root.rfind('/').map_or("", |at| &root[..=at]);
    let mut plan = WatchPlan {
        runtime: format!("{package}JuratWatch"),
        predicate: target.predicate.clone(),
        descriptor: target.descriptor.clone(),
        superclasses: target
            .classes
            .values()
            .filter_map(|class| Some((class.name().into_owned(), class.super_name()?.into_owned())))
            .collect(),
        arrays: bounds.arrays.iter().map(|array| array.element.descriptor()).collect(),
        classes: Vec::new(),
        root,
        counts_calls: false,
    };
    for domain in &bounds.classes {
        for class in target.chain(&slashed(&domain.class)).into_iter().rev() {
            let name = class.name().into_owned();
            if plan.class(&name).is_none() {
                let superclass = class.super_name().map_or_else(String::new, std::borrow::Cow::into_owned);
                let above = plan.class(&superclass);
                let first = above.map_or(0, |above| above.first + count(&above.fields));
                let fields = varying(bounds, &name);
                plan.classes.push(WatchedClass { name, superclass, first, fields });
            }
        }
    }
    plan
}

/// The fields that a class declares and that vary in it or in a subclass.
fn varying(bounds: &Finitization, class: &str) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    for field in bounds.classes.iter().flat_map(|domain| &domain.fields) {
        let field_and_type = (field.name.clone(), field.ty.descriptor());
        if slashed(&field.declared_in) == class && !fields.contains(&field_and_type) {
            fields.push(field_and_type);
        }
    }
    fields
}

/// The bounds as a message.
pub(super) fn message(plan: &WatchPlan, bounds: &Finitization, fuel: u32) -> Watch {
    let arrays = bounds.arrays.iter().map(|array| ArrayBound {
        element: array.element.descriptor(),
        count: array.count,
        interchangeable: array.interchangeable,
        lengths: (array.min_length, array.max_length),
        choices: choices(&array.elements),
    });
    Watch {
        runtime: plan.runtime.replace('/', "."),
        root: bounds.root.clone(),
        fuel,
        classes: bounds.classes.iter().map(|domain| class_bound(plan, domain)).collect(),
        arrays: arrays.collect(),
    }
}

fn class_bound(plan: &WatchPlan, domain: &ClassDomain) -> ClassBound {
    let watched = plan.class(&slashed(&domain.class));
    let fields = domain.fields.iter().filter_map(|field| {
        let owner = plan.class(&slashed(&field.declared_in))?;
        let descriptor = field.ty.descriptor();
        let index = owner.fields.iter().position(|known| known.0 == field.name && known.1 == descriptor)?;
        Some(FieldBound {
            name: field.name.clone(),
            declared_in: field.declared_in.clone(),
            number: owner.first + u32::try_from(index).ok()?,
            choices: choices(&field.bound),
            descriptor,
        })
    });
    ClassBound {
        class: domain.class.clone(),
        count: domain.count,
        interchangeable: domain.interchangeable,
        numbers: watched.map_or(0, |watched| watched.first + count(&watched.fields)),
        fields: fields.collect(),
    }
}

fn choices(bound: &Bound) -> Choices {
    Choices {
        null: bound.null,
        objects: bound.objects.clone(),
        interchangeable: bound.interchangeable,
        values: match &bound.values {
            Values::None => ChoiceValues::None,
            Values::Range(min, max) => ChoiceValues::Range(*min, *max),
            Values::Whole(numbers) => ChoiceValues::Whole(numbers.clone()),
            Values::Floating(numbers) => ChoiceValues::Floating(numbers.clone()),
            Values::Truth(truths) => ChoiceValues::Truth(truths.clone()),
            Values::Text(texts) => ChoiceValues::Text(texts.clone()),
            Values::Constants(names) => ChoiceValues::Constants(names.clone()),
        },
    }
}

fn slashed(name: &str) -> String {
    name.replace('.', "/")
}

fn count(fields: &[(String, String)]) -> u32 {
    u32::try_from(fields.len()).expect("fields are few")
}
