//===- vector_writer.cpp - What vectors' methods do in place ---------------===//
//
// Consumes: a place in a working copy, and vectors of numbers, or of such vectors, by the addresses
// of their heads. Produces: what their methods come to where nothing is to be allocated: heads that
// are moved or made empty, shapes that are compared, elements that are copied or filled in, in loops
// of which canonicalisation makes what it makes of the source's.
//
// Refuses nothing: nested_vectors.cpp knows what may be written where.
//
//===----------------------------------------------------------------------===//

#include "vector_writer.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace hexpass {

std::optional<LocalVector> localOf(const CallBase &Call, unsigned Arg) {
  Value *Address = Call.getArgOperand(Arg);
  auto *Computed = dyn_cast<Instruction>(Address);
  if (!Computed)
    return std::nullopt;
  const DataLayout &DL = Computed->getDataLayout();
  APInt Offset(DL.getIndexTypeSizeInBits(Address->getType()), 0);
  auto *In = dyn_cast<AllocaInst>(Address->stripAndAccumulateConstantOffsets(DL, Offset, true));
  if (!In || !In->isStaticAlloca())
    return std::nullopt;
  return LocalVector{In, Offset.getSExtValue()};
}

VectorWriter::VectorWriter(Function &F, const Known &Of, const Layout &Head, bool HasTypes)
    : F(F), B(F.getContext()), Depth(Of.Depth), Head(Head), Bytes(bytesOf(Of)) {
  LLVMContext &C = F.getContext();
  Pointer = PointerType::get(C, 0);
  Word = Type::getInt64Ty(C);
  Element = Of.Element == 'd'   ? Type::getDoubleTy(C)
            : Of.Element == 'f' ? Type::getFloatTy(C)
                                : Type::getIntNTy(C, 8 * Bytes);
  if (HasTypes)
    tag(Of.Element);
}

void VectorWriter::tag(char Of) {
  MDBuilder MD(F.getContext());
  MDNode *Char = MD.createTBAAScalarTypeNode("omnipotent char",
                                             MD.createTBAARoot("Simple C++ TBAA"));
  MDNode *Any = MD.createTBAAScalarTypeNode("any pointer", Char);
  HeadTag = MD.createTBAAStructTagNode(Any, Any, 0);
  StringRef Name = StringSwitch<StringRef>(StringRef(&Of, 1))
                       .Case("d", "double")
                       .Case("f", "float")
                       .Cases({"i", "j"}, "int")
                       .Cases({"l", "m"}, "long")
                       .Cases({"x", "y"}, "long long")
                       .Cases({"s", "t"}, "short")
                       .Default("");
  MDNode *Type = Name.empty() ? Char : MD.createTBAAScalarTypeNode(Name, Char);
  ElementTag = MD.createTBAAStructTagNode(Type, Type, 0);
}

void VectorWriter::begin(BasicBlock &At, DebugLoc Where) {
  At.getTerminator()->eraseFromParent();
  B.SetInsertPoint(&At);
  B.SetCurrentDebugLocation(Where);
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

Value *VectorWriter::loadHead(Value *X, uint64_t At) {
  LoadInst *Load = B.CreateAlignedLoad(typeAt(At), B.CreateInBoundsPtrAdd(X, B.getInt64(At)),
                                       Align(8));
  Load->setMetadata(LLVMContext::MD_tbaa, HeadTag);
  return Load;
}

void VectorWriter::storeHead(Value *V, Value *X, uint64_t At) {
  StoreInst *Store = B.CreateAlignedStore(V, B.CreateInBoundsPtrAdd(X, B.getInt64(At)), Align(8));
  Store->setMetadata(LLVMContext::MD_tbaa, HeadTag);
}

/// How many entries a vector has that holds others, or elements.
Value *VectorWriter::count(Value *X, unsigned Of) {
  if (Head.Counts)
    return loadHead(X, Head.End);
  Value *Begin = begin(X), *End = loadHead(X, Head.End);
  Value *Length = B.CreateSub(B.CreatePtrToInt(End, Word), B.CreatePtrToInt(Begin, Word));
  return B.CreateExactSDiv(Length, B.getInt64(Of > 1 ? HeadBytes : Bytes));
}

void VectorWriter::clear(Value *X) {
  Constant *Nowhere = ConstantPointerNull::get(Pointer);
  if (Head.Counts)
    Nowhere = ConstantExpr::getIntToPtr(B.getInt64(8), Pointer);
  for (uint64_t At : {Head.Begin, Head.End, Head.Storage})
    storeHead(At == Head.Begin ? Nowhere : Constant::getNullValue(typeAt(At)), X, At);
}

void VectorWriter::moveHead(Value *To, Value *From) {
  for (uint64_t At : {Head.Begin, Head.End, Head.Storage})
    storeHead(loadHead(From, At), To, At);
}

CallInst *VectorWriter::destroy(const CallBase &Like, Value *X) {
  auto *Call = cast<CallInst>(B.Insert(Like.clone()));
  Call->setArgOperand(0, X);
  Call->setIsNoInline();
  Call->setDebugLoc(Like.getDebugLoc());
  return Call;
}

AllocaInst *VectorWriter::room() {
  BasicBlock &Entry = F.getEntryBlock();
  auto *Room = new AllocaInst(ArrayType::get(Pointer, HeadBytes / 8), 0, "", Entry.begin());
  Room->setAlignment(Align(8));
  return Room;
}

Value *VectorWriter::address(Value *Of, int64_t Offset) {
  return Offset ? B.CreateInBoundsPtrAdd(Of, B.getInt64(Offset)) : Of;
}

//===----------------------------------------------------------------------===//
// Shapes and elements
//===----------------------------------------------------------------------===//

BasicBlock *VectorWriter::block(const Twine &Name) {
  return BasicBlock::Create(F.getContext(), Name, &F, B.GetInsertBlock()->getNextNode());
}

void VectorWriter::require(Value *Fails, BasicBlock &Otherwise) {
  BasicBlock *Next = block("same");
  B.CreateCondBr(Fails, &Otherwise, Next);
  B.SetInsertPoint(Next);
}

void VectorWriter::loop(Value *Count, function_ref<void(Value *)> Body) {
  BasicBlock *Before = B.GetInsertBlock(), *Done = block("done"), *In = block("row"),
             *Header = block("rows");
  B.CreateBr(Header);
  B.SetInsertPoint(Header);
  PHINode *I = B.CreatePHI(Word, 2);
  I->addIncoming(B.getInt64(0), Before);
  B.CreateCondBr(B.CreateICmpULT(I, Count), In, Done);
  B.SetInsertPoint(In);
  Body(I);
  I->addIncoming(B.CreateNUWAdd(I, B.getInt64(1)), B.GetInsertBlock());
  B.CreateBr(Header);
  B.SetInsertPoint(Done);
}

void VectorWriter::requireSameShape(Value *X, Value *Y, unsigned At, BasicBlock &Otherwise) {
  Value *Count = count(Y, At);
  require(B.CreateICmpNE(count(X, At), Count), Otherwise);
  if (At == 1)
    return;
  Value *OfX = begin(X), *OfY = begin(Y);
  loop(Count, [&](Value *Row) {
    requireSameShape(entry(OfX, Row), entry(OfY, Row), At - 1, Otherwise);
  });
}

void VectorWriter::requireShape(Value *X, Value *Rows, Value *Length, BasicBlock &Otherwise) {
  Value *Count = count(X, Depth);
  require(B.CreateICmpNE(Count, Rows), Otherwise);
  Value *First = begin(X);
  loop(Count, [&](Value *Row) {
    require(B.CreateICmpNE(count(entry(First, Row), Depth - 1), Length), Otherwise);
  });
}

void VectorWriter::copy(Value *To, Value *From, unsigned At) {
  Value *Count = count(From, At), *OfTo = begin(To), *OfFrom = begin(From);
  loop(Count, [&](Value *I) {
    if (At > 1)
      copy(entry(OfTo, I), entry(OfFrom, I), At - 1);
    else
      storeElement(loadElement(B.CreateGEP(Element, OfFrom, I)), B.CreateGEP(Element, OfTo, I));
  });
}

void VectorWriter::fill(Value *X, Value *With) {
  Value *First = begin(X);
  loop(count(X, Depth), [&](Value *Row) {
    Value *At = entry(First, Row), *Elements = begin(At);
    loop(count(At, Depth - 1),
         [&](Value *I) { storeElement(With, B.CreateGEP(Element, Elements, I)); });
  });
}

Value *VectorWriter::loadElement(Value *At) {
  LoadInst *Load = B.CreateAlignedLoad(Element, At, Align(Bytes));
  Load->setMetadata(LLVMContext::MD_tbaa, ElementTag);
  return Load;
}

void VectorWriter::storeElement(Value *V, Value *At) {
  StoreInst *Store = B.CreateAlignedStore(V, At, Align(Bytes));
  Store->setMetadata(LLVMContext::MD_tbaa, ElementTag);
}

} // namespace hexpass
