//! The options of clang 22's and flang 22's drivers that matter for telling options from inputs.
//!
//! The lists come from clang's own option table (`clang/Options/Options.inc`); a test compares them with the
//! installed one. Matching is by the longest name, as in LLVM's option parser, as far as that can change an answer.

/// How many of the following arguments belong to `arg`.
///
/// Zero for flags, joined values, unknown options and inputs.
pub fn following_values(arg: &str) -> usize {
    if let Some((_, values)) = MULTIPLE.iter().find(|(name, _)| *name == arg) {
        return *values;
    }
    let separate = SEPARATE.contains(&arg) || JOINED_OR_SEPARATE.contains(&arg);
    let joined_and_separate =
        JOINED_AND_SEPARATE.iter().any(|name| arg.starts_with(name)) && !SEPARATE.contains(&arg);
    usize::from(separate || joined_and_separate)
}

/// Options whose value is always the next argument.
pub const SEPARATE: &[&str] = &[
    "--CLASSPATH",
    "--assert",
    "--bootclasspath",
    "--classpath",
    "--config",
    "--define-macro",
    "--dyld-prefix",
    "--encoding",
    "--extdirs",
    "--for-linker",
    "--force-link",
    "--include-directory",
    "--include-directory-after",
    "--include-prefix",
    "--include-with-prefix",
    "--include-with-prefix-after",
    "--include-with-prefix-before",
    "--language",
    "--library-directory",
    "--mhwdiv",
    "--no-system-header-prefix",
    "--output",
    "--output-class-directory",
    "--param",
    "--prefix",
    "--print-file-name",
    "--print-prog-name",
    "--resource",
    "--rtlib",
    "--std",
    "--stdlib",
    "--sysroot",
    "--system-header-prefix",
    "--undefine-macro",
    "-Xanalyzer",
    "-Xarch_device",
    "-Xarch_host",
    "-Xassembler",
    "-Xclang",
    "-Xclangas",
    "-Xcuda-fatbinary",
    "-Xcuda-ptxas",
    "-Xflang",
    "-Xlinker",
    "-Xmicrosoft-visualc-tools-root",
    "-Xmicrosoft-visualc-tools-version",
    "-Xmicrosoft-windows-sdk-root",
    "-Xmicrosoft-windows-sdk-version",
    "-Xmicrosoft-windows-sys-root",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-Zlinker-input",
    "-alias_list",
    "-allowable_client",
    "-arch",
    "-arch_only",
    "-bundle_loader",
    "-ccc-gcc-name",
    "-ccc-install-dir",
    "-darwin-target-variant",
    "-darwin-target-variant-triple",
    "-dependency-dot",
    "-dependency-file",
    "-dumpdir",
    "-dylib_file",
    "-e",
    "-exported_symbols_list",
    "-fdebug-compilation-dir",
    "-fexperimental-openacc-macro-override",
    "-filelist",
    "-fintrinsic-modules-path",
    "-fmodule-implementation-of",
    "-fmodules-user-build-path",
    "-fnew-alignment",
    "-force_load",
    "-framework",
    "-ftrapv-handler",
    "-gen-cdb-fragment-path",
    "-hlsl-entry",
    "-image_base",
    "-imultilib",
    "-include-pch",
    "-init",
    "-install_name",
    "-lazy_framework",
    "-lazy_library",
    "-meabi",
    "-mllvm",
    "-mmlir",
    "-module-dependency-dir",
    "-mthread-model",
    "-multiply_defined",
    "-multiply_defined_unused",
    "-object-file-name",
    "-read_only_relocs",
    "-reexport_framework",
    "-resource-dir",
    "-rpath",
    "-seg_addr_table",
    "-seg_addr_table_filename",
    "-segs_read_only_addr",
    "-segs_read_write_addr",
    "-serialize-diagnostics",
    "-specs",
    "-target",
    "-umbrella",
    "-unexported_symbols_list",
    "-weak_framework",
    "-weak_library",
    "-weak_reference_mismatches",
    "-working-directory",
    "-z",
];

/// Options whose value is joined, or the next argument when they stand alone.
pub const JOINED_OR_SEPARATE: &[&str] = &[
    "--analyzer-output",
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-J",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-U",
    "-V",
    "-b",
    "-client_name",
    "-compatibility_version",
    "-current_version",
    "-cxx-isystem",
    "-dsym-dir",
    "-dylinker_install_name",
    "-iapinotes-modules",
    "-idirafter",
    "-iframework",
    "-iframeworkwithsysroot",
    "-imacros",
    "-include",
    "-interface-stub-version=",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-module-dir",
    "-o",
    "-pagezero_size",
    "-reexport_library",
    "-seg1addr",
    "-stdlib++-isystem",
    "-sub_library",
    "-sub_umbrella",
    "-u",
    "-undefined",
    "-vfsoverlay",
    "-x",
];

/// Options with a joined value and a second one in the next argument.
pub const JOINED_AND_SEPARATE: &[&str] = &["-Xarch_", "-Xoffload-linker", "-Xopenmp-target="];

/// Options with a fixed number of values.
pub const MULTIPLE: &[(&str, usize)] = &[
    ("-sectalign", 3),
    ("-sectcreate", 3),
    ("-sectobjectsymbols", 2),
    ("-sectorder", 3),
    ("-segaddr", 2),
    ("-segcreate", 3),
    ("-segprot", 3),
];

/// What an option asks the driver to stop after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// Nothing is compiled: text, dependencies, diagnostics or information only.
    BeforeCodeGeneration,
    /// Code is generated, but nothing is linked.
    BeforeLinking,
}

/// The phase that `arg` ends the compilation after, if it ends it before a link of everything.
pub fn stops(arg: &str) -> Option<Stop> {
    if BEFORE_CODE_GENERATION.contains(&arg) || is_question(arg) {
        Some(Stop::BeforeCodeGeneration)
    } else if BEFORE_LINKING.contains(&arg) {
        Some(Stop::BeforeLinking)
    } else {
        None
    }
}

/// Options that end before LLVM IR is optimised.
const BEFORE_CODE_GENERATION: &[&str] = &[
    "-E",
    "--preprocess",
    "-M",
    "--dependencies",
    "-MM",
    "--user-dependencies",
    "-fsyntax-only",
    "--analyze",
    "--precompile",
    "-emit-ast",
    "-emit-interface-stubs",
    "-emit-merged-ifs",
    "-extract-api",
    "-fdriver-only",
    "-module-file-info",
    "-rewrite-objc",
    "-rewrite-legacy-objc",
    "-verify-pch",
];

/// Options that generate code and stop there.
const BEFORE_LINKING: &[&str] =
    &["-c", "--compile", "-S", "--assemble", "-emit-llvm", "-emit-cir", "--emit-static-lib"];

/// True for options that the driver answers at once, whatever else is on the line.
fn is_question(arg: &str) -> bool {
    const QUESTIONS: &[&str] =
        &["--version", "-dumpversion", "-dumpmachine", "-dumpfullversion", "--help", "-help"];
    const FAMILIES: &[&str] = &["--help-", "-print-", "--print-"];
    QUESTIONS.contains(&arg) || FAMILIES.iter().any(|family| arg.starts_with(family))
}
