//! What detection gets to see, as text: for tests, and for whoever asks why a loop was left.
//!
//! `opt -passes=hexpass-canonicalise` shows the working copy of each candidate function;
//! `opt -passes=hexpass-describe` prints its loops with their trip counts and its accesses with
//! their addresses, on stderr.

use crate::llvm::{Analyses, CopyAs, Effects, Function, LoopRef, Opcode, Session, Value, target};

/// Commits the working copy of every candidate as it is; true when there was one.
pub fn commit_all(session: &Session<'_>) -> bool {
    // Callers first: a function that was committed is not inlined any more.
    let candidates = session.candidates().into_iter().rev();
    candidates
        .filter_map(|f| session.working_copy(f, CopyAs::Turned))
        .map(|copy| copy.commit(&[]))
        .count()
        > 0
}

/// Describes every candidate on stderr.
pub fn print_all(session: &Session<'_>) {
    for function in session.candidates() {
        eprintln!("function {}", function.name());
        let Some(copy) = session.working_copy(function, CopyAs::Written) else {
            eprintln!("  cannot be copied");
            continue;
        };
        print_target(function);
        if let Err(words) = copy.function().verify() {
            eprintln!("  broken: {words}");
            continue;
        }
        let analyses = copy.analyses();
        for outermost in analyses.top_loops() {
            print_loop(&analyses, outermost);
        }
    }
}

fn print_target(function: Function<'_>) {
    eprintln!(
        "  cpu '{}', fma {:?}, float denormals {:?}",
        target::cpu(function),
        target::has_fma(function),
        target::float_denormals(function).output
    );
}

fn print_loop(analyses: &Analyses<'_>, of: LoopRef<'_>) {
    let indent = "  ".repeat(of.depth() as usize);
    let line = of.location().map_or("?".to_owned(), |at| format!("{}:{}", at.file, at.line));
    let count = analyses.backedge_taken(of).map_or("unknown".to_owned(), |count| count.to_string());
    eprintln!("{indent}loop {:?} at {line}: back edge taken {count}", of.header());
    for exiting in of.exiting_blocks() {
        let count = analyses.exit_count(of, exiting);
        let count = count.map_or("unknown".to_owned(), |count| count.to_string());
        eprintln!("{indent}  leaves from {exiting:?} after {count}");
    }
    for block in of.blocks() {
        if analyses.loop_of(block) == Some(of) {
            for instruction in block.instructions() {
                print_instruction(analyses, of, instruction, &indent);
            }
        }
    }
    for child in of.children() {
        print_loop(analyses, child);
    }
}

fn print_instruction(analyses: &Analyses<'_>, of: LoopRef<'_>, it: Value<'_>, indent: &str) {
    match it.opcode() {
        Some(Opcode::LLVMPHI) => {
            let formula = analyses.scev(it).map_or(String::new(), |scev| scev.to_string());
            eprintln!("{indent}  phi {:?}: {formula}", it.ty());
        }
        Some(Opcode::LLVMLoad | Opcode::LLVMStore) => print_access(analyses, of, it, indent),
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
            let callee = it.callee().map_or("a pointer".to_owned(), Function::name);
            let Effects { reads, writes, may_throw, .. } = it.effects();
            eprintln!(
                "{indent}  call {callee}: reads {reads}, writes {writes}, throws {may_throw}"
            );
        }
        _ => {}
    }
}

fn print_access(analyses: &Analyses<'_>, of: LoopRef<'_>, access: Value<'_>, indent: &str) {
    let Some(pointer) = access.pointer() else { return };
    let formula = analyses.scev(pointer).map_or("?".to_owned(), |scev| scev.to_string());
    let object = pointer.underlying_object();
    let what = match access.stored() {
        Some(value) => format!("store {:?}", value.ty()),
        None if analyses.is_invariant_load(access, of) => {
            format!("invariant load {:?}", access.ty())
        }
        None => format!("load {:?}", access.ty()),
    };
    eprintln!("{indent}  {what} of {:?} {}: {formula}", object.object_kind(), object.name());
}
