//===- stretch_terms.cpp - Sums that every step needs -------------------------===//
//
// Consumes: sweeps of a time loop that end in a sum which is printed, stored, computed
// with, or compared with what changes: it must be the loop's own, to the last bit.
// Produces: in the model, an array of the sum's terms, one for each instance in the
// order of the loops, which the runtime adds up in that order, for several steps at a
// time (runtime/src/terms). Where the target rounds a product and its addition once,
// the factors are kept.
//
// Of an instance that adds nothing, under a condition, the term is the negative zero, to
// which any number adds up to itself.
//
//===----------------------------------------------------------------------===//

#include "stretches.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace hexpass;

/// What is added is known before it is: the sum's one rounded operation can be done
/// later. False where the target might round in either way.
bool ShimStretches::keepsTerms(Reduction &R) const {
  Instruction *Product = nullptr;
  if (auto *Call = dyn_cast<IntrinsicInst>(R.Operation))
    Product = Call;
  else if (auto *Times = dyn_cast<BinaryOperator>(R.operand());
           Times && Times->getOpcode() == Instruction::FMul && Times->hasOneUse() &&
           Times->hasAllowContract() && R.Operation->hasAllowContract())
    Product = Times;
  bool Always = R.Operation == Product &&
                cast<IntrinsicInst>(Product)->getIntrinsicID() == Intrinsic::fma;
  if (Product && !Always) {
    ShimAnswer Fuses = shim_has_fma(llvm::wrap(static_cast<Value *>(&A.F)));
    if (Fuses != ShimYes && Fuses != ShimNo)
      return false;
    if (Fuses == ShimNo)
      Product = nullptr;
  }
  R.Product = Product;
  return R.IsOrdered = true;
}

/// Each instance writes what it adds to its place.
void ShimStretches::addTerms(const Reduction &R, ValueToValueMapTy &VMap) {
  auto *Update = cast<Instruction>(VMap[Map[R.Update]]);
  auto *Operation = cast<Instruction>(VMap[Map[R.Operation]]);
  Instruction *At = Update->getParent()->getTerminator();
  IRBuilder<> B(Update == Operation || isa<SelectInst>(Update)
                    ? At
                    : Operation->getParent()->getTerminator());
  Type *T = R.Exit->getType();
  auto *Of = R.Product ? cast<Instruction>(VMap[Map[R.Product]]) : Operation;
  bool Pair = R.Product || isa<IntrinsicInst>(Operation);
  Value *X = Pair ? Of->getOperand(0) : Operation->getOperand(R.Operand);
  if (Pair && !R.Product)
    X = B.CreateFMul(X, Of->getOperand(1));
  if (Operation->getOpcode() == Instruction::FSub)
    X = B.CreateFNeg(X);
  Value *Y = R.Product && !R.isSquare() ? Of->getOperand(1) : nullptr;
  auto Keep = [&](unsigned Word, Value *Term, double Nothing) {
    Term = chosen(R, Term, ConstantFP::get(T, Nothing), *At, VMap);
    Value *Address = gridElement(R, Word, *At, VMap);
    IRBuilder<>(At).CreateStore(Term, Address);
  };
  Keep(R.Word, X, -0.0);
  if (Y)
    Keep(R.Word + 1, Y, 1.0);
}
