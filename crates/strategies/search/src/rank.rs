//! Who survives: preference sorting, fronts that nobody dominates, and crowding.

/// A survivor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ranked {
    /// Its position among those that were sorted.
    pub(crate) at: usize,
    /// The front it is in; 0 is the best.
    pub(crate) front: usize,
    /// How far its neighbours in the front are: the farther, the more is lost without it.
    pub(crate) crowding: f64,
}

/// Chooses `size` of those with this fitness (one number for each goal, less is better) and length. The best for each
/// goal come first, the shorter of equals, and all of them stay.
pub(crate) fn survivors(fitness: &[Vec<f64>], lengths: &[usize], size: usize) -> Vec<Ranked> {
    let best = preferred(fitness, lengths);
    let mut chosen: Vec<Ranked> = crowded(fitness, &best, 0);
    let mut rest: Vec<usize> = (0..fitness.len()).filter(|at| !best.contains(at)).collect();
    let mut front = 1;
    while chosen.len() < size && !rest.is_empty() {
        let (first, others): (Vec<usize>, Vec<usize>) =
            rest.iter().partition(|at| !rest.iter().any(|other| dominates(&fitness[*other], &fitness[**at])));
        let mut ranked = crowded(fitness, &first, front);
        ranked.sort_by(|one, other| other.crowding.total_cmp(&one.crowding).then(one.at.cmp(&other.at)));
        ranked.truncate(size - chosen.len());
        chosen.extend(ranked);
        rest = others;
        front += 1;
    }
    chosen
}

/// For each goal the one that is nearest to it, the shorter of equals; ascending, each once.
fn preferred(fitness: &[Vec<f64>], lengths: &[usize]) -> Vec<usize> {
    let goals = fitness.first().map_or(0, Vec::len);
    let nearest = |goal: usize| {
        let compare = |one: &usize, other: &usize| {
            let by_fitness = fitness[*one][goal].total_cmp(&fitness[*other][goal]);
            by_fitness.then(lengths[*one].cmp(&lengths[*other])).then(one.cmp(other))
        };
        (0..fitness.len()).min_by(compare)
    };
    let mut best: Vec<usize> = (0..goals).filter_map(nearest).collect();
    best.sort_unstable();
    best.dedup();
    best
}

/// True if one is nowhere worse and somewhere better.
fn dominates(one: &[f64], other: &[f64]) -> bool {
    let mut better = false;
    for (one, other) in one.iter().zip(other) {
        if one > other {
            return false;
        }
        better |= one < other;
    }
    better
}

fn crowded(fitness: &[Vec<f64>], front: &[usize], number: usize) -> Vec<Ranked> {
    let goals = fitness.first().map_or(0, Vec::len);
    let mut ranked: Vec<Ranked> =
        front.iter().map(|at| Ranked { at: *at, front: number, crowding: 0.0 }).collect();
    let mut order: Vec<usize> = (0..ranked.len()).collect();
    let column = |goal: usize| front.iter().map(|at| fitness[*at][goal]).collect::<Vec<f64>>();
    for column in (0..goals).map(column) {
        spread(&mut ranked, &mut order, &column);
    }
    ranked
}

/// Adds how far neighbours are apart in one goal; those at the ends have none on one side.
fn spread(ranked: &mut [Ranked], order: &mut [usize], values: &[f64]) {
    let value = |of: usize| values[of];
    order.sort_by(|one, other| value(*one).total_cmp(&value(*other)).then(one.cmp(other)));
    let (Some(&first), Some(&last)) = (order.first(), order.last()) else { return };
    let span = value(last) - value(first);
    if span <= 0.0 {
        return;
    }
    ranked[first].crowding = f64::INFINITY;
    ranked[last].crowding = f64::INFINITY;
    for window in order.windows(3) {
        ranked[window[1]].crowding += (value(window[2]) - value(window[0])) / span;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_to_each_goal_stay_and_the_shorter_wins() {
        let fitness = vec![vec![0.5, 3.0], vec![0.5, 3.0], vec![3.0, 0.1], vec![1.0, 1.0]];
        let chosen = survivors(&fitness, &[9, 4, 8, 2], 2);
        let positions: Vec<usize> = chosen.iter().map(|ranked| ranked.at).collect();
        assert_eq!(positions, [1, 2]);
    }

    #[test]
    fn fronts_follow_each_other() {
        let fitness = vec![vec![0.0, 0.0], vec![2.0, 2.0], vec![1.0, 1.0], vec![1.0, 3.0]];
        let chosen = survivors(&fitness, &[1; 4], 4);
        let fronts: Vec<(usize, usize)> = chosen.iter().map(|ranked| (ranked.at, ranked.front)).collect();
        assert_eq!(fronts, [(0, 0), (2, 1), (1, 2), (3, 2)]);
    }

    #[test]
    fn of_a_front_that_is_too_large_the_lonely_stay() {
        let fitness: Vec<Vec<f64>> =
            [(0.0, 0.0), (1.0, 9.0), (2.0, 8.0), (2.1, 7.9), (9.0, 1.0)].map(|(a, b)| vec![a, b]).to_vec();
        let chosen = survivors(&fitness, &[1; 5], 4);
        let positions: Vec<usize> = chosen.iter().map(|ranked| ranked.at).collect();
        assert_eq!(positions, [0, 1, 4, 3]);
    }
}
