; Sections of one dimension that flang's runtime would copy: loops that go up or down, as the addresses want it, or a
; memmove. All else stays the runtime's.
; RUN: opt-22 -load-pass-plugin=%plugin -passes=hexpass-canonicalise -S -o - %s | FileCheck %s

declare void @_FortranAAssign(ptr, ptr, ptr, i32)
declare void @look(ptr)

; Up where what is read lies ahead: the sign of the distance and of the stride agree. Otherwise down.
; CHECK-LABEL: define {{.*}}@strided(
; CHECK-NOT: call void @_FortranAAssign(
; CHECK: xor i64
; CHECK: load double
; CHECK: store double
; CHECK: load double
; CHECK: store double
; CHECK-NOT: call void @_FortranAAssign(
; CHECK: ret void
define void @strided(ptr %p, ptr %q, i64 %n, i64 %m, i64 %s, i64 %steps, ptr noalias %u, ptr noalias %v) {
entry:
  %to = alloca [48 x i8], align 8
  %from = alloca [48 x i8], align 8
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %swept ]
  %from.0 = getelementptr i8, ptr %from, i64 0
  store ptr %q, ptr %from.0
  %from.8 = getelementptr i8, ptr %from, i64 8
  store i64 8, ptr %from.8
  %from.16 = getelementptr i8, ptr %from, i64 16
  store i32 20240719, ptr %from.16
  %from.20 = getelementptr i8, ptr %from, i64 20
  store i8 1, ptr %from.20
  %from.21 = getelementptr i8, ptr %from, i64 21
  store i8 28, ptr %from.21
  %from.22 = getelementptr i8, ptr %from, i64 22
  store i8 0, ptr %from.22
  %from.23 = getelementptr i8, ptr %from, i64 23
  store i8 0, ptr %from.23
  %from.24 = getelementptr i8, ptr %from, i64 24
  store i64 1, ptr %from.24
  %from.32 = getelementptr i8, ptr %from, i64 32
  store i64 %n, ptr %from.32
  %from.40 = getelementptr i8, ptr %from, i64 40
  store i64 %s, ptr %from.40
  %to.0 = getelementptr i8, ptr %to, i64 0
  store ptr %p, ptr %to.0
  %to.8 = getelementptr i8, ptr %to, i64 8
  store i64 8, ptr %to.8
  %to.16 = getelementptr i8, ptr %to, i64 16
  store i32 20240719, ptr %to.16
  %to.20 = getelementptr i8, ptr %to, i64 20
  store i8 1, ptr %to.20
  %to.21 = getelementptr i8, ptr %to, i64 21
  store i8 28, ptr %to.21
  %to.22 = getelementptr i8, ptr %to, i64 22
  store i8 0, ptr %to.22
  %to.23 = getelementptr i8, ptr %to, i64 23
  store i8 0, ptr %to.23
  %to.24 = getelementptr i8, ptr %to, i64 24
  store i64 1, ptr %to.24
  %to.32 = getelementptr i8, ptr %to, i64 32
  store i64 %n, ptr %to.32
  %to.40 = getelementptr i8, ptr %to, i64 40
  store i64 %s, ptr %to.40
  call void @_FortranAAssign(ptr %to, ptr %from, ptr null, i32 1)
  br label %sweep
sweep:
  %i = phi i64 [ 0, %loop ], [ %i.next, %sweep ]
  %i.at = getelementptr double, ptr %u, i64 %i
  %i.next = add nsw i64 %i, 1
  %next.at = getelementptr double, ptr %u, i64 %i.next
  %x = load double, ptr %i.at, align 8
  %y = load double, ptr %next.at, align 8
  %z = fadd double %x, %y
  %v.at = getelementptr double, ptr %v, i64 %i
  store double %z, ptr %v.at, align 8
  %on = icmp slt i64 %i.next, %n
  br i1 %on, label %sweep, label %swept
swept:
  %next = add nsw i64 %t, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Elements side by side.
; CHECK-LABEL: define {{.*}}@side_by_side(
; CHECK-NOT: call void @_FortranAAssign(
; CHECK: call void @llvm.memmove
; CHECK: ret void
define void @side_by_side(ptr %p, ptr %q, i64 %n, i64 %m, i64 %s, i64 %steps, ptr noalias %u, ptr noalias %v) {
entry:
  %to = alloca [48 x i8], align 8
  %from = alloca [48 x i8], align 8
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %swept ]
  %from.0 = getelementptr i8, ptr %from, i64 0
  store ptr %q, ptr %from.0
  %from.8 = getelementptr i8, ptr %from, i64 8
  store i64 8, ptr %from.8
  %from.16 = getelementptr i8, ptr %from, i64 16
  store i32 20240719, ptr %from.16
  %from.20 = getelementptr i8, ptr %from, i64 20
  store i8 1, ptr %from.20
  %from.21 = getelementptr i8, ptr %from, i64 21
  store i8 28, ptr %from.21
  %from.22 = getelementptr i8, ptr %from, i64 22
  store i8 0, ptr %from.22
  %from.23 = getelementptr i8, ptr %from, i64 23
  store i8 0, ptr %from.23
  %from.24 = getelementptr i8, ptr %from, i64 24
  store i64 1, ptr %from.24
  %from.32 = getelementptr i8, ptr %from, i64 32
  store i64 %n, ptr %from.32
  %from.40 = getelementptr i8, ptr %from, i64 40
  store i64 8, ptr %from.40
  %to.0 = getelementptr i8, ptr %to, i64 0
  store ptr %p, ptr %to.0
  %to.8 = getelementptr i8, ptr %to, i64 8
  store i64 8, ptr %to.8
  %to.16 = getelementptr i8, ptr %to, i64 16
  store i32 20240719, ptr %to.16
  %to.20 = getelementptr i8, ptr %to, i64 20
  store i8 1, ptr %to.20
  %to.21 = getelementptr i8, ptr %to, i64 21
  store i8 28, ptr %to.21
  %to.22 = getelementptr i8, ptr %to, i64 22
  store i8 0, ptr %to.22
  %to.23 = getelementptr i8, ptr %to, i64 23
  store i8 0, ptr %to.23
  %to.24 = getelementptr i8, ptr %to, i64 24
  store i64 1, ptr %to.24
  %to.32 = getelementptr i8, ptr %to, i64 32
  store i64 %n, ptr %to.32
  %to.40 = getelementptr i8, ptr %to, i64 40
  store i64 8, ptr %to.40
  call void @_FortranAAssign(ptr %to, ptr %from, ptr null, i32 1)
  br label %sweep
sweep:
  %i = phi i64 [ 0, %loop ], [ %i.next, %sweep ]
  %i.at = getelementptr double, ptr %u, i64 %i
  %i.next = add nsw i64 %i, 1
  %next.at = getelementptr double, ptr %u, i64 %i.next
  %x = load double, ptr %i.at, align 8
  %y = load double, ptr %next.at, align 8
  %z = fadd double %x, %y
  %v.at = getelementptr double, ptr %v, i64 %i
  store double %z, ptr %v.at, align 8
  %on = icmp slt i64 %i.next, %n
  br i1 %on, label %sweep, label %swept
swept:
  %next = add nsw i64 %t, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Of four bytes.
; CHECK-LABEL: define {{.*}}@floats(
; CHECK-NOT: call void @_FortranAAssign(
; CHECK: call void @llvm.memmove
; CHECK: ret void
define void @floats(ptr %p, ptr %q, i64 %n, i64 %m, i64 %s, i64 %steps, ptr noalias %u, ptr noalias %v) {
entry:
  %to = alloca [48 x i8], align 8
  %from = alloca [48 x i8], align 8
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %swept ]
  %from.0 = getelementptr i8, ptr %from, i64 0
  store ptr %q, ptr %from.0
  %from.8 = getelementptr i8, ptr %from, i64 8
  store i64 4, ptr %from.8
  %from.16 = getelementptr i8, ptr %from, i64 16
  store i32 20240719, ptr %from.16
  %from.20 = getelementptr i8, ptr %from, i64 20
  store i8 1, ptr %from.20
  %from.21 = getelementptr i8, ptr %from, i64 21
  store i8 27, ptr %from.21
  %from.22 = getelementptr i8, ptr %from, i64 22
  store i8 0, ptr %from.22
  %from.23 = getelementptr i8, ptr %from, i64 23
  store i8 0, ptr %from.23
  %from.24 = getelementptr i8, ptr %from, i64 24
  store i64 1, ptr %from.24
  %from.32 = getelementptr i8, ptr %from, i64 32
  store i64 %n, ptr %from.32
  %from.40 = getelementptr i8, ptr %from, i64 40
  store i64 4, ptr %from.40
  %to.0 = getelementptr i8, ptr %to, i64 0
  store ptr %p, ptr %to.0
  %to.8 = getelementptr i8, ptr %to, i64 8
  store i64 4, ptr %to.8
  %to.16 = getelementptr i8, ptr %to, i64 16
  store i32 20240719, ptr %to.16
  %to.20 = getelementptr i8, ptr %to, i64 20
  store i8 1, ptr %to.20
  %to.21 = getelementptr i8, ptr %to, i64 21
  store i8 27, ptr %to.21
  %to.22 = getelementptr i8, ptr %to, i64 22
  store i8 0, ptr %to.22
  %to.23 = getelementptr i8, ptr %to, i64 23
  store i8 0, ptr %to.23
  %to.24 = getelementptr i8, ptr %to, i64 24
  store i64 1, ptr %to.24
  %to.32 = getelementptr i8, ptr %to, i64 32
  store i64 %n, ptr %to.32
  %to.40 = getelementptr i8, ptr %to, i64 40
  store i64 4, ptr %to.40
  call void @_FortranAAssign(ptr %to, ptr %from, ptr null, i32 1)
  br label %sweep
sweep:
  %i = phi i64 [ 0, %loop ], [ %i.next, %sweep ]
  %i.at = getelementptr double, ptr %u, i64 %i
  %i.next = add nsw i64 %i, 1
  %next.at = getelementptr double, ptr %u, i64 %i.next
  %x = load double, ptr %i.at, align 8
  %y = load double, ptr %next.at, align 8
  %z = fadd double %x, %y
  %v.at = getelementptr double, ptr %v, i64 %i
  store double %z, ptr %v.at, align 8
  %on = icmp slt i64 %i.next, %n
  br i1 %on, label %sweep, label %swept
swept:
  %next = add nsw i64 %t, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  ret void
}

; An allocatable array may get another shape: that is taken out of the loop.
; CHECK-LABEL: define {{.*}}@allocated_anew(
; CHECK: call void @llvm.memmove
; CHECK: hexpass.rare
; CHECK: call void @_FortranAAssign(
define void @allocated_anew(ptr %p, ptr %q, i64 %n, i64 %m, i64 %s, i64 %steps, ptr noalias %u, ptr noalias %v) {
entry:
  %to = alloca [48 x i8], align 8
  %from = alloca [48 x i8], align 8
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %swept ]
  %from.0 = getelementptr i8, ptr %from, i64 0
  store ptr %q, ptr %from.0
  %from.8 = getelementptr i8, ptr %from, i64 8
  store i64 8, ptr %from.8
  %from.16 = getelementptr i8, ptr %from, i64 16
  store i32 20240719, ptr %from.16
  %from.20 = getelementptr i8, ptr %from, i64 20
  store i8 1, ptr %from.20
  %from.21 = getelementptr i8, ptr %from, i64 21
  store i8 28, ptr %from.21
  %from.22 = getelementptr i8, ptr %from, i64 22
  store i8 0, ptr %from.22
  %from.23 = getelementptr i8, ptr %from, i64 23
  store i8 0, ptr %from.23
  %from.24 = getelementptr i8, ptr %from, i64 24
  store i64 1, ptr %from.24
  %from.32 = getelementptr i8, ptr %from, i64 32
  store i64 %n, ptr %from.32
  %from.40 = getelementptr i8, ptr %from, i64 40
  store i64 %s, ptr %from.40
  %to.0 = getelementptr i8, ptr %to, i64 0
  store ptr %p, ptr %to.0
  %to.8 = getelementptr i8, ptr %to, i64 8
  store i64 8, ptr %to.8
  %to.16 = getelementptr i8, ptr %to, i64 16
  store i32 20240719, ptr %to.16
  %to.20 = getelementptr i8, ptr %to, i64 20
  store i8 1, ptr %to.20
  %to.21 = getelementptr i8, ptr %to, i64 21
  store i8 28, ptr %to.21
  %to.22 = getelementptr i8, ptr %to, i64 22
  store i8 2, ptr %to.22
  %to.23 = getelementptr i8, ptr %to, i64 23
  store i8 0, ptr %to.23
  %to.24 = getelementptr i8, ptr %to, i64 24
  store i64 1, ptr %to.24
  %to.32 = getelementptr i8, ptr %to, i64 32
  store i64 %n, ptr %to.32
  %to.40 = getelementptr i8, ptr %to, i64 40
  store i64 %s, ptr %to.40
  call void @_FortranAAssign(ptr %to, ptr %from, ptr null, i32 1)
  br label %sweep
sweep:
  %i = phi i64 [ 0, %loop ], [ %i.next, %sweep ]
  %i.at = getelementptr double, ptr %u, i64 %i
  %i.next = add nsw i64 %i, 1
  %next.at = getelementptr double, ptr %u, i64 %i.next
  %x = load double, ptr %i.at, align 8
  %y = load double, ptr %next.at, align 8
  %z = fadd double %x, %y
  %v.at = getelementptr double, ptr %v, i64 %i
  store double %z, ptr %v.at, align 8
  %on = icmp slt i64 %i.next, %n
  br i1 %on, label %sweep, label %swept
swept:
  %next = add nsw i64 %t, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  ret void
}

; The runtime says that these do not agree.
; CHECK-LABEL: define {{.*}}@unlike_lengths(
; CHECK: call void @_FortranAAssign(
; CHECK: ret void
define void @unlike_lengths(ptr %p, ptr %q, i64 %n, i64 %m, i64 %s, i64 %steps, ptr noalias %u, ptr noalias %v) {
entry:
  %to = alloca [48 x i8], align 8
  %from = alloca [48 x i8], align 8
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %swept ]
  %from.0 = getelementptr i8, ptr %from, i64 0
  store ptr %q, ptr %from.0
  %from.8 = getelementptr i8, ptr %from, i64 8
  store i64 8, ptr %from.8
  %from.16 = getelementptr i8, ptr %from, i64 16
  store i32 20240719, ptr %from.16
  %from.20 = getelementptr i8, ptr %from, i64 20
  store i8 1, ptr %from.20
  %from.21 = getelementptr i8, ptr %from, i64 21
  store i8 28, ptr %from.21
  %from.22 = getelementptr i8, ptr %from, i64 22
  store i8 0, ptr %from.22
  %from.23 = getelementptr i8, ptr %from, i64 23
  store i8 0, ptr %from.23
  %from.24 = getelementptr i8, ptr %from, i64 24
  store i64 1, ptr %from.24
  %from.32 = getelementptr i8, ptr %from, i64 32
  store i64 %m, ptr %from.32
  %from.40 = getelementptr i8, ptr %from, i64 40
  store i64 %s, ptr %from.40
  %to.0 = getelementptr i8, ptr %to, i64 0
  store ptr %p, ptr %to.0
  %to.8 = getelementptr i8, ptr %to, i64 8
  store i64 8, ptr %to.8
  %to.16 = getelementptr i8, ptr %to, i64 16
  store i32 20240719, ptr %to.16
  %to.20 = getelementptr i8, ptr %to, i64 20
  store i8 1, ptr %to.20
  %to.21 = getelementptr i8, ptr %to, i64 21
  store i8 28, ptr %to.21
  %to.22 = getelementptr i8, ptr %to, i64 22
  store i8 0, ptr %to.22
  %to.23 = getelementptr i8, ptr %to, i64 23
  store i8 0, ptr %to.23
  %to.24 = getelementptr i8, ptr %to, i64 24
  store i64 1, ptr %to.24
  %to.32 = getelementptr i8, ptr %to, i64 32
  store i64 %n, ptr %to.32
  %to.40 = getelementptr i8, ptr %to, i64 40
  store i64 %s, ptr %to.40
  call void @_FortranAAssign(ptr %to, ptr %from, ptr null, i32 1)
  br label %sweep
sweep:
  %i = phi i64 [ 0, %loop ], [ %i.next, %sweep ]
  %i.at = getelementptr double, ptr %u, i64 %i
  %i.next = add nsw i64 %i, 1
  %next.at = getelementptr double, ptr %u, i64 %i.next
  %x = load double, ptr %i.at, align 8
  %y = load double, ptr %next.at, align 8
  %z = fadd double %x, %y
  %v.at = getelementptr double, ptr %v, i64 %i
  store double %z, ptr %v.at, align 8
  %on = icmp slt i64 %i.next, %n
  br i1 %on, label %sweep, label %swept
swept:
  %next = add nsw i64 %t, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A row becomes a column.
; CHECK-LABEL: define {{.*}}@unlike_strides(
; CHECK: call void @_FortranAAssign(
; CHECK: ret void
define void @unlike_strides(ptr %p, ptr %q, i64 %n, i64 %m, i64 %s, i64 %steps, ptr noalias %u, ptr noalias %v) {
entry:
  %to = alloca [48 x i8], align 8
  %from = alloca [48 x i8], align 8
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %swept ]
  %from.0 = getelementptr i8, ptr %from, i64 0
  store ptr %q, ptr %from.0
  %from.8 = getelementptr i8, ptr %from, i64 8
  store i64 8, ptr %from.8
  %from.16 = getelementptr i8, ptr %from, i64 16
  store i32 20240719, ptr %from.16
  %from.20 = getelementptr i8, ptr %from, i64 20
  store i8 1, ptr %from.20
  %from.21 = getelementptr i8, ptr %from, i64 21
  store i8 28, ptr %from.21
  %from.22 = getelementptr i8, ptr %from, i64 22
  store i8 0, ptr %from.22
  %from.23 = getelementptr i8, ptr %from, i64 23
  store i8 0, ptr %from.23
  %from.24 = getelementptr i8, ptr %from, i64 24
  store i64 1, ptr %from.24
  %from.32 = getelementptr i8, ptr %from, i64 32
  store i64 %n, ptr %from.32
  %from.40 = getelementptr i8, ptr %from, i64 40
  store i64 8, ptr %from.40
  %to.0 = getelementptr i8, ptr %to, i64 0
  store ptr %p, ptr %to.0
  %to.8 = getelementptr i8, ptr %to, i64 8
  store i64 8, ptr %to.8
  %to.16 = getelementptr i8, ptr %to, i64 16
  store i32 20240719, ptr %to.16
  %to.20 = getelementptr i8, ptr %to, i64 20
  store i8 1, ptr %to.20
  %to.21 = getelementptr i8, ptr %to, i64 21
  store i8 28, ptr %to.21
  %to.22 = getelementptr i8, ptr %to, i64 22
  store i8 0, ptr %to.22
  %to.23 = getelementptr i8, ptr %to, i64 23
  store i8 0, ptr %to.23
  %to.24 = getelementptr i8, ptr %to, i64 24
  store i64 1, ptr %to.24
  %to.32 = getelementptr i8, ptr %to, i64 32
  store i64 %n, ptr %to.32
  %to.40 = getelementptr i8, ptr %to, i64 40
  store i64 %s, ptr %to.40
  call void @_FortranAAssign(ptr %to, ptr %from, ptr null, i32 1)
  br label %sweep
sweep:
  %i = phi i64 [ 0, %loop ], [ %i.next, %sweep ]
  %i.at = getelementptr double, ptr %u, i64 %i
  %i.next = add nsw i64 %i, 1
  %next.at = getelementptr double, ptr %u, i64 %i.next
  %x = load double, ptr %i.at, align 8
  %y = load double, ptr %next.at, align 8
  %z = fadd double %x, %y
  %v.at = getelementptr double, ptr %v, i64 %i
  store double %z, ptr %v.at, align 8
  %on = icmp slt i64 %i.next, %n
  br i1 %on, label %sweep, label %swept
swept:
  %next = add nsw i64 %t, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Single becomes double precision.
; CHECK-LABEL: define {{.*}}@converted(
; CHECK: call void @_FortranAAssign(
; CHECK: ret void
define void @converted(ptr %p, ptr %q, i64 %n, i64 %m, i64 %s, i64 %steps, ptr noalias %u, ptr noalias %v) {
entry:
  %to = alloca [48 x i8], align 8
  %from = alloca [48 x i8], align 8
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %swept ]
  %from.0 = getelementptr i8, ptr %from, i64 0
  store ptr %q, ptr %from.0
  %from.8 = getelementptr i8, ptr %from, i64 8
  store i64 4, ptr %from.8
  %from.16 = getelementptr i8, ptr %from, i64 16
  store i32 20240719, ptr %from.16
  %from.20 = getelementptr i8, ptr %from, i64 20
  store i8 1, ptr %from.20
  %from.21 = getelementptr i8, ptr %from, i64 21
  store i8 27, ptr %from.21
  %from.22 = getelementptr i8, ptr %from, i64 22
  store i8 0, ptr %from.22
  %from.23 = getelementptr i8, ptr %from, i64 23
  store i8 0, ptr %from.23
  %from.24 = getelementptr i8, ptr %from, i64 24
  store i64 1, ptr %from.24
  %from.32 = getelementptr i8, ptr %from, i64 32
  store i64 %n, ptr %from.32
  %from.40 = getelementptr i8, ptr %from, i64 40
  store i64 %s, ptr %from.40
  %to.0 = getelementptr i8, ptr %to, i64 0
  store ptr %p, ptr %to.0
  %to.8 = getelementptr i8, ptr %to, i64 8
  store i64 8, ptr %to.8
  %to.16 = getelementptr i8, ptr %to, i64 16
  store i32 20240719, ptr %to.16
  %to.20 = getelementptr i8, ptr %to, i64 20
  store i8 1, ptr %to.20
  %to.21 = getelementptr i8, ptr %to, i64 21
  store i8 28, ptr %to.21
  %to.22 = getelementptr i8, ptr %to, i64 22
  store i8 0, ptr %to.22
  %to.23 = getelementptr i8, ptr %to, i64 23
  store i8 0, ptr %to.23
  %to.24 = getelementptr i8, ptr %to, i64 24
  store i64 1, ptr %to.24
  %to.32 = getelementptr i8, ptr %to, i64 32
  store i64 %n, ptr %to.32
  %to.40 = getelementptr i8, ptr %to, i64 40
  store i64 %s, ptr %to.40
  call void @_FortranAAssign(ptr %to, ptr %from, ptr null, i32 1)
  br label %sweep
sweep:
  %i = phi i64 [ 0, %loop ], [ %i.next, %sweep ]
  %i.at = getelementptr double, ptr %u, i64 %i
  %i.next = add nsw i64 %i, 1
  %next.at = getelementptr double, ptr %u, i64 %i.next
  %x = load double, ptr %i.at, align 8
  %y = load double, ptr %next.at, align 8
  %z = fadd double %x, %y
  %v.at = getelementptr double, ptr %v, i64 %i
  store double %z, ptr %v.at, align 8
  %on = icmp slt i64 %i.next, %n
  br i1 %on, label %sweep, label %swept
swept:
  %next = add nsw i64 %t, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Two dimensions.
; CHECK-LABEL: define {{.*}}@planes(
; CHECK: call void @_FortranAAssign(
; CHECK: ret void
define void @planes(ptr %p, ptr %q, i64 %n, i64 %m, i64 %s, i64 %steps, ptr noalias %u, ptr noalias %v) {
entry:
  %to = alloca [48 x i8], align 8
  %from = alloca [48 x i8], align 8
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %swept ]
  %from.0 = getelementptr i8, ptr %from, i64 0
  store ptr %q, ptr %from.0
  %from.8 = getelementptr i8, ptr %from, i64 8
  store i64 8, ptr %from.8
  %from.16 = getelementptr i8, ptr %from, i64 16
  store i32 20240719, ptr %from.16
  %from.20 = getelementptr i8, ptr %from, i64 20
  store i8 2, ptr %from.20
  %from.21 = getelementptr i8, ptr %from, i64 21
  store i8 28, ptr %from.21
  %from.22 = getelementptr i8, ptr %from, i64 22
  store i8 0, ptr %from.22
  %from.23 = getelementptr i8, ptr %from, i64 23
  store i8 0, ptr %from.23
  %from.24 = getelementptr i8, ptr %from, i64 24
  store i64 1, ptr %from.24
  %from.32 = getelementptr i8, ptr %from, i64 32
  store i64 %n, ptr %from.32
  %from.40 = getelementptr i8, ptr %from, i64 40
  store i64 %s, ptr %from.40
  %to.0 = getelementptr i8, ptr %to, i64 0
  store ptr %p, ptr %to.0
  %to.8 = getelementptr i8, ptr %to, i64 8
  store i64 8, ptr %to.8
  %to.16 = getelementptr i8, ptr %to, i64 16
  store i32 20240719, ptr %to.16
  %to.20 = getelementptr i8, ptr %to, i64 20
  store i8 2, ptr %to.20
  %to.21 = getelementptr i8, ptr %to, i64 21
  store i8 28, ptr %to.21
  %to.22 = getelementptr i8, ptr %to, i64 22
  store i8 0, ptr %to.22
  %to.23 = getelementptr i8, ptr %to, i64 23
  store i8 0, ptr %to.23
  %to.24 = getelementptr i8, ptr %to, i64 24
  store i64 1, ptr %to.24
  %to.32 = getelementptr i8, ptr %to, i64 32
  store i64 %n, ptr %to.32
  %to.40 = getelementptr i8, ptr %to, i64 40
  store i64 %s, ptr %to.40
  call void @_FortranAAssign(ptr %to, ptr %from, ptr null, i32 1)
  br label %sweep
sweep:
  %i = phi i64 [ 0, %loop ], [ %i.next, %sweep ]
  %i.at = getelementptr double, ptr %u, i64 %i
  %i.next = add nsw i64 %i, 1
  %next.at = getelementptr double, ptr %u, i64 %i.next
  %x = load double, ptr %i.at, align 8
  %y = load double, ptr %next.at, align 8
  %z = fadd double %x, %y
  %v.at = getelementptr double, ptr %v, i64 %i
  store double %z, ptr %v.at, align 8
  %on = icmp slt i64 %i.next, %n
  br i1 %on, label %sweep, label %swept
swept:
  %next = add nsw i64 %t, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  ret void
}

; A code of double precision with four bytes.
; CHECK-LABEL: define {{.*}}@mismatch(
; CHECK: call void @_FortranAAssign(
; CHECK: ret void
define void @mismatch(ptr %p, ptr %q, i64 %n, i64 %m, i64 %s, i64 %steps, ptr noalias %u, ptr noalias %v) {
entry:
  %to = alloca [48 x i8], align 8
  %from = alloca [48 x i8], align 8
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %swept ]
  %from.0 = getelementptr i8, ptr %from, i64 0
  store ptr %q, ptr %from.0
  %from.8 = getelementptr i8, ptr %from, i64 8
  store i64 4, ptr %from.8
  %from.16 = getelementptr i8, ptr %from, i64 16
  store i32 20240719, ptr %from.16
  %from.20 = getelementptr i8, ptr %from, i64 20
  store i8 1, ptr %from.20
  %from.21 = getelementptr i8, ptr %from, i64 21
  store i8 28, ptr %from.21
  %from.22 = getelementptr i8, ptr %from, i64 22
  store i8 0, ptr %from.22
  %from.23 = getelementptr i8, ptr %from, i64 23
  store i8 0, ptr %from.23
  %from.24 = getelementptr i8, ptr %from, i64 24
  store i64 1, ptr %from.24
  %from.32 = getelementptr i8, ptr %from, i64 32
  store i64 %n, ptr %from.32
  %from.40 = getelementptr i8, ptr %from, i64 40
  store i64 %s, ptr %from.40
  %to.0 = getelementptr i8, ptr %to, i64 0
  store ptr %p, ptr %to.0
  %to.8 = getelementptr i8, ptr %to, i64 8
  store i64 4, ptr %to.8
  %to.16 = getelementptr i8, ptr %to, i64 16
  store i32 20240719, ptr %to.16
  %to.20 = getelementptr i8, ptr %to, i64 20
  store i8 1, ptr %to.20
  %to.21 = getelementptr i8, ptr %to, i64 21
  store i8 28, ptr %to.21
  %to.22 = getelementptr i8, ptr %to, i64 22
  store i8 0, ptr %to.22
  %to.23 = getelementptr i8, ptr %to, i64 23
  store i8 0, ptr %to.23
  %to.24 = getelementptr i8, ptr %to, i64 24
  store i64 1, ptr %to.24
  %to.32 = getelementptr i8, ptr %to, i64 32
  store i64 %n, ptr %to.32
  %to.40 = getelementptr i8, ptr %to, i64 40
  store i64 %s, ptr %to.40
  call void @_FortranAAssign(ptr %to, ptr %from, ptr null, i32 1)
  br label %sweep
sweep:
  %i = phi i64 [ 0, %loop ], [ %i.next, %sweep ]
  %i.at = getelementptr double, ptr %u, i64 %i
  %i.next = add nsw i64 %i, 1
  %next.at = getelementptr double, ptr %u, i64 %i.next
  %x = load double, ptr %i.at, align 8
  %y = load double, ptr %next.at, align 8
  %z = fadd double %x, %y
  %v.at = getelementptr double, ptr %v, i64 %i
  store double %z, ptr %v.at, align 8
  %on = icmp slt i64 %i.next, %n
  br i1 %on, label %sweep, label %swept
swept:
  %next = add nsw i64 %t, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Somebody else may have changed the first descriptor.
; CHECK-LABEL: define {{.*}}@seen(
; CHECK: call void @_FortranAAssign(
; CHECK: ret void
define void @seen(ptr %p, ptr %q, i64 %n, i64 %m, i64 %s, i64 %steps, ptr noalias %u, ptr noalias %v) {
entry:
  %to = alloca [48 x i8], align 8
  %from = alloca [48 x i8], align 8
  br label %loop
loop:
  %t = phi i64 [ 0, %entry ], [ %next, %swept ]
  %from.0 = getelementptr i8, ptr %from, i64 0
  store ptr %q, ptr %from.0
  %from.8 = getelementptr i8, ptr %from, i64 8
  store i64 8, ptr %from.8
  %from.16 = getelementptr i8, ptr %from, i64 16
  store i32 20240719, ptr %from.16
  %from.20 = getelementptr i8, ptr %from, i64 20
  store i8 1, ptr %from.20
  %from.21 = getelementptr i8, ptr %from, i64 21
  store i8 28, ptr %from.21
  %from.22 = getelementptr i8, ptr %from, i64 22
  store i8 0, ptr %from.22
  %from.23 = getelementptr i8, ptr %from, i64 23
  store i8 0, ptr %from.23
  %from.24 = getelementptr i8, ptr %from, i64 24
  store i64 1, ptr %from.24
  %from.32 = getelementptr i8, ptr %from, i64 32
  store i64 %n, ptr %from.32
  %from.40 = getelementptr i8, ptr %from, i64 40
  store i64 %s, ptr %from.40
  call void @look(ptr %from)
  %to.0 = getelementptr i8, ptr %to, i64 0
  store ptr %p, ptr %to.0
  %to.8 = getelementptr i8, ptr %to, i64 8
  store i64 8, ptr %to.8
  %to.16 = getelementptr i8, ptr %to, i64 16
  store i32 20240719, ptr %to.16
  %to.20 = getelementptr i8, ptr %to, i64 20
  store i8 1, ptr %to.20
  %to.21 = getelementptr i8, ptr %to, i64 21
  store i8 28, ptr %to.21
  %to.22 = getelementptr i8, ptr %to, i64 22
  store i8 0, ptr %to.22
  %to.23 = getelementptr i8, ptr %to, i64 23
  store i8 0, ptr %to.23
  %to.24 = getelementptr i8, ptr %to, i64 24
  store i64 1, ptr %to.24
  %to.32 = getelementptr i8, ptr %to, i64 32
  store i64 %n, ptr %to.32
  %to.40 = getelementptr i8, ptr %to, i64 40
  store i64 %s, ptr %to.40
  call void @_FortranAAssign(ptr %to, ptr %from, ptr null, i32 1)
  br label %sweep
sweep:
  %i = phi i64 [ 0, %loop ], [ %i.next, %sweep ]
  %i.at = getelementptr double, ptr %u, i64 %i
  %i.next = add nsw i64 %i, 1
  %next.at = getelementptr double, ptr %u, i64 %i.next
  %x = load double, ptr %i.at, align 8
  %y = load double, ptr %next.at, align 8
  %z = fadd double %x, %y
  %v.at = getelementptr double, ptr %v, i64 %i
  store double %z, ptr %v.at, align 8
  %on = icmp slt i64 %i.next, %n
  br i1 %on, label %sweep, label %swept
swept:
  %next = add nsw i64 %t, 1
  %more = icmp slt i64 %next, %steps
  br i1 %more, label %loop, label %done
done:
  ret void
}

