//===- steady_exits.cpp - Exits asked for in each step alike ---------------===//
//
// Consumes: a loop in simplified form that has lost its rare paths (rare_paths.cpp). Each step asks
// whether it may do without one, by loops too, of memory that no step writes:
//
//     for (t = 0; t < steps; t++) {
//         if (shape(u) != shape(v)) goto rare;
//         sweep(u, v);
//         if (t % 100 == 0) write(v);
//         copy(v, u);
//     }
//
// Says which these exits are: where the first step has not taken one, none does. midway_exits.cpp
// has the first step ask before the loop.
//
//===----------------------------------------------------------------------===//

#include "steady_exits.h"
#include "loops.h"
#include "plain_streams.h"
#include "stretches.h"
#include "touches.h"
#include "turns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace hexpass {

/// Nothing in the loop can make another stream of one of the library's.
static bool leavesStreams(const Loop &L) {
  return all_of(L.blocks(), [](const BasicBlock *B) {
    return all_of(*B, [](const Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      return !Call || isa<IntrinsicInst>(Call) || touchesArgumentsOnly(*Call) ||
             isMathematics(*Call);
    });
  });
}

SteadyExits::SteadyExits(Loop &L, LoopInfo &LI, DominatorTree &DT, AAResults &AA)
    : L(L), LI(LI), DT(DT), AA(AA) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  for (BasicBlock *B : Exiting)
    if (B != L.getLoopLatch() && answersAlike(B))
      Found.push_back(B);
}

/// No step changes what is loaded, by whatever iteration of an inner loop.
bool SteadyExits::stays(const LoadInst &Load) {
  auto Place = MemoryLocation::getBeforeOrAfter(getUnderlyingObject(Load.getPointerOperand()),
                                                Load.getAAMetadata());
  return Load.isSimple() && none_of(L.blocks(), [&](const BasicBlock *B) {
           return any_of(*B, [&](const Instruction &I) { return mayChange(I, Place, AA); });
         });
}

/// It is the same in each step, or in each step's iterations of the inner loop, one by one.
bool SteadyExits::isSteady(Value *V, const Loop *In) {
  SmallVector<Value *, 16> Work{V};
  SmallPtrSet<const Instruction *, 16> Seen;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(throughExits(Work.pop_back_val()));
    if (!I || !L.contains(I) || Known.contains(I) || !Seen.insert(I).second)
      continue;
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      if (!In || !In->contains(Phi) || !LI.isLoopHeader(Phi->getParent()))
        return false;
    } else if (auto *Load = dyn_cast<LoadInst>(I)) {
      if (!stays(*Load))
        return false;
    } else if (auto *Call = dyn_cast<CallBase>(I);
               Call && usesPlainStream(*Call) && Call->getType()->isIntegerTy(1)) {
      // What is printed makes no other stream of it.
      if (!leavesStreams(L))
        return false;
    } else if (I->mayReadOrWriteMemory() || (Call && !isa<IntrinsicInst>(I))) {
      return false;
    }
    append_range(Work, I->operands());
  }
  Known.insert(Seen.begin(), Seen.end());
  return true;
}

bool SteadyExits::answersAlike(BasicBlock *Exiting) {
  auto *Branch = dyn_cast<BranchInst>(Exiting->getTerminator());
  if (!Branch || !Branch->isConditional() ||
      L.contains(Branch->getSuccessor(0)) == L.contains(Branch->getSuccessor(1)))
    return false;
  const Loop *In = childOf(L, Exiting, LI);
  if (!In)
    return DT.dominates(Exiting, L.getLoopLatch()) && isSteady(Branch->getCondition(), nullptr);
  // How often it asks, and on what way through it, has to be the same, too.
  return DT.dominates(In->getHeader(), L.getLoopLatch()) &&
         all_of(In->blocks(), [&](BasicBlock *B) {
           auto *On = dyn_cast<BranchInst>(B->getTerminator());
           return On && (On->isUnconditional() || isSteady(On->getCondition(), In));
         });
}

bool SteadyExits::has(const BasicBlock *Exiting) const { return is_contained(Found, Exiting); }

bool SteadyExits::areAskedBefore(const BasicBlock *Place) const {
  return all_of(Found, [&](const BasicBlock *B) {
    const Loop *In = childOf(L, B, LI);
    return DT.dominates(In ? In->getHeader() : B, Place) && (!In || !In->contains(Place));
  });
}

void SteadyExits::settle() const {
  for (BasicBlock *B : Found) {
    auto *Branch = cast<BranchInst>(B->getTerminator());
    BasicBlock *Stays = Branch->getSuccessor(L.contains(Branch->getSuccessor(0)) ? 0 : 1);
    BasicBlock *Leaves = Branch->getSuccessor(L.contains(Branch->getSuccessor(0)) ? 1 : 0);
    Leaves->removePredecessor(B, /*KeepOneInputPHIs=*/true);
    BranchInst *Jump = BranchInst::Create(Stays, Branch->getIterator());
    Jump->setDebugLoc(Branch->getDebugLoc());
    Branch->eraseFromParent();
  }
}

} // namespace hexpass
