//===- inclusive.cpp - Loops that know when they are at their last number ----===//
//
// Consumes: a working copy with loops in simplified form. Rust's `1..=n` may end with the largest
// number of its type, so that no number lies behind it: the range keeps beside its number whether
// it is exhausted, and stays at its end then:
//
//     at = 1, exhausted = false;
//     while (!exhausted && at <= n) {
//       body(at);                                          for (k = 0; k < n; ++k)
//       if (at == n) exhausted = true; else ++at;  becomes   body(1 + k);
//     }
//
// Produces: a loop that counts. How often it runs is computed in 64 bits, where it fits: narrower
// numbers always do, and others where the first is not the smallest of its type, or the last is
// not the largest. Else the loop is one that ends with its last number, which computes no other:
//
//     at = first;
//     if (at <= n)
//       do body(at); while (at++ != n);
//
// Ranges that count down (`rev`) are the same from the other end. Refuses ranges that somebody
// looks at behind the loop, and bounds that change in it.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// The width that numbers of iterations have.
constexpr unsigned CountBits = 64;

/// A loop over a range that knows when it is exhausted.
struct Range {
  PHINode *At = nullptr, *Exhausted = nullptr;
  BranchInst *Test = nullptr;
  BasicBlock *Body = nullptr;
  /// The smallest and the largest number; `at` goes from one to the other.
  Value *Least = nullptr, *Most = nullptr;
  bool Down = false, Signed = false;
  /// What `at` is compared with when the loop begins: that there is a number at all. Without it
  /// there always is one.
  bool MayBeEmpty = false;

  Value *last() const { return Down ? Least : Most; }
};

/// Values of an iteration in which `Asks` is known, and the range is not exhausted.
class Evaluation {
public:
  Evaluation(const Range &Of, const Loop &L, const DominatorTree &DT, const ICmpInst &Asks,
             bool Is)
      : Of(Of), L(L), DT(DT), Asks(Asks), Is(Is) {}

  Value *of(Value *V, unsigned Depth = 0) const {
    constexpr unsigned MostDepth = 8;
    if (V == &Asks)
      return ConstantInt::getBool(V->getType(), Is);
    if (V == Of.Exhausted)
      return ConstantInt::get(V->getType(), 0);
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth == MostDepth || !L.contains(I))
      return V;
    auto Known = [&](Value *Operand) { return dyn_cast<ConstantInt>(of(Operand, Depth + 1)); };
    if (auto *Select = dyn_cast<SelectInst>(I)) {
      auto *Which = Known(Select->getCondition());
      return Which ? of(Which->isZero() ? Select->getFalseValue() : Select->getTrueValue(),
                        Depth + 1)
                   : V;
    }
    if (auto *Phi = dyn_cast<PHINode>(I))
      return Phi->getParent() == L.getHeader() ? V : joined(*Phi, Depth);
    if (isa<ZExtInst>(I) || isa<SExtInst>(I) || isa<TruncInst>(I)) {
      auto *Number = Known(I->getOperand(0));
      unsigned Bits = I->getType()->getIntegerBitWidth();
      if (!Number)
        return V;
      const APInt &Is = Number->getValue();
      return ConstantInt::get(I->getType(),
                              isa<SExtInst>(I) ? Is.sextOrTrunc(Bits) : Is.zextOrTrunc(Bits));
    }
    Value *Other;
    if (match(I, m_Not(m_Value(Other)))) {
      auto *Number = Known(Other);
      return Number ? ConstantInt::get(I->getType(), ~Number->getValue()) : V;
    }
    Value *A, *B;
    if (match(I, m_Or(m_Value(A), m_Value(B)))) {
      auto *One = Known(A), *Two = Known(B);
      return One && Two ? ConstantInt::get(I->getType(), One->getValue() | Two->getValue()) : V;
    }
    return V;
  }

private:
  /// Of what paths bring together, what comes on those that are taken.
  Value *joined(PHINode &Phi, unsigned Depth) const {
    Value *One = nullptr;
    for (auto [From, B] : zip(Phi.incoming_values(), Phi.blocks())) {
      if (isLeftOut(B, Phi.getParent()))
        continue;
      Value *Here = of(From, Depth + 1);
      if (One && One != Here)
        return &Phi;
      One = Here;
    }
    return One ? One : &Phi;
  }

  /// The way from `B` to `To` is only taken where `Asks` is the contrary.
  bool isLeftOut(const BasicBlock *B, const BasicBlock *To) const {
    for (const User *U : Asks.users()) {
      auto *Branch = dyn_cast<BranchInst>(U);
      if (!Branch || Branch->getSuccessor(0) == Branch->getSuccessor(1))
        continue;
      BasicBlockEdge Other(Branch->getParent(), Branch->getSuccessor(Is ? 1 : 0));
      if ((Other.getStart() == B && Other.getEnd() == To) || DT.dominates(Other, B))
        return true;
    }
    return false;
  }

  const Range &Of;
  const Loop &L;
  const DominatorTree &DT;
  const ICmpInst &Asks;
  bool Is;
};

/// `V` is true, or false (`Not`), where the range is exhausted.
bool asksIfExhausted(Value *V, bool &Not, Range &R, const BasicBlock &Header) {
  Value *Of;
  Not = match(V, m_Not(m_Value(Of)));
  if (Not)
    V = Of;
  CmpPredicate P;
  if (match(V, m_ICmp(P, m_Value(Of), m_Zero())) && ICmpInst::isEquality(P)) {
    Not ^= P == ICmpInst::ICMP_EQ;
    V = Of;
  } else if (match(V, m_Trunc(m_Value(Of)))) {
    V = Of;
  }
  auto *Phi = dyn_cast<PHINode>(V);
  if (!Phi || Phi->getParent() != &Header)
    return false;
  R.Exhausted = Phi;
  return true;
}

/// A comparison that holds, or does not (`Holds`), where no number is left at first.
bool asksIfEmpty(Value *V, bool Holds, Range &R, const Loop &L) {
  auto *Compare = dyn_cast<ICmpInst>(V);
  if (!Compare)
    return false;
  CmpInst::Predicate P = Holds ? Compare->getPredicate() : Compare->getInversePredicate();
  Value *A = Compare->getOperand(0), *B = Compare->getOperand(1);
  // `at < 1` is written so.
  if (P == ICmpInst::ICMP_EQ && match(B, m_Zero())) {
    P = ICmpInst::ICMP_ULT;
    B = ConstantInt::get(B->getType(), 1);
  }
  if (P == ICmpInst::ICMP_ULT || P == ICmpInst::ICMP_SLT) {
    P = CmpInst::getSwappedPredicate(P);
    std::swap(A, B);
  }
  if (P != ICmpInst::ICMP_UGT && P != ICmpInst::ICMP_SGT)
    return false;
  auto IsAt = [&](Value *Number) {
    auto *Phi = dyn_cast<PHINode>(Number);
    return Phi && Phi->getParent() == L.getHeader();
  };
  // The least is above the most.
  R.Down = !IsAt(A);
  Value *At = R.Down ? B : A, *Other = R.Down ? A : B;
  if (!IsAt(At) || !L.isLoopInvariant(Other))
    return false;
  R.At = cast<PHINode>(At);
  Value *First = R.At->getIncomingValueForBlock(L.getLoopPreheader());
  R.Least = R.Down ? Other : First;
  R.Most = R.Down ? First : Other;
  R.Signed = P == ICmpInst::ICMP_SGT;
  return R.MayBeEmpty = true;
}

/// The header leaves where the range is exhausted, or is empty from the start.
bool matchTest(Range &R, const Loop &L) {
  BasicBlock *Header = L.getHeader();
  R.Test = dyn_cast<BranchInst>(Header->getTerminator());
  if (!R.Test || !R.Test->isConditional() ||
      L.contains(R.Test->getSuccessor(0)) == L.contains(R.Test->getSuccessor(1)))
    return false;
  bool Leaves = !L.contains(R.Test->getSuccessor(0));
  R.Body = R.Test->getSuccessor(Leaves ? 1 : 0);
  Value *Condition = R.Test->getCondition(), *A, *B;
  bool Not;
  if (Leaves ? match(Condition, m_LogicalOr(m_Value(A), m_Value(B)))
             : match(Condition, m_LogicalAnd(m_Value(A), m_Value(B)))) {
    if (!asksIfExhausted(A, Not, R, *Header)) {
      std::swap(A, B);
      if (!asksIfExhausted(A, Not, R, *Header))
        return false;
    }
    return Not != Leaves && asksIfEmpty(B, Leaves, R, L);
  }
  return asksIfExhausted(Condition, Not, R, *Header) && Not != Leaves;
}

/// `V` is the number behind `at`, in an iteration that is not the last.
bool isNext(Value *V, const Range &R, const Evaluation &Others) {
  V = Others.of(V);
  Value *By;
  if (match(V, m_c_Add(m_Specific(R.At), m_Value(By)))) {
    By = Others.of(By);
    return R.Down ? match(By, m_AllOnes()) : match(By, m_One());
  }
  if (match(V, m_Sub(m_Specific(R.At), m_Value(By))))
    return R.Down && match(Others.of(By), m_One());
  auto *Call = dyn_cast<IntrinsicInst>(V);
  if (!Call || Call->arg_size() != 2)
    return false;
  Value *A = Call->getArgOperand(0), *B = Call->getArgOperand(1);
  switch (Call->getIntrinsicID()) {
  case Intrinsic::usub_sat:
    return R.Down && !R.Signed && A == R.At && match(B, m_One());
  case Intrinsic::uadd_sat:
    return !R.Down && !R.Signed && A == R.At && match(B, m_One());
  case Intrinsic::umin:
  case Intrinsic::smin:
  case Intrinsic::umax:
  case Intrinsic::smax: {
    auto *Bound = cast<MinMaxIntrinsic>(Call);
    bool IsMax = Bound->getPredicate() == ICmpInst::ICMP_UGT ||
                 Bound->getPredicate() == ICmpInst::ICMP_SGT;
    if (IsMax != R.Down || Bound->isSigned() != R.Signed)
      return false;
    return (A == R.last() && isNext(B, R, Others)) || (B == R.last() && isNext(A, R, Others));
  }
  default:
    return false;
  }
}

/// Each iteration goes on to the next number, unless it is at the last: then the range is
/// exhausted.
bool goesToTheLast(const Range &R, const Loop &L, const DominatorTree &DT) {
  Value *Next = R.At->getIncomingValueForBlock(L.getLoopLatch());
  Value *After = R.Exhausted->getIncomingValueForBlock(L.getLoopLatch());
  for (User *U : R.At->users()) {
    auto *Asks = dyn_cast<ICmpInst>(U);
    if (!Asks || !L.contains(Asks))
      continue;
    bool AtFirst = Asks->getOperand(0) == R.At;
    if (Asks->getOperand(AtFirst ? 1 : 0) != R.last())
      continue;
    CmpInst::Predicate P = AtFirst ? Asks->getPredicate() : Asks->getSwappedPredicate();
    bool IsLast = P == ICmpInst::ICMP_EQ;
    if (!ICmpInst::isEquality(P)) {
      // No number lies behind the last: not to be before it is to be there.
      CmpInst::Predicate Before = R.Signed ? ICmpInst::ICMP_SLT : ICmpInst::ICMP_ULT;
      if (R.Down)
        Before = CmpInst::getSwappedPredicate(Before);
      IsLast = P == CmpInst::getInversePredicate(Before);
      if (!R.MayBeEmpty || (P != Before && !IsLast))
        continue;
    }
    Evaluation Last(R, L, DT, *Asks, IsLast), Others(R, L, DT, *Asks, !IsLast);
    auto *Ends = dyn_cast<ConstantInt>(Last.of(After));
    auto *Goes = dyn_cast<ConstantInt>(Others.of(After));
    if (Ends && Ends->getValue()[0] && Goes && Goes->isZero() && isNext(Next, R, Others))
      return true;
  }
  return false;
}

/// Somebody looks at the range where the loop has been left at its end.
bool isLookedAtBehind(const Range &R, const Loop &L) {
  BasicBlock *Header = L.getHeader(), *Exit = nullptr;
  for (BasicBlock *Next : successors(Header))
    if (!L.contains(Next))
      Exit = Next;
  return any_of(Exit->phis(), [&](const PHINode &Phi) {
    auto *V = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Header));
    return V && V->getParent() == Header && (!isa<PHINode>(V) || V == R.At || V == R.Exhausted);
  });
}

std::optional<Range> rangeOf(Loop &L, const DominatorTree &DT) {
  Range R;
  if (!L.isLoopSimplifyForm() || !matchTest(R, L))
    return std::nullopt;
  auto IsFirst = [&](PHINode &Phi) {
    return match(Phi.getIncomingValueForBlock(L.getLoopPreheader()), m_Zero());
  };
  if (!R.Exhausted->getType()->isIntegerTy() || !IsFirst(*R.Exhausted))
    return std::nullopt;
  if (R.MayBeEmpty)
    return R.At != R.Exhausted && goesToTheLast(R, L, DT) ? std::optional(R) : std::nullopt;
  // A range down to zero is never empty.
  for (PHINode &Phi : L.getHeader()->phis()) {
    if (&Phi == R.Exhausted || !Phi.getType()->isIntegerTy())
      continue;
    R.At = &Phi;
    R.Down = true;
    R.Least = ConstantInt::get(Phi.getType(), 0);
    R.Most = Phi.getIncomingValueForBlock(L.getLoopPreheader());
    if (goesToTheLast(R, L, DT))
      return R;
  }
  return std::nullopt;
}

/// How often the loop runs, before it, in 64 bits; null if it may not fit.
Value *tripsOf(const Range &R, Loop &L, ScalarEvolution &SE) {
  Type *T = R.At->getType();
  unsigned Bits = T->getIntegerBitWidth();
  IRBuilder<> B(L.getLoopPreheader()->getTerminator());
  if (Bits < CountBits) {
    auto Wide = [&](Value *V) {
      return B.CreateIntCast(V, B.getInt64Ty(), R.Signed);
    };
    Value *Before = B.CreateNSWAdd(Wide(R.Least), B.getInt64(-1));
    Value *Most = B.CreateBinaryIntrinsic(Intrinsic::smax, Wide(R.Most), Before);
    return B.CreateNSWSub(Most, Before);
  }
  if (Bits > CountBits)
    return nullptr;
  ConstantRange Least = R.Signed ? SE.getSignedRange(SE.getSCEV(R.Least))
                                 : SE.getUnsignedRange(SE.getSCEV(R.Least));
  ConstantRange Most = R.Signed ? SE.getSignedRange(SE.getSCEV(R.Most))
                                : SE.getUnsignedRange(SE.getSCEV(R.Most));
  auto Larger = R.Signed ? Intrinsic::smax : Intrinsic::umax;
  bool HasBefore = R.Signed ? !Least.getSignedMin().isMinSignedValue()
                            : !Least.getUnsignedMin().isZero();
  if (HasBefore) {
    Value *Before = B.CreateAdd(R.Least, B.getInt64(-1));
    return B.CreateSub(B.CreateBinaryIntrinsic(Larger, R.Most, Before), Before);
  }
  bool HasAfter = R.Signed ? !Most.getSignedMax().isMaxSignedValue()
                           : !Most.getUnsignedMax().isMaxValue();
  if (!HasAfter)
    return nullptr;
  Value *After = B.CreateAdd(R.Most, B.getInt64(1), "", /*HasNUW=*/!R.Signed, /*HasNSW=*/R.Signed);
  return B.CreateSub(B.CreateBinaryIntrinsic(Larger, After, R.Least), R.Least);
}

/// Leaves `Leaves` to decide.
void leaveIf(const Range &R, Value *Leaves, IRBuilder<> &B) {
  R.Test->setCondition(R.Test->getSuccessor(0) == R.Body ? B.CreateNot(Leaves) : Leaves);
}

/// Nobody asks in the loop whether it is exhausted, and `Number` is what it is at.
void forget(const Range &R, Value *Number) {
  R.Exhausted->replaceAllUsesWith(ConstantInt::get(R.Exhausted->getType(), 0));
  R.Exhausted->eraseFromParent();
  if (Number == R.At)
    return;
  R.At->replaceAllUsesWith(Number);
  R.At->eraseFromParent();
}

/// The loop counts its iterations.
void count(const Range &R, Value *Trips, Loop &L) {
  BasicBlock *Header = L.getHeader();
  IRBuilder<> B(Header, Header->begin());
  Type *Wide = B.getInt64Ty();
  PHINode *Counter = B.CreatePHI(Wide, 2, "trip");
  B.SetInsertPoint(L.getLoopLatch()->getTerminator());
  Counter->addIncoming(B.getInt64(0), L.getLoopPreheader());
  Counter->addIncoming(B.CreateAdd(Counter, B.getInt64(1), "", /*HasNUW=*/true), L.getLoopLatch());
  B.SetInsertPoint(L.getLoopPreheader()->getTerminator());
  Value *First = B.CreateIntCast(R.Down ? R.Most : R.Least, Wide, R.Signed);
  bool Narrow = R.At->getType() != Wide;
  // Behind the last number there may be none, and nobody looks at it.
  bool NUW = !R.Signed && (!Narrow || !R.Down), NSW = Narrow;
  B.SetInsertPoint(Header, Header->getFirstInsertionPt());
  B.SetCurrentDebugLocation(R.Test->getDebugLoc());
  Value *Number = R.Down ? B.CreateSub(First, Counter, "at", NUW, NSW)
                         : B.CreateAdd(First, Counter, "at", NUW, NSW);
  if (Narrow)
    Number = B.CreateTrunc(Number, R.At->getType(), "", /*IsNUW=*/!R.Signed, /*IsNSW=*/R.Signed);
  B.SetInsertPoint(R.Test);
  leaveIf(R, B.CreateICmpUGE(Counter, Trips), B);
  forget(R, Number);
}

/// The loop says at its end that it is at the last number.
void endWithTheLast(const Range &R, Loop &L) {
  BasicBlock *Before = L.getLoopPreheader(), *Latch = L.getLoopLatch();
  IRBuilder<> B(Before->getTerminator());
  Value *Empty = !R.MayBeEmpty ? B.getFalse()
                 : R.Signed    ? B.CreateICmpSGT(R.Least, R.Most)
                               : B.CreateICmpUGT(R.Least, R.Most);
  B.SetInsertPoint(Latch->getTerminator());
  Value *Step = ConstantInt::getSigned(R.At->getType(), R.Down ? -1 : 1);
  bool NUW = !R.Signed && !R.Down, NSW = R.Signed;
  R.At->setIncomingValueForBlock(Latch, B.CreateAdd(R.At, Step, "", NUW, NSW));
  Value *IsLast = B.CreateICmpEQ(R.At, R.last());
  B.SetInsertPoint(L.getHeader(), L.getHeader()->begin());
  PHINode *Ends = B.CreatePHI(B.getInt1Ty(), 2, "ends");
  Ends->addIncoming(Empty, Before);
  Ends->addIncoming(IsLast, Latch);
  B.SetInsertPoint(R.Test);
  leaveIf(R, Ends, B);
  forget(R, R.At);
}

} // namespace

PreservedAnalyses CountInclusiveRanges::run(Function &F, FunctionAnalysisManager &FAM) {
  bool Changed = false;
  for (bool Again = true; Again;) {
    Again = false;
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    for (Loop *L : LI.getLoopsInPreorder()) {
      std::optional<Range> R = rangeOf(*L, DT);
      if (!R || (formLCSSA(*L, DT, &LI, &SE), isLookedAtBehind(*R, *L)))
        continue;
      if (Value *Trips = tripsOf(*R, *L, SE))
        count(*R, Trips, *L);
      else if (L->getParentLoop() && isBeforeBody(*L, *R->Body, LI)) {
        endWithTheLast(*R, *L);
        beginBehind(*L, *R->Body, LI);
      } else
        continue;
      FAM.invalidate(F, PreservedAnalyses::none());
      Changed = Again = true;
      break;
    }
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
