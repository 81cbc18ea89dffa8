//! Calls that reach for the world outside.

use jurat_protocol::Attempt;

use crate::stage::{Argument, Call, call, expect, on_every_jdk};

/// A static method of one argument.
fn with(argument: Argument, member: &'static str, descriptor: &'static str) -> Call {
    Call { argument, ..call(member, descriptor) }
}

/// A method that is given the path of the file outside.
fn outside(member: &'static str, descriptor: &'static str) -> Call {
    with(Argument::Outside, member, descriptor)
}

const TO_BOOLEAN: &str = "(Ljava/lang/String;)Z";
const TO_TEXT: &str = "(Ljava/lang/String;)Ljava/lang/String;";
const TO_VOID: &str = "(Ljava/lang/String;)V";

#[test]
fn what_is_written_to_scratch_is_gone_in_the_next_chunk() {
    let again = |call: Call| Call { again: true, ..call };
    let create = with(Argument::Text("made"), "WritesFile.create", TO_BOOLEAN);
    expect(again(create), "Boolean(true)", &[Attempt::WriteInside]);
    let lock = with(Argument::Text("locked"), "WritesFile.lock", TO_BOOLEAN);
    expect(again(lock), "Boolean(true)", &[Attempt::WriteInside, Attempt::Metadata]);
}

#[test]
fn where_scratch_is_may_be_asked_but_is_noted() {
    let place = call("WritesFile.place", "()Ljava/lang/String;");
    expect(place, "Returned(String(", &[Attempt::ReadOutside]);
}

#[test]
fn deleting_fails() {
    expect(outside("DeletesFile.delete", TO_BOOLEAN), "Boolean(false)", &[Attempt::WriteOutside]);
    let denied = "Threw java.nio.file.AccessDeniedException";
    expect(outside("DeletesFile.deleteOrThrow", TO_VOID), denied, &[Attempt::WriteOutside]);
}

#[test]
fn overwriting_fails() {
    let denied = "Threw java.io.FileNotFoundException";
    expect(outside("OverwritesFile.overwrite", TO_VOID), denied, &[Attempt::WriteOutside]);
    expect(outside("OverwritesFile.truncate", TO_VOID), denied, &[Attempt::WriteOutside]);
}

#[test]
fn renaming_fails() {
    expect(outside("RenamesFile.rename", TO_BOOLEAN), "Boolean(false)", &[Attempt::WriteOutside]);
    expect(outside("RenamesFile.moveHere", TO_VOID), "Threw java.nio.file.", &[Attempt::WriteOutside]);
}

#[test]
fn changing_permissions_fails() {
    expect(outside("ChangesMode.open", TO_BOOLEAN), "Boolean(false)", &[Attempt::Metadata]);
    let denied = "Threw java.nio.file.FileSystemException";
    expect(outside("ChangesMode.close", TO_VOID), denied, &[Attempt::Metadata]);
}

#[test]
fn changing_times_fails() {
    expect(outside("ChangesTime.touch", TO_BOOLEAN), "Boolean(false)", &[Attempt::Metadata]);
    let denied = "Threw java.nio.file.FileSystemException";
    expect(outside("ChangesTime.touchOrThrow", TO_VOID), denied, &[Attempt::Metadata]);
}

#[test]
fn tcp_fails() {
    let connect = with(Argument::Int(9), "ConnectsTcp.connect", "(I)I");
    expect(connect, "Threw java.net.SocketException", &[Attempt::Connect]);
    expect(call("ConnectsTcp.listen", "()I"), "Threw java.net.SocketException", &[Attempt::Connect]);
}

#[test]
fn udp_fails() {
    let send = with(Argument::Int(9), "SendsUdp.send", "(I)I");
    expect(send, "Threw java.net.SocketException", &[Attempt::Connect]);
}

#[test]
fn starting_a_process_fails() {
    let failed = "Threw java.io.IOException";
    expect(outside("StartsProcess.start", "(Ljava/lang/String;)J"), failed, &[Attempt::Spawn]);
    expect(outside("StartsProcess.startAndWait", "(Ljava/lang/String;)I"), failed, &[Attempt::Spawn]);
}

#[test]
fn killing_the_parent_fails() {
    expect(call("KillsParent.kill", "()Z"), "Boolean(false)", &[Attempt::Signal]);
}

#[test]
fn ten_gigabytes_go_nowhere() {
    on_every_jdk(call("FloodsStdout.flood", "()J"), |seen| {
        let fine = seen.ending == "Long(10737418240)" || seen.ending.starts_with("TimedOut(");
        assert!(fine, "{}", seen.ending);
    });
    expect(call("FloodsStdout.floodErrors", "()I"), "Int(10000)", &[]);
}

#[test]
fn closing_the_standard_streams_does_no_harm() {
    expect(call("ClosesStreams.close", "()I"), "Int(3)", &[]);
    expect(call("ClosesStreams.closeDescriptors", "()I"), "Int(3)", &[]);
    expect(call("ClosesStreams.readInput", "()I"), "Int(-1)", &[]);
}

#[test]
fn nothing_of_the_user_is_in_the_environment() {
    let home = std::env::var("HOME").expect("whoever runs tests has a home");
    let asked = with(Argument::Text("HOME"), "ReadsEnvironment.variable", TO_TEXT);
    on_every_jdk(asked, |seen| assert!(!seen.ending.contains(&format!("\"{home}\"")), "{}", seen.ending));
    let asked = with(Argument::Text("CARGO_MANIFEST_DIR"), "ReadsEnvironment.variable", TO_TEXT);
    expect(asked, "Returned(Null)", &[Attempt::Environment]);
}

#[test]
fn who_asks_for_the_environment_or_the_user_is_noted() {
    let noted = &[Attempt::Environment];
    let path = with(Argument::Text("PATH"), "ReadsEnvironment.variable", TO_TEXT);
    expect(path, "Returned(String(", noted);
    expect(call("ReadsEnvironment.variables", "()Ljava/lang/String;"), "Returned(String(", noted);
    expect(call("ReadsEnvironment.variableMap", "()Ljava/util/Map;"), "Returned(", noted);
    // An initializer reads for all who come after it.
    expect(call("ReadsEnvironment.lengthOfHome", "()I"), "Int(1)", &[]);
    expect(call("ReadsEnvironment.user", "()Ljava/lang/String;"), "Returned(String(\"jurat", noted);
}

#[test]
fn who_reads_a_file_of_the_machine_is_noted() {
    let read = outside("ReadsEnvironment.firstLine", TO_TEXT);
    expect(read, "Returned(String(\"precious\"))", &[Attempt::ReadOutside]);
}
