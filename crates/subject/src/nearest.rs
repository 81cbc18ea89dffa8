//! Names like one that does not exist.

/// How many suggestions are made.
const MAX_SUGGESTIONS: usize = 3;

/// The class names nearest to what was asked for, best first, as Java writes them.
pub(crate) fn names<'a>(all: impl Iterator<Item = &'a str>, wanted: &str) -> Vec<String> {
    let wanted = wanted.replace('$', ".");
    let limit = (wanted.len() / 4).clamp(1, 4);
    let mut ranked: Vec<(usize, String)> = all
        .map(|name| name.replace(['/', '$'], "."))
        .filter(|name| !last_part(name).starts_with(|letter: char| letter.is_ascii_digit()))
        .filter_map(|name| rank(&name, &wanted, limit).map(|rank| (rank, name)))
        .collect();
    ranked.sort();
    let best = ranked.first().map_or(0, |(rank, _)| *rank);
    // Next to a close match, a far one only distracts.
    ranked.retain(|(rank, _)| *rank <= best + 1);
    ranked.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// How far `name` is from `wanted`; none if too far to be meant. The same simple name in another
/// package is the likeliest slip, then a few wrong letters.
fn rank(name: &str, wanted: &str, limit: usize) -> Option<usize> {
    let (simple, wanted_simple) = (last_part(name), last_part(wanted));
    if simple.eq_ignore_ascii_case(wanted_simple) {
        return Some(usize::from(simple != wanted_simple));
    }
    let whole = if wanted.contains('.') { distance(name, wanted, limit) } else { None };
    let short = distance(simple, wanted_simple, limit.min(wanted_simple.len() / 3));
    whole.into_iter().chain(short.map(|far| far + 1)).min().map(|far| far + 1)
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// How many letters must be put in, taken out, changed or swapped with their neighbor; none if
/// more than `limit`.
fn distance(left: &str, right: &str, limit: usize) -> Option<usize> {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, letter) in left.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let mut best =
                (last[column] + usize::from(letter != other)).min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && *letter == right[column - 1] && left[row - 1] == *other {
                best = best.min(before[column - 1] + 1);
            }
            next.push(best);
        }
        if next.iter().all(|cost| *cost > limit) {
            return None;
        }
        before = std::mem::replace(&mut last, next);
    }
    last.last().copied().filter(|cost| *cost <= limit)
}

#[cfg(test)]
mod tests {
    use super::names;

    fn check(wanted: &str, expected: &[&str]) {
        let all = [
            "java/util/TreeMap",
            "java/util/HashMap",
            "java/util/Map$Entry",
            "org/foo/Money",
            "org/foo/Money$1",
        ];
        assert_eq!(names(all.into_iter(), wanted), expected, "{wanted}");
    }

    #[test]
    fn wrong_packages_cases_and_letters_are_forgiven() {
        check("java.utl.TreeMap", &["java.util.TreeMap"]);
        check("TreMap", &["java.util.TreeMap"]);
        check("treemap", &["java.util.TreeMap"]);
        check("java.util.HahsMap", &["java.util.HashMap"]);
        check("java.util.Entry", &["java.util.Map.Entry"]);
        check("Mony", &["org.foo.Money"]);
    }

    #[test]
    fn what_is_too_far_is_not_suggested() {
        check("Zebra", &[]);
        check("X", &[]);
    }
}
