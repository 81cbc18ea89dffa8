//! The search without a JVM: a little program that is run here.

use std::collections::BTreeMap;

use jurat_protocol::{
    ChartedOperation, ChartedType, Focus, InsteadOf, Literal, LiteralPool, Mockable, Naming, Need, Primitive,
    Statement, Text, TypeSort, Usable, Var,
};

use super::*;

/// `new Safe()`, `safe.turn(int)`, `safe.open(int)`.
const NEW: u32 = 0;
const TURN: u32 = 1;
const OPEN: u32 = 2;

fn chart() -> Arc<Chart> {
    let operation = |inputs: Vec<Need>, has_receiver, gives| ChartedOperation {
        inputs,
        has_receiver,
        gives,
        usable: Usable::Anywhere,
        pool: 0,
        under_test: true,
        naming: None,
    };
    let (safe, int) = (Need::Reference(0), Need::Primitive('I'));
    let ty = ChartedType {
        descriptor: "La/Safe;".to_owned(),
        makers: vec![NEW],
        givers: Vec::new(),
        takes_strings: false,
        takes_boxes: Vec::new(),
        sort: TypeSort::Plain,
        private_makers: Vec::new(),
        mock: None,
    };
    let chart = Chart {
        operations: vec![
            operation(Vec::new(), false, Some(0)),
            operation(vec![safe, int], true, None),
            operation(vec![safe, int], true, None),
        ],
        types: vec![ty],
        focuses: vec![Focus {
            package: 0,
            operations: vec![NEW, TURN, OPEN],
            private_operations: Vec::new(),
        }],
        pools: vec![LiteralPool::default()],
        names: BTreeMap::new(),
        boxing: 3,
    };
    Arc::new(chart)
}

/// A safe that opens (probe 7) after it was turned to 31337 (probe 3) and then to -4711 (probe 5), for 1234567890.
struct Safe {
    turned: u32,
}

/// Probes: 0 entry of turn, 1 entry of open; even/odd pairs are the two edges of a branch.
fn run(genome: &Genome) -> Evaluation {
    let mut evaluation = Evaluation { is_sound: true, length: genome.len(), ..Evaluation::default() };
    let mut safes: FxHashMap<u32, Safe> = FxHashMap::default();
    for (at, gene) in (0..).zip(genome.genes()) {
        let Statement::Operate { operation, .. } = gene.statement else { continue };
        if operation == NEW {
            safes.insert(at, Safe { turned: 0 });
            continue;
        }
        let Some(safe) = gene.inputs.first().and_then(|var| safes.get_mut(&var.0)) else { continue };
        let number = gene.inputs.get(1).map_or(0, |var| int(genome, var.0));
        let mut equal = |edge: u32, wanted: i32| {
            let gap = f64::from(number) - f64::from(wanted);
            evaluation.hits.push(if gap == 0.0 { edge } else { edge - 1 });
            let missed = if gap == 0.0 { (edge - 1, 1.0) } else { (edge, gap.abs()) };
            evaluation.distances.push(missed);
            gap == 0.0
        };
        match (operation, safe.turned) {
            (TURN, 0) => safe.turned += u32::from(equal(3, 31_337)),
            (TURN, 1) => safe.turned += u32::from(equal(5, -4711)),
            (OPEN, 2) => drop(equal(7, 1_234_567_890)),
            _ => {}
        }
        evaluation.hits.push(operation - TURN);
    }
    evaluation.hits.sort_unstable();
    evaluation.hits.dedup();
    evaluation.distances.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    evaluation.distances.dedup_by_key(|(edge, _)| *edge);
    evaluation
}

fn int(genome: &Genome, at: u32) -> i32 {
    match genome.genes()[at as usize].statement {
        Statement::Literal(Literal::Primitive(Primitive::Int(value))) => value,
        _ => 0,
    }
}

fn goals() -> Vec<Goal> {
    let goal = |probe, parents: &[u32]| Goal { probe, parents: parents.to_vec() };
    vec![goal(2, &[0]), goal(3, &[0]), goal(4, &[3]), goal(5, &[3]), goal(6, &[5]), goal(7, &[5])]
}

fn start() -> Genome {
    let mut genome = Genome::new(0);
    let safe = genome.push(Statement::Operate { operation: NEW, inputs: 0 }, &[]);
    let number = genome.push(Statement::Literal(Literal::Primitive(Primitive::Int(1))), &[]);
    genome.push(Statement::Operate { operation: TURN, inputs: 2 }, &[safe, number]);
    genome.push(Statement::Operate { operation: OPEN, inputs: 2 }, &[safe, number]);
    genome
}

/// Runs the search; gives the finds in order, and the number of rounds.
fn search(seed: u64, most: u32) -> (Vec<Find>, u32) {
    let mut search = Search::new(chart(), goals(), Seed(seed));
    search.reach(0, true);
    search.reach(1, true);
    let mut finds = Vec::new();
    for round in 0..most {
        if search.aim() {
            search.plant(vec![start()]);
        }
        let proposed = search.propose(usize::MAX);
        if proposed.is_empty() {
            return (finds, round);
        }
        assert!(proposed.iter().all(|genome| genome.to_sequence().check().is_ok()));
        let evaluated = proposed.into_iter().map(|genome| (genome.clone(), run(&genome))).collect();
        for find in search.learn(evaluated) {
            for goal in &find.goals {
                search.reach(*goal, true);
            }
            finds.push(find);
        }
    }
    (finds, most)
}

#[test]
fn numbers_and_the_order_of_calls_are_found_by_distance() {
    let (finds, rounds) = search(1, 150);
    let reached: Vec<u32> = finds.iter().flat_map(|find| find.goals.clone()).collect();
    assert_eq!(reached.len(), goals().len(), "{reached:?} after {rounds} rounds");
    let last = &finds.last().expect("six goals").genome;
    assert!(last.len() < 20, "{last:?}");
}

#[test]
fn the_same_seed_finds_the_same() {
    let found = search(5, 25);
    assert_eq!(found, search(5, 25));
    assert_ne!(found, search(6, 25));
}

#[test]
fn what_cannot_be_reached_again_is_given_up() {
    let mut search = Search::new(chart(), vec![Goal { probe: 2, parents: vec![0] }], Seed(0));
    search.reach(0, true);
    for _ in 0..TRIES {
        assert!(search.aim() || !search.targets().is_empty());
        search.miss(2);
    }
    search.aim();
    assert_eq!(search.targets(), []);
}

#[test]
fn what_is_not_under_test_is_prepared() {
    const NEW_KEY: u32 = 3;
    const CUT: u32 = 4;
    let mut chart = (*chart()).clone();
    let helper = |inputs: Vec<Need>, gives| ChartedOperation {
        has_receiver: !inputs.is_empty(),
        inputs,
        gives,
        usable: Usable::Anywhere,
        pool: 0,
        under_test: false,
        naming: None,
    };
    chart.operations.push(helper(Vec::new(), Some(1)));
    chart.operations.push(helper(vec![Need::Reference(1), Need::Primitive('I')], None));
    let key =
        ChartedType { descriptor: "La/Key;".to_owned(), makers: vec![NEW_KEY], ..chart.types[0].clone() };
    chart.types.push(key);
    chart.boxing = 5;
    let fitting = Fitting::new(Arc::new(chart));
    let mut genome = Genome::new(0);
    let var = genome.push(Statement::Operate { operation: NEW_KEY, inputs: 0 }, &[]);
    let mut variation = Variation { fitting: &fitting, rng: Seed(1).rng(0) };
    let is_cut = |gene: &Gene| {
        gene.statement == Statement::Operate { operation: CUT, inputs: 2 } && gene.inputs[0] == var
    };
    let cut = (0..200).filter(|_| variation.varied(&genome, Guide::default()).genes().iter().any(is_cut));
    assert!(cut.count() > 0);
}

#[test]
fn a_class_meets_the_names_of_its_members() {
    const PEEK: u32 = 3;
    let mut chart = (*chart()).clone();
    let plain = ChartedType { makers: Vec::new(), ..chart.types[0].clone() };
    let class = "Ljava/lang/Class;".to_owned();
    chart.types.push(ChartedType { descriptor: class, sort: TypeSort::Class, ..plain.clone() });
    let string = "Ljava/lang/String;".to_owned();
    chart.types.push(ChartedType { descriptor: string, takes_strings: true, ..plain });
    chart.operations.push(ChartedOperation {
        inputs: vec![Need::Reference(1), Need::Reference(2)],
        has_receiver: false,
        naming: Some(Naming { whose: 0, name: 1 }),
        ..chart.operations[NEW as usize].clone()
    });
    chart.boxing = 4;
    chart.pools[0].classes = vec!["La/Safe;".to_owned()];
    chart.names.insert("La/Safe;".to_owned(), vec![vec![Text::from("turned")]]);
    let fitting = Fitting::new(Arc::new(chart));
    let mut variation = Variation { fitting: &fitting, rng: Seed(1).rng(0) };
    let member = Statement::Literal(Literal::String(Text::from("turned")));
    let named = |genome: &Genome| genome.genes().iter().any(|gene| gene.statement == member);
    let fresh: Vec<Genome> = (0..100)
        .map(|_| {
            let mut genome = Genome::new(0);
            assert!(variation.call_fresh(&mut genome, PEEK));
            genome
        })
        .collect();
    assert!(fresh.iter().filter(|genome| named(genome)).count() > 20);
    let other = fresh.iter().find(|genome| !named(genome)).expect("not all are");
    assert!((0..100).any(|_| named(&variation.varied(other, Guide::default()))), "a string becomes a name");
}

/// A round of one genome that hits a goal.
fn hitting(genome: &Genome, goal: u32) -> Vec<(Genome, Evaluation)> {
    let length = genome.len();
    let evaluation = Evaluation { hits: vec![goal], length, is_sound: true, ..Evaluation::default() };
    vec![(genome.clone(), evaluation)]
}

/// The start, and a mock that it does not need.
fn start_with_mock() -> Genome {
    let mut genome = Genome::new(0);
    let mock = jurat_protocol::Mock { class: "a/B".to_owned(), keep_bodies: false, answers: Vec::new() };
    genome.push(Statement::Mock(Box::new(mock)), &[]);
    genome
}

#[test]
fn what_needs_no_mock_is_handed_out_although_a_mock_reached_it_before() {
    let mut search = Search::new(chart(), goals(), Seed(1));
    let find = |search: &mut Search, genome: &Genome| search.learn(hitting(genome, 3)).len();
    assert_eq!(find(&mut search, &start_with_mock()), 1);
    search.reach(3, false);
    assert_eq!(find(&mut search, &start_with_mock()), 0);
    assert_eq!(find(&mut search, &start()), 1);
    search.reach(3, true);
    assert_eq!(find(&mut search, &start()), 0);
}

#[test]
fn of_a_round_what_needs_no_mock_is_preferred_though_longer() {
    let mut search = Search::new(chart(), goals(), Seed(1));
    let round = [hitting(&start_with_mock(), 3), hitting(&start(), 3)].concat();
    assert!(start_with_mock().len() < start().len());
    let finds = search.learn(round);
    assert_eq!(finds, [Find { genome: start(), goals: vec![3], is_plain: true }]);
}

#[test]
fn what_did_not_hold_its_promise_has_no_children() {
    let mut search = Search::new(chart(), goals(), Seed(1));
    search.reach(0, true);
    search.aim();
    let _ = search.learn(hitting(&start(), 3));
    search.forget(&start());
    assert!(search.propose(8).is_empty());
}

#[test]
fn no_mock_is_called() {
    let mut chart = (*chart()).clone();
    let class = "a/Safe".to_owned();
    chart.types[0].mock = Some(Mockable {
        class,
        instead_of: InsteadOf::Nothing,
        usable: Usable::Anywhere,
        methods: Vec::new(),
    });
    let mut search = Search::new(Arc::new(chart), goals(), Seed(1));
    search.permit(Permits { stand_ins: true, mocks: 1.0, ..Permits::default() });
    let grown = search.sprout(64);
    assert!(grown.len() > 32);
    let is_mock =
        |genome: &Genome, var: u32| matches!(genome.genes()[var as usize].statement, Statement::Mock(_));
    for genome in &grown {
        let mut receivers = genome.genes().iter().filter_map(|gene| gene.inputs.first());
        assert!(!receivers.any(|receiver| is_mock(genome, receiver.0)), "{genome:?}");
    }
}

#[test]
fn no_mock_is_two_arguments() {
    let mut chart = (*chart()).clone();
    let guard = ChartedType {
        descriptor: "La/Guard;".to_owned(),
        makers: Vec::new(),
        mock: Some(Mockable {
            class: "a/Guard".to_owned(),
            instead_of: InsteadOf::Nothing,
            usable: Usable::Anywhere,
            methods: Vec::new(),
        }),
        ..chart.types[0].clone()
    };
    chart.types.push(guard);
    chart.operations[TURN as usize].inputs[1] = Need::Reference(1);
    let mut search = Search::new(Arc::new(chart), goals(), Seed(1));
    search.permit(Permits { stand_ins: true, mocks: 1.0, ..Permits::default() });
    search.reach(0, true);
    search.aim();
    let grown = search.sprout(64);
    search.plant(grown);
    let mut repeated = 0;
    for _ in 0..8 {
        let genomes = search.propose(64);
        for genome in &genomes {
            let turns = genome.genes().iter().filter(|gene| calls(gene, TURN));
            let mut guards: Vec<Var> = turns.map(|gene| gene.inputs[1]).collect();
            guards.retain(|guard| matches!(genome.genes()[guard.0 as usize].statement, Statement::Mock(_)));
            let count = guards.len();
            guards.sort_unstable();
            guards.dedup();
            assert_eq!(guards.len(), count, "{genome:?}");
            repeated += usize::from(count > 1);
        }
        let evaluated = genomes.into_iter().map(|genome| (genome.clone(), run(&genome))).collect();
        let _ = search.learn(evaluated);
    }
    assert!(repeated > 0);
}

fn calls(gene: &Gene, wanted: u32) -> bool {
    matches!(gene.statement, Statement::Operate { operation, .. } if operation == wanted)
}
