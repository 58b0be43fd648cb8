//! Differences that two points share, in LLVM IR.

use hexpass::emit::nvptx::squares;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;

#[test]
fn differences_that_lose_their_sign_have_one_order() {
    let text = "define float @f(ptr %p) {\n\
         %a = load float, ptr %p\n\
         %q = getelementptr float, ptr %p, i64 1\n\
         %b = load float, ptr %q\n\
         %squared = fsub float %b, %a\n\
         %in_order = fsub float %a, %b\n\
         %kept = fsub float %b, %a\n\
         %both = fsub float %b, %a\n\
         %summand = fsub float %b, %a\n\
         %s0 = fmul float %squared, %squared\n\
         %s1 = call float @llvm.fma.f32(float %in_order, float %in_order, float %s0)\n\
         %s2 = fadd float %s1, %kept\n\
         %s3 = call float @llvm.fma.f32(float %both, float %both, float %s2)\n\
         %s4 = fadd float %s3, %both\n\
         %s5 = call float @llvm.fma.f32(float %s4, float %s4, float %summand)\n\
         ret float %s5\n}\n\
         declare float @llvm.fma.f32(float, float, float)\n\0";
    let ctx = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "squares");
    let module = ctx.create_module_from_ir(buffer).unwrap();
    squares::order(module.get_function("f").unwrap()).unwrap();
    module.verify().unwrap();
    let after = module.to_string();
    for (name, operands) in [
        ("squared", "%a, %b"),
        ("in_order", "%a, %b"),
        ("kept", "%b, %a"),
        ("both", "%b, %a"),
        ("summand", "%b, %a"),
    ] {
        let line = format!("%{name} = fsub float {operands}");
        assert!(after.contains(&line), "{line} is not in {after}");
    }
}
