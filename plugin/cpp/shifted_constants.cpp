//===- shifted_constants.cpp - Constants whose sign a shift takes ----------===//
//
// Consumes: a working copy after scalar clean-up, which makes constants small where not all of
// their bits are asked for:
//
//     (i + 18014398509481857) << 10          of          (i - 127) << 10
//
// Produces: numbers with a sign again, which subscripts are made of. Refuses values that
// anything but the shift looks at.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Sums and choices one upon the other.
constexpr unsigned MaxDepth = 4;

/// The same in the lower bits, as a small number; null if it is one.
Constant *withSign(const Value *V, unsigned Bits) {
  auto *C = dyn_cast<ConstantInt>(V);
  if (!C)
    return nullptr;
  APInt Is = C->getValue().trunc(Bits).sext(C->getBitWidth());
  return Is == C->getValue() || Is.isNonNegative() ? nullptr : ConstantInt::get(C->getType(), Is);
}

/// Of `V` only the lowest bits matter.
bool giveSigns(Value *V, unsigned Bits, unsigned Depth) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !I->hasOneUse() || !Depth)
    return false;
  bool Sums = I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub;
  if (!Sums && !isa<SelectInst>(I))
    return false;
  bool Changed = false;
  for (Use &U : I->operands()) {
    if (U->getType() != I->getType())
      continue;
    if (Constant *Signed = withSign(U, Bits)) {
      U.set(Signed);
      Changed = true;
    } else
      Changed |= giveSigns(U, Bits, Depth - 1);
  }
  if (Changed && Sums) {
    I->setHasNoUnsignedWrap(false);
    I->setHasNoSignedWrap(false);
  }
  return Changed;
}

} // namespace

PreservedAnalyses SignedShifts::run(Function &F, FunctionAnalysisManager &FAM) {
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    auto *By = I.getOpcode() == Instruction::Shl ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
    unsigned Width = By ? By->getBitWidth() : 0;
    if (!By || By->getValue().uge(Width - 1) || By->isZero() ||
        !giveSigns(I.getOperand(0), Width - By->getZExtValue(), MaxDepth))
      continue;
    I.setHasNoUnsignedWrap(false);
    I.setHasNoSignedWrap(false);
    Changed = true;
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
