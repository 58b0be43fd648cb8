//===- rare_loops.cpp - Rare paths that loops lead to ----------------------===//
//
// Consumes: a loop in simplified form in which steps ask in several places, by loops too, whether
// they may do without what is hardly ever done (nested_vectors.cpp and call_targets.cpp, where
// there is side code; fortran_assign.cpp, fortran_sections.cpp, fortran_moves.cpp):
//
//     for (...) {
//         for (row : rows) if (size(u[row]) != size(v[row])) goto rare;
//         ...
//         if (t % 100 == 0) write(u);
//     }
//
// Produces: all questions at the beginning of a step, so that none is left in its middle, and what
// stands between two of them stands together:
//
//     for (...) {
//         for (row : rows) if (size(u[row]) != size(v[row])) goto rare;
//         for (...) ...
//         ...
//
// Refuses questions that are not asked in every step that takes no rare path, and about memory that
// such a step may have written when it asks. A step that ends before it asks looks at nothing that
// may not be there: an absent argument's descriptor has no address, which is asked first.
//
//===----------------------------------------------------------------------===//

#include "rare_loops.h"
#include "fortran_descriptors.h"
#include "step_storage.h"
#include "touches.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Operations that a question is made of, at most, one upon the other: that whether two arrays of
/// three dimensions are alike has half as many.
constexpr unsigned MaxDepth = 40;

Value *conditionOf(const Edge &E) {
  return cast<BranchInst>(E.first->getTerminator())->getCondition();
}

} // namespace

bool RareLoops::isRare(const BasicBlock *From, const BasicBlock *To) const {
  return any_of(All, [&](const Edge &E) { return E.first == From && E.second == To; });
}

/// Blocks of a step that takes no rare path, before it comes to `Until`.
Blocks RareLoops::reached(const BasicBlock *Until) const {
  return blocksOfStep(L, All, L.getHeader(), Until);
}

/// What leads to where arrays are allocated anew, and loops that ask; where the loop has side code,
/// whatever is seldom. Beside arrays, all else that is rare, such as storage for what is computed
/// of them, may be asked in the same place.
bool RareLoops::findQuestions(bool HasSideCode) {
  bool OfArrays = false;
  auto LeadsTo = [&](BasicBlock *B, function_ref<bool(const BasicBlock &)> What) {
    for (unsigned Steps = 0; B && Steps < 4; ++Steps, B = B->getSingleSuccessor())
      if (What(*B))
        return true;
    return false;
  };
  auto Allocates = [](const BasicBlock &B) {
    return any_of(B, [](const Instruction &I) { return mayAllocateAnew(I); });
  };
  ReversePostOrderTraversal<Function *> Order(L.getHeader()->getParent());
  auto Find = [&](bool Others) {
    Questions.clear();
    for (BasicBlock *B : Order)
      for (const Edge &E : All) {
        if (E.first != B)
          continue;
        bool Anew = LeadsTo(E.second, Allocates);
        OfArrays |= Anew;
        bool Asked = Anew || (HasSideCode && LeadsTo(E.second, isSeldomReached));
        if (!Asked && !Others)
          continue;
        Loop *Asks = LI.getLoopFor(B);
        while (Asks != &L && Asks->getParentLoop() != &L)
          Asks = Asks->getParentLoop();
        if (Asks != &L && !Questions.empty() && Questions.back().Asks == Asks)
          Questions.back().Away.push_back(E);
        else
          Questions.push_back({Asks == &L ? nullptr : Asks, {E}, !Asked});
      }
  };
  Find(/*Others=*/false);
  if (OfArrays)
    Find(/*Others=*/true);
  return !Questions.empty();
}

/// No step comes to its end without it.
bool RareLoops::isAskedAlways(const BasicBlock *B) const {
  return !reached(B).contains(L.getLoopLatch());
}

/// A step may end, or the program, before it comes to `B`.
bool RareLoops::mayEndBefore(const BasicBlock *B) const {
  return any_of(reached(B), [&](BasicBlock *Before) {
    bool Leaves = Before != L.getHeader() &&
                  any_of(successors(Before), [&](BasicBlock *To) { return !L.contains(To); });
    return Leaves || any_of(*Before, [](const Instruction &I) {
             return isa<CallBase>(I) && !isGuaranteedToTransferExecutionToSuccessor(&I);
           });
  });
}

/// A variable of the program's, or a descriptor that it was handed, and the place in it.
static const Value *variableOf(const LoadInst &Load) {
  const DataLayout &DL = Load.getDataLayout();
  APInt Offset(64, 0);
  const Value *Of =
      Load.getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, true);
  constexpr uint64_t BytesOfDescriptor = LowerAt + MostDimensions * DimensionBytes;
  uint64_t Bytes = isa<Argument>(Of) ? BytesOfDescriptor : 0;
  if (auto *Local = dyn_cast<AllocaInst>(Of)) {
    auto Size = Local->getAllocationSize(DL);
    Bytes = Size && !Size->isScalable() ? Size->getFixedValue() : 0;
  } else if (auto *Global = dyn_cast<GlobalVariable>(Of)) {
    bool IsThere = Global->getValueType()->isSized() && !Global->hasExternalWeakLinkage();
    Bytes = IsThere ? DL.getTypeAllocSize(Global->getValueType()).getFixedValue() : 0;
  }
  uint64_t End = Offset.getZExtValue() + DL.getTypeStoreSize(Load.getType());
  return Offset.isNonNegative() && End <= Bytes ? Of : nullptr;
}

/// The argument that a step which may end first must not look into if it is none.
Argument *RareLoops::absent(const LoadInst &Load) const {
  auto *A = dyn_cast_or_null<Argument>(const_cast<Value *>(variableOf(Load)));
  return A && !A->hasNonNullAttr() && mayEndBefore(Load.getParent()) ? A : nullptr;
}

/// It can be loaded when a step begins: that surely comes to where it is loaded, or it is of what
/// is there in any case.
bool RareLoops::isThere(const LoadInst &Load) const {
  return variableOf(Load) || !mayEndBefore(Load.getParent());
}

/// What it loads may be another value when the step begins.
bool RareLoops::changes(const LoadInst &Load) const {
  if (!Load.isSimple())
    return true;
  auto Where = MemoryLocation::getBeforeOrAfter(getUnderlyingObject(Load.getPointerOperand()),
                                                Load.getAAMetadata());
  BatchAAResults Batch(AA);
  SmallPtrSet<const BasicBlock *, 32> Before;
  auto Writes = [&](const BasicBlock &B) {
    for (const Instruction &I : B) {
      if (&I == &Load)
        break;
      auto *Says = dyn_cast<IntrinsicInst>(&I);
      if (!(Says && Says->isAssumeLikeIntrinsic()) && mayChange(I, Where, Batch))
        return true;
    }
    return false;
  };
  // Those that lead to it in the same step.
  SmallVector<const BasicBlock *, 16> Work{Load.getParent()};
  while (!Work.empty()) {
    const BasicBlock *B = Work.pop_back_val();
    if (!Before.insert(B).second)
      continue;
    if (Writes(*B))
      return true;
    if (B == L.getHeader())
      continue;
    for (const BasicBlock *From : predecessors(B))
      if (Usual.contains(const_cast<BasicBlock *>(From)) && !isRare(From, B))
        Work.push_back(From);
  }
  return false;
}

/// What a value is where no rare path is taken.
Value *RareLoops::usual(Value *V) const {
  for (unsigned Steps = 0; Steps < MaxDepth; ++Steps) {
    auto *Phi = dyn_cast<PHINode>(V);
    if (!Phi || !L.contains(Phi) || Phi->getParent() == L.getHeader())
      return V;
    Value *One = nullptr;
    for (auto [From, In] : zip(Phi->blocks(), Phi->incoming_values())) {
      if (!Usual.contains(From) || isRare(From, Phi->getParent()) || In == One)
        continue;
      if (One)
        return V;
      One = In;
    }
    if (!One)
      return V;
    V = One;
  }
  return V;
}

/// It can be said when a step begins.
bool RareLoops::isKnown(Value *V, unsigned Depth) const {
  auto *I = dyn_cast<Instruction>(usual(V));
  if (!I || !L.contains(I) || Said.contains(I))
    return true;
  if (Depth == MaxDepth)
    return false;
  if (auto *Phi = dyn_cast<PHINode>(I))
    return Phi->getParent() == L.getHeader();
  if (auto *Load = dyn_cast<LoadInst>(I)) {
    if (!isAskedAlways(Load->getParent()) || changes(*Load) || !isThere(*Load))
      return false;
  } else if (I->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(I)) {
    return false;
  }
  if (!all_of(I->operands(), [&](Value *Of) { return isKnown(Of, Depth + 1); }))
    return false;
  Said.insert(I);
  return true;
}

bool RareLoops::isKnown(const Question &Q) const {
  if (!Q.Asks)
    return isAskedAlways(Q.Away.front().first) && isKnown(conditionOf(Q.Away.front()));
  BasicBlock *Before = Q.Asks->getLoopPreheader();
  if (!Before || !isAskedAlways(Before) || !Q.Asks->hasDedicatedExits())
    return false;
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Ways;
  Q.Asks->getExitEdges(Ways);
  unsigned On = 0;
  for (auto [From, To] : Ways)
    On += !is_contained(Q.Away, Edge(From, To));
  if (On != 1 || Ways.size() != Q.Away.size() + 1)
    return false;
  return all_of(Q.Asks->blocks(), [&](BasicBlock *B) {
    return all_of(*B, [&](Instruction &I) {
      auto *Load = dyn_cast<LoadInst>(&I);
      bool Itself = Load ? !changes(*Load) : !I.mayReadOrWriteMemory() && !isa<CallBase>(I);
      return Itself && all_of(I.operands(), [&](Value *Of) {
               auto *From = dyn_cast<Instruction>(Of);
               return (From && Q.Asks->contains(From)) || isKnown(Of);
             }) && all_of(I.users(), [&](User *U) {
               return Q.Asks->contains(cast<Instruction>(U));
             });
    });
  });
}

/// Arguments that have to be there before the value is computed when a step begins.
void RareLoops::addAbsent(Value *V, SmallSetVector<Argument *, 2> &To) const {
  auto *I = dyn_cast<Instruction>(usual(V));
  if (!I || !L.contains(I) || I->getParent() == L.getHeader() || Copies.contains(I))
    return;
  if (auto *Load = dyn_cast<LoadInst>(I))
    if (Argument *A = absent(*Load))
      To.insert(A);
  for (Value *Of : I->operands())
    addAbsent(Of, To);
}

Value *RareLoops::copyOf(Value *V, Instruction *At) {
  V = usual(V);
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || I->getParent() == L.getHeader())
    return V;
  // What has been computed for another question, or this one, stands before it.
  if (Value *Before = Copies.lookup(I))
    return Before;
  Instruction *Copy = I->clone();
  for (Use &U : Copy->operands())
    U.set(copyOf(U, At));
  Copy->insertBefore(At->getIterator());
  Copies[I] = Copy;
  return Copy;
}

/// Asks at the end of `At`, from which it goes on to where that led.
void RareLoops::ask(const Question &Q, BasicBlock *&At, BasicBlock &Slow) {
  SmallSetVector<Argument *, 2> Absent;
  if (!Q.Asks)
    addAbsent(conditionOf(Q.Away.front()), Absent);
  for (Argument *A : Absent) {
    BasicBlock *There = SplitBlock(At, At->getTerminator(), &DT, &LI);
    IRBuilder<> B(At->getTerminator());
    B.CreateCondBr(B.CreateIsNull(A), &Slow, There);
    At->getTerminator()->eraseFromParent();
    At = There;
  }
  BasicBlock *Behind = SplitBlock(At, At->getTerminator(), &DT, &LI);
  Instruction *End = At->getTerminator();
  if (!Q.Asks) {
    const Edge &E = Q.Away.front();
    bool IfTrue = E.first->getTerminator()->getSuccessor(0) == E.second;
    Value *Condition = copyOf(conditionOf(E), End);
    BranchInst::Create(IfTrue ? &Slow : Behind, IfTrue ? Behind : &Slow, Condition,
                       End->getIterator())
        ->setDebugLoc(E.first->getTerminator()->getDebugLoc());
    End->eraseFromParent();
    At = Behind;
    return;
  }
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 8> Blocks;
  Loop *Copy = cloneLoopWithPreheader(Behind, At, Q.Asks, Map, ".first", &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  BasicBlock *Before = Copy->getLoopPreheader();
  End->replaceSuccessorWith(Behind, Before);
  for (BasicBlock *B : Q.Asks->blocks()) {
    auto *Of = cast<BasicBlock>(Map[B]);
    for (BasicBlock *To : SmallPtrSet<BasicBlock *, 4>(succ_begin(B), succ_end(B)))
      if (!Q.Asks->contains(To))
        Of->getTerminator()->replaceSuccessorWith(To, is_contained(Q.Away, Edge(B, To)) ? &Slow
                                                                                       : Behind);
    for (Instruction &I : *Of)
      for (Use &U : I.operands())
        if (auto *From = dyn_cast<Instruction>(U); From && !Copy->contains(From))
          U.set(copyOf(From, Before->getTerminator()));
  }
  At = Behind;
}

void RareLoops::bringForward(SmallVectorImpl<Edge> &Rare, bool HasSideCode) {
  All.assign(Rare.begin(), Rare.end());
  Usual = reached(nullptr);
  bool Any = findQuestions(HasSideCode);
  erase_if(Questions, [&](const Question &Q) { return Q.MayStay && !isKnown(Q); });
  if (!Any || !all_of(Questions, [&](const Question &Q) { return isKnown(Q); })) {
    Questions.clear();
    return;
  }
  BasicBlock *Header = L.getHeader(), *Goes = nullptr;
  for (BasicBlock *Next : successors(Header))
    if (L.contains(Next))
      Goes = Goes ? nullptr : Next;
  if (!Goes || isRare(Header, Goes) || isa<PHINode>(Goes->front())) {
    Questions.clear();
    return;
  }
  BasicBlock *At = SplitEdge(Header, Goes, &DT, &LI);
  auto *Slow = BasicBlock::Create(Header->getContext(), "seldom", Header->getParent(), Goes);
  L.addBasicBlockToLoop(Slow, LI);
  BranchInst::Create(Goes, Slow);
  for (const Question &Q : Questions)
    ask(Q, At, *Slow);
  DT.recalculate(*Header->getParent());
  for (const Question &Q : Questions)
    erase_if(Rare, [&](const Edge &E) { return is_contained(Q.Away, E); });
  for (BasicBlock *From : predecessors(Slow))
    Rare.push_back({From, Slow});
}

void RareLoops::settle() {
  for (const Question &Q : Questions)
    for (auto [From, To] : Q.Away) {
      auto *Branch = cast<BranchInst>(From->getTerminator());
      BasicBlock *Stays = Branch->getSuccessor(Branch->getSuccessor(0) == To ? 1 : 0);
      To->removePredecessor(From, /*KeepOneInputPHIs=*/true);
      BranchInst::Create(Stays, Branch->getIterator())->setDebugLoc(Branch->getDebugLoc());
      Branch->eraseFromParent();
    }
  // What only asked does nothing any more.
  for (const Question &Q : Questions) {
    if (!Q.Asks)
      continue;
    BasicBlock *Before = Q.Asks->getLoopPreheader(), *Header = Q.Asks->getHeader();
    SmallVector<std::pair<BasicBlock *, BasicBlock *>, 2> Ways;
    Q.Asks->getExitEdges(Ways);
    if (Ways.size() != 1 || isa<PHINode>(Ways.front().second->front()))
      continue;
    Before->getTerminator()->replaceSuccessorWith(Header, Ways.front().second);
  }
}

} // namespace hexpass
