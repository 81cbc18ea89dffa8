//! The floor that the execution of sequences is measured against: the same calls, and nothing but the calls.

use jurat_protocol::{Bare, Statement};

use crate::WorkerError;
use crate::capture;
use crate::classes::Jdk;
use crate::epoch::{Epoch, Member, Unresolved};
use crate::jni::{Env, Raw, Ref};
use crate::statement::invoke;
use crate::table::{Op, Table};

/// One call, resolved.
struct Call<'a> {
    op: &'a Op,
    member: Member,
    /// Which values it takes.
    inputs: Vec<usize>,
    /// Which value it makes.
    output: usize,
}

/// Runs the calls of a sequence over and over.
///
/// The sequence holds primitive literals and operations only, and none of them throws.
pub(crate) fn run(
    env: Env,
    jdk: &Jdk,
    table: &Table,
    epoch: &mut Epoch,
    bare: &Bare,
) -> Result<(), WorkerError> {
    bare.sequence.check().map_err(|error| WorkerError::new(error.to_string()))?;
    let (mut values, calls) = resolve(env, jdk, table, epoch, bare)?;
    let mut arguments: Vec<Raw> = Vec::new();
    for _ in 0..bare.repetitions {
        if !env.push_frame(calls.len()) {
            return Err(WorkerError::new("no memory for local references"));
        }
        for call in &calls {
            arguments.clear();
            arguments.extend(call.inputs.iter().map(|input| values[*input]));
            values[call.output] = invoke(env, call.op, call.member, &arguments);
        }
        env.pop_frame(Ref::NULL);
    }
    jdk.checked(env, "a bare call", ())
}

/// The values of the literals, with room for those of the calls; and the calls.
fn resolve<'a>(
    env: Env,
    jdk: &Jdk,
    table: &'a Table,
    epoch: &mut Epoch,
    bare: &Bare,
) -> Result<(Vec<Raw>, Vec<Call<'a>>), WorkerError> {
    let unfit = || WorkerError::new("a bare loop takes primitive literals and good operations only");
    let (mut values, mut calls) = (Vec::new(), Vec::new());
    let mut next_input = 0;
    for (output, statement) in bare.sequence.statements().iter().enumerate() {
        let inputs = &bare.sequence.inputs()[next_input..next_input + statement.input_count()];
        next_input += inputs.len();
        match statement {
            Statement::Literal(jurat_protocol::Literal::Primitive(primitive)) => {
                values.push(capture::raw(*primitive).1);
            }
            Statement::Operate { operation, .. } => {
                let index = *operation as usize;
                let op = table.operations.get(index).and_then(|op| op.as_ref().ok()).ok_or_else(unfit)?;
                let member = match epoch.member(env, jdk, table, index, op) {
                    Ok(member) => *member,
                    Err(Unresolved::Missing(what)) => return Err(WorkerError::new(what)),
                    Err(Unresolved::Threw(thrown)) => {
                        return Err(WorkerError::new(jdk.describe(env, thrown)));
                    }
                };
                let inputs = inputs.iter().map(|input| input.0 as usize).collect();
                calls.push(Call { op, member, inputs, output });
                values.push(Raw::ZERO);
            }
            _ => return Err(unfit()),
        }
    }
    Ok((values, calls))
}
