//===- fortran_assign.cpp - Arrays that flang's runtime copies --------------===//
//
// Consumes: a working copy. Where a whole array is assigned to an allocatable one, that is
// allocated anew if its shape is another:
//
//     u = v                    _FortranAAssign(&u, &v, ...)
//
// Produces: a memmove where its descriptor says the same as the other one, and the
// call elsewhere, which rare_paths.cpp takes out of a time loop. Other bounds of the same shape
// are left to the call, too: subscripts would mean other places in either.
// Sections become loops (fortran_sections.cpp). What is not plainly that stays a call.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "fortran_descriptors.h"
#include "fortran_sections.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include <map>
#include <optional>
#include <utility>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// The same of a descriptor that is filled in one block before the call, and that nobody else is
/// told of: that of a temporary, which loops fill between the two.
std::map<int64_t, Value *> fieldsOfTemporary(const CallInst &Call, const AllocaInst *Descriptor) {
  const DataLayout &DL = Call.getDataLayout();
  std::map<int64_t, const StoreInst *> Last;
  const BasicBlock *In = nullptr;
  SmallVector<std::pair<const Value *, int64_t>, 16> Addresses{{Descriptor, 0}};
  while (!Addresses.empty()) {
    auto [Address, At] = Addresses.pop_back_val();
    for (const User *U : Address->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      auto *Place = dyn_cast<GEPOperator>(U);
      auto *Intrinsic = dyn_cast<IntrinsicInst>(U);
      APInt Offset(64, 0);
      if (U == &Call || (Intrinsic && Intrinsic->isLifetimeStartOrEnd()))
        continue;
      if (Place && Place->accumulateConstantOffset(DL, Offset)) {
        Addresses.push_back({U, At + Offset.getSExtValue()});
        continue;
      }
      if (!Store || Store->getPointerOperand() != Address || !Store->isSimple() ||
          (In && In != Store->getParent()) ||
          sizeOfField(At) != DL.getTypeStoreSize(Store->getValueOperand()->getType()))
        return {};
      In = Store->getParent();
      const StoreInst *&Known = Last[At];
      if (!Known || Known->comesBefore(Store))
        Known = Store;
    }
  }
  if (!In || In == Call.getParent() ||
      !DominatorTree(const_cast<Function &>(*Call.getFunction())).dominates(In, Call.getParent()))
    return {};
  std::map<int64_t, Value *> Fields;
  for (auto [At, Store] : Last)
    Fields[At] = const_cast<Value *>(Store->getValueOperand());
  return Fields;
}

/// A whole array, or what is like one, for assignment to an allocatable array.
struct Whole {
  AllocaInst *Descriptor;
  std::map<int64_t, Value *> Fields;
  uint64_t Rank;
  /// The value of an expression, which has no bounds of its own.
  bool IsTemporary;
};

std::optional<Whole> wholeOf(const CallInst &Call) {
  auto *Descriptor = dyn_cast<AllocaInst>(Call.getArgOperand(1)->stripPointerCasts());
  if (!Descriptor)
    return std::nullopt;
  Whole From{Descriptor, fieldsBefore(Call, Descriptor), 0, false};
  if (From.Fields.empty()) {
    From.Fields = fieldsOfTemporary(Call, Descriptor);
    From.IsTemporary = true;
  }
  auto Number = [&](int64_t At) -> uint64_t {
    auto Found = From.Fields.find(At);
    auto *C = Found == From.Fields.end() ? nullptr : dyn_cast<ConstantInt>(Found->second);
    return C ? C->getZExtValue() : ~uint64_t(0);
  };
  From.Rank = Number(RankAt);
  uint64_t Type = Number(TypeAt), Size = Number(ElementAt);
  if (From.Rank < 1 || From.Rank > MostDimensions || Number(ExtraAt) != 0 || !isNumber(Type) ||
      !isPowerOf2_64(Size) || Size > 8 ||
      !From.Fields.count(BaseAt))
    return std::nullopt;
  for (uint64_t D = 0; D < From.Rank; ++D)
    for (int64_t At : {ExtentAt, StrideAt})
      if (!From.Fields.count(At + int64_t(D) * DimensionBytes))
        return std::nullopt;
  return From;
}

/// Where subscripts begin, of an array that has elements.
Value *lowerBound(const Whole &From, uint64_t D) {
  auto Found = From.Fields.find(LowerAt + int64_t(D) * DimensionBytes);
  if (Found == From.Fields.end())
    return nullptr;
  auto *Choice = dyn_cast<SelectInst>(Found->second);
  if (!Choice)
    return Found->second;
  return match(Choice->getTrueValue(), m_One()) ? Choice->getFalseValue() : nullptr;
}

/// A section, of which the descriptor has just been made, and for which nothing is allocated.
bool isSection(const CallInst &Call, const Value *To) {
  auto *Local = dyn_cast<AllocaInst>(To->stripPointerCasts());
  if (!Local)
    return false;
  std::map<int64_t, Value *> Fields = fieldsBefore(Call, Local);
  auto Found = Fields.find(AttributeAt);
  return Found != Fields.end() && !match(Found->second, m_SpecificInt(Allocatable));
}

/// A memmove where nothing is to be allocated.
bool replaceWhole(CallInst &Call) {
  std::optional<Whole> From = wholeOf(Call);
  Value *To = Call.getArgOperand(0);
  if (!From || isSection(Call, To))
    return false;
  IRBuilder<> B(&Call);
  MDNode *Tag = tagOfWords(*Call.getFunction(), To);
  auto Own = [&](int64_t At, Type *T) {
    Value *Place = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), To, At);
    LoadInst *Load = B.CreateAlignedLoad(T, Place, Align(1));
    Load->setMetadata(LLVMContext::MD_tbaa, Tag);
    return Load;
  };
  Type *I64 = B.getInt64Ty();
  Value *Base = Own(BaseAt, B.getPtrTy());
  // It is allocated, and like the other one.
  Value *Same = B.CreateIsNotNull(Base);
  for (int64_t At : {ElementAt, RankAt, TypeAt}) {
    Value *Its = From->Fields[At];
    Same = B.CreateAnd(Same, B.CreateICmpEQ(Own(At, Its->getType()), Its));
  }
  Value *Bytes = From->Fields[ElementAt];
  for (uint64_t D = 0; D < From->Rank; ++D) {
    int64_t At = int64_t(D) * DimensionBytes;
    Value *Extent = From->Fields[ExtentAt + At];
    // What is empty in one dimension may have any stride in the next.
    Value *Its = Own(ExtentAt + At, I64);
    Same = B.CreateAnd(Same, B.CreateICmpEQ(Its, Extent));
    Same = B.CreateAnd(Same, B.CreateICmpEQ(From->Fields[StrideAt + At], Bytes));
    Same = B.CreateAnd(Same, B.CreateICmpEQ(Own(StrideAt + At, I64), Bytes));
    // In the words of what is written: sweeps go over its rows.
    Bytes = B.CreateMul(Bytes, Its);
    if (Value *Lower = From->IsTemporary ? nullptr : lowerBound(*From, D))
      Same = B.CreateAnd(Same, B.CreateICmpEQ(Own(LowerAt + At, I64), Lower));
  }
  B.SetInsertPoint(replaceWhere(Same, Call, "same"));
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  Align Aligned(cast<ConstantInt>(From->Fields[ElementAt])->getZExtValue());
  CallInst *Move = B.CreateMemMove(Base, Aligned, From->Fields[BaseAt], Aligned, Bytes);
  // It touches no descriptor, which is what the next assignment asks about.
  Function &F = *Call.getFunction();
  MDNode *Elements = MDNode::getMostGenericTBAA(tagOfElements(F, Base, nullptr),
                                                tagOfElements(F, From->Fields[BaseAt], nullptr));
  Move->setMetadata(LLVMContext::MD_tbaa, Elements ? Elements : tagOfData(Tag));
  sinkDescriptor(*From->Descriptor, Call);
  return true;
}

} // namespace

/// The runtime's assignment of arrays.
static CallInst *assignment(Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->getName() == "_FortranAAssign" && Call->arg_size() >= 2 ? Call
                                                                                   : nullptr;
}

PreservedAnalyses AssignSections::run(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<CallInst *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (CallInst *Call = assignment(I))
      Calls.push_back(Call);
  // In time loops.
  SmallPtrSet<CallInst *, 4> AlsoWhole;
  if (std::exchange(Whole, false))
    for (CallInst *Call : Calls)
      if (const Loop *L = FAM.getResult<LoopAnalysis>(F).getLoopFor(Call->getParent());
          L && !L->isInnermost())
        AlsoWhole.insert(Call);
  bool Changed = false;
  for (CallInst *Call : Calls) {
    if (replaceLine(*Call))
      Changed = true;
    else if (AlsoWhole.contains(Call) && (replaceArea(*Call) || replaceWhole(*Call)))
      Changed = Whole = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
