//! Structures of classes that have a predicate, offered before other strategies begin; and which strategies these are.

use jurat_classpath::ClassPath;
use jurat_engine::{Deadline, Offered, PREDICATES, offer};
use jurat_model::Subject;
use jurat_pool::PoolConfig;

use super::failure;
use super::progress::count;
use super::settings::{Settings, StrategyName};
use crate::exit::Failure;
use crate::output::note;

/// Enumerates, if that was asked for, and says what comes then.
pub(super) fn offered(
    settings: &Settings,
    subject: &Subject,
    class_path: &ClassPath,
    pool: &PoolConfig,
    deadline: &Deadline,
) -> Result<Offered, Failure> {
    let mut offered = Offered {
        random: settings.tries(StrategyName::Random),
        search: settings.tries(StrategyName::Search) && settings.feedback,
        blind: !settings.feedback,
        ..Offered::default()
    };
    if !settings.tries(StrategyName::Exhaustive) {
        return Ok(offered);
    }
    let alone = !offered.random && !offered.search;
    let go_on = || if alone { deadline.may_explore(0) } else { deadline.may_prepare() };
    let (candidates, classes) = offer(subject, class_path, pool, &go_on).map_err(failure)?;
    for class in &classes {
        note(&format!(
            "{} says what is valid: {} of size {}, {} of them made by public operations",
            class.class,
            count(usize::try_from(class.valid).unwrap_or(usize::MAX), "structure"),
            class.size,
            class.made
        ));
    }
    if alone && candidates.is_empty() {
        let looked = PREDICATES.join(", ");
        return Err(Failure::usage(format!(
            "--strategy exhaustive has nothing to enumerate: no class under test has structures that public operations \
             make and a predicate, a method without parameters that returns boolean, named {looked}"
        )));
    }
    offered.candidates = candidates;
    Ok(offered)
}
