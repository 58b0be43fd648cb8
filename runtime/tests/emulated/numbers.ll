; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @vectors(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, ptr noundef readonly captures(none) %2, ptr noundef writeonly captures(none) %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = zext nneg i32 %5 to i64
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %8 = zext nneg i32 %7 to i64
  %9 = mul nuw nsw i64 %6, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = zext nneg i32 %10 to i64
  %12 = add nuw nsw i64 %9, %11
  %13 = getelementptr inbounds nuw <4 x float>, ptr %0, i64 %12
  %14 = load <4 x float>, ptr %13, align 16, !tbaa !7
  %15 = fmul <4 x float> %14, splat (float 5.000000e-01)
  %16 = shufflevector <4 x float> %15, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %17 = fadd <4 x float> %14, %16
  %18 = getelementptr inbounds nuw <4 x float>, ptr %1, i64 %12
  store <4 x float> %17, ptr %18, align 16, !tbaa !7
  %19 = getelementptr inbounds nuw <2 x double>, ptr %2, i64 %12
  %20 = load <2 x double>, ptr %19, align 16, !tbaa !7
  %21 = shufflevector <2 x double> %20, <2 x double> poison, <2 x i32> <i32 1, i32 0>
  %22 = fmul <2 x double> %20, splat (double 3.000000e+00)
  %23 = fsub <2 x double> %21, %22
  %24 = getelementptr inbounds nuw <2 x double>, ptr %3, i64 %12
  store <2 x double> %23, ptr %24, align 16, !tbaa !7
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @doubles(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = zext nneg i32 %4 to i64
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = zext nneg i32 %6 to i64
  %8 = mul nuw nsw i64 %5, %7
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %10 = zext nneg i32 %9 to i64
  %11 = add nuw nsw i64 %8, %10
  %12 = getelementptr inbounds nuw double, ptr %0, i64 %11
  %13 = load double, ptr %12, align 8, !tbaa !8
  %14 = getelementptr inbounds nuw double, ptr %1, i64 %11
  %15 = load double, ptr %14, align 8, !tbaa !8
  %16 = tail call double @llvm.fabs.f64(double %13)
  %17 = tail call double @llvm.sqrt.f64(double %16)
  %18 = fmul double %15, %15
  %19 = fadd double %18, 1.500000e+00
  %20 = fdiv double %17, %19
  %21 = tail call double @llvm.fma.f64(double %13, double %15, double %20)
  %22 = fcmp ogt double %21, 1.000000e+01
  %23 = tail call double @llvm.minnum.f64(double %21, double %13)
  %24 = tail call double @llvm.maxnum.f64(double %21, double %15)
  %25 = select i1 %22, double %23, double %24
  %26 = fsub double %13, %15
  %27 = tail call double @llvm.copysign.f64(double 2.500000e-01, double %26)
  %28 = fadd double %27, %25
  %29 = fcmp olt double %15, %13
  %30 = fneg double %13
  %31 = select i1 %29, double 1.000000e+00, double %30
  %32 = fadd double %31, %28
  %33 = getelementptr inbounds nuw double, ptr %2, i64 %11
  store double %32, ptr %33, align 8, !tbaa !8
  ret void
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fabs.f64(double) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.sqrt.f64(double) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fma.f64(double, double, double) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.minnum.f64(double, double) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.maxnum.f64(double, double) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.copysign.f64(double, double) #2

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @integers(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2, ptr noundef readonly captures(none) %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = zext nneg i32 %5 to i64
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %8 = zext nneg i32 %7 to i64
  %9 = mul nuw nsw i64 %6, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = zext nneg i32 %10 to i64
  %12 = add nuw nsw i64 %9, %11
  %13 = getelementptr inbounds nuw i32, ptr %0, i64 %12
  %14 = load i32, ptr %13, align 4, !tbaa !3
  %15 = getelementptr inbounds nuw i32, ptr %1, i64 %12
  %16 = load i32, ptr %15, align 4, !tbaa !3
  %17 = getelementptr inbounds nuw i64, ptr %3, i64 %12
  %18 = load i64, ptr %17, align 8, !tbaa !10
  %19 = or i32 %16, 1
  %20 = freeze i32 %14
  %21 = freeze i32 %19
  %22 = sdiv i32 %20, %21
  %23 = mul i32 %22, %21
  %24 = sub i32 %20, %23
  %25 = add nsw i32 %24, %22
  %26 = sext i32 %25 to i64
  %27 = freeze i32 %14
  %28 = freeze i32 %19
  %29 = udiv i32 %27, %28
  %30 = zext i32 %29 to i64
  %31 = shl nuw nsw i64 %30, 7
  %32 = mul i32 %29, %28
  %33 = sub i32 %27, %32
  %34 = zext i32 %33 to i64
  %35 = xor i64 %34, %26
  %36 = xor i64 %35, %31
  %37 = sext i32 %19 to i64
  %38 = sdiv i64 %18, %37
  %39 = srem i64 %18, 1000003
  %40 = sub i64 %38, %39
  %41 = add nsw i64 %40, %36
  %42 = or i32 %14, 1
  %43 = zext i32 %42 to i64
  %44 = udiv i64 %18, %43
  %45 = or i32 %16, 3
  %46 = zext i32 %45 to i64
  %47 = urem i64 %18, %46
  %48 = add i64 %47, %44
  %49 = xor i64 %41, %48
  %50 = sext i32 %14 to i64
  %51 = sext i32 %16 to i64
  %52 = mul nsw i64 %51, %50
  %53 = and i32 %16, 31
  %54 = ashr i32 %14, %53
  %55 = sext i32 %54 to i64
  %56 = add nsw i64 %52, %55
  %57 = shl i32 %14, %53
  %58 = zext i32 %57 to i64
  %59 = add nsw i64 %56, %58
  %60 = zext i64 %18 to i128
  %61 = zext i32 %14 to i128
  %62 = mul nuw nsw i128 %60, %61
  %63 = lshr i128 %62, 64
  %64 = trunc nuw nsw i128 %63 to i64
  %65 = tail call range(i32 0, 33) i32 @llvm.ctpop.i32(i32 %14)
  %66 = mul nuw nsw i32 %65, 3
  %67 = tail call range(i32 0, 32) i32 @llvm.ctlz.i32(i32 %42, i1 true)
  %68 = mul nuw nsw i32 %67, 5
  %69 = or i64 %18, 16
  %70 = tail call range(i64 0, 5) i64 @llvm.cttz.i64(i64 %69, i1 true)
  %71 = trunc nuw nsw i64 %70 to i32
  %72 = tail call i32 @llvm.bswap.i32(i32 %14)
  %73 = add i32 %66, %72
  %74 = add i32 %73, %68
  %75 = add i32 %74, %71
  %76 = zext i32 %75 to i64
  %77 = tail call i32 @llvm.smin.i32(i32 %14, i32 %16)
  %78 = tail call i32 @llvm.umax.i32(i32 %14, i32 %16)
  %79 = xor i32 %77, %78
  %80 = zext i32 %79 to i64
  %81 = add nsw i64 %59, %80
  %82 = add nsw i64 %81, %64
  %83 = add nsw i64 %82, %76
  %84 = add i64 %83, %49
  %85 = tail call i32 @llvm.fshl.i32(i32 %14, i32 %14, i32 5)
  %86 = zext i32 %85 to i64
  %87 = tail call i64 @llvm.fshl.i64(i64 %18, i64 %18, i64 53)
  %88 = add i64 %87, %86
  %89 = xor i64 %84, %88
  %90 = getelementptr inbounds nuw i64, ptr %2, i64 %12
  store i64 %89, ptr %90, align 8, !tbaa !10
  ret void
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctpop.i32(i32) #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.ctlz.i32(i32, i1 immarg) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.cttz.i64(i64, i1 immarg) #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.bswap.i32(i32) #2

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @conversions(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = zext nneg i32 %4 to i64
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = zext nneg i32 %6 to i64
  %8 = mul nuw nsw i64 %5, %7
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %10 = zext nneg i32 %9 to i64
  %11 = add nuw nsw i64 %8, %10
  %12 = getelementptr inbounds nuw float, ptr %0, i64 %11
  %13 = load float, ptr %12, align 4, !tbaa !12
  %14 = getelementptr inbounds nuw double, ptr %1, i64 %11
  %15 = load double, ptr %14, align 8, !tbaa !8
  %16 = fptosi float %13 to i32
  %17 = sext i32 %16 to i64
  %18 = fptosi double %15 to i64
  %19 = mul nsw i64 %18, 3
  %20 = tail call float @llvm.fabs.f32(float %13)
  %21 = fptoui float %20 to i32
  %22 = zext i32 %21 to i64
  %23 = fptosi double %15 to i32
  %24 = zext i32 %23 to i64
  %25 = shl i64 %24, 48
  %26 = ashr exact i64 %25, 48
  %27 = and i32 %16, 255
  %28 = zext nneg i32 %27 to i64
  %29 = tail call float @llvm.rint.f32(float %13)
  %30 = fmul float %29, 8.000000e+00
  %31 = fptosi float %30 to i64
  %32 = tail call double @llvm.floor.f64(double %15)
  %33 = fptosi double %32 to i64
  %34 = tail call float @llvm.ceil.f32(float %13)
  %35 = fptosi float %34 to i64
  %36 = tail call double @llvm.trunc.f64(double %15)
  %37 = fptosi double %36 to i64
  %38 = sub i64 %17, %35
  %39 = add i64 %38, %33
  %40 = add i64 %39, %31
  %41 = add i64 %40, %37
  %42 = add i64 %41, %19
  %43 = add i64 %42, %22
  %44 = add i64 %43, %28
  %45 = add i64 %44, %26
  %46 = fptrunc double %15 to float
  %47 = sitofp i64 %45 to float
  %48 = fadd float %46, %47
  %49 = trunc i64 %45 to i32
  %50 = uitofp i32 %49 to float
  %51 = fadd float %48, %50
  %52 = uitofp i64 %45 to float
  %53 = fadd float %51, %52
  %54 = fpext float %13 to double
  %55 = sitofp i64 %45 to double
  %56 = fsub double %54, %55
  %57 = uitofp i32 %49 to double
  %58 = fadd double %56, %57
  %59 = bitcast float %53 to i32
  %60 = sext i32 %59 to i64
  %61 = bitcast double %58 to i64
  %62 = xor i64 %61, %60
  %63 = xor i64 %62, %45
  %64 = getelementptr inbounds nuw i64, ptr %2, i64 %11
  store i64 %63, ptr %64, align 8, !tbaa !10
  ret void
}

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.rint.f32(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.floor.f64(double) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.ceil.f32(float) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.trunc.f64(double) #2

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @bytes(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2, ptr noundef writeonly captures(none) %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = zext nneg i32 %5 to i64
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %8 = zext nneg i32 %7 to i64
  %9 = mul nuw nsw i64 %6, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = zext nneg i32 %10 to i64
  %12 = add nuw nsw i64 %9, %11
  %13 = getelementptr inbounds nuw i8, ptr %0, i64 %12
  %14 = load i8, ptr %13, align 1, !tbaa !7
  %15 = zext i8 %14 to i16
  %16 = getelementptr inbounds nuw i16, ptr %1, i64 %12
  %17 = load i16, ptr %16, align 2, !tbaa !14
  %18 = mul nuw nsw i16 %15, 3
  %19 = add i16 %18, %17
  %20 = trunc i16 %19 to i8
  %21 = getelementptr inbounds nuw i8, ptr %2, i64 %12
  store i8 %20, ptr %21, align 1, !tbaa !7
  %22 = sdiv i16 %17, 3
  %23 = sext i8 %14 to i16
  %24 = sub nsw i16 %22, %23
  %25 = getelementptr inbounds nuw i16, ptr %3, i64 %12
  store i16 %24, ptr %25, align 2, !tbaa !14
  ret void
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smin.i32(i32, i32) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umax.i32(i32, i32) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fshl.i32(i32, i32, i32) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.fshl.i64(i64, i64, i64) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #3

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8"   }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

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
!7 = !{!5, !5, i64 0}
!8 = !{!9, !9, i64 0}
!9 = !{!"double", !5, i64 0}
!10 = !{!11, !11, i64 0}
!11 = !{!"long", !5, i64 0}
!12 = !{!13, !13, i64 0}
!13 = !{!"float", !5, i64 0}
!14 = !{!15, !15, i64 0}
!15 = !{!"short", !5, i64 0}
