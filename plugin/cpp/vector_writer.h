//===- vector_writer.h - What vectors' methods do in place -------*- C++ -*-===//

#ifndef HEXPASS_VECTOR_WRITER_H
#define HEXPASS_VECTOR_WRITER_H

#include "vector_methods.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace hexpass {

/// A vector on the stack, maybe in a structure.
struct LocalVector {
  llvm::AllocaInst *In;
  int64_t Offset;

  bool operator==(const LocalVector &Other) const {
    return In == Other.In && Offset == Other.Offset;
  }
};

/// The one that an argument of a call leads to.
std::optional<LocalVector> localOf(const llvm::CallBase &Call, unsigned Arg);

/// Writes what methods do where nothing is to be allocated (vector_writer.cpp).
class VectorWriter {
public:
  /// For vectors of this kind; accesses get types where the compiler believes those.
  VectorWriter(llvm::Function &F, const Known &Of, const Layout &Head, bool HasTypes);

  /// From here on, in place of the terminator that the block has.
  void begin(llvm::BasicBlock &At, llvm::DebugLoc Where);
  void end(llvm::BasicBlock &Then) { B.CreateBr(&Then); }
  void at(llvm::Instruction &Before) { B.SetInsertPoint(&Before); }

  /// Goes to `Otherwise`, hardly ever, where two vectors differ in shape.
  void requireSameShape(llvm::Value *X, llvm::Value *Y, llvm::BasicBlock &Otherwise) {
    requireSameShape(X, Y, Depth, Otherwise);
  }
  void copy(llvm::Value *To, llvm::Value *From) { copy(To, From, Depth); }

  /// The same for a vector of so many vectors of so many elements.
  void requireShape(llvm::Value *X, llvm::Value *Rows, llvm::Value *Length,
                    llvm::BasicBlock &Otherwise);
  void fill(llvm::Value *X, llvm::Value *With);
  llvm::Value *loadElement(llvm::Value *At);
  void storeElement(llvm::Value *V, llvm::Value *At);
  /// A truth value as it is stored.
  llvm::Value *asElement(llvm::Value *V) {
    return V->getType()->isIntegerTy(1) ? B.CreateZExt(V, Element) : V;
  }
  llvm::Value *zero() { return llvm::Constant::getNullValue(Element); }

  /// Makes an empty one, whose elements begin nowhere; Rust's are never at zero.
  void clear(llvm::Value *X);
  void moveHead(llvm::Value *To, llvm::Value *From);
  /// A call like this one, of another vector. It stays one.
  llvm::CallInst *destroy(const llvm::CallBase &Like, llvm::Value *X);
  /// Room for a head.
  llvm::AllocaInst *room();
  llvm::Value *address(llvm::Value *Of, int64_t Offset);
  llvm::Value *address(const LocalVector &Of) { return address(Of.In, Of.Offset); }

private:
  void tag(char Of);
  llvm::Type *typeAt(uint64_t At) const {
    return Head.Counts && At != Head.Begin ? Word : Pointer;
  }
  llvm::Value *loadHead(llvm::Value *X, uint64_t At);
  void storeHead(llvm::Value *V, llvm::Value *X, uint64_t At);
  llvm::Value *begin(llvm::Value *X) { return loadHead(X, Head.Begin); }
  llvm::Value *entry(llvm::Value *First, llvm::Value *Row) {
    return B.CreateInBoundsPtrAdd(First, B.CreateMul(Row, B.getInt64(HeadBytes)));
  }
  llvm::Value *count(llvm::Value *X, unsigned Of);
  llvm::BasicBlock *block(const llvm::Twine &Name);
  void require(llvm::Value *Fails, llvm::BasicBlock &Otherwise);
  void loop(llvm::Value *Count, llvm::function_ref<void(llvm::Value *)> Body);
  void requireSameShape(llvm::Value *X, llvm::Value *Y, unsigned At, llvm::BasicBlock &Otherwise);
  void copy(llvm::Value *To, llvm::Value *From, unsigned At);

  llvm::Function &F;
  llvm::IRBuilder<> B;
  unsigned Depth;
  Layout Head;
  uint64_t Bytes;
  llvm::PointerType *Pointer;
  llvm::Type *Word, *Element;
  llvm::MDNode *HeadTag = nullptr, *ElementTag = nullptr;
};

} // namespace hexpass

#endif // HEXPASS_VECTOR_WRITER_H
