//===- powers.cpp - Whole powers as products ---------------------------------===//
//
// Consumes: a working copy. Rust's `x.powi(3)` is an intrinsic of LLVM's until code is generated.
// Where the exponent is a number, that makes products of it (SelectionDAG's `ExpandPowI`), by the
// squares that the exponent's bits say, as the compiler's library does:
//
//     x.powi(6)      becomes      (x * x) * ((x * x) * (x * x))
//     x.powi(-3)                  1 / (x * (x * x))
//
// Produces: the same products now, with the flags of the power. Refuses exponents that are no
// numbers: which of both computes these, nobody knows yet.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace hexpass {
namespace {

Value *productOf(IntrinsicInst &Power, int64_t Exponent) {
  IRBuilder<> B(&Power);
  B.setFastMathFlags(Power.getFastMathFlags());
  Value *Square = Power.getArgOperand(0), *Product = nullptr;
  Constant *One = ConstantFP::get(Power.getType(), 1.0);
  for (uint64_t Left = Exponent < 0 ? -Exponent : Exponent; Left != 0; Left >>= 1) {
    if (Left & 1)
      Product = Product ? B.CreateFMul(Product, Square) : Square;
    if (Left > 1)
      Square = B.CreateFMul(Square, Square);
  }
  Product = Product ? Product : One;
  return Exponent < 0 ? B.CreateFDiv(One, Product) : Product;
}

} // namespace

PreservedAnalyses PowersToProducts::run(Function &F, FunctionAnalysisManager &) {
  bool Any = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Power = dyn_cast<IntrinsicInst>(&I);
    if (!Power || Power->getIntrinsicID() != Intrinsic::powi || Power->isStrictFP())
      continue;
    auto *Exponent = dyn_cast<ConstantInt>(Power->getArgOperand(1));
    if (!Exponent || Exponent->getBitWidth() > 32)
      continue;
    Power->replaceAllUsesWith(productOf(*Power, Exponent->getSExtValue()));
    Power->eraseFromParent();
    Any = true;
  }
  if (!Any)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
