//===- target.cpp - What a function is compiled for, and the verifier -----===//
//
// Consumes: functions and modules. Produces: facts about their target, and the
// verifier's verdict as text. The target's own description answers what a CPU
// name implies, so no table of names is kept here.
//
//===----------------------------------------------------------------------===//

#include "internal.h"
#include "llvm/ADT/FloatingPointMode.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace hexpass;

static StringRef attribute(const Function &F, StringRef Name) {
  return F.getFnAttribute(Name).getValueAsString();
}

static ShimAnswer answer(bool Yes) { return Yes ? ShimYes : ShimNo; }

ShimAnswer shim_has_fma(LLVMValueRef Of) {
  auto &F = *cast<Function>(llvm::unwrap(Of));
  const Triple &T = F.getParent()->getTargetTriple();
  if (T.isAArch64())
    return ShimYes;
  if (!T.isX86())
    return ShimUnknown;
  std::string Error;
  const Target *Described = TargetRegistry::lookupTarget(T, Error);
  if (!Described)
    return ShimUnknown;
  std::unique_ptr<MCSubtargetInfo> Info(Described->createMCSubtargetInfo(
      T, attribute(F, "target-cpu"), attribute(F, "target-features")));
  if (!Info)
    return ShimUnknown;
  return answer(Info->checkFeatures("+fma") || Info->checkFeatures("+fma4"));
}

void shim_target_cpu(LLVMValueRef F, ShimSink Sink, void *State) {
  put(Sink, State, attribute(*cast<Function>(llvm::unwrap(F)), "target-cpu"));
}

void shim_target_features(LLVMValueRef F, ShimSink Sink, void *State) {
  put(Sink, State,
      attribute(*cast<Function>(llvm::unwrap(F)), "target-features"));
}

static ShimDenormal denormal(DenormalMode::DenormalModeKind Kind) {
  switch (Kind) {
  case DenormalMode::IEEE:
    return ShimDenormalIEEE;
  case DenormalMode::PreserveSign:
    return ShimDenormalPreserveSign;
  case DenormalMode::PositiveZero:
    return ShimDenormalPositiveZero;
  default:
    return ShimDenormalDynamic;
  }
}

// By hand, not by Function::getDenormalMode: that one names LLVM's data, and a
// host of another major lacks it (see lazy.cpp).
ShimDenormalMode shim_denormal_mode(LLVMValueRef Of, unsigned Bits) {
  auto &F = *cast<Function>(llvm::unwrap(Of));
  DenormalMode Mode = F.getDenormalModeRaw();
  if (Bits == 32 && F.getDenormalModeF32Raw().isValid())
    Mode = F.getDenormalModeF32Raw();
  return {denormal(Mode.Output), denormal(Mode.Input)};
}

/// Exceptions are only put by and raised again, as flang does around procedures that use the IEEE
/// modules.
static bool putsBy(const CallBase &Asks) {
  return all_of(Asks.users(), [](const User *U) {
    auto *Call = dyn_cast<CallBase>(U);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee &&
           (Callee->getName() == "feclearexcept" || Callee->getName() == "feraiseexcept");
  });
}

bool shim_watches_fp(LLVMValueRef Of) {
  const Module &M = *cast<Function>(llvm::unwrap(Of))->getParent();
  auto IsUsed = [&](StringRef Name) {
    const Function *F = M.getFunction(Name);
    return F && any_of(F->users(), [](const User *U) {
             auto *Call = dyn_cast<CallBase>(U);
             return !Call || !putsBy(*Call) || Call->getType()->isVoidTy();
           });
  };
  constexpr StringLiteral Ways[] = {"fetestexcept",      "fegetexceptflag",  "_FortranAfetestexcept",
                                    "llvm.set.rounding", "llvm.set.fpmode.i32", "llvm.reset.fpmode"};
  return any_of(Ways, IsUsed);
}

bool shim_verify_function(LLVMValueRef F, ShimSink Sink, void *State) {
  std::string Text;
  raw_string_ostream OS(Text);
  bool Broken = verifyFunction(*cast<Function>(llvm::unwrap(F)), &OS);
  put(Sink, State, Text);
  return !Broken;
}

bool shim_verify_module(LLVMModuleRef M, ShimSink Sink, void *State) {
  std::string Text;
  raw_string_ostream OS(Text);
  bool Broken = verifyModule(*llvm::unwrap(M), &OS);
  put(Sink, State, Text);
  return !Broken;
}

void shim_print_value(LLVMValueRef V, ShimSink Sink, void *State) {
  std::string Text;
  raw_string_ostream OS(Text);
  llvm::unwrap(V)->print(OS);
  put(Sink, State, Text);
}
