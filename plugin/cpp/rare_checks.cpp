//===- rare_checks.cpp - Rare paths known when a step begins ---------------===//
//
// Consumes: a loop in simplified form and branches of it that lead to rare paths. What some of
// them ask is said by variables that change on rare paths only: whether there is storage to work
// in, or how long it is.
//
//     for (...) {
//         ...
//         if (!have) v = allocate(), have = true;
//
// Produces: one question at the beginning of a step, so that no step is left in its middle, and
// sweeps before that place and behind it stand together:
//
//     for (...) {
//         if (!have) goto rare;
//         ...
//
// Numbers that each step sets to what does not change (the size of what the last step left) are
// asked for as well: from the second step on they are that. What each step asks may change with the
// steps: whether there is room for one more value (`trace.push_back(u[r])`).
//
//===----------------------------------------------------------------------===//

#include "rare_checks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// Operations that a condition is made of, at most, one upon the other.
constexpr unsigned MaxDepth = 6;

} // namespace

bool RareChecks::isRare(const BasicBlock *From, const BasicBlock *To) const {
  return any_of(All, [&](const Edge &E) { return E.first == From && E.second == To; });
}

/// What a value is where no rare path is taken.
Value *RareChecks::usual(Value *V) const {
  SmallPtrSet<Value *, 8> Seen;
  for (;;) {
    auto *Phi = dyn_cast<PHINode>(V);
    if (!Phi || !L.contains(Phi) || Phi->getParent() == L.getHeader() || !Seen.insert(V).second)
      return V;
    Value *One = nullptr;
    for (auto [From, In] : zip(Phi->blocks(), Phi->incoming_values())) {
      if (!Usual.contains(From) || isRare(From, Phi->getParent()) || In == Phi)
        continue;
      if (One && One != In)
        return V;
      One = In;
    }
    if (!One)
      return V;
    V = One;
  }
}

/// How long what a step has made is, if its end is said by its beginning and what does not change;
/// another value is itself.
Value *RareChecks::lengthOf(Value *V) const {
  Value *End, *Begin;
  if (!match(V, m_Sub(m_PtrToInt(m_Value(End)), m_PtrToInt(m_Value(Begin)))))
    return V;
  auto *To = dyn_cast<GEPOperator>(usual(End));
  if (!To || To->getNumIndices() != 1 || usual(To->getPointerOperand()) != usual(Begin) ||
      !L.isLoopInvariant(*To->idx_begin()))
    return V;
  IRBuilder<> B(L.getLoopPreheader()->getTerminator());
  const DataLayout &DL = B.GetInsertBlock()->getDataLayout();
  Value *Count = B.CreateSExtOrTrunc(*To->idx_begin(), V->getType());
  return B.CreateMul(Count, ConstantInt::get(V->getType(),
                                             DL.getTypeAllocSize(To->getSourceElementType())));
}

void RareChecks::findSteady() {
  auto Next = [&](PHINode &Phi) {
    return lengthOf(usual(Phi.getIncomingValueForBlock(L.getLoopLatch())));
  };
  for (PHINode &Phi : L.getHeader()->phis())
    if (Next(Phi) == &Phi)
      Stays.insert(&Phi);
  for (PHINode &Phi : L.getHeader()->phis()) {
    Value *To = Next(Phi);
    auto *From = dyn_cast<PHINode>(To);
    // Equal pointers need not be the same.
    if (Phi.getType()->isIntegerTy() && (L.isLoopInvariant(To) || (From && Stays.contains(From))))
      Settles.push_back({&Phi, To});
  }
  for (auto [Phi, To] : Settles)
    Stays.insert(Phi);
}

/// No step that takes no rare path comes to its end without it.
bool RareChecks::isAskedAlways(const BasicBlock *Asks) const {
  return !blocksOfStep(L, All, L.getHeader(), Asks).contains(L.getLoopLatch());
}

/// It can be said when a step begins: of what changes with the steps, too, if each asks.
bool RareChecks::isKnown(Value *V, bool Always) const {
  SmallVector<std::pair<Value *, unsigned>, 8> Work{{V, 0}};
  while (!Work.empty()) {
    auto [Of, Depth] = Work.pop_back_val();
    Of = usual(Of);
    auto *I = dyn_cast<Instruction>(Of);
    if (!I || L.isLoopInvariant(I) ||
        (isa<PHINode>(I) && I->getParent() == L.getHeader() &&
         (Always || Stays.contains(cast<PHINode>(I)))))
      continue;
    if (isa<PHINode>(I) || I->mayReadOrWriteMemory() || Depth == MaxDepth ||
        (isa<CallBase>(I) && !isa<IntrinsicInst>(I)) || !isSafeToSpeculativelyExecute(I))
      return false;
    for (Value *Operand : I->operands())
      Work.push_back({Operand, Depth + 1});
  }
  return true;
}

Value *RareChecks::copyOf(Value *V, Instruction *At) {
  V = usual(V);
  auto *I = dyn_cast<Instruction>(V);
  if (!I || L.isLoopInvariant(I) || isa<PHINode>(I))
    return V;
  Instruction *Copy = I->clone();
  for (Use &U : Copy->operands())
    U.set(copyOf(U, At));
  Copy->insertBefore(At->getIterator());
  Copy->dropUBImplyingAttrsAndMetadata();
  return Copy;
}

void RareChecks::bringForward(SmallVectorImpl<Edge> &Rare) {
  SmallVector<Edge, 8> Before(Rare.begin(), Rare.end());
  All = Before;
  Usual = blocksOfStep(L, All, L.getHeader());
  findSteady();
  auto ConditionOf = [](const Edge &E) {
    return cast<BranchInst>(E.first->getTerminator())->getCondition();
  };
  copy_if(Before, std::back_inserter(Known), [&](const Edge &E) {
    return Usual.contains(E.first) && isKnown(ConditionOf(E), isAskedAlways(E.first));
  });
  if (Known.empty()) {
    Settles.clear();
    Stays.clear();
    return;
  }
  BasicBlock *Header = L.getHeader(), *Asks, *Goes;
  auto InLoop = make_filter_range(successors(Header), [&](BasicBlock *B) { return L.contains(B); });
  auto *Ends = dyn_cast<BranchInst>(Header->getTerminator());
  if (Ends && Ends->isConditional() && range_size(InLoop) == 1 &&
      !isRare(Header, *InLoop.begin())) {
    Goes = *InLoop.begin();
    Asks = SplitEdge(Header, Goes, &DT, &LI);
    Goes = Asks->getSingleSuccessor();
  } else {
    Goes = SplitBlock(Header, Header->getFirstInsertionPt(), &DT, &LI);
    Asks = Header;
    for (auto *Edges : {&Rare, static_cast<SmallVectorImpl<Edge> *>(&Known)})
      for (Edge &E : *Edges)
        if (E.first == Header)
          E.first = Goes;
  }
  auto *Slow = BasicBlock::Create(Header->getContext(), "seldom", Header->getParent(), Goes);
  L.addBasicBlockToLoop(Slow, LI);
  BranchInst::Create(Goes, Slow);
  for (PHINode &Phi : Goes->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(Asks), Slow);
  Instruction *End = Asks->getTerminator();
  IRBuilder<> B(End);
  Value *Usually = B.getTrue();
  for (const Edge &E : Known) {
    Value *Condition = B.CreateFreeze(copyOf(ConditionOf(E), End));
    bool IfTrue = E.first->getTerminator()->getSuccessor(0) == E.second;
    Usually = B.CreateAnd(Usually, IfTrue ? B.CreateNot(Condition) : Condition);
  }
  for (auto [Phi, To] : Settles)
    Usually = B.CreateAnd(Usually, B.CreateFreeze(B.CreateICmpEQ(Phi, To)));
  B.CreateCondBr(Usually, Goes, Slow)->setDebugLoc(
      Known.front().first->getTerminator()->getDebugLoc());
  End->eraseFromParent();
  DT.insertEdge(Asks, Slow);
  DT.insertEdge(Slow, Goes);
  erase_if(Rare, [&](const Edge &E) { return is_contained(Known, E); });
  Rare.push_back({Asks, Slow});
}

void RareChecks::settle() {
  for (auto [From, To] : Known) {
    auto *Branch = cast<BranchInst>(From->getTerminator());
    BasicBlock *Stays = Branch->getSuccessor(Branch->getSuccessor(0) == To ? 1 : 0);
    To->removePredecessor(From, /*KeepOneInputPHIs=*/true);
    BranchInst::Create(Stays, Branch->getIterator())->setDebugLoc(Branch->getDebugLoc());
    Branch->eraseFromParent();
  }
  for (PHINode *Phi : Stays) {
    Phi->replaceAllUsesWith(Phi->getIncomingValueForBlock(L.getLoopPreheader()));
    Phi->eraseFromParent();
  }
}

} // namespace hexpass
