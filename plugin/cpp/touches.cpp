//===- touches.cpp - Who may touch a place in memory -----------------------===//
//
// Consumes: an instruction and a place that somebody loads or stores. Says whether the instruction
// may look at it, or change it: as far as LLVM's alias analysis knows, and what is known of
// libraries' output (stretch_memory.cpp).
//
//===----------------------------------------------------------------------===//

#include "touches.h"
#include "fortran_descriptors.h"
#include "loops.h"
#include "plain_streams.h"
#include "stretches.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace hexpass {
namespace {

/// It is there as long as the function runs, whatever becomes of arrays on the stack.
bool isBelowStack(const Value *At) {
  const Value *Object = getUnderlyingObject(At);
  auto *Local = dyn_cast<AllocaInst>(Object);
  return isa<GlobalVariable, Argument>(Object) || (Local && Local->isStaticAlloca());
}

bool setsStack(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && (Call->getIntrinsicID() == Intrinsic::stacksave ||
                  Call->getIntrinsicID() == Intrinsic::stackrestore);
}

} // namespace

bool mayTouch(const Instruction &I, const MemoryLocation &Place, BatchAAResults &AA) {
  if (!I.mayReadOrWriteMemory() || readsStream(I) ||
      (setsStack(I) && isBelowStack(Place.Ptr)) ||
      !isModOrRefSet(AA.getModRefInfo(&I, Place)) ||
      areWordsAndData(I.getMetadata(LLVMContext::MD_tbaa), Place.AATags.TBAA))
    return false;
  SmallVector<const Value *, 4> Pointers;
  if (const Value *One = getLoadStorePointerOperand(&I))
    Pointers.push_back(One);
  else if (auto *Set = dyn_cast<MemIntrinsic>(&I)) {
    Pointers.push_back(Set->getRawDest());
    if (auto *Move = dyn_cast<MemTransferInst>(Set))
      Pointers.push_back(Move->getRawSource());
  } else if (auto *Call = dyn_cast<CallBase>(&I); !Call || !touchesArgumentsOnly(*Call, Pointers))
    return true;
  return any_of(Pointers, [&](const Value *Pointer) {
    SmallVector<const Value *, 4> Roots;
    getUnderlyingObjects(Pointer, Roots, /*LI=*/nullptr, /*MaxLookup=*/0);
    return any_of(Roots, [&](const Value *Root) {
      // Who changes the place does not do so to what is constant.
      auto *Text = dyn_cast<GlobalVariable>(Root);
      return !isNowhere(Root) && !(Text && Text->isConstant()) &&
             !AA.isNoAlias(MemoryLocation::getBeforeOrAfter(Root), Place);
    });
  });
}

bool mayChange(const Instruction &I, const MemoryLocation &Place, BatchAAResults &AA) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (Call && !isa<IntrinsicInst>(Call) && isInStream(Place.Ptr))
    return true;
  return I.mayWriteToMemory() && isModSet(AA.getModRefInfo(&I, Place)) && mayTouch(I, Place, AA) &&
         !(Call && showsNumbers(*Call));
}

} // namespace hexpass
