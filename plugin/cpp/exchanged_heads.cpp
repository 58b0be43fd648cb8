//===- exchanged_heads.cpp - Structures that change places whole -----------===//
//
// Consumes: a working copy in which structures have come apart that are local. Others stay in
// memory, the heads of vectors in a vector, say, and change places by a local copy:
//
//     memcpy(local, x, 24); memmove(x, y, 24); memcpy(y, local, 24);
//
// Produces: the same word by word, pointers as pointers where they are read as such, as for two
// members of a structure that are exchanged. Refuses all else that is copied whole, and places
// outside of loops.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/ADT/DenseMap.h"
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

/// Bytes of a word, and of the largest structure.
constexpr uint64_t Word = 8, MostBytes = 256;

/// Bytes behind a pointer.
using Place = std::pair<const Value *, int64_t>;

Place placeOf(const Value *At, const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(At->getType()), 0);
  const Value *Base =
      At->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  return {Base, Offset.getSExtValue()};
}

/// Three copies one after the other, through a local that nobody else looks at.
struct Exchange {
  MemTransferInst *Out, *Over, *Back;
  uint64_t Bytes;
};

/// The number of bytes, where that is known and they are whole words; otherwise 0.
uint64_t bytesOf(const MemTransferInst &Move) {
  auto *Length = dyn_cast<ConstantInt>(Move.getLength());
  bool IsPlain = Length && !Move.isVolatile() && Length->getValue().ule(MostBytes) &&
                 Length->getZExtValue() % Word == 0;
  return IsPlain ? Length->getZExtValue() : 0;
}

/// `Out` is the first of three.
std::optional<Exchange> exchangeFrom(MemTransferInst &Out) {
  auto *Local = dyn_cast<AllocaInst>(Out.getRawDest());
  Exchange Found{&Out, nullptr, nullptr, bytesOf(Out)};
  if (!Local || !Found.Bytes || Out.getRawSource()->getType()->getPointerAddressSpace() != 0)
    return std::nullopt;
  for (Instruction *I = Out.getNextNode(); I && !Found.Back; I = I->getNextNode()) {
    auto *Move = dyn_cast<MemTransferInst>(I);
    if (!Move) {
      if ((I->mayReadOrWriteMemory() && !I->isLifetimeStartOrEnd()) || I->isTerminator())
        return std::nullopt;
      continue;
    }
    if (bytesOf(*Move) != Found.Bytes)
      return std::nullopt;
    (Found.Over ? Found.Back : Found.Over) = Move;
  }
  if (!Found.Back || Found.Over->getRawDest() != Out.getRawSource() ||
      Found.Back->getRawDest() != Found.Over->getRawSource() ||
      Found.Back->getRawSource() != Local ||
      Found.Back->getRawDest()->getType()->getPointerAddressSpace() != 0)
    return std::nullopt;
  bool IsOwn = all_of(Local->users(), [&](const User *U) {
    return U == &Out || U == Found.Back || cast<Instruction>(U)->isLifetimeStartOrEnd();
  });
  return IsOwn ? std::optional(Found) : std::nullopt;
}

/// What is read at a place.
using Types = DenseMap<Place, Type *>;

void writeInWords(const Exchange &Of, const Types &Read) {
  IRBuilder<> B(Of.Back);
  const DataLayout &DL = Of.Out->getDataLayout();
  Value *Sides[2] = {Of.Out->getRawSource(), Of.Back->getRawDest()};
  auto Both = [](MaybeAlign X, MaybeAlign Y) { return std::max(X.valueOrOne(), Y.valueOrOne()); };
  Align Known[2] = {Both(Of.Out->getSourceAlign(), Of.Over->getDestAlign()),
                    Both(Of.Over->getSourceAlign(), Of.Back->getDestAlign())};
  auto TypeAt = [&](uint64_t At) -> Type * {
    for (Value *Side : Sides) {
      auto [Base, Offset] = placeOf(Side, DL);
      if (Type *Found = Read.lookup({Base, Offset + int64_t(At)}))
        return Found;
    }
    return B.getInt64Ty();
  };
  auto PlaceAt = [&](Value *Side, uint64_t At) {
    return At ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Side, At) : Side;
  };
  // All words are read before one is written: the places may be one.
  SmallVector<Value *, 8> Words[2];
  for (unsigned Side : {0, 1})
    for (uint64_t At = 0; At < Of.Bytes; At += Word)
      Words[Side].push_back(B.CreateAlignedLoad(TypeAt(At), PlaceAt(Sides[Side], At),
                                                commonAlignment(Known[Side], At)));
  for (unsigned Side : {0, 1})
    for (auto [Index, New] : enumerate(Words[1 - Side]))
      B.CreateAlignedStore(New, PlaceAt(Sides[Side], Index * Word),
                           commonAlignment(Known[Side], Index * Word));
  for (Instruction *Old : {Of.Back, Of.Over, Of.Out})
    Old->eraseFromParent();
}

} // namespace

PreservedAnalyses HeadsInWords::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<Exchange, 4> Found;
  for (Instruction &I : instructions(F))
    if (auto *Move = dyn_cast<MemTransferInst>(&I); Move && LI.getLoopFor(I.getParent()))
      if (std::optional<Exchange> Three = exchangeFrom(*Move))
        Found.push_back(*Three);
  if (Found.empty())
    return PreservedAnalyses::all();
  const DataLayout &DL = F.getDataLayout();
  Types Read;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && Load->getType()->isPointerTy() && DL.getTypeStoreSize(Load->getType()) == Word)
      Read.insert({placeOf(Load->getPointerOperand(), DL), Load->getType()});
  for (const Exchange &Each : Found)
    writeInWords(Each, Read);
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
