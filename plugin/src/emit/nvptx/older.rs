//! Texts for architectures that are older than the newest one.
//!
//! Consumes the text that LLVM has generated for the newest architecture; produces the same for an older one, which has
//! all of its instructions. LLVM takes longer for code than all other stages of a nest take together, and would write the
//! same again.
//!
//! Refuses a text with an instruction that may be younger than [`FIRST`]; each architecture has its own code then.

/// The first architecture that has all that is listed here.
pub const FIRST: u32 = 70;

/// The first version of the language in which half of a word may go nowhere.
const SINKS: (u32, u32) = (7, 1);

/// Instructions, which PTX 6.3 has for the types below.
const OPERATIONS: [&str; 44] = [
    "abs", "add", "and", "bar", "bfe", "bfi", "bra", "brev", "clz", "copysign", "cvt", "cvta",
    "div", "ex2", "fma", "ld", "lg2", "mad", "max", "min", "mov", "mul", "neg", "not", "or",
    "popc", "prefetch", "prmt", "rcp", "rem", "ret", "rsqrt", "selp", "setp", "shf", "shfl", "shl",
    "shr", "sqrt", "st", "sub", "testp", "vote", "xor",
];

/// What may stand behind an instruction's name.
const QUALIFIERS: [&str; 72] = [
    "any",
    "approx",
    "async",
    "b16",
    "b32",
    "b64",
    "b8",
    "ca",
    "cg",
    "clamp",
    "commit_group",
    "down",
    "eq",
    "equ",
    "f32",
    "f64",
    "finite",
    "ftz",
    "full",
    "ge",
    "geu",
    "global",
    "gt",
    "gtu",
    "hi",
    "hs",
    "infinite",
    "l",
    "L1",
    "L2",
    "le",
    "leu",
    "lo",
    "ls",
    "lt",
    "ltu",
    "nan",
    "nc",
    "ne",
    "neu",
    "notanumber",
    "num",
    "param",
    "pred",
    "r",
    "rm",
    "rmi",
    "rn",
    "rni",
    "rp",
    "rpi",
    "rz",
    "rzi",
    "s16",
    "s32",
    "s64",
    "s8",
    "sat",
    "shared",
    "sync",
    "to",
    "u16",
    "u32",
    "u64",
    "u8",
    "uni",
    "up",
    "v2",
    "v4",
    "wait_group",
    "wide",
    "wrap",
];

/// What stands between instructions.
const DIRECTIVES: [&str; 13] = [
    ".address_size",
    ".align",
    ".extern",
    ".file",
    ".loc",
    ".maxnreg",
    ".maxntid",
    ".param",
    ".pragma \"nounroll\"",
    ".reg",
    ".reqntid",
    ".section",
    ".visible .entry",
];

/// The two lines of a text that name its language and its architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    version: String,
    target: String,
}

impl Header {
    /// That of a text; none if it has others.
    pub fn of(text: &str) -> Option<Header> {
        let line = |word: &str| text.lines().find(|l| l.starts_with(word)).map(str::to_owned);
        Some(Header { version: line(".version ")?, target: line(".target ")? })
    }

    fn version(&self) -> Option<(u32, u32)> {
        let (major, minor) = self.version.strip_prefix(".version ")?.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    }
}

/// The text for the architecture of this header; none where it might not know an instruction.
pub fn rewritten(newest: &str, header: &Header) -> Option<String> {
    let has_sinks = header.version()? >= SINKS;
    let own = Header::of(newest)?;
    if own.target.contains(',') {
        return None;
    }
    let mut out = String::with_capacity(newest.len());
    for line in newest.split_inclusive('\n') {
        let word = line.trim();
        if word == own.version {
            out.push_str(&header.version);
            out.push('\n');
        } else if word == own.target {
            out.push_str(&header.target);
            out.push('\n');
        } else if word.contains('_') && !has_sinks && goes_nowhere(word) {
            out.push_str(&kept(word)?);
        } else if is_old(word) {
            out.push_str(line);
        } else {
            return None;
        }
    }
    Some(out)
}

/// `mov.b64 {_, %r1}, %rd1;`
fn goes_nowhere(line: &str) -> bool {
    line.starts_with("mov.b64") && (line.contains("{_,") || line.contains(", _}"))
}

/// With a register of its own, as LLVM writes it for old versions.
fn kept(line: &str) -> Option<String> {
    let operands = line.strip_prefix("mov.b64 \t")?;
    let kept = operands.replace("{_,", "{tmp,").replace(", _}", ", tmp}");
    Some(format!("\t{{ .reg .b32 tmp; mov.b64 {kept} }}\n"))
}

/// Known to all architectures from [`FIRST`] on: every instruction of a line, or what stands between instructions.
fn is_old(line: &str) -> bool {
    let is_between = line.is_empty() || line.starts_with("//") || line.ends_with(':');
    let is_directive =
        || DIRECTIVES.iter().any(|d| line.starts_with(d)) && !line.contains("inlined_at");
    is_between || is_directive() || line.split(';').all(is_old_instruction)
}

fn is_old_instruction(text: &str) -> bool {
    // A block in one line has a register of its own.
    let text = text.trim().trim_start_matches(['{', '}', '(', ')']).trim_start();
    let text = match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest),
        None => text,
    };
    let name = text.split_whitespace().next().unwrap_or("");
    let mut parts = name.split('.');
    let operation = parts.next().unwrap_or("");
    // Copies that go on by themselves are rewritten for architectures without.
    let is_known = name.is_empty()
        || name == ".reg"
        || OPERATIONS.contains(&operation)
        || name.starts_with("cp.async.");
    let is_wide =
        parts.clone().any(|part| part == "v4") && parts.clone().any(|part| part.ends_with("64"));
    is_known && !is_wide && (name == ".reg" || parts.all(|part| QUALIFIERS.contains(&part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = ".version 6.3\n.target sm_75\n";

    fn header() -> Header {
        Header::of(OLD).unwrap()
    }

    fn newest(lines: &str) -> String {
        format!(".version 7.8\n.target sm_90\n.address_size 64\n{lines}")
    }

    #[test]
    fn the_header_and_what_goes_nowhere_are_rewritten() {
        let text = newest(
            "{\n$L:\n\t@%p1 bra \t$L;\n\tmov.b64 \t{_, %r1}, %rd1;\n\tmov.b64 \t{%r2, _}, %rd1;\n}\n",
        );
        let expected = format!(
            "{OLD}.address_size 64\n{{\n$L:\n\t@%p1 bra \t$L;\n\t{{ .reg .b32 tmp; mov.b64 {{tmp, %r1}}, %rd1; }}\n\
             \t{{ .reg .b32 tmp; mov.b64 {{%r2, tmp}}, %rd1; }}\n}}\n"
        );
        assert_eq!(rewritten(&text, &header()), Some(expected));
    }

    #[test]
    fn instructions_that_may_be_younger_are_refused() {
        for line in [
            "min.NaN.f32 \t%r1, %r2, %r3;",
            "max.relu.s32 \t%r1, %r2, %r3;",
            "fma.rn.bf16 \t%rs1, %rs2, %rs3, %rs4;",
            "ld.global.v4.b64 \t{%rd1, %rd2, %rd3, %rd4}, [%rd5];",
            "@%p1 redux.sync.add.s32 \t%r1, %r2, -1;",
            "mov.b32 \t%r1, %r2; szext.clamp.s32 %r1, %r1, 3;",
            ".blocksareclusters",
        ] {
            assert_eq!(rewritten(&newest(&format!("\t{line}\n")), &header()), None, "{line}");
        }
    }

    #[test]
    fn a_target_with_more_to_it_is_refused() {
        let text = ".version 7.8\n.target sm_90, debug\n";
        assert_eq!(rewritten(text, &header()), None);
    }
}
