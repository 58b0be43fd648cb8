//===- fortran_assign.cpp - Arrays and sections that flang's runtime copies --===//
//
// Consumes: a working copy. Where a section is assigned to another one of the same
// array, flang can't tell whether they overlap, and calls its runtime with two
// descriptors that it has just made:
//
//     p(1, :) = p(2, :)        _FortranAAssign(&to, &from, ...)
//
// Produces: loops, for one dimension of reals: one that goes up and one that goes
// down, of which the addresses say which runs; where the elements lie side by
// side, a memmove. Either has read each element before it is overwritten, as the
// runtime's temporary would. What is not plainly that stays a call.
//
// Where a whole array is assigned to an allocatable one, that is allocated anew if its shape
// is another. Produces: a memmove where its descriptor says the same as the other one, and the
// call elsewhere, which rare_paths.cpp takes out of a time loop. Other bounds of the same shape
// are left to the call, too: subscripts would mean other places in either.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "fortran_descriptors.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <map>
#include <optional>
#include <utility>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// A section of one dimension.
struct Section {
  Value *Base, *Extent, *Stride;
  Type *Element;
};

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

std::optional<Section> sectionOf(const CallInst &Call, unsigned Argument) {
  auto *Descriptor = dyn_cast<AllocaInst>(Call.getArgOperand(Argument)->stripPointerCasts());
  if (!Descriptor)
    return std::nullopt;
  std::map<int64_t, Value *> Fields = fieldsBefore(Call, Descriptor);
  auto Number = [&](int64_t At) -> std::optional<uint64_t> {
    auto Found = Fields.find(At);
    auto *C = Found == Fields.end() ? nullptr : dyn_cast<ConstantInt>(Found->second);
    return C ? std::optional(C->getZExtValue()) : std::nullopt;
  };
  // Neither allocatable nor a pointer: nothing is allocated anew.
  if (Number(RankAt) != 1 || Number(AttributeAt) != 0 || Number(ExtraAt) != 0)
    return std::nullopt;
  LLVMContext &Context = Call.getContext();
  Type *Element = nullptr;
  if (Number(TypeAt) == Double && Number(ElementAt) == 8)
    Element = Type::getDoubleTy(Context);
  if (Number(TypeAt) == Float && Number(ElementAt) == 4)
    Element = Type::getFloatTy(Context);
  for (int64_t At : {BaseAt, ExtentAt, StrideAt})
    if (!Fields.count(At))
      return std::nullopt;
  if (!Element || !Fields[BaseAt]->getType()->isPointerTy())
    return std::nullopt;
  return Section{Fields[BaseAt], Fields[ExtentAt], Fields[StrideAt], Element};
}

/// The pointer, in a descriptor of the program's, that an address is made from.
const Value *origin(const Value *Address) {
  auto *Load = dyn_cast<LoadInst>(getUnderlyingObject(Address));
  return Load ? Load->getPointerOperand() : nullptr;
}

/// How other accesses to the elements of the same array are tagged, if all are
/// tagged alike; `Element` is their type where it is known.
MDNode *tagOf(Function &F, const Value *Base, const Type *Element) {
  const Value *From = origin(Base);
  MDNode *Tag = nullptr;
  for (Instruction &I : instructions(F)) {
    const Value *Address = getLoadStorePointerOperand(&I);
    if (!From || !Address || (Element && getLoadStoreType(&I) != Element) ||
        origin(Address) != From)
      continue;
    MDNode *Own = I.getMetadata(LLVMContext::MD_tbaa);
    if (!Own || (Tag && Tag != Own))
      return nullptr;
    Tag = Own;
  }
  return Tag;
}

/// `Trip` iterations before `Call`, up from the first element or down from the
/// last.
void addLoop(CallInst &Call, const Section &To, const Section &From, Value *Trip, bool Down,
             MDNode *Tags[2]) {
  LLVMContext &Context = Call.getContext();
  BasicBlock *Before = Call.getParent();
  BasicBlock *After = SplitBlock(Before, &Call);
  Function *F = Before->getParent();
  auto *Header = BasicBlock::Create(Context, "section", F, After);
  auto *Body = BasicBlock::Create(Context, "section.body", F, After);
  Before->getTerminator()->setSuccessor(0, Header);
  IRBuilder<> B(Header);
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  PHINode *I = B.CreatePHI(B.getInt64Ty(), 2);
  I->addIncoming(B.getInt64(0), Before);
  // Counted down as flang's own loops are: compared with the trip, which is chosen,
  // the choice would be drawn into the loop.
  PHINode *Left = B.CreatePHI(B.getInt64Ty(), 2);
  Left->addIncoming(Trip, Before);
  B.CreateCondBr(B.CreateICmpSGT(Left, B.getInt64(0)), Body, After);
  B.SetInsertPoint(Body);
  Value *Index = I;
  if (Down)
    Index = B.CreateSub(B.CreateSub(Trip, B.getInt64(1)), I);
  Value *Offset = B.CreateMul(Index, To.Stride);
  LoadInst *Value = B.CreateLoad(To.Element, B.CreateGEP(B.getInt8Ty(), From.Base, Offset));
  StoreInst *Store = B.CreateStore(Value, B.CreateGEP(B.getInt8Ty(), To.Base, Offset));
  Store->setMetadata(LLVMContext::MD_tbaa, Tags[0]);
  Value->setMetadata(LLVMContext::MD_tbaa, Tags[1]);
  I->addIncoming(B.CreateAdd(I, B.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true), Body);
  Left->addIncoming(B.CreateSub(Left, B.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true), Body);
  B.CreateBr(Header);
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

/// What fills the descriptor moves to where it is needed, if that is all that it is for.
void sink(const Whole &From, CallInst &Call) {
  SmallVector<StoreInst *, 16> Stores;
  SmallVector<const Value *, 16> Addresses{From.Descriptor};
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
  BasicBlock *Before = Call.getParent();
  BasicBlock *Calls = SplitBlock(Before, &Call);
  BasicBlock *After = SplitBlock(Calls, Call.getNextNode());
  auto *Copies = BasicBlock::Create(Call.getContext(), "same", Before->getParent(), Calls);
  Before->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Before);
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  B.CreateCondBr(Same, Copies, Calls);
  B.SetInsertPoint(Copies);
  Align Aligned(cast<ConstantInt>(From->Fields[ElementAt])->getZExtValue());
  CallInst *Move = B.CreateMemMove(Base, Aligned, From->Fields[BaseAt], Aligned, Bytes);
  // It touches no descriptor, which is what the next assignment asks about.
  Function &F = *Before->getParent();
  Move->setMetadata(LLVMContext::MD_tbaa,
                    MDNode::getMostGenericTBAA(tagOf(F, Base, nullptr),
                                               tagOf(F, From->Fields[BaseAt], nullptr)));
  B.CreateBr(After);
  sink(*From, Call);
  return true;
}

bool replace(CallInst &Call) {
  auto To = sectionOf(Call, 0), From = sectionOf(Call, 1);
  if (!To || !From || To->Extent != From->Extent || To->Stride != From->Stride ||
      To->Element != From->Element)
    return false;
  MDNode *Tags[] = {tagOf(*Call.getFunction(), To->Base, To->Element),
                    tagOf(*Call.getFunction(), From->Base, From->Element)};
  const DataLayout &DL = Call.getDataLayout();
  uint64_t Size = DL.getTypeStoreSize(To->Element);
  IRBuilder<> B(&Call);
  Value *Zero = B.getInt64(0);
  if (auto *Stride = dyn_cast<ConstantInt>(To->Stride);
      Stride && Stride->getSExtValue() == int64_t(Size)) {
    Value *Some = B.CreateBinaryIntrinsic(Intrinsic::smax, To->Extent, Zero);
    CallInst *Move = B.CreateMemMove(To->Base, DL.getABITypeAlign(To->Element), From->Base,
                                     DL.getABITypeAlign(To->Element),
                                     B.CreateMul(Some, B.getInt64(Size)));
    if (Tags[0] == Tags[1])
      Move->setMetadata(LLVMContext::MD_tbaa, Tags[0]);
  } else {
    auto Number = [&](Value *Pointer) { return B.CreatePtrToInt(Pointer, B.getInt64Ty()); };
    Value *Distance = B.CreateSub(Number(From->Base), Number(To->Base));
    // Up where the elements read lie ahead of those written, in the direction of i.
    Value *Up = B.CreateICmpSGE(B.CreateXor(Distance, To->Stride), Zero);
    Value *TripUp = B.CreateSelect(Up, To->Extent, Zero);
    Value *TripDown = B.CreateSelect(Up, Zero, To->Extent);
    addLoop(Call, *To, *From, TripUp, /*Down=*/false, Tags);
    addLoop(Call, *To, *From, TripDown, /*Down=*/true, Tags);
  }
  Call.eraseFromParent();
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
    if (replace(*Call))
      Changed = true;
    else if (AlsoWhole.contains(Call) && replaceWhole(*Call))
      Changed = Whole = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
