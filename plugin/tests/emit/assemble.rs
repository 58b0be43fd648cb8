//! Machine code beside PTX, by an assembler of ours: it copies the text, says what NVIDIA's would, and knows sm_90 only.

use hexpass::emit::nvptx::assemble::assemble;
use hexpass_abi::{
    KernelCode, KernelCost, KernelRecord, LaunchPlan, PtxModule, Variant, VariantTarget,
};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ASSEMBLER: &str = r#"#!/bin/sh
if [ "$2" != -arch=sm_90 ]; then
    printf "\nptxas fatal   : Value '%s' is not defined for option 'gpu-name'\n" "${2#-arch=}" >&2
    exit 1
fi
cp "$4" "$6"
echo "ptxas info    : 0 bytes gmem" >&2
while read -r name registers; do
    echo "ptxas info    : Compiling entry function '$name' for 'sm_90'" >&2
    echo "ptxas info    : Function properties for $name" >&2
    echo "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" >&2
    echo "ptxas info    : Used $registers registers, used 1 barriers" >&2
done < "$4"
"#;

/// Written by a process of its own: what this one has open for writing, other tests' children have open too until they
/// become something else, and the system runs no file that somebody may write to.
fn assembler(folder: &Path) -> PathBuf {
    let path = folder.join("ptxas");
    let mut writes = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    writes.stdin.take().unwrap().write_all(ASSEMBLER.as_bytes()).unwrap();
    assert!(writes.wait().unwrap().success());
    path
}

fn variant(kernels: &[&str], texts: &[(u32, &str)]) -> Variant {
    let kernel = |name: &&str| KernelRecord {
        code: KernelCode::Ptx((*name).to_string()),
        threads: [32, 1, 1],
        shared_bytes: 0,
        params: vec![],
        folds: None,
        cost: KernelCost { registers: 64, ..KernelCost::default() },
    };
    let module = |&(arch, text): &(u32, &str)| PtxModule {
        arch,
        text: text.to_string().into(),
        code: Default::default(),
    };
    Variant {
        strategy: "streaming".to_string(),
        sizes: vec![],
        storage: String::new(),
        target: VariantTarget::Device,
        ptx: texts.iter().map(module).collect(),
        aligned: false,
        kernels: kernels.iter().map(kernel).collect(),
        plan: LaunchPlan { ops: vec![], vars: 0 },
        tunables: vec![],
        scratch: vec![],
        alike: false,
        least: Vec::new(),
    }
}

fn registers(variant: &Variant) -> Vec<u16> {
    variant.kernels.iter().map(|k| k.cost.registers).collect()
}

#[test]
fn code_and_registers_are_put_where_they_belong() {
    let folder = tempfile::tempdir().unwrap();
    let mut variants = [
        variant(&["f", "g"], &[(90, "g 86\nf 255\n")]),
        variant(&["h", "unsaid"], &[(90, "h 40\n")]),
    ];
    assert_eq!(assemble(&assembler(folder.path()), &mut variants), Ok(()));
    assert_eq!(variants.each_ref().map(registers), [[255, 86], [40, 64]]);
    for module in variants.iter().flat_map(|v| &v.ptx) {
        assert_eq!(module.code.as_bytes(), module.text.as_bytes());
    }
}

#[test]
fn what_it_refuses_stays_ptx_and_the_rest_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let mut variants = [variant(&["f"], &[(75, "f 32\n"), (90, "f 86\n")])];
    assert_eq!(
        assemble(&assembler(folder.path()), &mut variants),
        Err("sm_75: ptxas fatal   : Value 'sm_75' is not defined for option 'gpu-name'".to_string())
    );
    let made = variants[0].ptx.iter().map(|m| m.code.as_bytes().len()).collect::<Vec<_>>();
    assert_eq!((made, registers(&variants[0])), (vec![0, 5], vec![86]));
    let absent = assemble(&folder.path().join("none"), &mut variants).unwrap_err();
    assert!(absent.starts_with("it can't be run: "), "{absent}");
}
