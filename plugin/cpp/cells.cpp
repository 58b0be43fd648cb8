//===- cells.cpp - Cells of a grid that are copied whole --------------------===//
//
// Consumes: a working copy in which local structures have come apart. Where each cell of a grid is
// a structure (height and two velocities, say), a border is set by a copy of the whole:
//
//     memcpy(&q[i * n], &q[i * n + 1], 24)
//
//                        h = q[i * n + 1].h, u = q[i * n + 1].u, v = q[i * n + 1].v;
//     becomes            q[i * n].h = h, q[i * n].u = u, q[i * n].v = v;
//
// What is a member is told by the other accesses of cells of that size; bytes that nobody asks for
// are members of the kind that all others are of.
//
// Produces: each member by itself, as sweeps read and write them.
//
// Refuses copies of anything but one element of an array, cells of which nobody reads or writes a
// member, and those whose members lie over one another.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include <map>

using namespace llvm;

namespace hexpass {
namespace {

/// Bytes of a cell; the populations of D3Q27 are as many.
constexpr uint64_t MostOfACell = 256;

/// The members of a cell by where they lie in it.
using Members = std::map<uint64_t, Type *>;

/// An element of an array of cells, and how far behind its beginning.
struct CellAt {
  uint64_t Bytes, Offset;
};

/// The cell that an address lies in: the last step to it that no constant says.
std::optional<CellAt> cellAt(const Value *At, const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(At->getType()), 0);
  const Value *Cell = At->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  auto *Step = dyn_cast<GetElementPtrInst>(Cell);
  if (!Step || Step->getNumIndices() != 1)
    return std::nullopt;
  TypeSize Bytes = DL.getTypeAllocSize(Step->getSourceElementType());
  if (Bytes.isScalable() || Bytes.isZero() || !Offset.isSignedIntN(64))
    return std::nullopt;
  // The cell before has its members in the same places.
  int64_t Size = Bytes.getFixedValue(), Rest = Offset.getSExtValue() % Size;
  return CellAt{Bytes.getFixedValue(), static_cast<uint64_t>(Rest < 0 ? Rest + Size : Rest)};
}

/// The bytes of the cell that is copied whole, in a loop; none where something else is.
std::optional<uint64_t> bytesOfCell(const MemTransferInst &Copies, const LoopInfo &LI) {
  auto *Length = dyn_cast<ConstantInt>(Copies.getLength());
  if (!Length || Copies.isVolatile() || Length->getValue().ugt(MostOfACell) ||
      !LI.getLoopFor(Copies.getParent()))
    return std::nullopt;
  uint64_t Bytes = Length->getZExtValue();
  auto IsCell = [&](const Value *At) {
    auto Cell = cellAt(At, Copies.getDataLayout());
    return Cell && Cell->Offset == 0 && Cell->Bytes == Bytes;
  };
  bool Is = IsCell(Copies.getRawDest()) || IsCell(Copies.getRawSource());
  return Is ? std::optional(Bytes) : std::nullopt;
}

/// What is read and written of cells of each size; none where members lie over one another.
class Layouts {
public:
  explicit Layouts(Function &F) {
    const DataLayout &DL = F.getDataLayout();
    for (Instruction &I : instructions(F)) {
      const Value *At = getLoadStorePointerOperand(&I);
      Type *T = At ? getLoadStoreType(&I) : nullptr;
      if (!T || !(T->isIntegerTy() || T->isFloatTy() || T->isDoubleTy()))
        continue;
      auto Cell = cellAt(At, DL);
      uint64_t Bytes = DL.getTypeStoreSize(T).getFixedValue();
      if (!Cell || Bytes > Cell->Bytes - Cell->Offset || Bytes == Cell->Bytes)
        continue;
      Type *&Member = Of[Cell->Bytes][Cell->Offset];
      if (!Member || Member->isIntegerTy())
        Member = T;
    }
  }

  /// All members of cells of that size, one behind the other.
  std::optional<Members> get(uint64_t Bytes, const DataLayout &DL) const {
    auto Known = Of.find(Bytes);
    if (Known == Of.end())
      return std::nullopt;
    Members All = Known->second;
    Type *Kind = All.begin()->second;
    uint64_t Size = DL.getTypeStoreSize(Kind).getFixedValue(), At = 0;
    while (At < Bytes) {
      auto Next = All.lower_bound(At);
      if (Next != All.end() && Next->first == At) {
        At += DL.getTypeStoreSize(Next->second).getFixedValue();
        continue;
      }
      if (any_of(All, [&](auto &Member) { return Member.second != Kind; }) || At % Size != 0)
        return std::nullopt;
      All[At] = Kind;
    }
    bool Overlap = any_of(All, [&](auto &Member) {
      auto Next = All.upper_bound(Member.first);
      uint64_t End = Next == All.end() ? Bytes : Next->first;
      return Member.first + DL.getTypeStoreSize(Member.second).getFixedValue() > End;
    });
    return Overlap ? std::nullopt : std::optional(All);
  }

private:
  std::map<uint64_t, Members> Of;
};

void split(MemTransferInst &Copies, const Members &All) {
  IRBuilder<> B(&Copies);
  AAMDNodes Tags = Copies.getAAMetadata();
  const DataLayout &DL = Copies.getDataLayout();
  auto Place = [&](Value *Cell, uint64_t Offset) {
    return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Cell, Offset) : Cell;
  };
  Align From = Copies.getSourceAlign().valueOrOne(), To = Copies.getDestAlign().valueOrOne();
  SmallVector<Value *, 8> Values;
  for (auto [Offset, T] : All) {
    LoadInst *Load = B.CreateAlignedLoad(T, Place(Copies.getRawSource(), Offset),
                                         commonAlignment(From, Offset));
    Load->setAAMetadata(Tags.adjustForAccess(Offset, T, DL));
    Values.push_back(Load);
  }
  for (auto [Member, V] : zip(All, Values)) {
    auto [Offset, T] = Member;
    StoreInst *Store =
        B.CreateAlignedStore(V, Place(Copies.getRawDest(), Offset), commonAlignment(To, Offset));
    Store->setAAMetadata(Tags.adjustForAccess(Offset, T, DL));
  }
  Copies.eraseFromParent();
}

} // namespace

PreservedAnalyses CellsToMembers::run(Function &F, FunctionAnalysisManager &FAM) {
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<std::pair<MemTransferInst *, uint64_t>, 8> Found;
  for (Instruction &I : instructions(F))
    if (auto *Copies = dyn_cast<MemTransferInst>(&I))
      if (auto Bytes = bytesOfCell(*Copies, LI))
        Found.emplace_back(Copies, *Bytes);
  if (Found.empty())
    return PreservedAnalyses::all();
  Layouts Known(F);
  bool Any = false;
  for (auto [Copies, Bytes] : Found)
    if (auto All = Known.get(Bytes, F.getDataLayout())) {
      split(*Copies, *All);
      Any = true;
    }
  if (!Any)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
