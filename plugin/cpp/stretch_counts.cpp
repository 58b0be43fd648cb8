//===- stretch_counts.cpp - Integers that a step adds up ----------------------===//
//
// Consumes: sweeps of a time loop that end in a sum of integers (`++cells`, `alive +=
// grid[i][j]`), which is printed, stored, divided by, or decides. Produces: in the model,
// what an instance adds as a double, in an array for the runtime to add up
// (stretch_terms.cpp). Integers below 2^53 add up exactly, whatever the order; so that
// these are, terms are of 16 bits, of wider ones the lower 16 bits and the rest in an
// array each. Refuses sums of 64 bits whose terms may be wider, or that don't begin with a
// small number.
//
//===----------------------------------------------------------------------===//

#include "stretches.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace hexpass;

namespace {

/// Bits of a term, or of the lower part of one; 2^37 of them still add up exactly.
constexpr unsigned TermBits = 16;
/// Widest sum of which a term may be as wide as the sum.
constexpr unsigned MostBits = 32;

/// No larger than a term, without its sign.
bool isSmall(const Value &V, const DataLayout &DL) {
  ConstantRange Range = computeConstantRangeIncludingKnownBits(
      &V, /*ForSigned=*/true, SimplifyQuery(DL));
  return Range.getSignedMin().getSignificantBits() <= TermBits + 1 &&
         Range.getSignedMax().getSignificantBits() <= TermBits + 1;
}

} // namespace

/// `sum + x` or `sum - x` of integers; or, under a condition, the sum as it was.
bool ShimStretches::matchCount(Reduction &R) const {
  auto *Add = dyn_cast_or_null<BinaryOperator>(findOperation(R));
  bool Minus = Add && Add->getOpcode() == Instruction::Sub;
  if (!Add || (Add->getOpcode() != Instruction::Add && !Minus))
    return false;
  const Value *Sum = R.Chain.back();
  R.Operand = Add->getOperand(0) == Sum ? 1 : 0;
  Value *X = Add->getOperand(R.Operand);
  if (X == Sum || Add->getOperand(1 - R.Operand) != Sum || (Minus && R.Operand == 0))
    return false;
  const DataLayout &DL = A.F.getDataLayout();
  bool Small = isSmall(*X, DL);
  if (Add->getType()->getIntegerBitWidth() > MostBits &&
      !(Small && isa<Constant>(R.Initial) && isSmall(*R.Initial, DL)))
    return false;
  R.Operation = Add;
  R.IsSum = R.IsOrdered = R.IsCount = true;
  R.IsWide = !Small;
  return true;
}

/// Each instance writes what it adds to its place.
void ShimStretches::addCount(const Reduction &R, ValueToValueMapTy &VMap) {
  auto *Update = cast<Instruction>(VMap[Map[R.Update]]);
  auto *Operation = cast<Instruction>(VMap[Map[R.Operation]]);
  Instruction *At = Update->getParent()->getTerminator();
  IRBuilder<> B(Update == Operation || isa<SelectInst>(Update)
                    ? At
                    : Operation->getParent()->getTerminator());
  Value *X = Operation->getOperand(R.Operand);
  auto Keep = [&](unsigned Word, Value *Part) {
    Value *Term = B.CreateSIToFP(Part, B.getDoubleTy());
    if (Operation->getOpcode() == Instruction::Sub)
      Term = B.CreateFNeg(Term);
    Term = chosen(R, Term, ConstantFP::get(B.getDoubleTy(), 0.0), *At, VMap);
    Value *Address = gridElement(R, Word, *At, VMap);
    IRBuilder<>(At).CreateStore(Term, Address);
  };
  if (!R.IsWide)
    return Keep(R.Word, X);
  Keep(R.Word, B.CreateAnd(X, (uint64_t(1) << TermBits) - 1));
  Keep(R.Word + 1, B.CreateAShr(X, TermBits));
}

/// A number of a sum's type as the doubles that add up to it.
SmallVector<StoreInst *, 2>
ShimStretches::storeCount(IRBuilderBase &B, const Reduction &R, Value *Number,
                          function_ref<Value *(unsigned)> Place) {
  Value *Double = B.CreateSIToFP(Number, B.getDoubleTy());
  SmallVector<StoreInst *, 2> Stores{B.CreateStore(Double, Place(R.Word))};
  if (R.IsWide)
    Stores.push_back(B.CreateStore(ConstantFP::get(B.getDoubleTy(), 0.0), Place(R.Word + 1)));
  return Stores;
}

/// The sum that doubles stand for, as far as its type holds it.
Value *ShimStretches::loadCount(IRBuilderBase &B, const Reduction &R,
                                function_ref<Value *(unsigned)> Place) {
  auto Part = [&](unsigned Word) {
    Value *Double = B.CreateLoad(B.getDoubleTy(), Place(Word));
    return B.CreateFPToSI(Double, B.getInt64Ty());
  };
  Value *Sum = Part(R.Word);
  if (R.IsWide)
    Sum = B.CreateAdd(Sum, B.CreateShl(Part(R.Word + 1), TermBits));
  return B.CreateSExtOrTrunc(Sum, R.Exit->getType());
}
