//===- rare_steps.cpp - Two loops, for usual steps and for rare ones -------===//
//
// Consumes: a loop in simplified and closed form, and branches of it that are hardly ever taken.
//
// Produces: the two loops of rare_paths.cpp. Where such a branch is taken, the rest of the step
// runs in a copy of its blocks, which belongs to the outer loop.
//
//===----------------------------------------------------------------------===//

#include "rare_steps.h"
#include "copied_blocks.h"
#include "rare_paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Of the branch that leads to the rest of a step.
constexpr char RareMark[] = "hexpass.rare";

/// Moves rare paths out of a loop in closed form.
class Separation {
public:
  Separation(Loop &L, ArrayRef<Edge> Rare)
      : L(L), F(*L.getHeader()->getParent()), Before(L.getLoopPreheader()),
        Latch(L.getLoopLatch()), Rare(Rare) {}

  /// The header of the outer loop.
  BasicBlock *run() {
    SmallVector<BasicBlock *, 16> Rest = restOfStep();
    clone(Rest);
    BasicBlock *Outer = resume();
    for (Edge E : Rare)
      redirect(E);
    leave(Rest);
    for (BasicBlock *B : Rest)
      for (Instruction &I : *B)
        join(I);
    return Outer;
  }

private:
  /// Blocks that run after a rare path has been taken, until the step is done.
  SmallVector<BasicBlock *, 16> restOfStep() {
    Blocks Seen;
    SmallVector<BasicBlock *, 16> Work, Found;
    for (Edge E : Rare)
      Work.push_back(E.second);
    while (!Work.empty()) {
      BasicBlock *B = Work.pop_back_val();
      if (B != L.getHeader() && L.contains(B) && Seen.insert(B).second)
        append_range(Work, successors(B));
    }
    for (BasicBlock *B : L.blocks())
      if (Seen.contains(B))
        Found.push_back(B);
    return Found;
  }

  /// Into their copies only the copies lead as yet.
  void clone(ArrayRef<BasicBlock *> Rest) {
    SmallVector<BasicBlock *, 16> New = Copied.add(Rest, ".rest");
    for (BasicBlock *B : New)
      for (PHINode &Phi : B->phis())
        Phi.removeIncomingValueIf(
            [&](unsigned I) { return !is_contained(New, Phi.getIncomingBlock(I)); },
            /*DeletePHIIfEmpty=*/false);
  }

  /// When the rest has run, the inner loop begins anew.
  BasicBlock *resume() {
    LLVMContext &C = F.getContext();
    BasicBlock *Header = L.getHeader(), *Again = Copied.of(Latch);
    auto *Outer = BasicBlock::Create(C, "resume", &F, Header);
    auto *Preheader = BasicBlock::Create(C, "settled", &F, Header);
    Before->getTerminator()->replaceSuccessorWith(Header, Outer);
    Again->getTerminator()->replaceSuccessorWith(Header, Outer);
    Again->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
    IRBuilder<>(Preheader).CreateBr(Header);
    IRBuilder<> B(Outer);
    for (PHINode &Phi : Header->phis()) {
      PHINode *Start = B.CreatePHI(Phi.getType(), 2, Phi.getName());
      Start->setDebugLoc(Phi.getDebugLoc());
      Start->addIncoming(Phi.getIncomingValueForBlock(Before), Before);
      Start->addIncoming(Copied.of(Phi.getIncomingValueForBlock(Latch)), Again);
      unsigned At = Phi.getBasicBlockIndex(Before);
      Phi.setIncomingBlock(At, Preheader);
      Phi.setIncomingValue(At, Start);
    }
    B.CreateBr(Preheader);
    return Outer;
  }

  void redirect(Edge E) {
    auto [From, To] = E;
    auto *Leaves = BasicBlock::Create(F.getContext(), "rare", &F, Copied.of(To));
    BranchInst *Branch = BranchInst::Create(Copied.of(To), Leaves);
    Branch->setMetadata(RareMark, MDNode::get(F.getContext(), {}));
    Branch->setDebugLoc(From->getTerminator()->getDebugLoc());
    for (PHINode &Phi : To->phis())
      cast<PHINode>(Copied.of(&Phi))->addIncoming(Phi.getIncomingValueForBlock(From), Leaves);
    To->removePredecessor(From, /*KeepOneInputPHIs=*/true);
    From->getTerminator()->replaceSuccessorWith(To, Leaves);
  }

  /// Whatever way the rest of a step leaves the loop.
  void leave(ArrayRef<BasicBlock *> Rest) {
    for (BasicBlock *B : Rest)
      for (BasicBlock *Exit : SmallPtrSet<BasicBlock *, 4>(succ_begin(B), succ_end(B)))
        if (!L.contains(Exit))
          Copied.enter(*Exit, B);
  }

  /// What the rest of a step computes may have been computed before it began.
  void join(Instruction &I) {
    auto *Copy = dyn_cast_or_null<Instruction>(Copied.of(&I));
    if (!Copy || Copy == &I || Copy->use_empty())
      return;
    SSAUpdater SSA;
    SSA.Initialize(I.getType(), I.getName());
    SSA.AddAvailableValue(I.getParent(), &I);
    SSA.AddAvailableValue(Copy->getParent(), Copy);
    for (Use &U : make_early_inc_range(Copy->uses())) {
      auto *User = cast<Instruction>(U.getUser());
      if (isa<PHINode>(User) || User->getParent() != Copy->getParent())
        SSA.RewriteUse(U);
    }
  }

  Loop &L;
  Function &F;
  /// As they were before anything was copied.
  BasicBlock *Before, *Latch;
  ArrayRef<Edge> Rare;
  CopiedBlocks Copied;
};

} // namespace

Blocks blocksOfStep(const Loop &L, ArrayRef<Edge> Rare, BasicBlock *From, const BasicBlock *Until,
                    const Blocks &Not) {
  Blocks Seen;
  SmallVector<BasicBlock *, 16> Work{From};
  while (!Work.empty()) {
    BasicBlock *B = Work.pop_back_val();
    if (B == Until || !L.contains(B) || Not.contains(B) || !Seen.insert(B).second)
      continue;
    for (BasicBlock *Next : successors(B))
      if (Next != L.getHeader() && !is_contained(Rare, Edge(B, Next)))
        Work.push_back(Next);
  }
  return Seen;
}

BasicBlock *separateSteps(Loop &L, ArrayRef<Edge> Rare) { return Separation(L, Rare).run(); }

bool isRarePath(const BasicBlock &B) {
  return B.getTerminator()->getMetadata(RareMark) != nullptr;
}

} // namespace hexpass
