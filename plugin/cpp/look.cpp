//===- look.cpp - May a function hold a time loop? ------------------------===//
//
// Consumes: functions as the host has them, also unoptimised ones with all
// variables in memory. Produces: yes or no, in time linear in the code.
//
// Why: a working copy with all callees inlined costs about what the host's own
// clean-up costs, and nearly no function of an ordinary program holds a grid.
//
// A sweep is a loop that reads and writes numbers at computed addresses, and
// calls nothing unknown; a time loop has one inside, or calls one. Whatever else
// they must be is seen in the copy.
//
//===----------------------------------------------------------------------===//

#include "look.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace hexpass {

void Deeds::add(const Deeds &Other) {
  Read |= Other.Read;
  Written |= Other.Written;
  ReadForCaller |= Other.ReadForCaller;
  WrittenForCaller |= Other.WrittenForCaller;
  Swept |= Other.Swept;
  Computes |= Other.Computes;
  Opaque |= Other.Opaque;
}

unsigned Deeds::sweep() const {
  // A structure of numbers is of use to who computes with numbers.
  auto OfFloats = [&](unsigned Set) {
    return Set & (1 << Floats) || (Computes && Set & (1 << Structures));
  };
  unsigned Both = Read & Written & (1 << Integers);
  return Both | ((OfFloats(Read) && OfFloats(Written)) << Floats);
}

namespace {

/// Pointers that lead to pointers, at most so many.
constexpr unsigned MaxChain = 16;

/// A local variable may be set somewhere in the loop.
bool isSetIn(const AllocaInst &Variable, const Loop *Around) {
  return any_of(Variable.users(), [&](const User *U) {
    auto *I = cast<Instruction>(U);
    return !isa<LoadInst>(I) && !I->isLifetimeStartOrEnd() &&
           Around->contains(I);
  });
}

/// A local variable holds what the caller gave, and nothing else ever.
bool holdsArgument(const AllocaInst &Variable) {
  return all_of(Variable.users(), [](const User *U) {
    auto *Store = dyn_cast<StoreInst>(U);
    return isa<LoadInst>(U) || cast<Instruction>(U)->isLifetimeStartOrEnd() ||
           (Store && isa<Argument>(Store->getValueOperand()));
  });
}

/// How an address changes from one iteration to the next.
enum class Motion { Fixed, CallersOwn, Moving };

/// Without a loop around, what comes from the caller moves as it does there.
Motion motion(const Value *Address, const Loop *Around) {
  Motion Outside = Around ? Motion::Fixed : Motion::CallersOwn;
  for (unsigned I = 0; I < MaxChain; ++I) {
    Address = Address->stripPointerCasts();
    if (auto *GEP = dyn_cast<GEPOperator>(Address)) {
      if (!GEP->hasAllConstantIndices())
        return Motion::Moving;
      Address = GEP->getPointerOperand();
      continue;
    }
    if (isa<AllocaInst>(Address) || isa<Constant>(Address))
      return Motion::Fixed;
    if (isa<Argument>(Address))
      return Outside;
    auto *Load = dyn_cast<LoadInst>(Address);
    if (!Load)
      return Motion::Moving;
    if (auto *Variable = dyn_cast<AllocaInst>(
            getUnderlyingObject(Load->getPointerOperand()))) {
      if (Around)
        return isSetIn(*Variable, Around) ? Motion::Moving : Motion::Fixed;
      return holdsArgument(*Variable) ? Motion::CallersOwn : Motion::Moving;
    }
    Address = Load->getPointerOperand();
  }
  return Motion::Moving;
}

/// Notes an access.
void note(Deeds &D, Kind What, bool Writes, const Value *Address,
          const Loop *Around) {
  switch (motion(Address, Around)) {
  case Motion::Fixed:
    break;
  case Motion::Moving:
    (Writes ? D.Written : D.Read) |= 1 << What;
    break;
  case Motion::CallersOwn:
    (Writes ? D.WrittenForCaller : D.ReadForCaller) |= 1 << What;
    break;
  }
}

/// Numbers in, number out, as the functions of libm.
bool isMath(const Function &F) {
  auto IsNumber = [](Type *T) {
    return T->isFloatingPointTy() || T->isIntegerTy();
  };
  FunctionType *T = F.getFunctionType();
  return T->getReturnType()->isFloatingPointTy() && !T->isVarArg() &&
         all_of(T->params(), IsNumber);
}

/// The start of one of OpenMP's parallel regions.
bool isFork(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->getName().starts_with("__kmpc_fork");
}

/// The blocks from which the function returns: others end in a failure.
SmallPtrSet<const BasicBlock *, 32> returning(const Function &F) {
  SmallPtrSet<const BasicBlock *, 32> Found;
  SmallVector<const BasicBlock *, 32> Work;
  for (const BasicBlock &B : F)
    if (isa<ReturnInst>(B.getTerminator()))
      Work.push_back(&B);
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (Found.insert(B).second)
      append_range(Work, predecessors(B));
  }
  return Found;
}

} // namespace

bool Look::mayHoldTimeLoop(Function &F) {
  if (F.isDeclaration())
    return false;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  return any_of(LI, [&](const Loop *L) { return mayHoldTimeLoop(*L); });
}

bool Look::mayHoldTimeLoop(const Loop &L) {
  if (of(L).Swept)
    return true;
  // A sweep of the function's own that is hopeless is still told about.
  return any_of(L, [&](const Loop *Inner) {
    return of(*Inner).sweep() & (1 << Floats) || mayHoldTimeLoop(*Inner);
  });
}

bool Look::isAside(Function &F) {
  Deeds D = of(F);
  return D.Opaque && !D.Swept;
}

/// What a loop does; swept is what the loops inside it sweep.
Deeds Look::of(const Loop &L) {
  Deeds All;
  for (const Loop *Inner : L)
    All.Swept |= ofSweep(*Inner);
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B)
      All.add(of(I, &L));
  return All;
}

/// What a loop sweeps, or the loops inside it.
unsigned Look::ofSweep(const Loop &L) {
  Deeds D = of(L);
  return D.Swept | (D.Opaque || endsOnNumbers(L) ? 0 : D.sweep());
}

/// Whether to go on depends on floating numbers, as in sorting and searching.
bool Look::endsOnNumbers(const Loop &L) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  return any_of(Exiting, [&](BasicBlock *B) {
    auto *Branch = dyn_cast<BranchInst>(B->getTerminator());
    return Branch && Branch->isConditional() &&
           asksNumbers(Branch->getCondition(), MaxChain);
  });
}

bool Look::asksNumbers(Value *Condition, unsigned Depth) {
  if (isa<FCmpInst>(Condition))
    return true;
  auto *I = dyn_cast<Instruction>(Condition);
  if (!I || Depth == 0)
    return false;
  if (auto *Call = dyn_cast<CallBase>(I)) {
    Function *Callee = Call->getCalledFunction();
    if (!Callee || Callee->isDeclaration())
      return false;
    Deeds D = of(*Callee);
    return D.Computes || ((D.Read | D.ReadForCaller) & (1 << Floats));
  }
  return (isa<CastInst>(I) || isa<BinaryOperator>(I) || isa<ICmpInst>(I)) &&
         any_of(I->operands(),
                [&](Value *V) { return asksNumbers(V, Depth - 1); });
}

Deeds Look::of(Function &F) {
  auto [It, New] = Known.try_emplace(&F);
  if (!New)
    return It->second;
  // What calls itself stays a call.
  It->second.Opaque = true;
  Deeds All;
  auto Lives = returning(F);
  for (BasicBlock &B : F)
    if (Lives.contains(&B))
      for (Instruction &I : B)
        All.add(of(I, nullptr));
  DominatorTree DT(F);
  LoopInfo LI(DT);
  for (const Loop *L : LI)
    All.Swept |= ofSweep(*L);
  // Integers are everywhere: what only prepares them is not looked into.
  if (All.Opaque)
    All.Swept &= ~(1 << Integers);
  return Known[&F] = All;
}

Deeds Look::of(Instruction &I, const Loop *Around) {
  if (auto *Call = dyn_cast<CallBase>(&I))
    return of(*Call, Around);
  Deeds D;
  D.Opaque = I.isVolatile() || I.isAtomic();
  bool Reads = isa<LoadInst>(I);
  if (!Reads && !isa<StoreInst>(I)) {
    D.Computes = isa<BinaryOperator>(I) && I.getType()->isFPOrFPVectorTy();
    return D;
  }
  Type *T = getLoadStoreType(&I)->getScalarType();
  if (T->isFloatingPointTy() || T->isIntegerTy())
    note(D, T->isIntegerTy() ? Integers : Floats, !Reads,
         getLoadStorePointerOperand(&I), Around);
  return D;
}

Deeds Look::of(CallBase &Call, const Loop *Around) {
  Deeds D;
  if (auto *Copy = dyn_cast<AnyMemTransferInst>(&Call)) {
    if (isa<ConstantInt>(Copy->getLength())) {
      note(D, Structures, /*Writes=*/false, Copy->getRawSource(), Around);
      note(D, Structures, /*Writes=*/true, Copy->getRawDest(), Around);
    }
    return D;
  }
  if (isa<IntrinsicInst>(Call)) {
    D.Computes = Call.getType()->isFPOrFPVectorTy();
    return D;
  }
  Function *Callee = Call.getCalledFunction();
  if (Callee && !Callee->isDeclaration())
    return ofCallee(Call, *Callee, Around);
  D.Opaque = !Call.doesNotReturn() && !Call.doesNotAccessMemory() &&
             !(Callee && (BodiesElsewhere || isMath(*Callee)));
  // OpenMP's runtime is called with the function that it calls.
  if (isFork(Call))
    for (Value *Argument : Call.args())
      if (auto *Region = dyn_cast<Function>(Argument))
        D.add(of(*Region));
  return D;
}

Deeds Look::ofCallee(CallBase &Call, Function &Callee, const Loop *Around) {
  Deeds D = of(Callee);
  Motion Most = Motion::Fixed;
  for (Value *Argument : Call.args())
    if (Argument->getType()->isPointerTy() && Most != Motion::Moving)
      Most = std::max(Most, motion(Argument, Around));
  if (Most == Motion::Moving) {
    D.Read |= D.ReadForCaller;
    D.Written |= D.WrittenForCaller;
  }
  if (Most != Motion::CallersOwn)
    D.ReadForCaller = D.WrittenForCaller = 0;
  return D;
}

//===----------------------------------------------------------------------===//
// The second look
//===----------------------------------------------------------------------===//

namespace {

/// The address grows with the counter of `L`. An index of few bits comes round.
bool growsWith(const SCEV *S, const Loop *L) {
  return SCEVExprContains(S, [&](const SCEV *Part) {
    auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
    return Counter && Counter->getLoop() == L;
  }) && !SCEVExprContains(S, [](const SCEV *Part) {
    return isa<SCEVTruncateExpr>(Part) || isa<SCEVUDivExpr>(Part) ||
           (Part->getType()->isIntegerTy() &&
            Part->getType()->getIntegerBitWidth() <= 8);
  });
}

bool isNumber(const Instruction &I) {
  Type *T = getLoadStoreType(&I)->getScalarType();
  return T->isFloatingPointTy() || T->isIntegerTy();
}

/// Some store of a loop inside `L` goes to the same place each time, or to one
/// near which `L` has read elsewhere: the history of an earlier step.
bool mayRepeat(const Loop &L, ScalarEvolution &SE) {
  SmallVector<const SCEV *, 16> Stored, Loaded;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (isFork(*Call) || (isa<MemIntrinsic>(I) && !L.isInnermost()))
          return true;
      if (L.isInnermost() || (!isa<LoadInst>(I) && !isa<StoreInst>(I)) || !isNumber(I))
        continue;
      const SCEV *Address = SE.getSCEV(getLoadStorePointerOperand(&I));
      if (isa<LoadInst>(I))
        Loaded.push_back(Address);
      else if (growsWith(Address, &L))
        Stored.push_back(Address);
      else
        return true;
    }
  return any_of(Stored, [&](const SCEV *S) {
    return any_of(Loaded, [&](const SCEV *Other) {
      return S != Other && SE.getPointerBase(S) == SE.getPointerBase(Other);
    });
  });
}

} // namespace

bool mayHoldTimeLoop(Function &Copy, FunctionAnalysisManager &FAM) {
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(Copy);
  return any_of(FAM.getResult<LoopAnalysis>(Copy).getLoopsInPreorder(),
                [&](const Loop *L) { return mayRepeat(*L, SE); });
}

} // namespace hexpass
