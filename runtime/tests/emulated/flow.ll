; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@count = dso_local local_unnamed_addr addrspace(3) global [64 x i32] zeroinitializer, align 4

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @collatz(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #0 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %4 = zext nneg i32 %3 to i64
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %6 = zext nneg i32 %5 to i64
  %7 = mul nuw nsw i64 %4, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = zext nneg i32 %8 to i64
  %10 = add nuw nsw i64 %7, %9
  %11 = getelementptr inbounds nuw i32, ptr %0, i64 %10
  %12 = load i32, ptr %11, align 4, !tbaa !3
  %13 = icmp eq i32 %12, 1
  br i1 %13, label %32, label %14

14:                                               ; preds = %2
  %15 = zext i32 %12 to i64
  br label %16

16:                                               ; preds = %14, %26
  %17 = phi i64 [ %27, %26 ], [ %15, %14 ]
  %18 = phi i32 [ %28, %26 ], [ 0, %14 ]
  %19 = and i64 %17, 1
  %20 = icmp eq i64 %19, 0
  br i1 %20, label %24, label %21

21:                                               ; preds = %16
  %22 = mul i64 %17, 3
  %23 = add i64 %22, 1
  br label %26

24:                                               ; preds = %16
  %25 = lshr exact i64 %17, 1
  br label %26

26:                                               ; preds = %24, %21
  %27 = phi i64 [ %23, %21 ], [ %25, %24 ]
  %28 = add nuw nsw i32 %18, 1
  %29 = icmp ne i32 %28, 400
  %30 = icmp ne i64 %27, 1
  %31 = select i1 %29, i1 %30, i1 false
  br i1 %31, label %16, label %32, !llvm.loop !7

32:                                               ; preds = %26, %2
  %33 = phi i32 [ 0, %2 ], [ %28, %26 ]
  %34 = getelementptr inbounds nuw i32, ptr %1, i64 %10
  store i32 %33, ptr %34, align 4, !tbaa !3
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @branches(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #3 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = zext nneg i32 %4 to i64
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = zext nneg i32 %6 to i64
  %8 = mul nuw nsw i64 %5, %7
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %10 = zext nneg i32 %9 to i64
  %11 = add nuw nsw i64 %8, %10
  %12 = sext i32 %2 to i64
  %13 = icmp slt i64 %11, %12
  br i1 %13, label %14, label %69

14:                                               ; preds = %3
  %15 = getelementptr inbounds nuw i32, ptr %0, i64 %11
  %16 = load i32, ptr %15, align 4, !tbaa !3
  %17 = getelementptr inbounds nuw i32, ptr addrspace(3) @count, i64 %10
  store i32 %16, ptr addrspace(3) %17, align 4, !tbaa !3
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %18 = and i32 %16, 15
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %60, label %20

20:                                               ; preds = %14, %56
  %21 = phi i32 [ %58, %56 ], [ 0, %14 ]
  %22 = phi i32 [ %57, %56 ], [ 0, %14 ]
  %23 = icmp samesign ugt i32 %21, 7
  br i1 %23, label %40, label %24

24:                                               ; preds = %20, %36
  %25 = phi i32 [ %38, %36 ], [ %21, %20 ]
  %26 = phi i32 [ %37, %36 ], [ %22, %20 ]
  %27 = xor i32 %25, %16
  %28 = srem i32 %27, 3
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %36, label %30

30:                                               ; preds = %24
  %31 = icmp sgt i32 %26, 1000
  br i1 %31, label %60, label %32

32:                                               ; preds = %30
  %33 = mul nuw nsw i32 %25, %21
  %34 = add nsw i32 %26, 1
  %35 = add i32 %34, %33
  br label %36

36:                                               ; preds = %24, %32
  %37 = phi i32 [ %26, %24 ], [ %35, %32 ]
  %38 = add nuw nsw i32 %25, 1
  %39 = icmp eq i32 %38, 8
  br i1 %39, label %40, label %24, !llvm.loop !9

40:                                               ; preds = %36, %20
  %41 = phi i32 [ %22, %20 ], [ %37, %36 ]
  %42 = add nsw i32 %21, %16
  %43 = srem i32 %42, 7
  switch i32 %43, label %54 [
    i32 0, label %44
    i32 1, label %46
    i32 2, label %48
    i32 3, label %50
    i32 4, label %52
  ]

44:                                               ; preds = %40
  %45 = add nsw i32 %41, 17
  br label %56

46:                                               ; preds = %40
  %47 = mul nsw i32 %41, 3
  br label %56

48:                                               ; preds = %40
  %49 = sub nsw i32 %41, %16
  br label %56

50:                                               ; preds = %40
  %51 = xor i32 %41, 85
  br label %56

52:                                               ; preds = %40
  %53 = sub nsw i32 0, %41
  br label %56

54:                                               ; preds = %40
  %55 = add nsw i32 %41, %21
  br label %56

56:                                               ; preds = %44, %46, %48, %50, %52, %54
  %57 = phi i32 [ %55, %54 ], [ %45, %44 ], [ %47, %46 ], [ %49, %48 ], [ %51, %50 ], [ %53, %52 ]
  %58 = add nuw nsw i32 %21, 1
  %59 = icmp eq i32 %58, %18
  br i1 %59, label %60, label %20, !llvm.loop !10

60:                                               ; preds = %56, %30, %14
  %61 = phi i32 [ %26, %30 ], [ 0, %14 ], [ %57, %56 ]
  %62 = add nuw nsw i32 %9, 1
  %63 = and i32 %62, 3
  %64 = zext nneg i32 %63 to i64
  %65 = getelementptr inbounds nuw i32, ptr addrspace(3) @count, i64 %64
  %66 = load i32, ptr addrspace(3) %65, align 4, !tbaa !3
  %67 = add nsw i32 %66, %61
  %68 = getelementptr inbounds nuw i32, ptr %1, i64 %11
  store i32 %67, ptr %68, align 4, !tbaa !3
  br label %69

69:                                               ; preds = %3, %60
  ret void
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #4

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @local(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #0 {
  %3 = alloca [16 x i32], align 4
  call void @llvm.lifetime.start.p0(ptr nonnull %3) #5
  store i32 0, ptr %3, align 4, !tbaa !3
  %4 = getelementptr inbounds nuw i8, ptr %3, i64 4
  store i32 1, ptr %4, align 4, !tbaa !3
  %5 = getelementptr inbounds nuw i8, ptr %3, i64 8
  store i32 2, ptr %5, align 4, !tbaa !3
  %6 = getelementptr inbounds nuw i8, ptr %3, i64 12
  store i32 3, ptr %6, align 4, !tbaa !3
  %7 = getelementptr inbounds nuw i8, ptr %3, i64 16
  store i32 4, ptr %7, align 4, !tbaa !3
  %8 = getelementptr inbounds nuw i8, ptr %3, i64 20
  store i32 5, ptr %8, align 4, !tbaa !3
  %9 = getelementptr inbounds nuw i8, ptr %3, i64 24
  store i32 6, ptr %9, align 4, !tbaa !3
  %10 = getelementptr inbounds nuw i8, ptr %3, i64 28
  store i32 7, ptr %10, align 4, !tbaa !3
  %11 = getelementptr inbounds nuw i8, ptr %3, i64 32
  store i32 8, ptr %11, align 4, !tbaa !3
  %12 = getelementptr inbounds nuw i8, ptr %3, i64 36
  store i32 9, ptr %12, align 4, !tbaa !3
  %13 = getelementptr inbounds nuw i8, ptr %3, i64 40
  store i32 10, ptr %13, align 4, !tbaa !3
  %14 = getelementptr inbounds nuw i8, ptr %3, i64 44
  store i32 11, ptr %14, align 4, !tbaa !3
  %15 = getelementptr inbounds nuw i8, ptr %3, i64 48
  store i32 12, ptr %15, align 4, !tbaa !3
  %16 = getelementptr inbounds nuw i8, ptr %3, i64 52
  store i32 13, ptr %16, align 4, !tbaa !3
  %17 = getelementptr inbounds nuw i8, ptr %3, i64 56
  store i32 14, ptr %17, align 4, !tbaa !3
  %18 = getelementptr inbounds nuw i8, ptr %3, i64 60
  store i32 15, ptr %18, align 4, !tbaa !3
  %19 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %20 = zext nneg i32 %19 to i64
  %21 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %22 = zext nneg i32 %21 to i64
  %23 = mul nuw nsw i64 %20, %22
  %24 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %25 = zext nneg i32 %24 to i64
  %26 = add nuw nsw i64 %23, %25
  %27 = getelementptr inbounds nuw i32, ptr %0, i64 %26
  %28 = load i32, ptr %27, align 4, !tbaa !3
  br label %42

29:                                               ; preds = %42
  %30 = lshr i32 %55, 28
  %31 = zext nneg i32 %30 to i64
  %32 = getelementptr inbounds nuw i32, ptr %3, i64 %31
  %33 = load i32, ptr %32, align 4, !tbaa !3
  %34 = lshr i32 %55, 24
  %35 = and i32 %34, 15
  %36 = zext nneg i32 %35 to i64
  %37 = getelementptr inbounds nuw i32, ptr %3, i64 %36
  %38 = load i32, ptr %37, align 4, !tbaa !3
  %39 = mul nsw i32 %38, 3
  %40 = add nsw i32 %39, %33
  %41 = getelementptr inbounds nuw i32, ptr %1, i64 %26
  store i32 %40, ptr %41, align 4, !tbaa !3
  call void @llvm.lifetime.end.p0(ptr nonnull %3) #5
  ret void

42:                                               ; preds = %42, %2
  %43 = phi i32 [ 0, %2 ], [ %63, %42 ]
  %44 = phi i32 [ %28, %2 ], [ %55, %42 ]
  %45 = mul i32 %44, 1664525
  %46 = add i32 %45, 1013904223
  %47 = and i32 %46, 255
  %48 = lshr i32 %46, 20
  %49 = and i32 %48, 15
  %50 = zext nneg i32 %49 to i64
  %51 = getelementptr inbounds nuw i32, ptr %3, i64 %50
  %52 = load i32, ptr %51, align 4, !tbaa !3
  %53 = add i32 %52, %47
  store i32 %53, ptr %51, align 4, !tbaa !3
  %54 = mul i32 %46, 1664525
  %55 = add i32 %54, 1013904223
  %56 = and i32 %55, 255
  %57 = lshr i32 %55, 20
  %58 = and i32 %57, 15
  %59 = zext nneg i32 %58 to i64
  %60 = getelementptr inbounds nuw i32, ptr %3, i64 %59
  %61 = load i32, ptr %60, align 4, !tbaa !3
  %62 = add i32 %61, %56
  store i32 %62, ptr %60, align 4, !tbaa !3
  %63 = add nuw nsw i32 %43, 2
  %64 = icmp eq i32 %63, 40
  br i1 %64, label %29, label %42, !llvm.loop !11
}

attributes #0 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8"   }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8"   }
attributes #4 = { convergent nocallback nounwind }
attributes #5 = { nounwind }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}
!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = distinct !{!7, !8}
!8 = !{!"llvm.loop.mustprogress"}
!9 = distinct !{!9, !8}
!10 = distinct !{!10, !8}
!11 = distinct !{!11, !8}
