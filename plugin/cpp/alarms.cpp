//===- alarms.cpp - What a sweep does in case of an alarm --------------------===//
//
// Consumes: a working copy with loops in simplified and closed form. Sweeps look at what they
// compute, and say, or stop, where that is no longer what it should be:
//
//     for (t = 0; t < steps; t++) {
//         for (i = 1; i < n - 1; i++) {
//             v[i] = ...;
//             if (isnan(v[i])) { fprintf(stderr, ...); exit(1); }
//         }
//         swap(u, v);
//     }
//
// Produces: the same, with one number more that the sweep leaves: the largest of zeros, and of NaNs
// where there is an alarm, which no comparison passes over.
//
//         worst = 0;
//         for (i = 1; i < n - 1; i++) {
//             v[i] = ...;
//             alarm = hexpass.alarm(isnan(v[i]));
//             if (isnan(v[i])) { hexpass.alarmed(); fprintf(...); exit(1); }
//             worst = !(alarm <= worst) ? alarm : worst;
//         }
//         hexpass.heard(worst);
//
// Sweeps that run ahead (stretch_reduce.cpp) do without the blocks behind `hexpass.alarmed`; a step
// whose result is a NaN is the original's, which says what it has to, when its turn has come.
//
// An alarm is the side of a condition on data that leaves the time loop, or that calls for what it
// does to others, such as output, and hands on nothing that it was given. Refuses sides that leave
// the sweep alone, and conditions on counters and sizes that may well hold in every step (`i == 7`).
//
//===----------------------------------------------------------------------===//

#include "alarms.h"
#include "look.h"
#include "stretches.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// A NaN where the condition holds, else zero. Of single precision with a suffix, as what follows.
constexpr StringLiteral AlarmName = "hexpass.alarm";
/// Stands where an alarmed block begins.
constexpr StringLiteral AlarmedName = "hexpass.alarmed";
/// Uses what a sweep leaves of its alarms.
constexpr StringLiteral HeardName = "hexpass.heard";
constexpr StringLiteral Single = ".f32";

/// Instructions that a condition or an address is followed through.
constexpr unsigned MostParts = 64;

bool calls(const Value *V, StringRef Name) {
  auto *Call = dyn_cast<CallInst>(V);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  StringRef Called = Callee ? Callee->getName() : "";
  return Called.consume_front(Name) && (Called.empty() || Called == Single);
}

/// The name for numbers of this type.
std::string nameFor(StringRef Name, const Type *T) {
  return (T->isFloatTy() ? Name + Single : Twine(Name)).str();
}

FunctionCallee declare(Module &M, StringRef Name, Type *Result, ArrayRef<Type *> Arguments) {
  FunctionCallee Callee =
      M.getOrInsertFunction(Name, FunctionType::get(Result, Arguments, /*isVarArg=*/false));
  auto *F = cast<Function>(Callee.getCallee());
  F->setDoesNotThrow();
  F->setWillReturn();
  // What has a result only computes. Convergent: behind the branch it would say nothing.
  if (!Result->isVoidTy()) {
    F->setDoesNotAccessMemory();
    F->addFnAttr(Attribute::Speculatable);
    F->setConvergent();
  } else {
    F->setOnlyAccessesInaccessibleMemory();
  }
  return Callee;
}

/// Others see what it does, or it does not come back.
bool isHeardOutside(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && !isa<IntrinsicInst>(Call) && !calls(Call, AlarmedName) &&
         !isMathematics(*Call) && Call->mayHaveSideEffects();
}

using Edge = std::pair<BasicBlock *, BasicBlock *>;

/// The alarms of one innermost loop.
class Alarms {
public:
  Alarms(Loop &L, LoopInfo &LI, DominatorTree &DT, ScalarEvolution &SE)
      : L(L), LI(LI), DT(DT), SE(SE) {}

  /// Whether there are any, and a sweep around them that can say so.
  bool find();
  void raise();

private:
  bool asksData(const Value *Condition, bool Numbers) const;
  bool asksBounds(const Value *Condition) const;
  bool follows(const Value *Address, const Loop &Around) const;
  bool isOfGrid(const Loop &Around) const;
  bool handsOnNothing(function_ref<bool(const BasicBlock *)> IsSide) const;
  bool isAlarm(BasicBlock *From, BasicBlock *To) const;
  bool addWaysTo(BasicBlock *Speaks);
  bool findSweep();
  Type *type() const;
  Value *alarmAt(BasicBlock *From, BasicBlock *To) const;
  Instruction *blockBetween(BasicBlock *From, BasicBlock *To) const;

  Loop &L;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution &SE;
  SmallSetVector<Edge, 4> Ways;
  Loop *Sweep = nullptr;
  BasicBlock *Behind = nullptr;
};

/// The condition is made of something that each iteration reads; `Numbers`: and compares as
/// floating-point numbers.
bool Alarms::asksData(const Value *Condition, bool Numbers) const {
  SmallSetVector<const Value *, 16> Parts;
  Parts.insert(Condition);
  bool Compares = !Numbers;
  auto IsNumber = [](const Value *V) { return V->getType()->isFloatingPointTy(); };
  for (unsigned At = 0; At < Parts.size() && At < MostParts; ++At) {
    auto *I = dyn_cast<Instruction>(Parts[At]);
    if (!I || !L.contains(I) || (isa<PHINode>(I) && I->getParent() == L.getHeader()))
      continue;
    Compares |= isa<FCmpInst>(I) || (isa<CallBase>(I) && any_of(I->operand_values(), IsNumber));
    auto *Load = dyn_cast<LoadInst>(I);
    if (Load && Compares && !Load->getType()->isPointerTy() &&
        !SE.isLoopInvariant(SE.getSCEV(const_cast<Value *>(Load->getPointerOperand())), &L))
      return true;
    Parts.insert_range(I->operand_values());
  }
  return false;
}

/// The condition only says on which side of something the sweep's counters lie: a check of an
/// index, which should never fail.
bool Alarms::asksBounds(const Value *Condition) const {
  auto Counts = [&](Value *V) {
    return SE.isSCEVable(V->getType()) && SCEVExprContains(SE.getSCEV(V), [&](const SCEV *Part) {
      auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
      return Counter && Sweep->contains(Counter->getLoop());
    });
  };
  SmallSetVector<const Value *, 16> Parts;
  Parts.insert(Condition);
  for (unsigned At = 0; At < Parts.size(); ++At) {
    auto *I = dyn_cast<Instruction>(Parts[At]);
    if (!I || Parts.size() > MostParts)
      return false;
    const Value *X, *Y;
    if (match(I, m_LogicalOr(m_Value(X), m_Value(Y))) ||
        match(I, m_LogicalAnd(m_Value(X), m_Value(Y))))
      Parts.insert_range(ArrayRef({X, Y}));
    else if (auto *Compare = dyn_cast<ICmpInst>(I);
             !Compare || !Compare->isRelational() || none_of(Compare->operands(), Counts))
      return false;
  }
  return true;
}

/// What is called on the side gives nothing that is used elsewhere, so that nobody needs it who
/// does without.
bool Alarms::handsOnNothing(function_ref<bool(const BasicBlock *)> IsSide) const {
  return all_of(L.blocks(), [&](BasicBlock *B) {
    return !IsSide(B) || all_of(*B, [&](Instruction &I) {
      return !isa<CallBase>(I) || all_of(I.users(), [&](const User *U) {
        return IsSide(cast<Instruction>(U)->getParent()) && !isa<PHINode>(U);
      });
    });
  });
}

/// A condition on data, or a check of an index, whose other side goes on.
bool Alarms::isAlarm(BasicBlock *From, BasicBlock *To) const {
  auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
  return L.contains(From) && Branch && Branch->isConditional() &&
         Branch->getSuccessor(0) != Branch->getSuccessor(1) &&
         L.contains(Branch->getSuccessor(Branch->getSuccessor(0) == To)) &&
         (asksData(Branch->getCondition(), /*Numbers=*/false) ||
          asksBounds(Branch->getCondition()));
}

/// The innermost such condition under which the block is reached, or several that lead to it. False
/// if there is none.
bool Alarms::addWaysTo(BasicBlock *Speaks) {
  for (BasicBlock *At = Speaks; At != L.getHeader();) {
    if (!At->getSinglePredecessor() &&
        all_of(predecessors(At), [&](BasicBlock *From) { return isAlarm(From, At); })) {
      for (BasicBlock *From : predecessors(At))
        Ways.insert({From, At});
      return handsOnNothing([&](const BasicBlock *B) { return DT.dominates(At, B); });
    }
    BasicBlock *From = DT.getNode(At)->getIDom()->getBlock();
    for (BasicBlock *To : successors(From)) {
      BasicBlockEdge Side(From, To);
      if (!DT.dominates(Side, Speaks) || !isAlarm(From, To))
        continue;
      Ways.insert({From, To});
      return handsOnNothing([&](const BasicBlock *B) { return DT.dominates(Side, B); });
    }
    At = From;
  }
  return false;
}

/// The address moves with the loop, or is one that is read at such an address.
bool Alarms::follows(const Value *Address, const Loop &Around) const {
  SmallSetVector<const Value *, 8> Addresses;
  Addresses.insert(Address);
  for (unsigned At = 0; At < Addresses.size() && At < MostParts; ++At) {
    const SCEV *S = SE.getSCEV(const_cast<Value *>(Addresses[At]));
    bool Moves = SCEVExprContains(S, [&](const SCEV *Part) {
      auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
      if (Counter && Counter->getLoop() == &Around)
        return true;
      auto *Unknown = dyn_cast<SCEVUnknown>(Part);
      if (auto *Load = Unknown ? dyn_cast<LoadInst>(Unknown->getValue()) : nullptr)
        Addresses.insert(Load->getPointerOperand());
      return false;
    });
    if (Moves)
      return true;
  }
  return false;
}

/// The loop goes along the grid: what the innermost one reads or writes moves with it.
bool Alarms::isOfGrid(const Loop &Around) const {
  return any_of(L.blocks(), [&](BasicBlock *B) {
    return any_of(*B, [&](Instruction &I) {
      const Value *Address = getLoadStorePointerOperand(&I);
      return Address && follows(Address, Around);
    });
  });
}

/// The outermost of the loops along the grid, and where it goes on.
bool Alarms::findSweep() {
  for (Loop *At = &L; At && isOfGrid(*At); At = At->getParentLoop())
    Sweep = At;
  if (!Sweep || !Sweep->getParentLoop() || !Sweep->getLoopPreheader())
    return false;
  SmallVector<BasicBlock *, 4> Exits;
  Sweep->getUniqueExitBlocks(Exits);
  erase_if(Exits, [&](BasicBlock *B) { return !Sweep->getParentLoop()->contains(B); });
  Behind = Exits.size() == 1 ? Exits[0] : nullptr;
  return Behind && Behind->getFirstInsertionPt() != Behind->end();
}

bool Alarms::find() {
  if (!L.getLoopLatch() || !L.getParentLoop() || !findSweep())
    return false;
  for (BasicBlock *B : L.blocks())
    if (any_of(*B, isHeardOutside) && !addWaysTo(B))
      return false;
  SmallVector<Loop::Edge, 4> Exits;
  L.getExitEdges(Exits);
  for (auto [From, To] : Exits) {
    auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    if (Branch && Branch->isConditional() && !Sweep->getParentLoop()->contains(To) &&
        asksData(Branch->getCondition(), /*Numbers=*/true))
      Ways.insert({const_cast<BasicBlock *>(From), To});
  }
  return !Ways.empty();
}

/// As wide as what the sweep works on, so that as many elements fit into a vector.
Type *Alarms::type() const {
  LLVMContext &C = L.getHeader()->getContext();
  bool Double = any_of(L.blocks(), [](BasicBlock *B) {
    return any_of(*B, [](Instruction &I) {
      return getLoadStorePointerOperand(&I) && getLoadStoreType(&I)->isDoubleTy();
    });
  });
  return Double ? Type::getDoubleTy(C) : Type::getFloatTy(C);
}

/// Before the branch that decides.
Value *Alarms::alarmAt(BasicBlock *From, BasicBlock *To) const {
  auto *Branch = cast<BranchInst>(From->getTerminator());
  IRBuilder<> B(Branch);
  Value *Condition = Branch->getCondition();
  if (Branch->getSuccessor(1) == To)
    Condition = B.CreateNot(Condition);
  Type *T = type();
  FunctionCallee Alarm =
      declare(*From->getModule(), nameFor(AlarmName, T), T, {B.getInt1Ty()});
  return B.CreateCall(Alarm, {Condition});
}

/// The end of a block of its own for one of two ways, which may lead out of the loop.
Instruction *Alarms::blockBetween(BasicBlock *From, BasicBlock *To) const {
  auto *Between = BasicBlock::Create(From->getContext(), "alarmed", From->getParent(), To);
  auto *Goes = BranchInst::Create(To, Between);
  Goes->setDebugLoc(From->getTerminator()->getDebugLoc());
  From->getTerminator()->replaceSuccessorWith(To, Between);
  To->replacePhiUsesWith(From, Between);
  Loop *Both = LI.getLoopFor(To);
  while (Both && !Both->contains(From))
    Both = Both->getParentLoop();
  if (Both)
    Both->addBasicBlockToLoop(Between, LI);
  return Goes;
}

void Alarms::raise() {
  Function &F = *L.getHeader()->getParent();
  Module &M = *F.getParent();
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  Type *T = type();
  AllocaInst *Alarm = B.CreateAlloca(T), *Worst = B.CreateAlloca(T);
  Value *None = ConstantFP::get(T, 0.0);
  B.SetInsertPoint(Sweep->getLoopPreheader()->getTerminator());
  B.CreateStore(None, Worst);
  B.SetInsertPoint(L.getHeader(), L.getHeader()->getFirstInsertionPt());
  B.CreateStore(None, Alarm);
  for (auto [From, To] : Ways) {
    Value *Here = alarmAt(From, To);
    B.SetInsertPoint(From->getTerminator());
    // What stands alone need not be added up.
    B.CreateStore(Ways.size() == 1 ? Here : B.CreateFAdd(B.CreateLoad(T, Alarm), Here), Alarm);
    B.SetInsertPoint(blockBetween(From, To));
    markAlarmed(B);
  }
  B.SetInsertPoint(L.getLoopLatch()->getTerminator());
  Value *Now = B.CreateLoad(T, Alarm), *Before = B.CreateLoad(T, Worst);
  B.CreateStore(B.CreateSelect(B.CreateFCmpUGT(Now, Before), Now, Before), Worst);
  B.SetInsertPoint(Behind, Behind->getFirstInsertionPt());
  B.CreateCall(declare(M, nameFor(HeardName, T), B.getVoidTy(), {T}), {B.CreateLoad(T, Worst)});
  DT.recalculate(F);
  PromoteMemToReg({Alarm, Worst}, DT);
}

/// Where `Condition` is so, what is said holds, or one of what it is made of.
bool isSaid(const Value *Condition, bool Holds, const Value *Said) {
  auto *One = dyn_cast<CmpInst>(Said), *Other = dyn_cast<CmpInst>(Condition);
  bool Inverse = One && Other && One->getPredicate() == Other->getInversePredicate() &&
                 equal(One->operands(), Other->operands());
  const Value *X, *Y;
  return (Holds && Said == Condition) ||
         (!Holds && (Inverse || match(Said, m_Not(m_Specific(Condition))))) ||
         (match(Said, m_LogicalOr(m_Value(X), m_Value(Y))) &&
          (isSaid(Condition, Holds, X) || isSaid(Condition, Holds, Y)));
}

/// The same of any that is said.
bool isRaised(const Value *Condition, bool Holds, ArrayRef<const Value *> Said) {
  if (any_of(Said, [&](const Value *One) { return isSaid(Condition, Holds, One); }))
    return true;
  const Value *X, *Y;
  if (match(Condition, m_Not(m_Value(X))))
    return isRaised(X, !Holds, Said);
  bool Or = match(Condition, m_LogicalOr(m_Value(X), m_Value(Y)));
  if (!Or && !match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y))))
    return false;
  bool First = isRaised(X, Holds, Said), Second = isRaised(Y, Holds, Said);
  return Or == Holds ? First && Second : First || Second;
}

} // namespace

PreservedAnalyses RaiseAlarms::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  bool Changed = false;
  // They have been raised before.
  if (!alarmedBlocks(F).empty())
    return PreservedAnalyses::all();
  for (Loop *L : LI.getLoopsInPreorder()) {
    Alarms Found(*L, LI, DT, SE);
    if (!L->isInnermost() || !Found.find())
      continue;
    Found.raise();
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

bool isAlarmed(const BasicBlock &B) {
  return any_of(B, [](const Instruction &I) { return calls(&I, AlarmedName); });
}

void markAlarmed(IRBuilderBase &B) {
  Module &M = *B.GetInsertBlock()->getModule();
  B.CreateCall(declare(M, AlarmedName, B.getVoidTy(), {}));
}

bool isHeard(const Instruction &I) { return calls(&I, HeardName); }

SmallVector<BranchInst *, 2> waysInto(BasicBlock &Alarmed) {
  SmallVector<BranchInst *, 2> Ways;
  for (BasicBlock *From : predecessors(&Alarmed)) {
    auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
    SmallVector<const Value *, 2> Said;
    for (const Instruction &I : *From)
      if (calls(&I, AlarmName))
        Said.push_back(cast<CallInst>(I).getArgOperand(0));
    if (!Branch || !Branch->isConditional() ||
        Branch->getSuccessor(0) == Branch->getSuccessor(1) ||
        !isRaised(Branch->getCondition(), Branch->getSuccessor(0) == &Alarmed, Said))
      return {};
    Ways.push_back(Branch);
  }
  return Ways;
}

SmallVector<BasicBlock *, 2> alarmedBlocks(Function &F) {
  SmallVector<BasicBlock *, 2> Found;
  for (BasicBlock &B : F)
    if (isAlarmed(B))
      Found.push_back(&B);
  return Found;
}

void expectNoAlarm(Function &F) {
  for (BasicBlock *Alarmed : alarmedBlocks(F))
    for (BranchInst *Branch : waysInto(*Alarmed)) {
      BasicBlock *From = Branch->getParent();
      BasicBlock *Other = Branch->getSuccessor(Branch->getSuccessor(0) == Alarmed);
      Alarmed->removePredecessor(From);
      BranchInst::Create(Other, From)->setDebugLoc(Branch->getDebugLoc());
      Branch->eraseFromParent();
    }
  EliminateUnreachableBlocks(F);
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (calls(&I, AlarmName)) {
      IRBuilder<> B(&I);
      Type *T = I.getType();
      I.replaceAllUsesWith(B.CreateSelect(cast<CallInst>(I).getArgOperand(0),
                                          ConstantFP::getNaN(T), ConstantFP::get(T, 0.0)));
      I.eraseFromParent();
    }
}

void silenceAlarms(Function &F) {
  SmallVector<WeakTrackingVH, 8> Unused;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    bool Hears = calls(&I, HeardName);
    if (Hears)
      Unused.push_back(cast<CallInst>(I).getArgOperand(0));
    if (calls(&I, AlarmName)) {
      Unused.push_back(cast<CallInst>(I).getArgOperand(0));
      I.replaceAllUsesWith(ConstantFP::get(I.getType(), 0.0));
    } else if (!Hears && !calls(&I, AlarmedName)) {
      continue;
    }
    I.eraseFromParent();
  }
  for (WeakTrackingVH &V : Unused)
    if (auto *Phi = dyn_cast_or_null<PHINode>(static_cast<Value *>(V)))
      RecursivelyDeleteDeadPHINode(Phi);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Unused);
  for (StringRef Name : {AlarmName, AlarmedName, HeardName})
    for (StringRef Suffix : {StringRef(), StringRef(Single)})
      if (Function *Declared = F.getParent()->getFunction((Name + Suffix).str());
          Declared && Declared->use_empty())
        Declared->eraseFromParent();
}

} // namespace hexpass
