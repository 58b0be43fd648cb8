//! Blocks use registers once before LLVM makes values of them.

use hexpass::emit::nvptx::registers::settle;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;

/// What becomes of a function with two slots, of which one's address goes elsewhere.
fn settled(body: &str) -> String {
    let text = format!(
        "declare void @keep(ptr)\ndefine double @f(double %x) {{\nentry:\n  %a = alloca double, align 8\n  \
         %b = alloca double, align 8\n  call void @keep(ptr %b)\n  br label %next\n\nnext:\n{body}}}\n"
    );
    let ctx = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "test");
    let module = ctx.create_module_from_ir(buffer).unwrap();
    settle(module.get_function("f").unwrap(), &ctx.create_builder()).unwrap();
    module.verify().unwrap();
    let text = module.print_to_string().to_string();
    let (_, body) = text.split_once("next:").unwrap();
    let lines = body.lines().skip(1).take_while(|l| *l != "}").map(str::trim);
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_block_loads_a_slot_once_when_it_begins_and_stores_to_it_once() {
    let found = settled(
        "  %y = fadd double %x, 1.0\n  %l = load double, ptr %a, align 8\n  %s = fadd double %l, %y\n  \
         store double %s, ptr %a, align 8\n  %m = load double, ptr %a, align 8\n  %n = fmul double %m, %l\n  \
         store double %n, ptr %a, align 8\n  ret double %m\n",
    );
    assert_eq!(
        found,
        "%0 = load double, ptr %a, align 8\n%y = fadd double %x, 1.000000e+00\n%s = fadd double %0, %y\n\
         %n = fmul double %s, %0\nstore double %n, ptr %a, align 8\nret double %s"
    );
}

#[test]
fn what_was_loaded_may_be_stored_again() {
    let found = settled(
        "  store double %x, ptr %a, align 8\n  %l = load double, ptr %a, align 8\n  \
         store double %l, ptr %a, align 8\n  %m = load double, ptr %a, align 8\n  ret double %m\n",
    );
    assert_eq!(found, "store double %x, ptr %a, align 8\nret double %x");
}

#[test]
fn slots_whose_address_goes_elsewhere_are_left_alone() {
    let body = "%l = load double, ptr %b, align 8\n%m = load double, ptr %b, align 8\n\
        %n = fadd double %l, %m\nret double %n";
    assert_eq!(settled(&format!("{body}\n")), body);
}
