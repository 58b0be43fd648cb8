//! Kernels that start before the one before them has ended (programmatic dependent launch, sm_90 and later).
//!
//! Consumes PTX; produces the same with two instructions in each kernel: the first lets blocks of the next launch come to
//! free places as soon as all blocks of this one have theirs, the second waits until all of the launch before is done and
//! its effects are seen. What a block works out of its indices and parameters before it touches memory then falls into
//! the time that the launch before leaves units idle. The runtime asks for such launches where
//! [`PtxModule::waits`](hexpass_abi::PtxModule::waits) holds.
//!
//! The wait stands on the straight way in, before the first label, branch, barrier or access to memory: every thread
//! passes it, and nothing that the launch before may write is read, or that it may read written, ahead of it.

use crate::emit::fault::{Emitted, Fault};

/// Blocks of the next launch may start; then: wait for the launch before.
const WAIT: &str = "\tgriddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;\n";

/// `text` with both instructions in each kernel.
pub fn waiting(text: &str) -> Emitted<String> {
    let mut out = String::with_capacity(text.len() + 1024);
    let mut place = Place::Outside;
    for line in text.split_inclusive('\n') {
        let word = line.trim();
        place = match place {
            Place::Outside if word.contains(".entry ") => Place::Parameters,
            Place::Parameters if word == "{" => Place::Start,
            Place::Start if !passes(word) => {
                out.push_str(WAIT);
                Place::Outside
            }
            same => same,
        };
        out.push_str(line);
    }
    match place {
        Place::Outside => Ok(out),
        _ => Err(Fault::new("the PTX ends within a kernel")),
    }
}

enum Place {
    /// Between kernels, or behind the wait.
    Outside,
    Parameters,
    /// On the straight way into a kernel.
    Start,
}

/// True of a line that may stand before the wait: a declaration, a comment, or an instruction on registers and parameters.
fn passes(line: &str) -> bool {
    const LEAVES: [&str; 4] = ["bra", "ret", "trap", "exit"];
    const MEMORY: [&str; 7] = ["ld.", "st.", "atom", "red.", "bar", "cp.", "call"];
    let is = |words: &[&str]| words.iter().any(|w| line.starts_with(w));
    let label = line.ends_with(':');
    let guarded = line.starts_with('@');
    let ends = line == "}";
    let parameter = line.starts_with("ld.param");
    !(label || guarded || ends || is(&LEAVES) || (is(&MEMORY) && !parameter))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = ".visible .entry f(\n\t.param .u64 p\n)\n{\n\t.reg .b64 \t%rd<3>;\n\n\
        \tld.param.b64 \t%rd1, [p];\n\tmov.u32 \t%r1, %ctaid.x;\n";

    #[test]
    fn the_wait_stands_before_what_touches_memory_or_branches() {
        for next in ["ld.global.b32 \t%r2, [%rd1];", "$L__BB0_1:", "@%p1 bra \t$L__BB0_1;", "ret;"]
        {
            let text = format!("{KERNEL}\t{next}\n}}\n");
            let expected = format!("{KERNEL}{WAIT}\t{next}\n}}\n");
            assert_eq!(waiting(&text).unwrap(), expected);
        }
    }

    #[test]
    fn each_kernel_waits_once() {
        let kernel = format!("{KERNEL}\tst.global.b32 \t[%rd1], 0;\n$L:\n\tbra.uni \t$L;\n}}\n");
        let text = waiting(&format!(".version 7.8\n{kernel}\n{kernel}")).unwrap();
        assert_eq!(text.matches("griddepcontrol.wait").count(), 2);
    }

    #[test]
    fn a_kernel_without_an_end_is_a_fault() {
        assert!(waiting(KERNEL).is_err());
    }
}
