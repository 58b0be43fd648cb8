//===- high_words.cpp - Narrow sums in the upper half of a word -------------===//
//
// Consumes: a working copy after scalar clean-up, which computes a narrow subscript with what
// follows it in the upper half of a word, and lets a shift both widen and scale it:
//
//     (i * 38654705664 + 42949672960) >>s 29
//
// Produces: what was written there, a narrow sum, widened and scaled, whose bounds can be
// asked for:
//
//     sext(trunc(i * 9 + 10)) << 3
//
// Refuses words whose lower half is not plainly zero, unless it is dropped and nothing carries.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// Sums and products one upon the other.
constexpr unsigned MaxDepth = 8;
/// Bits of a half.
constexpr unsigned Half = 32;

/// A constant of whose bits the lower half is zero.
const APInt *highConstant(const Value *V) {
  auto *C = dyn_cast<ConstantInt>(V);
  return C && C->getValue().countr_zero() >= Half ? &C->getValue() : nullptr;
}

/// A shift to the left by at least a half, but not out of the word.
bool shiftsByHalf(const Instruction &I) {
  auto *By = dyn_cast<ConstantInt>(I.getOperand(1));
  return By && By->getValue().uge(Half) && By->getValue().ult(2 * Half);
}

/// True if the lower half of `V` is plainly zero.
bool isHigh(const Value *V, unsigned Depth = MaxDepth) {
  if (highConstant(V))
    return true;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Depth)
    return false;
  switch (I->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
    return isHigh(I->getOperand(0), Depth - 1) && isHigh(I->getOperand(1), Depth - 1);
  case Instruction::Mul:
    return highConstant(I->getOperand(1));
  case Instruction::Shl:
    return shiftsByHalf(*I);
  default:
    return false;
  }
}

/// What is in the lower half of `V` goes nowhere: a number that has been shifted by less than a half,
/// as the length of a vector is, and what is added to it above.
bool isDropped(const Value *V, unsigned Depth = MaxDepth) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Depth)
    return false;
  switch (I->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
    return isDropped(I->getOperand(0), Depth - 1) && isHigh(I->getOperand(1), Depth - 1);
  case Instruction::Shl:
    return match(I->getOperand(1), m_ConstantInt()) && !shiftsByHalf(*I) &&
           cast<ConstantInt>(I->getOperand(1))->getValue().ult(Half);
  default:
    return false;
  }
}

/// The upper half of such a word, in the lower half of another: above it may be anything.
Value *lowered(Value *V, IRBuilder<> &B) {
  if (const APInt *High = highConstant(V))
    return ConstantInt::get(V->getType(), High->ashr(Half));
  auto *I = cast<Instruction>(V);
  Value *A = I->getOperand(0), *C = I->getOperand(1);
  switch (I->getOpcode()) {
  case Instruction::Add:
    return B.CreateAdd(lowered(A, B), lowered(C, B));
  case Instruction::Sub:
    return B.CreateSub(lowered(A, B), lowered(C, B));
  case Instruction::Mul:
    return B.CreateMul(A, lowered(C, B));
  default:
    uint64_t By = cast<ConstantInt>(C)->getZExtValue();
    return By < Half ? B.CreateAShr(A, Half - By) : B.CreateShl(A, By - Half);
  }
}

} // namespace

PreservedAnalyses HighWords::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<BinaryOperator *, 8> Found;
  for (Instruction &I : instructions(F)) {
    bool Shifts = I.getOpcode() == Instruction::AShr || I.getOpcode() == Instruction::LShr;
    auto *By = Shifts ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
    // A shift by a half of what a shift has put there is a widening that everybody knows.
    if (By && I.getType()->isIntegerTy(2 * Half) && By->getValue().ule(Half) &&
        !isa<Constant>(I.getOperand(0)) &&
        (isHigh(I.getOperand(0)) || (By->equalsInt(Half) && isDropped(I.getOperand(0)))))
      Found.push_back(cast<BinaryOperator>(&I));
  }
  for (BinaryOperator *I : Found) {
    IRBuilder<> B(I);
    auto *By = cast<ConstantInt>(I->getOperand(1));
    Value *Narrow = B.CreateTrunc(lowered(I->getOperand(0), B), B.getIntNTy(Half));
    bool Signed = I->getOpcode() == Instruction::AShr;
    Value *Wide = Signed ? B.CreateSExt(Narrow, I->getType()) : B.CreateZExt(Narrow, I->getType());
    unsigned Scale = Half - By->getZExtValue();
    if (Scale)
      Wide = B.CreateShl(Wide, Scale, "", /*HasNUW=*/!Signed, /*HasNSW=*/Signed && Scale < Half);
    I->replaceAllUsesWith(Wide);
    I->eraseFromParent();
  }
  if (Found.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
