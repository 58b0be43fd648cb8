//===- fortran_descriptors.cpp - What flang says of arrays in memory --------===//
//
// Consumes: a call that is handed a descriptor which its function has filled. Produces: the
// descriptor's fields as values.
//
//===----------------------------------------------------------------------===//

#include "fortran_descriptors.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace hexpass {

std::optional<unsigned> sizeOfField(int64_t At) {
  if (At > StrideAt && At % 8 == 0 && At < LowerAt + int64_t(MostDimensions) * DimensionBytes)
    return 8;
  switch (At) {
  case BaseAt:
  case ElementAt:
  case LowerAt:
  case ExtentAt:
  case StrideAt:
    return 8;
  case VersionAt:
    return 4;
  case RankAt:
  case TypeAt:
  case AttributeAt:
  case ExtraAt:
    return 1;
  default:
    return std::nullopt;
  }
}

std::map<int64_t, Value *> fieldsBefore(const CallInst &Call, const AllocaInst *Descriptor) {
  const DataLayout &DL = Call.getDataLayout();
  std::map<int64_t, Value *> Fields;
  for (auto I = std::next(Call.getReverseIterator()); I != Call.getParent()->rend(); ++I) {
    auto *Intrinsic = dyn_cast<IntrinsicInst>(&*I);
    if (!I->mayWriteToMemory() || (Intrinsic && Intrinsic->isAssumeLikeIntrinsic()))
      continue;
    const auto *Store = dyn_cast<StoreInst>(&*I);
    if (!Store || !Store->isSimple())
      break;
    APInt Offset(64, 0);
    const Value *Root = Store->getPointerOperand()->stripAndAccumulateConstantOffsets(
        DL, Offset, /*AllowNonInbounds=*/true);
    if (Root == Descriptor) {
      int64_t At = Offset.getSExtValue();
      if (sizeOfField(At) != DL.getTypeStoreSize(Store->getValueOperand()->getType()))
        return {};
      Fields.try_emplace(At, const_cast<Value *>(Store->getValueOperand()));
    } else if (!isa<AllocaInst>(Root)) {
      break;
    }
  }
  return Fields;
}

} // namespace hexpass
