//! The seccomp filter: rules in, a BPF program out.

use std::ffi::{c_int, c_long};

use libc::{
    BPF_ABS, BPF_ALU, BPF_AND, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, sock_filter,
};

/// What the filter does about one system call.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    /// Lets it through.
    Allow,
    /// Lets it through if every test holds; asks the supervisor otherwise.
    AllowIf(Vec<Test>),
    /// Answers with this error, without asking.
    Fail(c_int),
}

/// A test on the lower half of an argument; all arguments tested are 32 bits wide in the kernel.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// The argument is one of these.
    OneOf { argument: u32, values: Vec<u32> },
    /// The bits under the mask have this value.
    Masked { argument: u32, mask: u32, value: u32 },
}

/// `AUDIT_ARCH_X86_64`: calls through the 32-bit entry carry another value.
const ARCHITECTURE: u32 = 0xc000_003e;
/// Calls of the x32 interface carry this bit, and so are numbers at or above it.
const X32_BIT: u32 = 0x4000_0000;

/// Where the kernel's `seccomp_data` has its fields.
const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;
const ARGUMENTS_AT: u32 = 16;

/// The program for these rules. A call without a rule goes to the supervisor; one through a foreign
/// interface ends the process, since its number would be read wrongly.
pub(crate) fn program(rules: &[(c_long, Rule)]) -> Vec<sock_filter> {
    let mut program = vec![
        load(ARCHITECTURE_AT),
        jump(BPF_JEQ, ARCHITECTURE, 1, 0),
        answer(libc::SECCOMP_RET_KILL_PROCESS),
        load(NUMBER_AT),
        jump(BPF_JGE, X32_BIT, 0, 1),
        answer(libc::SECCOMP_RET_KILL_PROCESS),
    ];
    for (number, rule) in rules {
        let body = body(rule);
        let number = u32::try_from(*number).expect("system calls are numbered from zero");
        program.push(jump(BPF_JEQ, number, 0, short(body.len())));
        program.extend(body);
    }
    program.push(answer(libc::SECCOMP_RET_USER_NOTIF));
    program
}

/// Instructions for one call; every path through them ends in an answer.
fn body(rule: &Rule) -> Vec<sock_filter> {
    let tests = match rule {
        Rule::Allow => &[][..],
        Rule::Fail(error) => return vec![answer(libc::SECCOMP_RET_ERRNO | error.cast_unsigned())],
        Rule::AllowIf(tests) => tests,
    };
    let mut body: Vec<sock_filter> = tests.iter().flat_map(fails_to_supervisor).collect();
    body.push(answer(libc::SECCOMP_RET_ALLOW));
    body
}

/// Falls through when the test holds.
fn fails_to_supervisor(test: &Test) -> Vec<sock_filter> {
    let ask = answer(libc::SECCOMP_RET_USER_NOTIF);
    match test {
        Test::Masked { argument, mask, value } => {
            vec![load_argument(*argument), and(*mask), jump(BPF_JEQ, *value, 1, 0), ask]
        }
        Test::OneOf { argument, values } => {
            let mut code = vec![load_argument(*argument)];
            // From each comparison, the way out skips the comparisons left and the question at the end.
            let left = (0..values.len()).rev();
            code.extend(
                values.iter().zip(left).map(|(value, left)| jump(BPF_JEQ, *value, short(left + 1), 0)),
            );
            code.push(ask);
            code
        }
    }
}

fn load(offset: u32) -> sock_filter {
    instruction(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0)
}

fn load_argument(argument: u32) -> sock_filter {
    load(ARGUMENTS_AT + 8 * argument)
}

fn and(mask: u32) -> sock_filter {
    instruction(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0)
}

fn jump(comparison: u32, value: u32, if_true: u8, if_false: u8) -> sock_filter {
    instruction(BPF_JMP | BPF_K | comparison, value, if_true, if_false)
}

fn answer(action: u32) -> sock_filter {
    instruction(BPF_RET | BPF_K, action, 0, 0)
}

fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: u16::try_from(code).expect("operation codes have 16 bits"), jt, jf, k }
}

fn short(distance: usize) -> u8 {
    u8::try_from(distance).expect("a rule is shorter than a jump reaches")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the program answers to a call, by an interpreter for the instructions used here.
    fn run(program: &[sock_filter], architecture: u32, number: u32, arguments: [u32; 6]) -> u32 {
        let (mut pc, mut accumulator) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = program[pc];
            pc += 1;
            let code = u32::from(code);
            let mut branch = |taken: bool| pc += usize::from(if taken { jt } else { jf });
            match code {
                _ if code == BPF_RET | BPF_K => return k,
                _ if code == BPF_LD | BPF_W | BPF_ABS => {
                    accumulator = match k {
                        NUMBER_AT => number,
                        ARCHITECTURE_AT => architecture,
                        offset => arguments[((offset - ARGUMENTS_AT) / 8) as usize],
                    };
                }
                _ if code == BPF_ALU | BPF_AND | BPF_K => accumulator &= k,
                _ if code == BPF_JMP | BPF_K | BPF_JEQ => branch(accumulator == k),
                _ if code == BPF_JMP | BPF_K | BPF_JGE => branch(accumulator >= k),
                other => panic!("unexpected instruction {other:#x}"),
            }
        }
    }

    fn answer_to(rule: Rule, arguments: [u32; 6]) -> u32 {
        run(&program(&[(7, rule)]), ARCHITECTURE, 7, arguments)
    }

    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
    const ASK: u32 = libc::SECCOMP_RET_USER_NOTIF;

    #[test]
    fn foreign_interfaces_end_the_process() {
        let program = program(&[(7, Rule::Allow)]);
        assert_eq!(run(&program, 0x4000_0003, 7, [0; 6]), libc::SECCOMP_RET_KILL_PROCESS);
        assert_eq!(run(&program, ARCHITECTURE, X32_BIT | 7, [0; 6]), libc::SECCOMP_RET_KILL_PROCESS);
    }

    #[test]
    fn a_call_without_a_rule_goes_to_the_supervisor() {
        assert_eq!(run(&program(&[(7, Rule::Allow)]), ARCHITECTURE, 8, [0; 6]), ASK);
        assert_eq!(answer_to(Rule::Allow, [0; 6]), ALLOW);
    }

    #[test]
    fn each_value_of_a_list_passes_and_no_other() {
        let rule = Rule::AllowIf(vec![Test::OneOf { argument: 1, values: vec![3, 5, 8] }]);
        for value in 0..10 {
            let expected = if [3, 5, 8].contains(&value) { ALLOW } else { ASK };
            assert_eq!(answer_to(rule.clone(), [9, value, 9, 9, 9, 9]), expected, "{value}");
        }
    }

    #[test]
    fn all_tests_must_hold() {
        let rule = Rule::AllowIf(vec![
            Test::Masked { argument: 0, mask: 6, value: 0 },
            Test::Masked { argument: 1, mask: 0xf, value: 1 },
        ]);
        assert_eq!(answer_to(rule.clone(), [1, 0x21, 0, 0, 0, 0]), ALLOW);
        assert_eq!(answer_to(rule.clone(), [2, 0x21, 0, 0, 0, 0]), ASK);
        assert_eq!(answer_to(rule, [1, 0x22, 0, 0, 0, 0]), ASK);
    }

    #[test]
    fn a_failing_rule_answers_with_its_error() {
        assert_eq!(answer_to(Rule::Fail(libc::ENOSYS), [0; 6]), libc::SECCOMP_RET_ERRNO + 38);
    }

    #[test]
    fn the_whole_program_fits_the_kernel() {
        assert!(program(&crate::syscalls::rules(1)).len() < 4096);
    }
}
