//===- switches.cpp - Choices among values as two-way branches -----------===//
//
// Consumes: a working copy. Produces: the same without switches. Those of a few cases
// become tests for one value after the other, of which the host's clean-up makes the
// same switch again in what is left of the original: narrow where the value is narrow,
// and a choice between values where it is one. Of LLVM's own lowering, a tree of
// comparisons, it makes nothing else. That is for switches of many cases, and for those
// whose cases are all there are.
//
//===----------------------------------------------------------------------===//

#include "switches.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

using namespace llvm;

namespace hexpass {

namespace {

/// Tests one after the other that a value needs at most.
constexpr unsigned MaxTests = 8;

/// What the phis of a block get from `From`, once for each edge; taken out.
SmallVector<std::pair<PHINode *, Value *>, 4> takeIncoming(BasicBlock &To,
                                                           BasicBlock &From) {
  SmallVector<std::pair<PHINode *, Value *>, 4> Taken;
  for (PHINode &Phi : To.phis()) {
    Taken.push_back({&Phi, Phi.getIncomingValueForBlock(&From)});
    Phi.removeIncomingValueIf(
        [&](unsigned I) { return Phi.getIncomingBlock(I) == &From; },
        /*DeletePHIIfEmpty=*/false);
  }
  return Taken;
}

void testOneByOne(SwitchInst &Switch) {
  BasicBlock *From = Switch.getParent(), *Default = Switch.getDefaultDest();
  Value *Asked = Switch.getCondition();
  SmallVector<std::pair<ConstantInt *, BasicBlock *>, MaxTests> Cases;
  SmallSetVector<BasicBlock *, MaxTests> To;
  To.insert(Default);
  for (auto &Case : Switch.cases()) {
    To.insert(Case.getCaseSuccessor());
    if (Case.getCaseSuccessor() != Default)
      Cases.push_back({Case.getCaseValue(), Case.getCaseSuccessor()});
  }
  DenseMap<BasicBlock *, SmallVector<std::pair<PHINode *, Value *>, 4>> Values;
  for (BasicBlock *B : To)
    Values[B] = takeIncoming(*B, *From);
  auto Link = [&](BasicBlock *At, BasicBlock *Next) {
    for (auto [Phi, Value] : Values[Next])
      Phi->addIncoming(Value, At);
  };
  DebugLoc Line = Switch.getDebugLoc();
  Switch.eraseFromParent();
  BasicBlock *At = From;
  for (auto [I, Case] : enumerate(Cases)) {
    bool Last = I + 1 == Cases.size();
    BasicBlock *Next = Last ? Default
                            : BasicBlock::Create(From->getContext(), "case",
                                                 From->getParent(), Default);
    IRBuilder<> B(At);
    B.SetCurrentDebugLocation(Line);
    B.CreateCondBr(B.CreateICmpEQ(Asked, Case.first), Case.second, Next);
    Link(At, Case.second);
    if (Last)
      Link(At, Default);
    At = Next;
  }
  if (Cases.empty()) {
    IRBuilder<>(From).CreateBr(Default)->setDebugLoc(Line);
    Link(From, Default);
  }
}

} // namespace

PreservedAnalyses BranchSwitches::run(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<SwitchInst *, 4> Few;
  for (BasicBlock &B : F)
    if (auto *Switch = dyn_cast<SwitchInst>(B.getTerminator()))
      if (Switch->getNumCases() <= MaxTests && !Switch->defaultDestUnreachable())
        Few.push_back(Switch);
  for (SwitchInst *Switch : Few)
    testOneByOne(*Switch);
  if (!Few.empty())
    FAM.invalidate(F, PreservedAnalyses::none());
  PreservedAnalyses Others = LowerSwitchPass().run(F, FAM);
  return Few.empty() ? Others : PreservedAnalyses::none();
}

} // namespace hexpass
