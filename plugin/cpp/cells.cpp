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
// Produces: each member by itself, as sweeps read and write them. What is changed at once (by
// `q[i * n].v = -q[i * n].v`, say) is stored once, also where the source, or flang, copies member
// by member.
//
// Refuses copies of anything but one element of an array, cells of which nobody reads or writes a
// member, and those whose members lie over one another.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
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

/// A cell that is copied whole.
struct CellCopy {
  Instruction *At;
  Value *To, *From;
  Align ToAlign, FromAlign;
  uint64_t Bytes;
};

std::optional<CellCopy> copyOfCell(Instruction &I, const LoopInfo &LI) {
  if (!LI.getLoopFor(I.getParent()))
    return std::nullopt;
  const DataLayout &DL = I.getDataLayout();
  auto IsCell = [&](const Value *At, uint64_t Bytes) {
    auto Cell = cellAt(At, DL);
    return Cell && Cell->Offset == 0 && Cell->Bytes == Bytes;
  };
  if (auto *Copies = dyn_cast<MemTransferInst>(&I)) {
    auto *Length = dyn_cast<ConstantInt>(Copies->getLength());
    if (!Length || Copies->isVolatile() || Length->getValue().ugt(MostOfACell))
      return std::nullopt;
    uint64_t Bytes = Length->getZExtValue();
    if (!IsCell(Copies->getRawDest(), Bytes) && !IsCell(Copies->getRawSource(), Bytes))
      return std::nullopt;
    return CellCopy{Copies,
                    Copies->getRawDest(),
                    Copies->getRawSource(),
                    Copies->getDestAlign().valueOrOne(),
                    Copies->getSourceAlign().valueOrOne(),
                    Bytes};
  }
  return std::nullopt;
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

void split(const CellCopy &Copy, const Members &All) {
  IRBuilder<> B(Copy.At);
  AAMDNodes Tags = Copy.At->getAAMetadata();
  const DataLayout &DL = Copy.At->getDataLayout();
  auto Place = [&](Value *Cell, uint64_t Offset) {
    return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Cell, Offset) : Cell;
  };
  SmallVector<Value *, 8> Values;
  for (auto [Offset, T] : All) {
    LoadInst *Load = B.CreateAlignedLoad(T, Place(Copy.From, Offset),
                                         commonAlignment(Copy.FromAlign, Offset));
    Load->setAAMetadata(Tags.adjustForAccess(Offset, T, DL));
    Values.push_back(Load);
  }
  for (auto [Member, V] : zip(All, Values)) {
    auto [Offset, T] = Member;
    StoreInst *Store = B.CreateAlignedStore(V, Place(Copy.To, Offset),
                                            commonAlignment(Copy.ToAlign, Offset));
    Store->setAAMetadata(Tags.adjustForAccess(Offset, T, DL));
  }
  Copy.At->eraseFromParent();
}

/// Whether what follows in its block stores to the same place before anybody looks there, but for
/// those whom the value can be handed on to.
bool isStoredAgain(StoreInst &Store, AAResults &AA, SmallVectorImpl<LoadInst *> &Lookers) {
  // A cell's members, each read and written.
  constexpr unsigned MostAccesses = 64;
  MemoryLocation Place = MemoryLocation::get(&Store);
  Type *T = Store.getValueOperand()->getType();
  unsigned Accesses = 0;
  for (Instruction &I : make_range(std::next(Store.getIterator()), Store.getParent()->end())) {
    // Who does not come back may show what is there by then.
    if (!isGuaranteedToTransferExecutionToSuccessor(&I) || Accesses > MostAccesses)
      return false;
    if (!I.mayReadOrWriteMemory())
      continue;
    ++Accesses;
    if (!isModOrRefSet(AA.getModRefInfo(&I, Place)))
      continue;
    const Value *At = getLoadStorePointerOperand(&I);
    if (!At || I.isVolatile() || I.isAtomic() || getLoadStoreType(&I) != T ||
        !AA.isMustAlias(MemoryLocation::get(&I), Place))
      return false;
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load)
      return true;
    Lookers.push_back(Load);
  }
  return false;
}

/// Takes stores away that others of the same block undo. Whether there were any.
bool storeOnce(Function &F, const LoopInfo &LI, AAResults &AA) {
  SmallVector<StoreInst *, 32> Stores;
  for (Instruction &I : instructions(F))
    if (auto *Store = dyn_cast<StoreInst>(&I);
        Store && Store->isSimple() && LI.getLoopFor(Store->getParent()))
      Stores.push_back(Store);
  bool Any = false;
  for (StoreInst *Store : Stores) {
    SmallVector<LoadInst *, 2> Lookers;
    if (!isStoredAgain(*Store, AA, Lookers))
      continue;
    for (LoadInst *Load : Lookers) {
      Load->replaceAllUsesWith(Store->getValueOperand());
      Load->eraseFromParent();
    }
    Store->eraseFromParent();
    Any = true;
  }
  return Any;
}

} // namespace

PreservedAnalyses CellsToMembers::run(Function &F, FunctionAnalysisManager &FAM) {
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<CellCopy, 8> Copies;
  for (Instruction &I : instructions(F))
    if (auto Copy = copyOfCell(I, LI))
      Copies.push_back(*Copy);
  bool Any = false;
  if (!Copies.empty()) {
    Layouts Known(F);
    for (const CellCopy &Copy : Copies)
      if (auto All = Known.get(Copy.Bytes, F.getDataLayout())) {
        split(Copy, *All);
        Any = true;
      }
  }
  Any |= storeOnce(F, LI, FAM.getResult<AAManager>(F));
  if (!Any)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
