//===- stored_again.cpp - What is stored, and at once stored again -----------===//
//
// Consumes: a working copy in which cells have come apart. Walls copy what is beside them, and then
// turn round what goes through them, as do members one by one in the source, or by flang:
//
//     q[i * n].v = q[i * n + 1].v;
//     q[i * n].v = -q[i * n].v;       becomes       q[i * n].v = -q[i * n + 1].v;
//
// Produces: one store, whose statement reads before it writes. Refuses what anybody may look at
// between the two, and stores of different blocks.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace hexpass {
namespace {

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

} // namespace

PreservedAnalyses StoreOnce::run(Function &F, FunctionAnalysisManager &FAM) {
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  auto &AA = FAM.getResult<AAManager>(F);
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
  if (!Any)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
