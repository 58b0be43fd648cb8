; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@tile = dso_local local_unnamed_addr addrspace(3) global [612 x float] zeroinitializer, align 4
@line = external dso_local local_unnamed_addr addrspace(3) global [0 x double], align 8

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @jacobi(ptr noalias noundef readonly captures(none) %0, ptr noalias noundef writeonly captures(none) %1, i32 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %8 = shl nsw i32 %7, 5
  %9 = add nuw nsw i32 %8, %5
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %11 = shl nuw nsw i32 %10, 4
  %12 = add nuw nsw i32 %11, %6
  %13 = icmp samesign ult i32 %6, 18
  br i1 %13, label %14, label %29

14:                                               ; preds = %4
  %15 = icmp samesign ult i32 %5, 34
  %16 = add nsw i32 %8, -1
  %17 = add nsw i32 %11, -1
  %18 = zext nneg i32 %2 to i64
  br label %19

19:                                               ; preds = %14, %39
  %20 = phi i32 [ %6, %14 ], [ %40, %39 ]
  br i1 %15, label %21, label %39

21:                                               ; preds = %19
  %22 = add i32 %20, %17
  %23 = icmp sgt i32 %22, -1
  %24 = icmp slt i32 %22, %3
  %25 = zext nneg i32 %22 to i64
  %26 = mul nuw nsw i64 %25, %18
  %27 = getelementptr inbounds nuw float, ptr %0, i64 %26
  %28 = mul nuw nsw i32 %20, 34
  br label %42

29:                                               ; preds = %39, %4
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %30 = icmp ne i32 %9, 0
  %31 = icmp ne i32 %12, 0
  %32 = select i1 %30, i1 %31, i1 false
  %33 = add nsw i32 %2, -1
  %34 = icmp slt i32 %9, %33
  %35 = select i1 %32, i1 %34, i1 false
  %36 = add nsw i32 %3, -1
  %37 = icmp slt i32 %12, %36
  %38 = select i1 %35, i1 %37, i1 false
  br i1 %38, label %60, label %86

39:                                               ; preds = %57, %19
  %40 = add nuw nsw i32 %20, 16
  %41 = icmp samesign ult i32 %20, 2
  br i1 %41, label %19, label %29, !llvm.loop !7

42:                                               ; preds = %21, %57
  %43 = phi i32 [ %5, %21 ], [ %58, %57 ]
  %44 = add i32 %16, %43
  %45 = icmp sgt i32 %44, -1
  %46 = select i1 %45, i1 %23, i1 false
  %47 = icmp slt i32 %44, %2
  %48 = and i1 %47, %46
  %49 = select i1 %48, i1 %24, i1 false
  br i1 %49, label %50, label %57

50:                                               ; preds = %42
  %51 = zext nneg i32 %44 to i64
  %52 = getelementptr inbounds nuw float, ptr %27, i64 %51
  %53 = load float, ptr %52, align 4, !tbaa !9
  %54 = add nuw nsw i32 %43, %28
  %55 = zext nneg i32 %54 to i64
  %56 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %55
  store float %53, ptr addrspace(3) %56, align 4, !tbaa !9
  br label %57

57:                                               ; preds = %50, %42
  %58 = add nuw nsw i32 %43, 32
  %59 = icmp samesign ult i32 %43, 2
  br i1 %59, label %42, label %39, !llvm.loop !11

60:                                               ; preds = %29
  %61 = mul nuw nsw i32 %6, 34
  %62 = add nuw nsw i32 %5, 34
  %63 = add nuw nsw i32 %62, %61
  %64 = zext nneg i32 %63 to i64
  %65 = getelementptr inbounds nuw float, ptr addrspace(3) @tile, i64 %64
  %66 = getelementptr inbounds nuw i8, ptr addrspace(3) %65, i64 4
  %67 = load float, ptr addrspace(3) %66, align 4, !tbaa !9
  %68 = load float, ptr addrspace(3) %65, align 4, !tbaa !9
  %69 = fadd float %67, %68
  %70 = getelementptr inbounds nuw i8, ptr addrspace(3) %65, i64 8
  %71 = load float, ptr addrspace(3) %70, align 4, !tbaa !9
  %72 = fadd float %69, %71
  %73 = getelementptr i8, ptr addrspace(3) %65, i64 -132
  %74 = load float, ptr addrspace(3) %73, align 4, !tbaa !9
  %75 = fadd float %72, %74
  %76 = getelementptr inbounds nuw i8, ptr addrspace(3) %65, i64 140
  %77 = load float, ptr addrspace(3) %76, align 4, !tbaa !9
  %78 = fadd float %75, %77
  %79 = fmul float %78, 0x3FC99999A0000000
  %80 = zext nneg i32 %12 to i64
  %81 = sext i32 %2 to i64
  %82 = mul nsw i64 %81, %80
  %83 = zext nneg i32 %9 to i64
  %84 = getelementptr float, ptr %1, i64 %82
  %85 = getelementptr float, ptr %84, i64 %83
  store float %79, ptr %85, align 4, !tbaa !9
  br label %86

86:                                               ; preds = %60, %29
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @heat(ptr noundef captures(none) %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = zext nneg i32 %3 to i64
  %5 = getelementptr inbounds nuw double, ptr %0, i64 %4
  %6 = load double, ptr %5, align 8, !tbaa !12
  %7 = getelementptr double, ptr addrspace(3) @line, i64 %4
  store double %6, ptr addrspace(3) %7, align 8, !tbaa !12
  %8 = add nsw i32 %1, %3
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds double, ptr addrspace(3) @line, i64 %9
  store double %6, ptr addrspace(3) %10, align 8, !tbaa !12
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %11 = icmp ne i32 %3, 0
  %12 = add nsw i32 %1, -1
  %13 = icmp slt i32 %3, %12
  %14 = select i1 %11, i1 %13, i1 false
  br i1 %14, label %15, label %28

15:                                               ; preds = %2
  %16 = sext i32 %1 to i64
  %17 = load double, ptr addrspace(3) %7, align 8, !tbaa !12
  %18 = getelementptr i8, ptr addrspace(3) %7, i64 -8
  %19 = load double, ptr addrspace(3) %18, align 8, !tbaa !12
  %20 = fmul double %17, 2.000000e+00
  %21 = fsub double %19, %20
  %22 = getelementptr inbounds nuw i8, ptr addrspace(3) %7, i64 8
  %23 = load double, ptr addrspace(3) %22, align 8, !tbaa !12
  %24 = fadd double %21, %23
  %25 = fmul double %24, 2.500000e-01
  %26 = fadd double %17, %25
  %27 = getelementptr double, ptr addrspace(3) %7, i64 %16
  store double %26, ptr addrspace(3) %27, align 8, !tbaa !12
  br label %28

28:                                               ; preds = %15, %2
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %14, label %29, label %42

29:                                               ; preds = %28
  %30 = sext i32 %1 to i64
  %31 = getelementptr double, ptr addrspace(3) %7, i64 %30
  %32 = load double, ptr addrspace(3) %31, align 8, !tbaa !12
  %33 = getelementptr i8, ptr addrspace(3) %31, i64 -8
  %34 = load double, ptr addrspace(3) %33, align 8, !tbaa !12
  %35 = fmul double %32, 2.000000e+00
  %36 = fsub double %34, %35
  %37 = getelementptr inbounds nuw i8, ptr addrspace(3) %31, i64 8
  %38 = load double, ptr addrspace(3) %37, align 8, !tbaa !12
  %39 = fadd double %36, %38
  %40 = fmul double %39, 2.500000e-01
  %41 = fadd double %32, %40
  store double %41, ptr addrspace(3) %7, align 8, !tbaa !12
  br label %42

42:                                               ; preds = %29, %28
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %14, label %43, label %56

43:                                               ; preds = %42
  %44 = sext i32 %1 to i64
  %45 = load double, ptr addrspace(3) %7, align 8, !tbaa !12
  %46 = getelementptr i8, ptr addrspace(3) %7, i64 -8
  %47 = load double, ptr addrspace(3) %46, align 8, !tbaa !12
  %48 = fmul double %45, 2.000000e+00
  %49 = fsub double %47, %48
  %50 = getelementptr inbounds nuw i8, ptr addrspace(3) %7, i64 8
  %51 = load double, ptr addrspace(3) %50, align 8, !tbaa !12
  %52 = fadd double %49, %51
  %53 = fmul double %52, 2.500000e-01
  %54 = fadd double %45, %53
  %55 = getelementptr double, ptr addrspace(3) %7, i64 %44
  store double %54, ptr addrspace(3) %55, align 8, !tbaa !12
  br label %56

56:                                               ; preds = %43, %42
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %14, label %57, label %70

57:                                               ; preds = %56
  %58 = sext i32 %1 to i64
  %59 = getelementptr double, ptr addrspace(3) %7, i64 %58
  %60 = load double, ptr addrspace(3) %59, align 8, !tbaa !12
  %61 = getelementptr i8, ptr addrspace(3) %59, i64 -8
  %62 = load double, ptr addrspace(3) %61, align 8, !tbaa !12
  %63 = fmul double %60, 2.000000e+00
  %64 = fsub double %62, %63
  %65 = getelementptr inbounds nuw i8, ptr addrspace(3) %59, i64 8
  %66 = load double, ptr addrspace(3) %65, align 8, !tbaa !12
  %67 = fadd double %64, %66
  %68 = fmul double %67, 2.500000e-01
  %69 = fadd double %60, %68
  store double %69, ptr addrspace(3) %7, align 8, !tbaa !12
  br label %70

70:                                               ; preds = %57, %56
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %14, label %71, label %84

71:                                               ; preds = %70
  %72 = sext i32 %1 to i64
  %73 = load double, ptr addrspace(3) %7, align 8, !tbaa !12
  %74 = getelementptr i8, ptr addrspace(3) %7, i64 -8
  %75 = load double, ptr addrspace(3) %74, align 8, !tbaa !12
  %76 = fmul double %73, 2.000000e+00
  %77 = fsub double %75, %76
  %78 = getelementptr inbounds nuw i8, ptr addrspace(3) %7, i64 8
  %79 = load double, ptr addrspace(3) %78, align 8, !tbaa !12
  %80 = fadd double %77, %79
  %81 = fmul double %80, 2.500000e-01
  %82 = fadd double %73, %81
  %83 = getelementptr double, ptr addrspace(3) %7, i64 %72
  store double %82, ptr addrspace(3) %83, align 8, !tbaa !12
  br label %84

84:                                               ; preds = %71, %70
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %14, label %85, label %98

85:                                               ; preds = %84
  %86 = sext i32 %1 to i64
  %87 = getelementptr double, ptr addrspace(3) %7, i64 %86
  %88 = load double, ptr addrspace(3) %87, align 8, !tbaa !12
  %89 = getelementptr i8, ptr addrspace(3) %87, i64 -8
  %90 = load double, ptr addrspace(3) %89, align 8, !tbaa !12
  %91 = fmul double %88, 2.000000e+00
  %92 = fsub double %90, %91
  %93 = getelementptr inbounds nuw i8, ptr addrspace(3) %87, i64 8
  %94 = load double, ptr addrspace(3) %93, align 8, !tbaa !12
  %95 = fadd double %92, %94
  %96 = fmul double %95, 2.500000e-01
  %97 = fadd double %88, %96
  store double %97, ptr addrspace(3) %7, align 8, !tbaa !12
  br label %98

98:                                               ; preds = %85, %84
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %14, label %99, label %112

99:                                               ; preds = %98
  %100 = sext i32 %1 to i64
  %101 = load double, ptr addrspace(3) %7, align 8, !tbaa !12
  %102 = getelementptr i8, ptr addrspace(3) %7, i64 -8
  %103 = load double, ptr addrspace(3) %102, align 8, !tbaa !12
  %104 = fmul double %101, 2.000000e+00
  %105 = fsub double %103, %104
  %106 = getelementptr inbounds nuw i8, ptr addrspace(3) %7, i64 8
  %107 = load double, ptr addrspace(3) %106, align 8, !tbaa !12
  %108 = fadd double %105, %107
  %109 = fmul double %108, 2.500000e-01
  %110 = fadd double %101, %109
  %111 = getelementptr double, ptr addrspace(3) %7, i64 %100
  store double %110, ptr addrspace(3) %111, align 8, !tbaa !12
  br label %112

112:                                              ; preds = %99, %98
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %14, label %113, label %126

113:                                              ; preds = %112
  %114 = sext i32 %1 to i64
  %115 = getelementptr double, ptr addrspace(3) %7, i64 %114
  %116 = load double, ptr addrspace(3) %115, align 8, !tbaa !12
  %117 = getelementptr i8, ptr addrspace(3) %115, i64 -8
  %118 = load double, ptr addrspace(3) %117, align 8, !tbaa !12
  %119 = fmul double %116, 2.000000e+00
  %120 = fsub double %118, %119
  %121 = getelementptr inbounds nuw i8, ptr addrspace(3) %115, i64 8
  %122 = load double, ptr addrspace(3) %121, align 8, !tbaa !12
  %123 = fadd double %120, %122
  %124 = fmul double %123, 2.500000e-01
  %125 = fadd double %116, %124
  store double %125, ptr addrspace(3) %7, align 8, !tbaa !12
  br label %126

126:                                              ; preds = %113, %112
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %127 = load double, ptr addrspace(3) %7, align 8, !tbaa !12
  store double %127, ptr %5, align 8, !tbaa !12
  ret void
}

attributes #0 = { convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8"   }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }

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
!9 = !{!10, !10, i64 0}
!10 = !{!"float", !5, i64 0}
!11 = distinct !{!11, !8}
!12 = !{!13, !13, i64 0}
!13 = !{!"double", !5, i64 0}
