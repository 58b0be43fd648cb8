//===- flags.cpp - Whether a sweep has changed anything ----------------------===//
//
// Consumes: a working copy with loops in simplified and closed form, in which a sweep leaves a
// flag, or a number of changes, of which somebody asks only whether it is zero:
//
//     changed = 0;                              most = 0.0f;
//     for (...) {                               for (...) {
//       v[i] = f(u[i - 1], ...);                  v[i] = f(u[i - 1], ...);
//       if (v[i] != u[i])              becomes    most = max(most, v[i] != u[i] ? 1.0f : 0.0f);
//         changed++;
//     }                                         }
//     if (changed == 0)                         if (!(most > 0.0f))
//
// Produces: the largest of zeros and ones, which steps can run ahead of as they can of the
// largest change. Refuses flags that are looked at in another way, or that may wrap round.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "turns.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// A flag of a sweep.
struct Flag {
  PHINode *Exit = nullptr;
  /// Headers' phis from the sweep's loop inwards, and those that close loops between them.
  SmallVector<PHINode *, 4> Chain, Closing;
  Instruction *Update = nullptr;
  /// An instance changes the flag where this holds, or does not (`Unless`). `Seldom`: it was looked
  /// at only while the flag was as at first, and may be poison else.
  Value *If = nullptr;
  bool Unless = false, Seldom = false;
  /// What it is then, and else; without the first, a number of changes, of which it is only asked
  /// whether there are any.
  Constant *Set = nullptr, *First = nullptr;
  /// What asks for the flag as a truth value, where it is wider, and joins that with the instance's.
  SmallVector<Value *, 2> Joins;
};

/// `x`, or of a wider type: a truth value of one bit.
Value *truth(Value *V) {
  Value *Of;
  if (match(V, m_ZExt(m_Value(Of))))
    V = Of;
  return V->getType()->isIntegerTy(1) ? V : nullptr;
}

/// `stop &= small` or `moved |= big` of a flag that is wider than a truth value: it is asked for that.
bool matchJoin(Flag &F, Value *Old) {
  Value *Joined, *A, *B;
  if (!match(F.Update, m_ZExt(m_OneUse(m_Value(Joined)))) || !Joined->getType()->isIntegerTy(1))
    return false;
  bool And = match(Joined, m_LogicalAnd(m_Value(A), m_Value(B)));
  if (!And && !match(Joined, m_LogicalOr(m_Value(A), m_Value(B))))
    return false;
  auto IsFlag = [&](Value *V) {
    CmpPredicate P;
    return V->hasOneUse() && (match(V, m_Trunc(m_Specific(Old))) ||
                              (match(V, m_ICmp(P, m_Specific(Old), m_Zero())) &&
                               P == ICmpInst::ICMP_NE));
  };
  if (!IsFlag(A) && !IsFlag(B))
    return false;
  Value *Was = IsFlag(A) ? A : B;
  F.If = Was == A ? B : A;
  F.Seldom = Was == A && isa<SelectInst>(Joined);
  F.Unless = And;
  F.Set = ConstantInt::get(F.Update->getType(), And ? 0 : 1);
  F.Joins = {Was, Joined};
  return F.First == ConstantInt::get(F.Update->getType(), And ? 1 : 0);
}

/// `old` is what it was before the instance.
bool matchUpdate(Flag &F, Value *Old) {
  if (matchJoin(F, Old))
    return true;
  auto *New = F.Update;
  Type *T = New->getType();
  Value *Other;
  auto Is = [&](Value *If, bool Unless, Constant *Set) {
    F.If = If;
    F.Unless = Unless;
    F.Set = Set;
    return If != nullptr && If != Old;
  };
  // What does not wrap round stays above zero.
  auto Stays = [](const Value *Sum) {
    auto *I = cast<Instruction>(Sum);
    return I->hasNoSignedWrap() || I->hasNoUnsignedWrap() || I->getType()->isIntegerTy(64);
  };
  Constant *Zero = ConstantInt::get(T, 0), *One = ConstantInt::get(T, 1);
  F.Seldom = match(New, m_Select(m_Specific(Old), m_Value(), m_Value()));
  if (match(New, m_c_Add(m_Specific(Old), m_Value(Other))))
    return Stays(New) && F.First->isZeroValue() && Is(truth(Other), false, nullptr);
  if (match(New, m_c_Or(m_Specific(Old), m_Value(Other))) ||
      match(New, m_Select(m_Specific(Old), m_One(), m_Value(Other))))
    return F.First == Zero && Is(truth(Other), false, One);
  if (match(New, m_c_And(m_Specific(Old), m_Value(Other))) ||
      match(New, m_Select(m_Specific(Old), m_Value(Other), m_Zero())))
    return F.First == One && Is(truth(Other), true, Zero);
  auto *Select = dyn_cast<SelectInst>(New);
  if (!Select)
    return false;
  bool Unless = Select->getTrueValue() == Old;
  if ((Unless ? Select->getTrueValue() : Select->getFalseValue()) != Old)
    return false;
  Value *Set = Unless ? Select->getFalseValue() : Select->getTrueValue();
  if (auto *Known = dyn_cast<ConstantInt>(Set))
    return Known != F.First && Is(Select->getCondition(), Unless, Known);
  return match(Set, m_c_Add(m_Specific(Old), m_One())) && Stays(Set) && Set->hasOneUse() &&
         F.First->isZeroValue() && Is(Select->getCondition(), Unless, nullptr);
}

/// Nobody asks anything but whether it is zero, at once or in the next step (`Depth`).
bool isOnlyAsked(const Value &Left, unsigned Depth = 1) {
  return all_of(Left.users(), [&](const User *U) {
    CmpPredicate P;
    if (match(U, m_ICmp(P, m_Value(), m_Zero())) && ICmpInst::isEquality(P))
      return true;
    auto *Phi = dyn_cast<PHINode>(U);
    return Depth && Phi && all_of(Phi->incoming_values(), [&](const Use &From) {
             return From == &Left || isa<ConstantInt>(From);
           }) && isOnlyAsked(*Phi, Depth - 1);
  });
}

/// Where what a use is given may be computed: no earlier than it is wanted, since other sweeps may
/// stand between.
Instruction *placeOf(const Use &U) {
  auto *By = cast<Instruction>(U.getUser());
  auto *Phi = dyn_cast<PHINode>(By);
  return Phi ? Phi->getIncomingBlock(U)->getTerminator() : By;
}

using Answer = function_ref<Value *(Instruction *)>;

/// Answers whoever asks whether `Left` is zero; `IsSet` computes the contrary before an
/// instruction.
void answer(Value &Left, Answer IsSet) {
  SmallVector<Use *, 4> Uses;
  for (Use &U : Left.uses())
    Uses.push_back(&U);
  SmallSetVector<PHINode *, 2> Phis;
  for (Use *U : Uses) {
    if (auto *Phi = dyn_cast<PHINode>(U->getUser())) {
      Phis.insert(Phi);
      continue;
    }
    auto *Asks = cast<ICmpInst>(U->getUser());
    bool IsZero = Asks->getPredicate() == ICmpInst::ICMP_EQ;
    Value *Set = IsSet(Asks);
    Asks->replaceAllUsesWith(IsZero ? IRBuilder<>(Asks).CreateNot(Set) : Set);
    Asks->eraseFromParent();
  }
  for (PHINode *Phi : Phis) {
    IRBuilder<> B(Phi);
    PHINode *Twin = B.CreatePHI(B.getInt1Ty(), Phi->getNumIncomingValues(), "set");
    for (Use &Value_ : Phi->incoming_values()) {
      auto *Known = dyn_cast<ConstantInt>(Value_);
      Twin->addIncoming(Known ? B.getInt1(!Known->isZero()) : IsSet(placeOf(Value_)),
                        Phi->getIncomingBlock(Value_));
    }
    answer(*Phi, [&](Instruction *) { return Twin; });
    Phi->eraseFromParent();
  }
}

/// The phi behind `C` is a flag that the instances in it set or clear, and look at in no other way.
std::optional<Flag> flagOf(Loop &C, PHINode &Exit, const LoopInfo &LI) {
  Flag F;
  F.Exit = &Exit;
  if (!Exit.getType()->isIntegerTy() || Exit.use_empty() || Exit.getNumIncomingValues() != 1)
    return std::nullopt;
  SmallPtrSet<const Value *, 8> Own{&Exit};
  Loop *At = &C;
  auto *Phi = dyn_cast<PHINode>(throughExits(Exit.getIncomingValue(0)));
  for (;;) {
    if (!Phi || Phi->getParent() != At->getHeader() || !At->isLoopSimplifyForm())
      return std::nullopt;
    F.Chain.push_back(Phi);
    Own.insert(Phi);
    Value *Next = Phi->getIncomingValueForBlock(At->getLoopLatch());
    for (auto *Out = dyn_cast<PHINode>(Next); Out && Out->getNumIncomingValues() == 1;
         Out = dyn_cast<PHINode>(Next)) {
      F.Closing.push_back(Out);
      Own.insert(Out);
      Next = Out->getIncomingValue(0);
    }
    auto *Inner = dyn_cast<PHINode>(Next);
    Loop *Within = Inner ? LI.getLoopFor(Inner->getParent()) : nullptr;
    if (!Within || Within->getParentLoop() != At || !Within->getLoopPreheader() ||
        Inner->getParent() != Within->getHeader() ||
        Inner->getIncomingValueForBlock(Within->getLoopPreheader()) != Phi) {
      F.Update = dyn_cast<Instruction>(Next);
      break;
    }
    At = Within;
    Phi = Inner;
  }
  F.First = dyn_cast<ConstantInt>(F.Chain.front()->getIncomingValueForBlock(C.getLoopPreheader()));
  if (!F.Update || !F.First || LI.getLoopFor(F.Update->getParent()) != At || !At->isInnermost() ||
      !matchUpdate(F, F.Chain.back()) || !(F.Set || isOnlyAsked(Exit)))
    return std::nullopt;
  Own.insert(F.Update);
  Own.insert_range(F.Joins);
  if (auto *Select = dyn_cast<SelectInst>(F.Update))
    for (Value *Set : {Select->getTrueValue(), Select->getFalseValue()})
      if (auto *Sum = dyn_cast<BinaryOperator>(Set);
          Sum && is_contained(Sum->operands(), F.Chain.back()))
        Own.insert(Sum);
  bool IsOwn = all_of(Own, [&](const Value *V) {
    return V == &Exit || all_of(V->users(), [&](const User *U) { return Own.contains(U); });
  });
  return IsOwn ? std::optional(F) : std::nullopt;
}

/// The largest of zeros and ones in its place.
void replace(const Flag &F, const LoopInfo &LI) {
  Type *T = Type::getFloatTy(F.Exit->getContext());
  DenseMap<Value *, PHINode *> Twin;
  auto Make = [&](PHINode *Of) {
    IRBuilder<> B(Of);
    return Twin[Of] = B.CreatePHI(T, Of->getNumIncomingValues(), "most");
  };
  for (PHINode *Phi : F.Chain)
    Make(Phi);
  for (PHINode *Phi : F.Closing)
    Make(Phi);
  // What leads from the outermost loop's phi to the exit.
  SmallVector<PHINode *, 4> Last{F.Exit};
  while (auto *Phi = dyn_cast<PHINode>(Last.back()->getIncomingValue(0))) {
    if (Twin.count(Phi))
      break;
    Last.push_back(Phi);
  }
  for (PHINode *Phi : Last)
    Make(Phi);
  IRBuilder<> B(F.Update);
  B.SetCurrentDebugLocation(F.Update->getDebugLoc());
  Constant *Zero = ConstantFP::get(T, 0.0), *One = ConstantFP::get(T, 1.0);
  Value *If = F.Seldom ? B.CreateFreeze(F.If) : F.If;
  Value *Changes = F.Unless ? B.CreateSelect(If, Zero, One) : B.CreateSelect(If, One, Zero);
  auto *Largest = cast<Instruction>(
      B.CreateBinaryIntrinsic(Intrinsic::maxnum, Twin[F.Chain.back()], Changes, {}, "most"));
  FastMathFlags Plain;
  Plain.setNoNaNs();
  Plain.setNoSignedZeros();
  Largest->setFastMathFlags(Plain);
  auto *First = F.Chain.front();
  for (auto [Old, New] : Twin)
    for (auto [At, Value_] : enumerate(cast<PHINode>(Old)->incoming_values())) {
      BasicBlock *From = cast<PHINode>(Old)->getIncomingBlock(At);
      bool Begins = Old == First && !LI.getLoopFor(First->getParent())->contains(From);
      Value *V = Begins                     ? Zero
                 : Value_.get() == F.Update ? Largest
                                            : cast<Value>(Twin.lookup(Value_));
      New->addIncoming(V, From);
    }
  auto Any = [&](Instruction *Before) {
    return IRBuilder<>(Before).CreateFCmpOGT(Twin[F.Exit], Zero, "any");
  };
  if (!F.Set)
    return answer(*F.Exit, Any);
  for (Use &U : make_early_inc_range(F.Exit->uses())) {
    Instruction *Before = placeOf(U);
    U.set(IRBuilder<>(Before).CreateSelect(Any(Before), F.Set, F.First));
  }
}

} // namespace

PreservedAnalyses FlagsToNumbers::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<Flag, 2> Found;
  for (Loop *L : LI.getLoopsInPreorder())
    for (Loop *C : L->getSubLoops()) {
      // Checks that fail lead elsewhere.
      SmallVector<BasicBlock *, 4> Exits;
      C->getUniqueExitBlocks(Exits);
      for (BasicBlock *Exit : Exits)
        for (PHINode &Phi : Exit->phis())
          if (std::optional<Flag> Of = flagOf(*C, Phi, LI))
            Found.push_back(*Of);
    }
  SmallPtrSet<const Value *, 4> Done;
  bool Changed = false;
  for (const Flag &Each : Found)
    if (Done.insert(Each.Update).second) {
      replace(Each, LI);
      Changed = true;
    }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
