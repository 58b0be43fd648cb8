//===- fills.cpp - Fills whose first element stands before them ------------===//
//
// Consumes: a working copy with loops in simplified and closed form. Where C++ makes a container of
// a number of elements, its library makes the first one, and the others after it:
//
//     *begin = x;                                  at = begin;
//     if (count != 1)                              while (at != end)
//       for (at = begin + 1; at != end; at++)          *at++ = x;
//         *at = x;                       becomes
//
// Produces: one loop over all of them, which runs through a grid's rows as other loops do. That of
// no elements the first one is not made, and the loop not reached, the source has asked before: it
// would not end. Refuses other values, and questions that are about something else.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "turns.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// A loop that stores one value to every element up to an end.
struct Fill {
  PHINode *At;
  StoreInst *Each;
  Value *End;
  /// Bytes of an element.
  int64_t Size;
};

std::optional<Fill> findFill(const Loop &L) {
  BasicBlock *Header = L.getHeader(), *Body = L.getLoopLatch();
  if (!L.isInnermost() || L.getNumBlocks() != 2 || !Body || Body == Header ||
      !L.getLoopPreheader() || !L.getExitBlock() || range_size(Header->phis()) != 1)
    return std::nullopt;
  PHINode &At = *Header->phis().begin();
  Fill F{&At, nullptr, nullptr, 0};
  CmpPredicate P;
  auto *Ends = dyn_cast<BranchInst>(Header->getTerminator());
  if (!At.getType()->isPointerTy() || !Ends || !Ends->isConditional() ||
      !match(Ends->getCondition(), m_c_ICmp(P, m_Specific(&At), m_Value(F.End))) ||
      !ICmpInst::isEquality(P) || !L.isLoopInvariant(F.End) ||
      L.contains(Ends->getSuccessor(P == ICmpInst::ICMP_EQ ? 0 : 1)))
    return std::nullopt;
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : *B) {
      auto *Store = dyn_cast<StoreInst>(&I);
      if (Store && !F.Each && Store->isSimple() && Store->getPointerOperand() == &At &&
          L.isLoopInvariant(Store->getValueOperand()))
        F.Each = Store;
      else if (I.mayReadOrWriteMemory() || I.mayHaveSideEffects())
        return std::nullopt;
    }
  if (!F.Each)
    return std::nullopt;
  const DataLayout &DL = Body->getDataLayout();
  F.Size = DL.getTypeStoreSize(F.Each->getValueOperand()->getType()).getFixedValue();
  APInt Step(64, 0);
  const Value *From =
      At.getIncomingValueForBlock(Body)->stripAndAccumulateConstantOffsets(DL, Step, true);
  if (From != &At || Step != F.Size)
    return std::nullopt;
  return F;
}

/// What an index of elements is where `X` is `C`, if it is made of `X` alone.
std::optional<int64_t> valueWhere(const Value *Index, const Value *X, int64_t C) {
  const Value *Of;
  const APInt *Shift;
  if (Index == X)
    return C;
  if (match(Index, m_CombineOr(m_SExt(m_Value(Of)), m_ZExt(m_Value(Of)))))
    return valueWhere(Of, X, C);
  if (match(Index, m_Shr(m_Specific(X), m_APInt(Shift))) && Shift->ult(8))
    return C >> Shift->getZExtValue();
  return std::nullopt;
}

/// Where `X` is `C`, there is one element from `Begin` to `End`.
bool isOne(const Value *X, const Value *C, const Value *Begin, const Value *End, int64_t Size,
           const DataLayout &DL) {
  auto *GEP = dyn_cast<GEPOperator>(End);
  auto *Is = dyn_cast<ConstantInt>(C);
  if (!GEP || !Is || GEP->getNumIndices() != 1 || GEP->getPointerOperand() != Begin ||
      !Is->getValue().isStrictlyPositive() || Is->getValue().getActiveBits() > 31)
    return false;
  auto Count = valueWhere(GEP->idx_begin()->get(), X, Is->getSExtValue());
  int64_t Step = DL.getTypeAllocSize(GEP->getSourceElementType()).getFixedValue();
  return Count && *Count * Step == Size;
}

/// The value that a phi has when it is reached through a block.
const Value *cameFrom(const PHINode &Phi, const BasicBlock *B) {
  return throughExits(Phi.getIncomingValueForBlock(B));
}

/// The element before the fill, and the branch that goes past the loop where it is the only one.
struct First {
  StoreInst *Store;
  BranchInst *Asks;
};

/// `From` and what follows it, up to the loop, do nothing after the store.
StoreInst *lastStore(BasicBlock &B) {
  for (Instruction &I : reverse(B)) {
    if (auto *Store = dyn_cast<StoreInst>(&I))
      return Store;
    if (I.mayReadOrWriteMemory() || I.mayHaveSideEffects())
      return nullptr;
  }
  return nullptr;
}

bool doesNothing(const BasicBlock &B) {
  return none_of(B, [](const Instruction &I) {
    return I.mayReadOrWriteMemory() || I.mayHaveSideEffects();
  });
}

/// Past the loop, where `X` is `C`, values are those that it would leave of the one element.
bool leavesTheSame(const BasicBlock &Behind, const BasicBlock *Past, const BasicBlock *Exit,
                   const Fill &F, const Value *Second, const Value *X, const Value *C) {
  return all_of(Behind.phis(), [&](const PHINode &Phi) {
    const Value *Skips = cameFrom(Phi, Past), *Runs = cameFrom(Phi, Exit);
    return Skips == Runs || (Runs == X && Skips == C) ||
           ((Runs == F.At || Runs == F.End) && (Skips == Second || Skips == F.End));
  });
}

std::optional<First> findFirst(const Loop &L, const Fill &F, Value *&Begin) {
  BasicBlock *Before = L.getLoopPreheader(), *Exit = L.getExitBlock();
  const DataLayout &DL = Before->getDataLayout();
  Value *Second = F.At->getIncomingValueForBlock(Before);
  APInt Offset(64, 0);
  Begin = Second->stripAndAccumulateConstantOffsets(DL, Offset, true);
  if (Offset != F.Size)
    return std::nullopt;
  BasicBlock *From = Before;
  First Found{lastStore(*From), nullptr};
  while (!Found.Store && doesNothing(*From) && From->getSinglePredecessor()) {
    BasicBlock *Above = From->getSinglePredecessor();
    auto *Branch = dyn_cast<BranchInst>(Above->getTerminator());
    if (!Branch || (Branch->isConditional() && Found.Asks))
      return std::nullopt;
    if (Branch->isConditional()) {
      Found.Asks = Branch;
      BasicBlock *Past = Branch->getSuccessor(Branch->getSuccessor(0) == From ? 1 : 0);
      CmpPredicate P;
      Value *X, *C;
      if (!match(Branch->getCondition(), m_ICmp(P, m_Value(X), m_Value(C))) ||
          P != (Branch->getSuccessor(0) == Past ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE) ||
          !isOne(X, C, Begin, F.End, F.Size, DL) || !doesNothing(*Exit) ||
          Past != Exit->getSingleSuccessor() || !leavesTheSame(*Past, Above, Exit, F, Second, X, C))
        return std::nullopt;
    }
    From = Above;
    Found.Store = lastStore(*From);
  }
  if (!Found.Store || !Found.Store->isSimple() || Found.Store->getPointerOperand() != Begin ||
      Found.Store->getValueOperand() != F.Each->getValueOperand())
    return std::nullopt;
  return Found;
}

} // namespace

PreservedAnalyses FillsFromTheFirst::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    auto Of = findFill(*L);
    Value *Begin = nullptr;
    auto Before = Of ? findFirst(*L, *Of, Begin) : std::nullopt;
    if (!Before)
      continue;
    Of->At->setIncomingValueForBlock(L->getLoopPreheader(), Begin);
    Before->Store->eraseFromParent();
    if (BranchInst *Asks = Before->Asks) {
      BasicBlock *Behind = L->getExitBlock()->getSingleSuccessor();
      unsigned Into = Asks->getSuccessor(0) == Behind ? 1 : 0;
      Behind->removePredecessor(Asks->getParent(), /*KeepOneInputPHIs=*/true);
      BranchInst::Create(Asks->getSuccessor(Into), Asks->getIterator())
          ->setDebugLoc(Asks->getDebugLoc());
      Asks->eraseFromParent();
    }
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
