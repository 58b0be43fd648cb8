//===- fortran_descriptors.cpp - What flang says of arrays in memory --------===//
//
// Consumes: a call that is handed a descriptor which its function has filled. Produces: the
// descriptor's fields as values, and those that a local array keeps.
//
//===----------------------------------------------------------------------===//

#include "fortran_descriptors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Operator.h"
#include <utility>

using namespace llvm;

namespace hexpass {

bool mayAllocateAnew(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && (Callee->getName() == "_FortranAAssign" ||
                    Callee->getName() == "_FortranAMoveAlloc");
}

MDNode *tagOfWords(const Function &F, const Value *Descriptor) {
  auto Place = [&](const Value *Address) {
    APInt Offset(64, 0);
    const Value *Of = Address->stripAndAccumulateConstantOffsets(F.getDataLayout(), Offset,
                                                                 /*AllowNonInbounds=*/true);
    return std::pair(Of, Offset.getSExtValue());
  };
  for (const Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    MDNode *Tag = Load ? Load->getMetadata(LLVMContext::MD_tbaa) : nullptr;
    if (Tag && Load->getType()->isPointerTy() &&
        Place(Load->getPointerOperand()) == Place(Descriptor))
      return Tag;
  }
  return nullptr;
}

MDNode *tagOfData(const MDNode *Words) {
  auto *Type = Words ? dyn_cast<MDNode>(Words->getOperand(1)) : nullptr;
  auto *Name =
      Type && Type->getNumOperands() > 1 ? dyn_cast<MDString>(Type->getOperand(0)) : nullptr;
  auto *Parent = Name ? dyn_cast<MDNode>(Type->getOperand(1)) : nullptr;
  if (!Parent || Name->getString() != WordsType)
    return nullptr;
  MDBuilder MD(Words->getContext());
  MDNode *Data = MD.createTBAAScalarTypeNode(DataType, Parent);
  return MD.createTBAAStructTagNode(Data, Data, 0);
}

MDNode *typeAbove(const MDNode *Tag, StringRef Name) {
  auto *Type = Tag && Tag->getNumOperands() > 1 ? dyn_cast<MDNode>(Tag->getOperand(1)) : nullptr;
  for (; Type && Type->getNumOperands() > 1; Type = dyn_cast<MDNode>(Type->getOperand(1))) {
    auto *Is = dyn_cast<MDString>(Type->getOperand(0));
    if (Is && Is->getString() == Name)
      return Type;
  }
  return nullptr;
}

bool areWordsAndData(const MDNode *X, const MDNode *Y) {
  auto Are = [](const MDNode *Words, const MDNode *Data) {
    return typeAbove(Words, WordsType) && typeAbove(Data, DataType);
  };
  return Are(X, Y) || Are(Y, X);
}

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

std::optional<uint64_t> fieldOfLocal(const AllocaInst &Descriptor, int64_t At) {
  const DataLayout &DL = Descriptor.getDataLayout();
  const ConstantInt *Is = nullptr;
  SmallVector<std::pair<const Value *, int64_t>, 16> Addresses{{&Descriptor, 0}};
  while (!Addresses.empty()) {
    auto [Address, Offset] = Addresses.pop_back_val();
    for (const User *U : Address->users()) {
      APInt Further(64, 0);
      if (auto *Place = dyn_cast<GEPOperator>(U)) {
        if (!Place->accumulateConstantOffset(DL, Further))
          return std::nullopt;
        Addresses.push_back({U, Offset + Further.getSExtValue()});
        continue;
      }
      auto *Store = dyn_cast<StoreInst>(U);
      if (isa<MemIntrinsic>(U))
        return std::nullopt;
      if (!Store)
        continue;
      int64_t Bytes = DL.getTypeStoreSize(Store->getValueOperand()->getType()).getFixedValue();
      if (Store->getPointerOperand() != Address)
        return std::nullopt;
      if (At < Offset || At >= Offset + Bytes)
        continue;
      auto *Constant = dyn_cast<ConstantInt>(Store->getValueOperand());
      if (!Constant || Offset != At || sizeOfField(At) != Bytes || (Is && Is != Constant))
        return std::nullopt;
      Is = Constant;
    }
  }
  return Is ? std::optional(Is->getZExtValue()) : std::nullopt;
}

/// What the global descriptor begins with that all copies to the local one are made of.
static std::optional<uint64_t> byteOfCopied(const AllocaInst &Descriptor, int64_t At) {
  std::optional<uint64_t> Found;
  for (const User *U : Descriptor.users()) {
    auto *Copy = dyn_cast<MemCpyInst>(U);
    if (!Copy && isa<CallBase>(U))
      continue;
    auto *From = Copy && Copy->getRawDest() == &Descriptor
                     ? dyn_cast<GlobalVariable>(Copy->getRawSource())
                     : nullptr;
    auto *Is = From && From->hasInitializer()
                   ? dyn_cast_or_null<ConstantInt>(ConstantFoldLoadFromConst(
                         From->getInitializer(), IntegerType::get(From->getContext(), 8),
                         APInt(64, At), From->getDataLayout()))
                   : nullptr;
    if (!Is || (Found && *Found != Is->getZExtValue()))
      return std::nullopt;
    Found = Is->getZExtValue();
  }
  return Found;
}

bool isOfNumbers(const AllocaInst &Descriptor) {
  bool Copied = any_of(Descriptor.users(), [](const User *U) { return isa<MemIntrinsic>(U); });
  auto Field = [&](int64_t At) {
    return Copied ? byteOfCopied(Descriptor, At) : fieldOfLocal(Descriptor, At);
  };
  auto Type = Field(TypeAt);
  return Type && isNumber(*Type) && Field(ExtraAt) == 0;
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

void sinkDescriptor(AllocaInst &Descriptor, CallInst &Call) {
  SmallVector<StoreInst *, 16> Stores;
  SmallVector<const Value *, 16> Addresses{&Descriptor};
  while (!Addresses.empty()) {
    const Value *Address = Addresses.pop_back_val();
    for (const User *U : Address->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      auto *Intrinsic = dyn_cast<IntrinsicInst>(U);
      if (isa<GetElementPtrInst>(U))
        Addresses.push_back(U);
      else if (Store && Store->getPointerOperand() == Address && Store->isSimple())
        Stores.push_back(const_cast<StoreInst *>(Store));
      else if (U != &Call && !(Intrinsic && Intrinsic->isLifetimeStartOrEnd()))
        return;
    }
  }
  if (Stores.empty() ||
      any_of(Stores, [&](StoreInst *S) { return S->getParent() != Stores[0]->getParent(); }))
    return;
  SmallVector<StoreInst *, 16> Ordered;
  for (Instruction &I : *Stores[0]->getParent())
    if (is_contained(Stores, &I))
      Ordered.push_back(cast<StoreInst>(&I));
  for (StoreInst *Store : Ordered)
    Store->moveBefore(Call.getIterator());
}

} // namespace hexpass
