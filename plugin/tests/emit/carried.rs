//! Differences that a loop hands on, in LLVM IR.

use hexpass::emit::nvptx::carried;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;

/// A loop over planes, three of which it knows, with `body` before its end.
fn after(body: &str) -> String {
    let text = format!(
        "define float @f(ptr %p, i32 %n) {{\n\
         before:\n\
         %first = load float, ptr %p\n\
         br label %loop\n\
         loop:\n\
         %old = phi float [ 0.0, %before ], [ %now, %end ]\n\
         %now = phi float [ %first, %before ], [ %new, %end ]\n\
         %i = phi i32 [ 0, %before ], [ %more, %end ]\n\
         %sum = phi float [ 0.0, %before ], [ %s, %end ]\n\
         %q = getelementptr float, ptr %p, i32 %i\n\
         %new = load float, ptr %q\n\
         {body}\
         br label %end\n\
         end:\n\
         %more = add i32 %i, 1\n\
         %again = icmp slt i32 %more, %n\n\
         br i1 %again, label %loop, label %done\n\
         done:\n\
         ret float %s\n}}\n\
         declare float @llvm.fma.f32(float, float, float)\n\0"
    );
    let ctx = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "carried");
    let module = ctx.create_module_from_ir(buffer).unwrap();
    let function = module.get_function("f").unwrap();
    carried::hand_on(function, &ctx.create_builder()).unwrap();
    module.verify().unwrap();
    module.to_string()
}

const SQUARES: &str = "%s0 = call float @llvm.fma.f32(float %below, float %below, float %sum)\n\
     %s = call float @llvm.fma.f32(float %above, float %above, float %s0)\n";

#[test]
fn a_difference_is_handed_on() {
    for below in ["%old, %now", "%now, %old"] {
        let after = after(&format!(
            "%below = fsub float {below}\n\
             %above = fsub float %now, %new\n{SQUARES}"
        ));
        assert_eq!(after.matches("fsub").count(), 2, "{after}");
        let (x, y) = below.split_once(", ").unwrap();
        let before = |name: &str| if name == "%old" { "0.000000e+00" } else { "%first" };
        let first = format!("%0 = fsub float {}, {}\n  br label %loop", before(x), before(y));
        assert!(after.contains(&first), "{first} is not in {after}");
        assert!(after.contains("%1 = phi float [ %0, %before ], [ %above, %end ]"), "{after}");
        assert!(after.contains("@llvm.fma.f32(float %1, float %1, float %sum)"), "{after}");
    }
}

#[test]
fn a_sign_that_is_seen_stays() {
    let body = "%below = fsub float %old, %now\n\
         %above = fsub float %now, %new\n\
         %s0 = fadd float %below, %sum\n\
         %s = call float @llvm.fma.f32(float %above, float %above, float %s0)\n";
    assert!(after(body).contains("%below = fsub float %old, %now"));
}

#[test]
fn flags_must_agree() {
    let body = format!(
        "%below = fsub float %old, %now\n\
         %above = fsub nnan float %now, %new\n{SQUARES}"
    );
    assert!(after(&body).contains("%below = fsub float %old, %now"));
}

/// What only some times round find is not handed on.
#[test]
fn a_difference_under_a_condition_is_not_known() {
    let body = "%below = fsub float %old, %now\n\
         %s0 = call float @llvm.fma.f32(float %below, float %below, float %sum)\n\
         %odd = trunc i32 %i to i1\n\
         br i1 %odd, label %then, label %join\n\
         then:\n\
         %above = fsub float %now, %new\n\
         %s1 = call float @llvm.fma.f32(float %above, float %above, float %s0)\n\
         br label %join\n\
         join:\n\
         %s = phi float [ %s0, %loop ], [ %s1, %then ]\n";
    assert!(after(body).contains("%below = fsub float %old, %now"));
}
