//===- deferral.cpp - Bodies kept for link time ---------------------------===//
//
// Consumes: a module in the compile step of a link-time optimisation. Produces:
// the same module whose functions that hold a time loop around calls into other
// units, or that another unit's time loop may call, still have the loads and
// stores of the source when the linker sees them.
//
// Why: a linker has no pipeline start. What it gets has been through GVN, whose
// load PRE has turned a[i-1] + a[i] + a[i+1] into values carried by phis, and
// whose loops are rotated and perhaps memcpys by now. So the compile step leaves
// these functions alone after its first clean-up (optnone), and the link does
// for them what the compile step would have done.
//
// Refuses: functions that carry an inlining or size attribute of their own that
// optnone excludes. A link without the plugin optimises the bodies by its own
// pipeline and is as correct as any other.
//
//===----------------------------------------------------------------------===//

#include "deferral.h"
#include "internal.h"
#include "stretches.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace hexpass {

namespace {

/// Why a body is deferred. The order is that of need: a driver is a body too.
constexpr StringLiteral Body = "body", Driver = "driver";
/// Remembers that a function was noinline before we said so.
constexpr StringLiteral WasNoInline = "hexpass-noinline";

bool mayBeDeferred(const Function &F) {
  return !F.isDeclaration() && !F.hasAvailableExternallyLinkage() &&
         !F.hasOptNone() && !F.hasMinSize() &&
         !F.hasFnAttribute(Attribute::OptimizeForSize) &&
         !F.hasFnAttribute(Attribute::AlwaysInline) &&
         !F.hasFnAttribute(Attribute::Naked) &&
         !F.hasFnAttribute(TakenAttribute) && !F.isPresplitCoroutine();
}

/// The call is of a function that is elsewhere, and not one of libc's or libm's.
bool isAway(const Instruction &I, const TargetLibraryInfo &TLI) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  LibFunc Known;
  return Callee && Callee->isDeclaration() && !Callee->isIntrinsic() &&
         !TLI.getLibFunc(*Callee, Known);
}

/// What one function does in its loops, as far as deferral needs to know.
struct LoopFacts {
  bool Any = false, CallsAway = false, Stores = false;
  /// Functions of this unit that it calls there.
  SmallPtrSet<const Function *, 8> Called;

  LoopFacts(Function &F, FunctionAnalysisManager &FAM) {
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &TLI = FAM.getResult<TargetLibraryAnalysis>(F);
    Any = !LI.empty();
    for (Loop *L : LI)
      for (BasicBlock *B : L->blocks())
        for (Instruction &I : *B)
          note(I, TLI);
  }

private:
  void note(Instruction &I, const TargetLibraryInfo &TLI) {
    Stores |= isa<StoreInst>(I);
    CallsAway |= isAway(I, TLI);
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && !Callee->isDeclaration())
      Called.insert(Callee);
  }
};

/// Another unit may call it by name.
bool isOffered(const Function &F) {
  return (F.hasExternalLinkage() || F.hasWeakLinkage()) &&
         F.getName() != "main";
}

void defer(Function &F, StringRef Why) {
  F.addFnAttr(DeferredAttribute, Why);
  if (F.hasFnAttribute(Attribute::NoInline))
    F.addFnAttr(WasNoInline);
  F.addFnAttr(Attribute::NoInline);
  F.addFnAttr(Attribute::OptimizeNone);
}

/// Whatever a deferred function calls in this unit has to wait with it: its
/// loops belong to the same nest.
void deferCallees(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<Function *, 8> Work{&F};
  while (!Work.empty())
    for (Instruction &I : instructions(*Work.pop_back_val())) {
      auto *Call = dyn_cast<CallBase>(&I);
      Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || !mayBeDeferred(*Callee) || !LoopFacts(*Callee, FAM).Any)
        continue;
      defer(*Callee, Body);
      Work.push_back(Callee);
    }
}

template <typename Fn> bool forDeferred(Module &M, Fn Do) {
  bool Any = false;
  for (Function &F : M)
    if (F.hasFnAttribute(DeferredAttribute)) {
      Do(F);
      Any = true;
    }
  return Any;
}

PreservedAnalyses changed(bool Any) {
  return Any ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

FunctionAnalysisManager &functions(Module &M, ModuleAnalysisManager &MAM) {
  return MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
}

} // namespace

bool callsAway(const Loop &L, const TargetLibraryInfo &TLI) {
  // flang's runtime, libstdc++, OpenMP's runtime.
  auto IsOfLibrary = [](StringRef Name) {
    return any_of(ArrayRef<StringLiteral>({"_Fortran", "_ZSt", "_ZNSt", "_ZNKSt", "_ZNSo", "__kmpc"}),
                  [&](StringRef Of) { return Name.starts_with(Of); });
  };
  return any_of(L.blocks(), [&](const BasicBlock *B) {
    return any_of(*B, [&](const Instruction &I) {
      return isAway(I, TLI) && !touchesArgumentsOnly(cast<CallBase>(I)) &&
             !IsOfLibrary(cast<CallBase>(I).getCalledFunction()->getName());
    });
  });
}

void deferLook(Function &F) { F.addFnAttr(DeferredAttribute, Driver); }

void deferNew(Module &M, const SmallPtrSetImpl<const Function *> &Before) {
  for (Function &F : M)
    if (!F.isDeclaration() &&
        (!Before.contains(&F) || F.hasFnAttribute(TakenAttribute)))
      F.addFnAttr(DeferredAttribute, Body);
}

PreservedAnalyses DeferBodies::run(Module &M, ModuleAnalysisManager &MAM) {
  FunctionAnalysisManager &FAM = functions(M, MAM);
  SmallSetVector<Function *, 16> Drivers, Bodies;
  MapVector<Function *, SmallPtrSet<const Function *, 8>> Callers;
  bool Any = false;
  for (Function &F : M) {
    bool Asked = F.hasFnAttribute(DeferredAttribute);
    F.removeFnAttr(DeferredAttribute);
    if (!mayBeDeferred(F))
      continue;
    LoopFacts Facts(F, FAM);
    if (Facts.Any && (Asked || Facts.CallsAway))
      Drivers.insert(&F);
    else if (Facts.Stores && isOffered(F))
      Bodies.insert(&F);
    if (Facts.Any)
      Callers[&F] = std::move(Facts.Called);
  }
  // Sweeps that call into other units, in functions of their own that steps call.
  for (bool Again = true; Again;) {
    Again = false;
    for (auto &[F, Called] : Callers)
      if (!Drivers.contains(F) &&
          any_of(Drivers, [&, Of = &Called](const Function *D) { return Of->contains(D); })) {
        Drivers.insert(F);
        Bodies.remove(F);
        Again = true;
      }
  }
  for (Function *F : Bodies) {
    if (!F->hasFnAttribute(DeferredAttribute))
      defer(*F, Body);
    deferCallees(*F, FAM);
    Any = true;
  }
  for (Function *F : Drivers) {
    if (!F->hasFnAttribute(DeferredAttribute))
      defer(*F, Driver);
    // A callee of another driver may be a driver itself.
    F->addFnAttr(DeferredAttribute, Driver);
    F->removeFnAttr(SeenAttribute);
    deferCallees(*F, FAM);
    Any = true;
  }
  return changed(Any);
}

PreservedAnalyses ReleaseBodies::run(Module &M, ModuleAnalysisManager &) {
  return changed(forDeferred(M, [&](Function &F) {
    F.removeFnAttr(Attribute::OptimizeNone);
    if (F.hasFnAttribute(WasNoInline))
      return;
    F.removeFnAttr(Attribute::NoInline);
    // The importer's limit on size doesn't hold for these.
    if (Import && isOffered(F))
      F.addFnAttr(Attribute::AlwaysInline);
  }));
}

PreservedAnalyses ReceiveBodies::run(Module &M, ModuleAnalysisManager &) {
  return changed(forDeferred(
      M, [](Function &F) { F.removeFnAttr(Attribute::AlwaysInline); }));
}

PreservedAnalyses SimplifyBodies::run(Module &M, ModuleAnalysisManager &MAM) {
  FunctionAnalysisManager &FAM = functions(M, MAM);
  return changed(forDeferred(M, [&](Function &F) {
    F.removeFnAttr(DeferredAttribute);
    F.removeFnAttr(WasNoInline);
    if (!F.isDeclaration())
      FAM.invalidate(F, Passes.run(F, FAM));
  }));
}

} // namespace hexpass
