//===- lengths.cpp - Containers' lengths as numbers ------------------------===//
//
// Consumes: a working copy with loops in simplified form. A container that each step makes anew
// says by two pointers how long it is, which both change from step to step:
//
//     for (...) {                                  length = end - begin;
//         length = end - begin;                    for (...) {
//         next = allocate(length);       becomes       next = allocate(length);
//         ...                                          ...
//         begin = next;                                begin = next;
//         end = next + length;                         length = (next + length) - next;
//     }                                            }
//
// Produces: the difference as a variable of its own, in which scalar clean-up sees that it stays
// the same; and of lengths that the filling of a container has counted, the number of its
// iterations. Refuses ends that are not made of the beginning of which they are the end.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <optional>
#include <utility>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// Two header phis, the first of which points behind what begins at the second one.
using Ends = std::pair<PHINode *, PHINode *>;

/// The distance of two pointers, or a question whether there is one.
std::optional<Ends> endsOf(Instruction &I) {
  Value *End, *Begin;
  CmpPredicate P;
  if (!match(&I, m_Sub(m_PtrToInt(m_Value(End)), m_PtrToInt(m_Value(Begin)))) &&
      !(match(&I, m_ICmp(P, m_Value(End), m_Value(Begin))) && ICmpInst::isEquality(P)))
    return std::nullopt;
  auto *E = dyn_cast<PHINode>(End), *B = dyn_cast<PHINode>(Begin);
  if (!E || !B || E == B || E->getParent() != B->getParent() || !E->getType()->isPointerTy())
    return std::nullopt;
  return Ends(E, B);
}

/// Two pointers that are chosen together.
bool comeTogether(const Value *End, const Value *Begin) {
  auto *E = dyn_cast<PHINode>(End), *B = dyn_cast<PHINode>(Begin);
  return E && B && E != B && E->getParent() == B->getParent();
}

/// `End` is an address in what begins at `Begin`, whichever way they come. `Assumed`: the pairs
/// that the question has led to. Inner loops lead back to them: what holds of where they begin holds in
/// all of their iterations.
bool isBehind(Value *End, Value *Begin, const BasicBlock &Header, SmallDenseSet<Ends> &Assumed) {
  if (comeTogether(End, Begin)) {
    auto *E = cast<PHINode>(End), *B = cast<PHINode>(Begin);
    return E->getParent() != &Header &&
           (!Assumed.insert({E, B}).second || all_of(E->blocks(), [&](BasicBlock *From) {
             return isBehind(E->getIncomingValueForBlock(From), B->getIncomingValueForBlock(From),
                             Header, Assumed);
           }));
  }
  while (auto *GEP = dyn_cast<GEPOperator>(End))
    End = GEP->getPointerOperand();
  return End == Begin;
}

bool isBehind(Value *End, Value *Begin, const BasicBlock &Header) {
  SmallDenseSet<Ends> Assumed;
  return isBehind(End, Begin, Header, Assumed);
}

/// Bytes from one pointer to another, at the end of a block, or where they come together: `Said`,
/// of those for which that has been written.
Value *distance(Value *End, Value *Begin, BasicBlock *At, DenseMap<Ends, PHINode *> *Said) {
  Type *Word = Type::getInt64Ty(At->getContext());
  if (Said && comeTogether(End, Begin)) {
    auto *E = cast<PHINode>(End), *B = cast<PHINode>(Begin);
    PHINode *&Either = (*Said)[{E, B}];
    if (Either)
      return Either;
    PHINode *New = Either =
        PHINode::Create(Word, E->getNumIncomingValues(), "", E->getIterator());
    for (auto [From, Value] : zip(E->blocks(), E->incoming_values()))
      New->addIncoming(distance(Value, B->getIncomingValueForBlock(From), From, Said), From);
    return New;
  }
  IRBuilder<> B(At->getTerminator());
  return B.CreateSub(B.CreatePtrToInt(End, Word), B.CreatePtrToInt(Begin, Word));
}

/// What an inner loop has counted when it is left from where `V` says; null if that is not known
/// before.
Value *counted(Value *V, const Loop &L, LoopInfo &LI, ScalarEvolution &SE) {
  auto *Exit = dyn_cast<PHINode>(V);
  while (Exit && Exit->getNumIncomingValues() == 1 && isa<PHINode>(Exit->getIncomingValue(0)) &&
         LI.getLoopFor(Exit->getIncomingBlock(0)) == LI.getLoopFor(Exit->getParent()))
    Exit = cast<PHINode>(Exit->getIncomingValue(0));
  auto *Counter = Exit && Exit->getNumIncomingValues() == 1
                      ? dyn_cast<PHINode>(Exit->getIncomingValue(0))
                      : nullptr;
  const Loop *Inner = Counter ? LI.getLoopFor(Counter->getParent()) : nullptr;
  if (!Inner || Inner->getHeader() != Counter->getParent() || Inner->getParentLoop() != &L)
    return nullptr;
  auto *Recurrence = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Counter));
  const SCEV *Times = SE.getExitCount(Inner, Exit->getIncomingBlock(0));
  if (!Recurrence || Recurrence->getLoop() != Inner || isa<SCEVCouldNotCompute>(Times))
    return nullptr;
  const SCEV *Last = Recurrence->evaluateAtIteration(Times, SE);
  Instruction *End = L.getLoopLatch()->getTerminator();
  SCEVExpander Expander(SE, "length");
  if (!SE.isLoopInvariant(Last, Inner) || !SE.dominates(Last, End->getParent()) ||
      !Expander.isSafeToExpandAt(Last, End))
    return nullptr;
  return Expander.expandCodeFor(Last, V->getType(), End->getIterator());
}

/// Lengths of a loop's containers that are said before these are filled.
bool sayCounted(Loop &L, LoopInfo &LI, ScalarEvolution &SE) {
  bool Changed = false;
  for (PHINode &Phi : L.getHeader()->phis()) {
    unsigned From = Phi.getBasicBlockIndex(L.getLoopLatch());
    if (!Phi.getType()->isIntegerTy())
      continue;
    if (Value *Is = counted(Phi.getIncomingValue(From), L, LI, SE)) {
      Phi.setIncomingValue(From, Is);
      SE.forgetValue(&Phi);
      Changed = true;
    }
  }
  return Changed;
}

} // namespace

PreservedAnalyses LengthsToNumbers::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  MapVector<Ends, SmallVector<Instruction *, 4>> Found;
  for (Instruction &I : instructions(F))
    if (auto Of = endsOf(I)) {
      const BasicBlock *Header = Of->first->getParent();
      const Loop *L = LI.getLoopFor(Header);
      if (!L || L->getHeader() != Header || !L->isLoopSimplifyForm())
        continue;
      Value *End = Of->first->getIncomingValueForBlock(L->getLoopLatch());
      Value *Begin = Of->second->getIncomingValueForBlock(L->getLoopLatch());
      if (End != Of->first && isBehind(End, Begin, *Header))
        Found[*Of].push_back(&I);
    }
  for (auto &[Of, Uses] : Found) {
    auto [End, Begin] = Of;
    BasicBlock *Header = End->getParent();
    IRBuilder<> B(Header, Header->begin());
    PHINode *Length = B.CreatePHI(B.getInt64Ty(), 2, "length");
    DenseMap<Ends, PHINode *> Said;
    for (BasicBlock *From : predecessors(Header))
      Length->addIncoming(distance(End->getIncomingValueForBlock(From),
                                   Begin->getIncomingValueForBlock(From), From,
                                   LI.getLoopFor(Header)->contains(From) ? &Said : nullptr),
                          From);
    for (Instruction *I : Uses) {
      Value *Is = Length;
      B.SetInsertPoint(I);
      if (auto *Asks = dyn_cast<ICmpInst>(I))
        Is = B.CreateICmp(Asks->getPredicate(), Length, B.getInt64(0));
      I->replaceAllUsesWith(Is);
      I->eraseFromParent();
    }
    const Loop *L = LI.getLoopFor(Header);
    if (!isBehind(End->getIncomingValueForBlock(L->getLoopPreheader()),
                  Begin->getIncomingValueForBlock(L->getLoopPreheader()), *Header))
      continue;
    B.SetInsertPoint(Header, Header->getFirstInsertionPt());
    End->replaceAllUsesWith(B.CreatePtrAdd(Begin, Length));
    End->eraseFromParent();
  }
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  bool Changed = !Found.empty();
  if (Changed)
    SE.forgetAllLoops();
  for (Loop *L : LI.getLoopsInPreorder())
    if (L->isLoopSimplifyForm() && !L->isInnermost())
      Changed |= sayCounted(*L, LI, SE);
  return !Changed ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace hexpass
