//===- heads.cpp - Loops whose first iteration begins otherwise ------------===//
//
// Consumes: a working copy with loops in simplified form. An iterator that leaves elements out
// (Rust's `skip`) does so when it is first asked for one, which looks at a number that is zero
// from then on:
//
//     for (;; body) {
//         if (left) at += left, left = 0;
//         if (at == end) break;
//     }
//
// Produces: the same loop, begun behind what stands before the body. That is done once before
// the loop, as the first iteration finds it, and at the end of each iteration, as all others do:
//
//     at += left;
//     if (at != end)
//         do body while (at != end);
//
// What is done there has no effects but to leave the loop. Loops that hold more than that before
// the body, or another loop, stay as they are.
//
//===----------------------------------------------------------------------===//

#include "copied_blocks.h"
#include "loops.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// Instructions of a head.
constexpr unsigned MaxHead = 80;

/// What stands before the body of a loop.
struct Head {
  SmallVector<BasicBlock *, 8> Blocks;
  /// Where it leads to.
  BasicBlock *Body = nullptr;
};

/// The constant that a header's phi is in later iterations, unless it stays what it is.
Constant *laterOn(const PHINode &Phi, const Loop &L) {
  Constant *Is = nullptr;
  SmallPtrSet<const Value *, 8> Seen{&Phi};
  SmallVector<const Value *, 8> Work{Phi.getIncomingValueForBlock(L.getLoopLatch())};
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    auto *C = dyn_cast<Constant>(V);
    auto *From = dyn_cast<PHINode>(V);
    if (From && L.contains(From))
      append_range(Work, From->incoming_values());
    else if (C && (!Is || Is == C))
      Is = const_cast<Constant *>(C);
    else
      return nullptr;
  }
  return Is;
}

/// The block of the loop, but of none in it, that asks whether the phi is that constant.
BasicBlock *asks(PHINode &Phi, const Constant *Later, const Loop &L, const LoopInfo &LI) {
  for (User *U : Phi.users()) {
    auto *Compares = dyn_cast<ICmpInst>(U);
    if (!Compares || !Compares->isEquality() || Compares->getOperand(1) != Later)
      continue;
    for (User *By : Compares->users())
      if (auto *Branch = dyn_cast<BranchInst>(By);
          Branch && LI.getLoopFor(Branch->getParent()) == &L)
        return Branch->getParent();
  }
  return nullptr;
}

/// All of the loop that may run before `Body`, if that has no effects.
bool isBefore(BasicBlock *Body, const Loop &L, const LoopInfo &LI, Head &Found) {
  SmallPtrSet<BasicBlock *, 8> Seen{L.getHeader()};
  SmallVector<BasicBlock *, 8> Work{L.getHeader()};
  unsigned Size = 0;
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    Size += B->sizeWithoutDebug();
    if (LI.getLoopFor(B) != &L || Size > MaxHead || any_of(*B, [](Instruction &I) {
          auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
          return I.mayHaveSideEffects() && !(Intrinsic && Intrinsic->isAssumeLikeIntrinsic());
        }))
      return false;
    Found.Blocks.push_back(B);
    for (BasicBlock *Next : successors(B))
      if (Next != Body && L.contains(Next) && Seen.insert(Next).second)
        Work.push_back(Next);
  }
  Found.Body = Body;
  return true;
}

bool findHead(const Loop &L, const LoopInfo &LI, const DominatorTree &DT, Head &Found) {
  if (!L.getParentLoop() || !L.isLoopSimplifyForm())
    return false;
  for (PHINode &Phi : L.getHeader()->phis()) {
    Constant *Later = Phi.getType()->isIntegerTy() ? laterOn(Phi, L) : nullptr;
    if (!Later || Phi.getIncomingValueForBlock(L.getLoopPreheader()) == Later)
      continue;
    BasicBlock *Asks = asks(Phi, Later, L, LI), *Body = L.getLoopLatch();
    if (!Asks || Asks == Body || !DT.dominates(Asks, Body))
      continue;
    while (DT.getNode(Body)->getIDom()->getBlock() != Asks)
      Body = DT.getNode(Body)->getIDom()->getBlock();
    Found = Head();
    if (isBefore(Body, L, LI, Found))
      return true;
  }
  return false;
}

/// Begins a loop in closed form behind its head.
class Rotation {
public:
  Rotation(Loop &L, const Head &At)
      : L(L), At(At), Own(At.Blocks.begin(), At.Blocks.end()), Before(L.getLoopPreheader()) {}

  void run() {
    Copied.add(At.Blocks, ".first");
    BasicBlock *Header = L.getHeader();
    for (PHINode &Phi : Header->phis()) {
      auto *Copy = cast<PHINode>(Copied.of(&Phi));
      Value *First = Phi.getIncomingValueForBlock(Before);
      Copy->replaceAllUsesWith(First);
      Copied.replace(&Phi, First);
      Copy->eraseFromParent();
      Phi.removeIncomingValue(Before, /*DeletePHIIfEmpty=*/false);
    }
    Before->getTerminator()->replaceSuccessorWith(Header, Copied.of(Header));
    for (BasicBlock *B : At.Blocks)
      for (BasicBlock *Next : SmallPtrSet<BasicBlock *, 4>(succ_begin(B), succ_end(B)))
        if (!Own.contains(Next))
          Copied.enter(*Next, B);
    moveName();
    for (BasicBlock *B : At.Blocks)
      for (Instruction &I : *B)
        join(I);
  }

private:
  /// What says where the loop stands is at its end.
  void moveName() {
    Instruction *Ends = L.getLoopLatch()->getTerminator();
    MDNode *Name = Ends->getMetadata(LLVMContext::MD_loop);
    Ends->setMetadata(LLVMContext::MD_loop, nullptr);
    for (BasicBlock *B : At.Blocks)
      if (is_contained(successors(B), At.Body))
        B->getTerminator()->setMetadata(LLVMContext::MD_loop, Name);
  }

  /// Behind the head, what it computes was computed in it or before the loop.
  void join(Instruction &I) {
    SSAUpdater SSA;
    SSA.Initialize(I.getType(), I.getName());
    SSA.AddAvailableValue(I.getParent(), &I);
    SSA.AddAvailableValue(Copied.of(I.getParent()), Copied.of(&I));
    for (Use &U : make_early_inc_range(I.uses())) {
      auto *User = cast<Instruction>(U.getUser());
      auto *Phi = dyn_cast<PHINode>(User);
      if (!Own.contains(Phi ? Phi->getIncomingBlock(U) : User->getParent()))
        SSA.RewriteUse(U);
    }
  }

  Loop &L;
  const Head &At;
  SmallPtrSet<BasicBlock *, 8> Own;
  BasicBlock *Before;
  CopiedBlocks Copied;
};

} // namespace

bool isBeforeBody(const Loop &L, BasicBlock &Body, const LoopInfo &LI) {
  Head Found;
  return isBefore(&Body, L, LI, Found);
}

void beginBehind(Loop &L, BasicBlock &Body, const LoopInfo &LI) {
  Head Found;
  if (isBefore(&Body, L, LI, Found))
    Rotation(L, Found).run();
}

PreservedAnalyses BeginBehindHeads::run(Function &F, FunctionAnalysisManager &FAM) {
  bool Changed = false;
  for (bool Again = true; Again;) {
    Again = false;
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    for (Loop *L : LI.getLoopsInPreorder()) {
      Head Found;
      if (!findHead(*L, LI, DT, Found))
        continue;
      formLCSSARecursively(*L, DT, &LI, nullptr);
      Rotation(*L, Found).run();
      FAM.invalidate(F, PreservedAnalyses::none());
      Changed = Again = true;
      break;
    }
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
