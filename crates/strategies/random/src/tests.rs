//! Sessions over a JVM of straw: one class, a counter, with a branch that opens at three.

use std::collections::BTreeMap;

use jurat_protocol::{
    Chart, ChartedOperation, ChartedType, Focus, Given, LiteralPool, Naming, Need, Primitive, Roam, Roamed,
    Statement, Text, Trouble, TypeSort, Usable, Var,
};

use crate::{Ended, Made, Vm, roam};

const NEW: u32 = 0;
const STEP: u32 = 1;
const IS_THREE: u32 = 2;
const ADD: u32 = 3;
const HANG: u32 = 4;
const FAIL: u32 = 5;
/// `peek(Class, String)`, where a chart has it.
const PEEK: u32 = 6;

fn operation(inputs: Vec<Need>, has_receiver: bool, gives: Option<u32>) -> ChartedOperation {
    ChartedOperation {
        inputs,
        has_receiver,
        gives,
        usable: Usable::Anywhere,
        pool: 0,
        under_test: true,
        naming: None,
    }
}

fn chart() -> Chart {
    let counter = Need::Reference(0);
    let operations = vec![
        operation(Vec::new(), false, Some(0)),
        operation(vec![counter], true, None),
        operation(vec![counter], true, None),
        operation(vec![counter, Need::Primitive('I')], true, None),
        operation(vec![counter], true, None),
        operation(vec![counter], true, None),
    ];
    let boxing = u32::try_from(operations.len()).expect("a few");
    Chart {
        types: vec![ChartedType {
            descriptor: "Lp/Counter;".to_owned(),
            makers: vec![NEW],
            givers: Vec::new(),
            takes_strings: false,
            takes_boxes: Vec::new(),
            sort: TypeSort::Plain,
            private_makers: Vec::new(),
            mock: None,
        }],
        focuses: vec![Focus {
            package: 0,
            operations: (0..boxing).collect(),
            private_operations: Vec::new(),
        }],
        pools: vec![LiteralPool::default()],
        names: BTreeMap::new(),
        operations,
        boxing,
    }
}

fn order(sessions: u32) -> Roam {
    Roam { number: 1, known: vec![0; 1], ..Roam::first(42, sessions, 20) }
}

/// Counters by statement; probe 0 is stepping, probe 1 is being three.
#[derive(Default)]
struct Straw {
    values: Vec<i64>,
    hits: Vec<u32>,
    seen: usize,
    hung: u32,
    stuck: bool,
    /// What `ADD` computes, how often it did, and how often `STEP` was called.
    dear: u64,
    cost: u64,
    added: u32,
    stepped: u32,
    /// Whether a counter fits the second type as well.
    is_anything: bool,
    /// String literals.
    texts: Vec<Text>,
    /// Every so many calls `ADD` touches the world, if it does at all.
    touchy: u32,
}

impl Straw {
    fn hit(&mut self, probe: u32) {
        if !self.hits.contains(&probe) {
            self.hits.push(probe);
        }
    }

    fn operate(&mut self, operation: u32, inputs: &[Var]) -> Ended {
        let target = inputs.first().map(|var| var.0 as usize);
        self.cost = if operation == ADD { self.dear } else { 10 };
        self.added += u32::from(operation == ADD);
        self.stepped += u32::from(operation == STEP);
        if operation == ADD && self.touchy > 0 && self.added.is_multiple_of(self.touchy) {
            return Ended::Trouble(Trouble::Attempt);
        }
        match (operation, target) {
            (NEW, _) => return Ended::Made(Made::Object(7)),
            (STEP, Some(target)) => {
                self.values[target] += 1;
                self.hit(0);
            }
            (ADD, Some(target)) => self.values[target] += self.values[inputs[1].0 as usize],
            (IS_THREE, Some(target)) if self.values[target] == 3 => self.hit(1),
            (IS_THREE, Some(_)) => return Ended::Made(Made::Primitive('Z', Given::False)),
            (HANG, _) => {
                self.hung += 1;
                self.stuck = true;
                return Ended::Trouble(Trouble::Stuck);
            }
            (FAIL | PEEK, _) => return Ended::Threw(3),
            other => unreachable!("{other:?}"),
        }
        Ended::Made(Made::Nothing)
    }
}

impl Vm for Straw {
    fn begin(&mut self, _: u32) {
        (self.values, self.hits, self.seen, self.stuck) = (Vec::new(), Vec::new(), 0, false);
    }

    fn run(&mut self, position: usize, statement: &Statement, inputs: &[Var]) -> Ended {
        assert_eq!(position, self.values.len(), "statements come in order");
        assert!(inputs.iter().all(|input| (input.0 as usize) < position), "inputs are made before");
        self.values.push(0);
        match statement {
            Statement::Literal(jurat_protocol::Literal::Primitive(Primitive::Int(value))) => {
                self.values[position] = i64::from(*value);
                Ended::Made(Made::Primitive('I', Given::Other))
            }
            Statement::Literal(jurat_protocol::Literal::String(text)) => {
                self.texts.push(text.clone());
                Ended::Made(Made::Null)
            }
            Statement::Literal(_) => Ended::Made(Made::Null),
            Statement::Operate { operation, .. } => self.operate(*operation, inputs),
            other => unreachable!("{other:?}"),
        }
    }

    fn cost(&self) -> u64 {
        self.cost
    }

    fn types_of(&mut self, class: u32) -> Vec<u32> {
        let all = 1 + u32::from(self.is_anything);
        if class == 7 { (0..all).collect() } else { Vec::new() }
    }

    fn hits(&mut self, into: &mut Vec<u32>) {
        into.extend(&self.hits[self.seen..]);
        self.seen = self.hits.len();
    }

    fn list(&mut self, class: u32) -> u32 {
        class
    }

    fn name_hash(&mut self, position: u32) -> u64 {
        u64::from(position)
    }

    fn starter(&self) -> Option<u32> {
        None
    }

    fn is_late(&self) -> bool {
        false
    }

    fn end(&mut self) -> Option<Trouble> {
        self.stuck.then_some(Trouble::Stuck)
    }
}

fn run(order: &Roam) -> (Roamed, Straw) {
    let mut straw = Straw::default();
    let roamed = roam(&chart(), order, &mut straw);
    (roamed, straw)
}

#[test]
fn state_that_takes_several_calls_is_reached_and_reported_once() {
    let mut calm = order(300);
    calm.barred = vec![HANG];
    let (roamed, _) = run(&calm);
    let reached: Vec<u32> =
        roamed.finds.iter().flat_map(|find| &find.reached).flat_map(|at| at.probes.clone()).collect();
    assert_eq!(reached.len(), 2, "{reached:?}");
    assert!(reached.contains(&0) && reached.contains(&1));
}

#[test]
fn an_exception_is_new_once_for_each_operation() {
    let mut calm = order(50);
    calm.barred = vec![HANG];
    let (roamed, _) = run(&calm);
    let thrown: Vec<u32> =
        roamed.finds.iter().flat_map(|find| &find.reached).filter_map(|at| at.threw).collect();
    assert_eq!(thrown, [3]);
    assert!(roamed.tally.threw > 1);
}

#[test]
fn each_kind_of_result_is_reported_once() {
    let mut calm = order(50);
    calm.barred = vec![HANG];
    calm.returned = vec![(STEP, Given::Other)];
    let (roamed, _) = run(&calm);
    let gave: Vec<Given> =
        roamed.finds.iter().flat_map(|find| &find.reached).filter_map(|at| at.gave).collect();
    let count = |wanted| gave.iter().filter(|gave| **gave == wanted).count();
    assert_eq!((count(Given::False), count(Given::Other)), (1, 3), "NEW, ADD and IS_THREE when it is three");
}

#[test]
fn the_same_order_finds_the_same() {
    assert_eq!(run(&order(40)).0, run(&order(40)).0);
}

#[test]
fn a_stuck_vm_ends_the_order_and_says_where_to_go_on() {
    let (roamed, straw) = run(&order(1000));
    assert_eq!(straw.hung, 1);
    assert_eq!(roamed.finished, Some(jurat_protocol::Finished::Retired));
    assert_eq!(roamed.troubles, [(HANG, Trouble::Stuck)]);
    assert_eq!(u64::from(roamed.next), roamed.tally.sessions);
}

#[test]
fn what_is_barred_is_not_called() {
    let mut calm = order(200);
    calm.barred = vec![HANG];
    let (roamed, straw) = run(&calm);
    assert_eq!((straw.hung, roamed.troubles.len()), (0, 0));
    assert_eq!(roamed.finished, Some(jurat_protocol::Finished::Reusable));
}

#[test]
fn an_operation_that_computes_most_of_all_is_called_less_often() {
    let called = |dear| {
        let mut vm = Straw { dear, ..Straw::default() };
        roam(&chart(), &Roam { barred: vec![HANG], ..order(500) }, &mut vm);
        (vm.added, vm.stepped)
    };
    let (added, stepped) = called(10);
    assert!(added > stepped / 2, "{added} of {stepped}");
    let (added, stepped) = called(10_000);
    assert!((1..stepped / 4).contains(&added), "{added} of {stepped}");
}

#[test]
fn only_what_touches_the_world_often_is_left_alone() {
    let called = |touchy| {
        let mut vm = Straw { touchy, ..Straw::default() };
        let roamed = roam(&chart(), &Roam { barred: vec![HANG], ..order(500) }, &mut vm);
        (vm.added, roamed.troubles)
    };
    let (added, troubles) = called(10);
    assert!(added > 300, "{added}");
    assert_eq!(troubles, []);
    assert_eq!(called(1), (4, vec![(ADD, Trouble::Attempt)]));
}

#[test]
fn a_class_meets_the_names_of_its_members() {
    let mut chart = chart();
    let plain = chart.types[0].clone();
    let class = ChartedType {
        descriptor: "Ljava/lang/Class;".to_owned(),
        makers: vec![NEW],
        sort: TypeSort::Class,
        ..plain.clone()
    };
    let string = ChartedType { descriptor: "Ljava/lang/String;".to_owned(), takes_strings: true, ..plain };
    chart.types.extend([class, string]);
    let needs = vec![Need::Reference(1), Need::Reference(2)];
    let naming = Some(Naming { whose: 0, name: 1 });
    chart.operations.push(ChartedOperation { naming, ..operation(needs, false, None) });
    chart.boxing += 1;
    chart.focuses[0].operations = vec![PEEK];
    chart.pools[0].classes = vec!["Lp/Counter;".to_owned()];
    let members = |chart: &Chart| {
        let mut vm = Straw { is_anything: true, ..Straw::default() };
        roam(chart, &Roam { barred: vec![HANG], ..order(100) }, &mut vm);
        vm.texts.iter().filter(|text| **text == Text::from("turnsLeft")).count()
    };
    assert_eq!(members(&chart), 0);
    chart.names.insert("Lp/Counter;".to_owned(), vec![vec![Text::from("turnsLeft")]]);
    assert!(members(&chart) > 50);
}
