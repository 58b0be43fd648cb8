//===- fixed_rows.cpp - Rows of a table that borders look up ----------------===//
//
// Consumes: a working copy, out of whose loops has been moved what is the same in all of their
// iterations. Of a grid that is a table of rows and never changes places, these are the rows that
// borders have by a number:
//
//     first = mu[0], last = mu[n];
//     for (t = 0; t < steps; t++) {
//         for (i ...) { row = mu[i]; for (j ...) row[j] = ...; }
//         for (j ...) first[j] = last[j];
//     }
//
// Produces: the same, looked up where the sweeps begin, so that they are seen to be rows of the
// grid and no grids of their own:
//
//         row = mu[0], from = mu[n];
//         for (j ...) row[j] = from[j];
//
// Refuses tables that something in the loop may write to, and those that no loop walks along.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"
#include <utility>

using namespace llvm;

namespace hexpass {
namespace {

/// The table that an address of an entry is made from.
const Value *tableOf(const Value *Entry) {
  while (auto *Place = dyn_cast<GetElementPtrInst>(Entry))
    Entry = Place->getPointerOperand();
  return Entry;
}

/// Rows that the loops of one function walk along, and others of the same tables.
class FixedRows {
public:
  FixedRows(LoopInfo &LI, AAResults &AA) : LI(LI), AA(AA) {}

  bool run(Function &F);

private:
  const Loop *walksIn(const LoadInst &Row) const;
  const Loop *walks(const Value *Table, const BasicBlock *Around) const;
  bool mayChange(const LoadInst &Row, const Loop &L) const;
  bool moveIn(LoadInst &Row, const Loop &L);

  LoopInfo &LI;
  AAResults &AA;
  SmallVector<LoadInst *, 16> Walking;
};

/// A loop goes from row to row; further in, where the row may be looked up again for each element,
/// it is the same.
const Loop *FixedRows::walksIn(const LoadInst &Row) const {
  const Loop *In = LI.getLoopFor(Row.getParent());
  while (In && In->isLoopInvariant(Row.getPointerOperand()))
    In = In->getParentLoop();
  return In;
}

/// The innermost loop around a block in which another row of the table is looked up that changes
/// from one iteration to the next.
const Loop *FixedRows::walks(const Value *Table, const BasicBlock *Around) const {
  for (const Loop *L = LI.getLoopFor(Around); L; L = L->getParentLoop())
    if (any_of(Walking, [&](const LoadInst *Row) {
          return L->contains(Row) && tableOf(Row->getPointerOperand()) == Table;
        }))
      return L;
  return nullptr;
}

bool FixedRows::mayChange(const LoadInst &Row, const Loop &L) const {
  MemoryLocation Where = MemoryLocation::get(&Row);
  auto Writes = [&](const Instruction &I) {
    return I.mayWriteToMemory() && isModSet(AA.getModRefInfo(&I, Where));
  };
  return any_of(make_range(std::next(Row.getIterator()), Row.getParent()->end()), Writes) ||
         any_of(L.blocks(), [&](const BasicBlock *B) { return any_of(*B, Writes); });
}

/// Looks the row up again where it is used in the loop.
bool FixedRows::moveIn(LoadInst &Row, const Loop &L) {
  const Value *Table = tableOf(Row.getPointerOperand());
  SmallVector<WeakTrackingVH, 4> Before{&Row};
  bool Any = false;
  DenseMap<std::pair<Instruction *, Instruction *>, Instruction *> Copies;
  // With what is made of it before the loop.
  SmallVector<SmallVector<Instruction *, 2>, 4> Chains{{&Row}};
  while (!Chains.empty()) {
    SmallVector<Instruction *, 2> Chain = Chains.pop_back_val();
    for (Use &U : make_early_inc_range(Chain.back()->uses())) {
      auto *By = cast<Instruction>(U.getUser());
      if (isa<GetElementPtrInst>(By) && By->getParent() == Row.getParent() &&
          U.getOperandNo() == 0) {
        Chains.push_back(Chain);
        Chains.back().push_back(By);
        Before.push_back(By);
        continue;
      }
      if (!L.contains(By) || isa<PHINode>(By))
        continue;
      const Loop *In = walks(Table, By->getParent());
      if (!In)
        continue;
      const Loop *Sweep = LI.getLoopFor(By->getParent());
      while (Sweep != In && Sweep->getParentLoop() != In)
        Sweep = Sweep->getParentLoop();
      Instruction *At = By;
      if (Sweep != In) {
        if (!Sweep->getLoopPreheader())
          continue;
        At = Sweep->getLoopPreheader()->getTerminator();
      }
      Value *From = nullptr;
      for (Instruction *I : Chain) {
        Instruction *&Copy = Copies[{I, At}];
        if (!Copy) {
          Copy = I->clone();
          if (From)
            Copy->setOperand(0, From);
          Copy->insertBefore(At->getIterator());
        }
        From = Copy;
      }
      U.set(From);
      Any = true;
    }
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Before);
  return Any;
}

bool FixedRows::run(Function &F) {
  SmallVector<LoadInst *, 16> Fixed;
  for (Instruction &I : instructions(F)) {
    auto *Row = dyn_cast<LoadInst>(&I);
    if (!Row || !Row->isSimple() || !Row->getType()->isPointerTy())
      continue;
    const Loop *In = LI.getLoopFor(Row->getParent());
    if (In && isa<GetElementPtrInst>(Row->getPointerOperand()) && walksIn(*Row))
      Walking.push_back(Row);
    else if (auto *Jump = Row->getParent()->getSingleSuccessor(); Jump && LI.isLoopHeader(Jump))
      Fixed.push_back(Row);
  }
  bool Any = false;
  for (LoadInst *Row : Fixed) {
    const Loop *L = LI.getLoopFor(Row->getParent()->getSingleSuccessor());
    const Value *Table = tableOf(Row->getPointerOperand());
    bool IsWalked = any_of(Walking, [&](const LoadInst *Other) {
      const Loop *By = walksIn(*Other);
      return L != By && L->contains(By) && tableOf(Other->getPointerOperand()) == Table;
    });
    if (IsWalked && !L->contains(Row) && L->getLoopPreheader() == Row->getParent() &&
        !mayChange(*Row, *L))
      Any |= moveIn(*Row, *L);
  }
  return Any;
}

} // namespace

PreservedAnalyses RowsToSweeps::run(Function &F, FunctionAnalysisManager &FAM) {
  FixedRows Rows(FAM.getResult<LoopAnalysis>(F), FAM.getResult<AAManager>(F));
  if (!Rows.run(F))
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
