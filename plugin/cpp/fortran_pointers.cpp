//===- fortran_pointers.cpp - Pointers to arrays that change places ---------===//
//
// Consumes: a working copy. A pointer to an array is a descriptor: an address, the element's size,
// four small numbers, and three words for each dimension. A pointer that is assigned to another is
// copied whole, through a descriptor that nobody else sees:
//
//     kept => old         memcpy(tmp, @old, 72); memcpy(@kept, tmp, 72)
//     old => new          memcpy(tmp, @new, 72); memcpy(@old, tmp, 72)
//     new => kept         memcpy(tmp, @kept, 72); memcpy(@new, tmp, 72)
//
// Produces: copies of their words, which come apart where the descriptors lie in memory, too (in a
// main program they do). The four small numbers stay one word: nothing changes them. Refuses
// descriptors of derived types, which are longer, and copies that are more than passed on.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "fortran_descriptors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <optional>

using namespace llvm;

namespace hexpass {
namespace {

using Copies = SmallVector<MemCpyInst *, 4>;

/// Bytes of a descriptor without a derived type, if that is what lies there.
std::optional<uint64_t> bytesOf(const AllocaInst &Local) {
  auto *Fields = dyn_cast<StructType>(Local.getAllocatedType());
  if (Local.isArrayAllocation() || !Fields || Fields->getNumElements() != 8 ||
      !Fields->getElementType(0)->isPointerTy())
    return std::nullopt;
  auto *Dimensions = dyn_cast<ArrayType>(Fields->getElementType(7));
  auto *Words = Dimensions ? dyn_cast<ArrayType>(Dimensions->getElementType()) : nullptr;
  if (!Words || Words->getNumElements() != 3 || !Words->getElementType()->isIntegerTy(64) ||
      Dimensions->getNumElements() > MostDimensions)
    return std::nullopt;
  uint64_t Bytes = LowerAt + DimensionBytes * Dimensions->getNumElements();
  return Local.getDataLayout().getTypeAllocSize(Fields) == Bytes ? std::optional(Bytes)
                                                                  : std::nullopt;
}

/// Whole copies to a local descriptor and from it, if nothing else is done with it.
Copies passedOn(AllocaInst &Local, uint64_t Bytes) {
  Copies Found;
  for (User *U : Local.users()) {
    auto *Copy = dyn_cast<MemCpyInst>(U);
    auto *Intrinsic = dyn_cast<IntrinsicInst>(U);
    if (Intrinsic && Intrinsic->isLifetimeStartOrEnd())
      continue;
    auto *Length = Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
    if (!Length || Copy->isVolatile() || Length->getZExtValue() != Bytes ||
        Copy->getRawDest() == Copy->getRawSource())
      return {};
    Found.push_back(Copy);
  }
  return Found;
}

/// One such copy, word by word.
void copyWords(MemCpyInst &Copy, uint64_t Bytes) {
  IRBuilder<> B(&Copy);
  AAMDNodes Tags = Copy.getAAMetadata();
  auto Place = [&](Value *Descriptor, uint64_t At) {
    return At ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Descriptor, At) : Descriptor;
  };
  SmallVector<LoadInst *, 12> Words;
  for (uint64_t At = BaseAt; At < Bytes; At += 8) {
    Type *T = At == BaseAt ? static_cast<Type *>(B.getPtrTy()) : B.getInt64Ty();
    Words.push_back(
        B.CreateAlignedLoad(T, Place(Copy.getRawSource(), At),
                            commonAlignment(Copy.getSourceAlign().valueOrOne(), At)));
    Words.back()->setAAMetadata(Tags.adjustForAccess(At, T, B.GetInsertBlock()->getDataLayout()));
  }
  for (auto [Index, Word] : enumerate(Words)) {
    uint64_t At = 8 * Index;
    StoreInst *Store =
        B.CreateAlignedStore(Word, Place(Copy.getRawDest(), At),
                             commonAlignment(Copy.getDestAlign().valueOrOne(), At));
    Store->setAAMetadata(
        Tags.adjustForAccess(At, Word->getType(), B.GetInsertBlock()->getDataLayout()));
  }
  Copy.eraseFromParent();
}

} // namespace

PreservedAnalyses PointersInWords::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto IsOfSteps = [&](const MemCpyInst *Copy) {
    const Loop *L = LI.getLoopFor(Copy->getParent());
    return L && !L->isInnermost();
  };
  bool Changed = false;
  for (Instruction &I : F.getEntryBlock()) {
    auto *Local = dyn_cast<AllocaInst>(&I);
    std::optional<uint64_t> Bytes = Local ? bytesOf(*Local) : std::nullopt;
    if (!Bytes)
      continue;
    Copies All = passedOn(*Local, *Bytes);
    if (none_of(All, IsOfSteps))
      continue;
    for (MemCpyInst *Copy : All)
      copyWords(*Copy, *Bytes);
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
