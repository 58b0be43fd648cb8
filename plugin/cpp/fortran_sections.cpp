//===- fortran_sections.cpp - Sections that flang's runtime copies ----------===//
//
// Consumes: a call of flang's runtime with two descriptors of reals or integers that have
// just been made. Where a section is assigned to another one of the same array, or to one of
// another component of a derived type, flang can't tell whether they overlap:
//
//     p(1, :) = p(2, :)                            _FortranAAssign(&to, &from, ...)
//     this%p(2:n-1, 2:m-1) = this%q(2:n-1, 2:m-1)
//
// Produces: loops. For one dimension one that goes up and one that goes down, of which the
// addresses say which runs; where the elements lie side by side, a memmove. Either has read each
// element before it is overwritten, as the runtime's temporary would. For several dimensions a nest
// where all that is read lies on one side of all that is written, and the call elsewhere, which
// rare_paths.cpp takes out of a time loop.
//
// Refuses allocatable arrays and pointers, for which the call may allocate.
//
//===----------------------------------------------------------------------===//

#include "fortran_sections.h"
#include "fortran_descriptors.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <map>
#include <optional>

using namespace llvm;

namespace hexpass {

/// The pointer, in a descriptor of the program's, that an address is made from.
static const Value *origin(const Value *Address) {
  auto *Load = dyn_cast<LoadInst>(getUnderlyingObject(Address));
  return Load ? Load->getPointerOperand() : nullptr;
}

MDNode *tagOfElements(Function &F, const Value *Base, const Type *Element) {
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

Instruction *replaceWhere(Value *Holds, CallInst &Call, StringRef Name) {
  BasicBlock *Before = Call.getParent();
  BasicBlock *Calls = SplitBlock(Before, &Call);
  BasicBlock *After = SplitBlock(Calls, Call.getNextNode());
  auto *Instead = BasicBlock::Create(Call.getContext(), Name, Before->getParent(), Calls);
  Before->getTerminator()->eraseFromParent();
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  B.CreateCondBr(Holds, Instead, Calls);
  B.SetInsertPoint(Instead);
  return B.CreateBr(After);
}

namespace {

/// What a descriptor says that was filled before a call: elements for each dimension, and bytes
/// from one to the next.
struct Section {
  AllocaInst *Descriptor;
  Value *Base;
  SmallVector<Value *, 3> Extents, Strides;
  Type *Element;
};

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
  auto Rank = Number(RankAt), Kind = Number(TypeAt), Size = Number(ElementAt);
  // Neither allocatable nor a pointer: nothing is allocated anew.
  if (!Rank || *Rank < 1 || *Rank > MostDimensions || !Kind || !Size || !Fields.count(BaseAt) ||
      Number(AttributeAt) != 0 || Number(ExtraAt) != 0)
    return std::nullopt;
  LLVMContext &Context = Call.getContext();
  Section Is{Descriptor, Fields[BaseAt], {}, {}, nullptr};
  if (*Kind == Double && *Size == 8)
    Is.Element = Type::getDoubleTy(Context);
  else if (*Kind == Float && *Size == 4)
    Is.Element = Type::getFloatTy(Context);
  else if (isNumber(*Kind) && isPowerOf2_64(*Size) && *Size <= 8)
    Is.Element = Type::getIntNTy(Context, unsigned(*Size) * 8);
  for (uint64_t D = 0; D < *Rank; ++D) {
    int64_t Further = int64_t(D) * DimensionBytes;
    if (!Fields.count(ExtentAt + Further) || !Fields.count(StrideAt + Further))
      return std::nullopt;
    Is.Extents.push_back(Fields[ExtentAt + Further]);
    Is.Strides.push_back(Fields[StrideAt + Further]);
    if (!Is.Extents.back()->getType()->isIntegerTy(64) ||
        !Is.Strides.back()->getType()->isIntegerTy(64))
      return std::nullopt;
  }
  if (!Is.Element || !Is.Base->getType()->isPointerTy())
    return std::nullopt;
  return Is;
}

/// Where one element goes, and where it comes from.
struct Places {
  Value *To, *From;
};

/// What accesses to the elements of two sections are tagged with.
struct Tags {
  MDNode *To, *From;
};

/// `Trip` iterations before `Call`. Returns where the body stands, and in `Index` which it is.
Instruction *addLoop(Instruction *At, Value *Trip, PHINode *&Index) {
  BasicBlock *Before = At->getParent();
  BasicBlock *After = SplitBlock(Before, At);
  Function *F = Before->getParent();
  auto *Header = BasicBlock::Create(F->getContext(), "section", F, After);
  auto *Body = BasicBlock::Create(F->getContext(), "section.body", F, After);
  Before->getTerminator()->setSuccessor(0, Header);
  IRBuilder<> B(Header);
  B.SetCurrentDebugLocation(At->getDebugLoc());
  Index = B.CreatePHI(B.getInt64Ty(), 2);
  Index->addIncoming(B.getInt64(0), Before);
  // Counted down as flang's own loops are: compared with the trip, which is chosen,
  // the choice would be drawn into the loop.
  PHINode *Left = B.CreatePHI(B.getInt64Ty(), 2);
  Left->addIncoming(Trip, Before);
  B.CreateCondBr(B.CreateICmpSGT(Left, B.getInt64(0)), Body, After);
  auto *Latch = BasicBlock::Create(F->getContext(), "section.next", F, After);
  B.SetInsertPoint(Latch);
  Index->addIncoming(B.CreateAdd(Index, B.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true),
                     Latch);
  Left->addIncoming(B.CreateSub(Left, B.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true), Latch);
  B.CreateBr(Header);
  B.SetInsertPoint(Body);
  return B.CreateBr(Latch);
}

void copyElement(Instruction *At, const Places &Is, Type *Element, const Tags &Tagged) {
  IRBuilder<> B(At);
  LoadInst *Value = B.CreateLoad(Element, Is.From);
  StoreInst *Store = B.CreateStore(Value, Is.To);
  Store->setMetadata(LLVMContext::MD_tbaa, Tagged.To);
  Value->setMetadata(LLVMContext::MD_tbaa, Tagged.From);
}

/// Up from the first element or down from the last.
void addLine(CallInst &Call, const Section &To, const Section &From, Value *Trip, bool Down,
             const Tags &Tagged) {
  PHINode *I;
  Instruction *At = addLoop(&Call, Trip, I);
  IRBuilder<> B(At);
  Value *Index = I;
  if (Down)
    Index = B.CreateSub(B.CreateSub(Trip, B.getInt64(1)), I);
  Value *Offset = B.CreateMul(Index, To.Strides[0]);
  copyElement(At,
              {B.CreateGEP(B.getInt8Ty(), To.Base, Offset),
               B.CreateGEP(B.getInt8Ty(), From.Base, Offset)},
              To.Element, Tagged);
}

Tags tagsOf(const CallInst &Call, const Section &To, const Section &From) {
  Function &F = *const_cast<Function *>(Call.getFunction());
  return {tagOfElements(F, To.Base, To.Element), tagOfElements(F, From.Base, From.Element)};
}

/// The same, where accesses are tagged in several ways: that they touch no descriptor.
Tags plainTagsOf(const CallInst &Call, const Section &To, const Section &From) {
  const Function &F = *Call.getFunction();
  Tags Are = tagsOf(Call, To, From);
  auto Plain = [&](const Section &Of) {
    const Value *In = origin(Of.Base);
    return In ? tagOfData(tagOfWords(F, In)) : nullptr;
  };
  return {Are.To ? Are.To : Plain(To), Are.From ? Are.From : Plain(From)};
}

/// The first byte of a section and the one behind its last, if all strides are positive, which
/// `Holds` then says, too.
std::pair<Value *, Value *> boundsOf(IRBuilder<> &B, const Section &Of, Value *&Holds) {
  Value *Begin = B.CreatePtrToInt(Of.Base, B.getInt64Ty());
  uint64_t Size = B.GetInsertBlock()->getDataLayout().getTypeStoreSize(Of.Element);
  Value *End = B.CreateAdd(Begin, B.getInt64(Size));
  for (auto [Extent, Stride] : zip(Of.Extents, Of.Strides)) {
    Holds = B.CreateAnd(Holds, B.CreateICmpSGT(Stride, B.getInt64(0)));
    End = B.CreateAdd(End, B.CreateMul(B.CreateSub(Extent, B.getInt64(1)), Stride));
  }
  return {Begin, End};
}

} // namespace

bool replaceLine(CallInst &Call) {
  auto To = sectionOf(Call, 0), From = sectionOf(Call, 1);
  if (!To || !From || To->Extents.size() != 1 || To->Extents != From->Extents ||
      To->Strides != From->Strides || To->Element != From->Element ||
      !To->Element->isFloatingPointTy())
    return false;
  Tags Tagged = plainTagsOf(Call, *To, *From);
  const DataLayout &DL = Call.getDataLayout();
  uint64_t Size = DL.getTypeStoreSize(To->Element);
  IRBuilder<> B(&Call);
  Value *Zero = B.getInt64(0), *Extent = To->Extents[0];
  if (auto *Stride = dyn_cast<ConstantInt>(To->Strides[0]);
      Stride && Stride->getSExtValue() == int64_t(Size)) {
    Value *Some = B.CreateBinaryIntrinsic(Intrinsic::smax, Extent, Zero);
    CallInst *Move = B.CreateMemMove(To->Base, DL.getABITypeAlign(To->Element), From->Base,
                                     DL.getABITypeAlign(To->Element),
                                     B.CreateMul(Some, B.getInt64(Size)));
    if (Tagged.To == Tagged.From)
      Move->setMetadata(LLVMContext::MD_tbaa, Tagged.To);
  } else {
    auto Number = [&](Value *Pointer) { return B.CreatePtrToInt(Pointer, B.getInt64Ty()); };
    Value *Distance = B.CreateSub(Number(From->Base), Number(To->Base));
    // Up where the elements read lie ahead of those written, in the direction of i.
    Value *Up = B.CreateICmpSGE(B.CreateXor(Distance, To->Strides[0]), Zero);
    Value *TripUp = B.CreateSelect(Up, Extent, Zero);
    Value *TripDown = B.CreateSelect(Up, Zero, Extent);
    addLine(Call, *To, *From, TripUp, /*Down=*/false, Tagged);
    addLine(Call, *To, *From, TripDown, /*Down=*/true, Tagged);
  }
  Call.eraseFromParent();
  return true;
}

bool replaceArea(CallInst &Call) {
  auto To = sectionOf(Call, 0), From = sectionOf(Call, 1);
  if (!To || !From || To->Extents.size() < 2 || To->Extents.size() != From->Extents.size() ||
      To->Element != From->Element)
    return false;
  Tags Tagged = plainTagsOf(Call, *To, *From);
  IRBuilder<> B(&Call);
  Value *Apart = B.getTrue();
  for (auto [Own, Other] : zip(To->Extents, From->Extents))
    Apart = B.CreateAnd(Apart, B.CreateICmpEQ(Own, Other));
  auto [ToBegin, ToEnd] = boundsOf(B, *To, Apart);
  auto [FromBegin, FromEnd] = boundsOf(B, *From, Apart);
  Apart = B.CreateAnd(
      Apart, B.CreateOr(B.CreateICmpULE(ToEnd, FromBegin), B.CreateICmpULE(FromEnd, ToBegin)));
  Instruction *At = replaceWhere(Apart, Call, "apart");
  Places Is{To->Base, From->Base};
  for (unsigned D = unsigned(To->Extents.size()); D-- > 0;) {
    PHINode *I;
    At = addLoop(At, To->Extents[D], I);
    IRBuilder<> In(At);
    Is.To = In.CreateGEP(In.getInt8Ty(), Is.To, In.CreateMul(I, To->Strides[D]));
    Is.From = In.CreateGEP(In.getInt8Ty(), Is.From, In.CreateMul(I, From->Strides[D]));
  }
  copyElement(At, Is, To->Element, Tagged);
  sinkDescriptor(*To->Descriptor, Call);
  sinkDescriptor(*From->Descriptor, Call);
  return true;
}

} // namespace hexpass
