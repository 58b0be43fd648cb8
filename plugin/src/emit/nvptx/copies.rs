//! Copies from global to shared memory that go on by themselves (PTX: `cp.async`, sm_80 and later).
//!
//! Consumes pointers; produces the instructions, as assembly that no access to memory is moved past. For older
//! architectures [`plain`] makes a load and a store of each in the PTX: what is waited for is there already.

use crate::emit::fault::{Emitted, Fault};
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::values::PointerValue;

/// The first architecture that has them.
pub const FIRST: u32 = 80;

/// Copies 4, 8 or 16 bytes.
pub fn fetch<'ctx>(
    ctx: ContextRef<'ctx>,
    b: &Builder<'ctx>,
    to: PointerValue<'ctx>,
    from: PointerValue<'ctx>,
    bytes: u64,
) -> Emitted<()> {
    // Whole sixteens go past the first-level cache.
    let cache = if bytes == 16 { "cg" } else { "ca" };
    let text = format!("cp.async.{cache}.shared.global [$0], [$1], {bytes};");
    let long = ctx.i64_type();
    let function = ctx.void_type().fn_type(&[long.into(), long.into()], false);
    let constraints = "l,l,~{memory}".to_owned();
    let asm = ctx.create_inline_asm(function, text, constraints, true, false, None, false);
    let to = b.build_ptr_to_int(to, long, "")?;
    let from = b.build_ptr_to_int(from, long, "")?;
    b.build_indirect_call(function, asm, &[to.into(), from.into()], "")?;
    Ok(())
}

/// What was copied since the last group is one.
pub fn fetches<'ctx>(ctx: ContextRef<'ctx>, b: &Builder<'ctx>) -> Emitted<()> {
    alone(ctx, b, "cp.async.commit_group;".to_owned())
}

/// Waits for all groups but the last ones.
pub fn fetched<'ctx>(ctx: ContextRef<'ctx>, b: &Builder<'ctx>, but: u32) -> Emitted<()> {
    alone(ctx, b, format!("cp.async.wait_group {but};"))
}

fn alone<'ctx>(ctx: ContextRef<'ctx>, b: &Builder<'ctx>, text: String) -> Emitted<()> {
    let function = ctx.void_type().fn_type(&[], false);
    let constraints = "~{memory}".to_owned();
    let asm = ctx.create_inline_asm(function, text, constraints, true, false, None, false);
    b.build_indirect_call(function, asm, &[], "")?;
    Ok(())
}

/// `text` with a load and a store in place of each copy.
pub fn plain(text: &str) -> Emitted<String> {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.trim().strip_prefix("cp.async.") {
            None => out.push_str(line),
            Some(copy) if copy.starts_with("c") && copy.contains(".shared.global ") => {
                out.push_str(&at_once(copy)?);
            }
            // Groups, and waits for them.
            Some(_) => (),
        }
    }
    Ok(out)
}

/// `cg.shared.global [to], [from], 16;`
fn at_once(copy: &str) -> Emitted<String> {
    let strange = || Fault::new(format!("a copy that is none: {copy}"));
    let operands = copy.split_once(' ').ok_or_else(strange)?.1.trim_end_matches(';');
    let operands: Vec<&str> = operands.split(", ").collect();
    let [to, from, bytes] = operands[..] else { return Err(strange()) };
    let (ty, registers) = match bytes {
        "4" => (".b32", "%copied0"),
        "8" => (".v2.b32", "{%copied0, %copied1}"),
        "16" => (".v4.b32", "{%copied0, %copied1, %copied2, %copied3}"),
        _ => return Err(strange()),
    };
    Ok(format!(
        "\t{{\n\t.reg .b32 %copied<4>;\n\tld.global{ty} {registers}, {from};\n\tst.shared{ty} {to}, {registers};\n\t}}\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_and_a_store_for_each_copy() {
        let text = "\tcp.async.cg.shared.global [%rd1], [%rd2], 16;\n\tcp.async.commit_group;\n\
            \tcp.async.wait_group 1;\n\tret;\n";
        let expected = "\t{\n\t.reg .b32 %copied<4>;\n\
            \tld.global.v4.b32 {%copied0, %copied1, %copied2, %copied3}, [%rd2];\n\
            \tst.shared.v4.b32 [%rd1], {%copied0, %copied1, %copied2, %copied3};\n\t}\n\tret;\n";
        assert_eq!(plain(text).unwrap(), expected);
        assert!(plain("\tcp.async.cg.shared.global [%rd1], [%rd2], 5;\n").is_err());
    }
}
