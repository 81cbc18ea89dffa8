//! Whether two lists of figures differ by more than chance, and by how much.

/// What comparing two samples gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Compared {
    /// The probability that chance alone gives such a difference (Mann-Whitney, two-sided, normal approximation with
    /// correction for ties).
    pub(crate) p: f64,
    /// The probability that a figure of the second sample is larger than one of the first (Vargha and Delaney's A).
    pub(crate) effect: f64,
}

/// Compares a second sample with a first.
pub(crate) fn compare(first: &[f64], second: &[f64]) -> Compared {
    let (n, m) = (size(first), size(second));
    let mut wins = 0.0;
    for one in first {
        for other in second {
            wins += if other > one {
                1.0
            } else if other < one {
                0.0
            } else {
                0.5
            };
        }
    }
    let effect = if n * m > 0.0 { wins / (n * m) } else { 0.5 };
    let deviation = deviation(first, second);
    let distance = ((wins - n * m / 2.0).abs() - 0.5).max(0.0);
    let p = if deviation > 0.0 { 2.0 * upper_tail(distance / deviation) } else { 1.0 };
    Compared { p: p.min(1.0), effect }
}

#[expect(clippy::cast_precision_loss, reason = "samples are small")]
fn size(sample: &[f64]) -> f64 {
    sample.len() as f64
}

/// The standard deviation of U if both samples came from the same place.
fn deviation(first: &[f64], second: &[f64]) -> f64 {
    let mut all: Vec<f64> = first.iter().chain(second).copied().collect();
    all.sort_by(f64::total_cmp);
    let whole = size(&all);
    let ties: f64 = all
        .chunk_by(|one, other| one.total_cmp(other).is_eq())
        .map(|tied| size(tied).powi(3) - size(tied))
        .sum();
    let spread = whole + 1.0 - ties / (whole * (whole - 1.0)).max(1.0);
    (size(first) * size(second) / 12.0 * spread).max(0.0).sqrt()
}

/// How likely a normal variable is beyond `z` (Abramowitz and Stegun 26.2.17).
fn upper_tail(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let series = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    density * series.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_that_do_not_overlap_differ() {
        let low: Vec<f64> = (0..10).map(f64::from).collect();
        let high: Vec<f64> = (20..30).map(f64::from).collect();
        let compared = compare(&low, &high);
        assert!(compared.p < 0.001 && compared.effect > 0.999, "{compared:?}");
    }

    #[test]
    fn equal_samples_do_not() {
        assert_eq!(compare(&[3.0; 10], &[3.0; 10]), Compared { p: 1.0, effect: 0.5 });
        let mixed = compare(&[1.0, 2.0, 3.0, 4.0], &[1.5, 2.5, 3.5, 2.0]);
        assert!(mixed.p > 0.5, "{mixed:?}");
    }

    #[test]
    fn a_known_example_has_its_known_p() {
        // Eleven and twelve figures without ties: U = 30, z = 2.185 with continuity correction.
        let one = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 19.0, 20.0, 21.0];
        let other = [9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 22.0, 23.0];
        let compared = compare(&one, &other);
        assert!((compared.p - 0.0289).abs() < 0.0002, "{compared:?}");
    }
}
