//===- plain_flags.cpp - Flags of the original loop as flags ------------------===//
//
// Consumes: a function that is done, in which a sweep leaves the largest of zeros and ones
// where the source had a flag (flags.cpp). Produces: the flag, a truth value that is carried
// round, and the number only where somebody wants it:
//
//     most = 0.0f;                                      set = false;
//     for (...)                                         for (...)
//       most = max(most, v[i] != u[i] ? 1.0f : 0.0f);     set |= v[i] != u[i];
//     *left = most;                                     *left = set ? 1.0f : 0.0f;
//
// Each point would compute one maximum more than the source does, of numbers half as wide as
// the grid's.
//
// Refuses numbers that are made of anything but zeros, ones and their largest.
//
//===----------------------------------------------------------------------===//

#include "plain_flags.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// Phis, and the largest of two, that are zero or one throughout.
using Numbers = SmallSetVector<Instruction *, 8>;

bool isZeroOrOne(const Value *V) {
  auto *Known = dyn_cast<ConstantFP>(V);
  return Known && (Known->isExactlyValue(0.0) || Known->isExactlyValue(1.0));
}

/// One where a condition holds, else zero, or the other way round.
bool isChoice(const Value *V) {
  auto *Select = dyn_cast<SelectInst>(V);
  return Select && Select->getCondition()->getType()->isIntegerTy(1) &&
         isZeroOrOne(Select->getTrueValue()) && isZeroOrOne(Select->getFalseValue());
}

bool isLargest(const Value *V) {
  return V->getType()->isFloatingPointTy() &&
         match(V, m_Intrinsic<Intrinsic::maxnum>(m_Value(), m_Value()));
}

/// What `Largest` is made of, and what is made of it; none, if that is anything else.
Numbers numbersAround(Instruction &Largest) {
  Numbers Found;
  Found.insert(&Largest);
  for (unsigned I = 0; I < Found.size(); ++I) {
    Instruction *Number = Found[I];
    auto Values = isa<PHINode>(Number) ? cast<PHINode>(Number)->incoming_values()
                                       : cast<CallBase>(Number)->args();
    for (Value *V : Values) {
      if (isa<PHINode>(V) || isLargest(V))
        Found.insert(cast<Instruction>(V));
      else if (!isZeroOrOne(V) && !isChoice(V))
        return {};
    }
    for (User *U : Number->users())
      if (isa<PHINode>(U) || isLargest(U))
        Found.insert(cast<Instruction>(U));
  }
  return Found;
}

/// Truth values in the place of numbers.
class Flags {
public:
  explicit Flags(const Numbers &Found) : Found(Found) {}

  void replace() {
    for (Instruction *Number : Found)
      if (auto *Phi = dyn_cast<PHINode>(Number)) {
        IRBuilder<> B(Phi);
        Of[Phi] = B.CreatePHI(B.getInt1Ty(), Phi->getNumIncomingValues(), "set");
      }
    for (Instruction *Number : Found)
      flagOf(Number);
    for (Instruction *Number : Found)
      if (auto *Phi = dyn_cast<PHINode>(Number))
        for (auto [V, From] : zip(Phi->incoming_values(), Phi->blocks()))
          cast<PHINode>(Of[Phi])->addIncoming(flagOf(V), From);
    for (Instruction *Number : Found)
      for (Use &U : make_early_inc_range(Number->uses()))
        if (!Found.contains(cast<Instruction>(U.getUser())))
          U.set(numberFor(U, *Of[Number]));
    for (Instruction *Number : Found)
      Number->replaceAllUsesWith(PoisonValue::get(Number->getType()));
    for (Instruction *Number : Found)
      Number->eraseFromParent();
  }

private:
  /// Whether `V` is one, where `V` is.
  Value *flagOf(Value *V) {
    if (Value *Known = Of.lookup(V))
      return Known;
    if (auto *Constant = dyn_cast<ConstantFP>(V))
      return ConstantInt::getBool(V->getContext(), !Constant->isZero());
    IRBuilder<> B(cast<Instruction>(V));
    if (auto *Select = dyn_cast<SelectInst>(V))
      return Of[V] = B.CreateSelect(Select->getCondition(), flagOf(Select->getTrueValue()),
                                    flagOf(Select->getFalseValue()));
    auto *Largest = cast<CallBase>(V);
    Value *First = flagOf(Largest->getArgOperand(0)), *Second = flagOf(Largest->getArgOperand(1));
    return Of[V] = B.CreateOr(First, Second, "set");
  }

  /// The number for somebody who wants it.
  static Value *numberFor(const Use &U, Value &Flag) {
    auto *By = cast<Instruction>(U.getUser());
    auto *Phi = dyn_cast<PHINode>(By);
    IRBuilder<> B(Phi ? Phi->getIncomingBlock(U)->getTerminator() : By);
    Type *T = U->getType();
    return B.CreateSelect(&Flag, ConstantFP::get(T, 1.0), ConstantFP::get(T, 0.0));
  }

  const Numbers &Found;
  /// Of numbers.
  DenseMap<Value *, Value *> Of;
};

} // namespace

PreservedAnalyses NumbersToFlags::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<WeakVH, 4> All;
  for (Instruction &I : instructions(F))
    if (isLargest(&I) && any_of(cast<CallBase>(I).args(), isChoice))
      All.push_back(&I);
  bool Changed = false;
  for (WeakVH &Largest : All)
    if (auto *I = cast_or_null<Instruction>(static_cast<Value *>(Largest)))
      if (Numbers Found = numbersAround(*I); !Found.empty()) {
        Flags(Found).replace();
        Changed = true;
      }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
