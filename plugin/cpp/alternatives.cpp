//===- alternatives.cpp - Sweeps whose buffers a condition exchanges --------===//
//
// Consumes: a working copy with loops in simplified form, in which a condition that comes round
// with the steps of a loop chooses between two sweeps that do the same to different arrays:
//
//     if (t % 2 == 0)                              const double *from = t % 2 == 0 ? a : b;
//       for (...) b[i] = f(a[i - 1], ...);         double *to = t % 2 == 0 ? b : a;
//     else                                         for (...) to[i] = f(from[i - 1], ...);
//       for (...) a[i] = f(b[i - 1], ...);
//
// Produces: one of them, as on the right, with choices in front of it. Of flags and metadata
// stays what both had. Leaves alternatives alone that differ in anything but values from
// outside.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "turns.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Blocks of an alternative.
constexpr size_t MostBlocks = 256;

/// Two alternatives, gone through side by side.
class Alternatives {
public:
  Alternatives(BranchInst &Branch, const LoopInfo &LI) : Branch(Branch), LI(LI) {}

  /// Both do the same, with values from outside that may differ, and go on at the same places.
  bool match() {
    if (!pair(Branch.getSuccessor(0), Branch.getSuccessor(1)))
      return false;
    for (size_t At = 0; At < Blocks.size(); ++At) {
      auto [Left, Right] = *std::next(Blocks.begin(), At);
      if (Blocks.size() > MostBlocks || !matchBlock(*Left, *Right))
        return false;
    }
    return !Joins.empty() && hasLoop() && isEnteredHere(true) && isEnteredHere(false) &&
           matchUses();
  }

  /// What chooses between them comes round with the steps of `L`.
  bool comeRound(const Loop &L) const {
    auto Chosen = [&](const PHINode &Phi) -> std::optional<Choice> {
      if (Phi.getNumIncomingValues() != 2 || !Joins.contains(Phi.getParent()))
        return std::nullopt;
      unsigned Right = RightBlocks.contains(Phi.getIncomingBlock(0)) ? 0 : 1;
      if (!RightBlocks.contains(Phi.getIncomingBlock(Right)) ||
          !Blocks.contains(Phi.getIncomingBlock(1 - Right)))
        return std::nullopt;
      return Choice{Branch.getCondition(), Phi.getIncomingValue(1 - Right),
                    Phi.getIncomingValue(Right)};
    };
    return comesRound(*Branch.getCondition(), L, Chosen);
  }

  /// Leaves the first of them, with choices before it.
  void merge() {
    IRBuilder<> B(&Branch);
    MapVector<std::pair<Value *, Value *>, Value *> Chosen;
    auto Choose = [&](Value *Mine, Value *Its) {
      Value *&V = Chosen[{Mine, Its}];
      if (!V)
        V = B.CreateSelect(Branch.getCondition(), Mine, Its, "turn");
      return V;
    };
    for (auto [Mine, Its] : Values)
      for (unsigned At = 0; At < Mine->getNumOperands(); ++At)
        if (Value *X = Mine->getOperand(At), *Y = counterpart(*Mine, *Its, At); differ(X, Y))
          Mine->setOperand(At, Choose(X, Y));
    for (PHINode *Phi : phisBehind())
      for (auto [Left, Right] : Blocks)
        if (int At = Phi->getBasicBlockIndex(Left); At >= 0) {
          Value *X = Phi->getIncomingValue(At), *Y = Phi->getIncomingValueForBlock(Right);
          if (differ(X, Y))
            Phi->setIncomingValue(At, Choose(X, Y));
        }
    for (auto [Mine, Its] : Values) {
      Mine->andIRFlags(Its);
      combineMetadataForCSE(Mine, Its, /*DoesKMove=*/true);
    }
    // Nothing is said of their scopes any more.
    for (auto [Left, Right] : Blocks)
      for (Instruction &I : make_early_inc_range(*Left))
        if (!isReal(I))
          I.eraseFromParent();
    SmallVector<BasicBlock *, 16> Dead;
    for (auto [Left, Right] : Blocks)
      Dead.push_back(Right);
    B.CreateBr(Branch.getSuccessor(0));
    Branch.eraseFromParent();
    DeleteDeadBlocks(Dead);
  }

private:
  /// Scopes are those of one side.
  static bool isReal(const Instruction &I) { return !isa<NoAliasScopeDeclInst>(I); }

  bool pair(BasicBlock *Left, BasicBlock *Right) {
    if (Left == Right) {
      Joins.insert(Left);
      return true;
    }
    auto [At, IsNew] = Blocks.insert({Left, Right});
    return IsNew ? RightBlocks.insert(Right).second : At->second == Right;
  }

  bool matchBlock(BasicBlock &Left, BasicBlock &Right) {
    auto Mine = make_filter_range(Left, isReal), Its = make_filter_range(Right, isReal);
    auto It = Its.begin();
    for (Instruction &I : Mine) {
      if (It == Its.end() || !I.isSameOperationAs(&*It) || I.isEHPad() || isa<AllocaInst>(I) ||
          I.getType()->isTokenTy() || !haveSameMath(I, *It))
        return false;
      Values.insert({&I, &*It});
      ++It;
    }
    auto *Ends = Left.getTerminator(), *Other = Right.getTerminator();
    if (It != Its.end() || !isa<BranchInst, InvokeInst, UnreachableInst>(Ends))
      return false;
    return all_of(seq(Ends->getNumSuccessors()), [&](unsigned At) {
      return pair(Ends->getSuccessor(At), Other->getSuccessor(At));
    });
  }

  static bool haveSameMath(const Instruction &Left, const Instruction &Right) {
    return !isa<FPMathOperator>(Left) ||
           !(Left.getFastMathFlags() != Right.getFastMathFlags());
  }

  bool hasLoop() const {
    const Loop *Around = LI.getLoopFor(Branch.getParent());
    return any_of(Blocks, [&](auto Both) { return LI.getLoopFor(Both.first) != Around; });
  }

  /// Nobody comes to the blocks of one side but by the branch.
  bool isEnteredHere(bool IsLeft) const {
    auto Own = [&](const BasicBlock *B) {
      return IsLeft ? Blocks.count(const_cast<BasicBlock *>(B)) > 0 : RightBlocks.contains(B);
    };
    return !Own(Branch.getParent()) && none_of(Joins, Own) && all_of(Blocks, [&](auto Both) {
      BasicBlock *B = IsLeft ? Both.first : Both.second;
      BasicBlock *First = Branch.getSuccessor(IsLeft ? 0 : 1);
      return !Own(IsLeft ? Both.second : Both.first) &&
             all_of(predecessors(B), [&](const BasicBlock *From) {
               return Own(From) || (From == Branch.getParent() && B == First);
             });
    });
  }

  /// What the other side has for an operand; null where that has another form.
  Value *counterpart(const Instruction &Mine, const Instruction &Its, unsigned At) const {
    auto *Phi = dyn_cast<PHINode>(&Mine);
    if (!Phi)
      return Its.getOperand(At);
    BasicBlock *From = Phi->getIncomingBlock(At);
    if (auto Known = Blocks.find(From); Known != Blocks.end())
      From = Known->second;
    int There = cast<PHINode>(Its).getBasicBlockIndex(From);
    return There < 0 ? nullptr : cast<PHINode>(Its).getIncomingValue(There);
  }

  /// Made by the same instruction of either side, or both from outside.
  bool stand(Value *Mine, Value *Its) const {
    if (auto *I = dyn_cast<Instruction>(Mine))
      if (auto Known = Values.find(I); Known != Values.end())
        return Known->second == Its;
    auto *I = dyn_cast_or_null<Instruction>(Its);
    return Its && !(I && RightBlocks.contains(I->getParent()));
  }

  /// Both from outside, and not the same.
  bool differ(Value *Mine, Value *Its) const {
    auto *I = dyn_cast<Instruction>(Mine);
    return Mine != Its && !isa<BasicBlock>(Mine) && !(I && Values.count(I));
  }

  bool matchUses() const {
    for (auto [Mine, Its] : Values)
      for (unsigned At = 0; At < Mine->getNumOperands(); ++At) {
        Value *X = Mine->getOperand(At), *Y = counterpart(*Mine, *Its, At);
        if (isa<BasicBlock>(X))
          continue;
        if (!stand(X, Y) || (differ(X, Y) && !canReplaceOperandWithVariable(Mine, At)))
          return false;
      }
    return all_of(phisBehind(), [&](PHINode *Phi) {
      return all_of(Blocks, [&](auto Both) {
        int At = Phi->getBasicBlockIndex(Both.first), Its = Phi->getBasicBlockIndex(Both.second);
        return (At < 0) == (Its < 0) &&
               (At < 0 || stand(Phi->getIncomingValue(At), Phi->getIncomingValue(Its)));
      });
    });
  }

  SmallVector<PHINode *, 8> phisBehind() const {
    SmallVector<PHINode *, 8> Found;
    for (BasicBlock *B : Joins)
      for (PHINode &Phi : B->phis())
        Found.push_back(&Phi);
    return Found;
  }

  BranchInst &Branch;
  const LoopInfo &LI;
  /// What corresponds to what; the blocks where both go on.
  MapVector<BasicBlock *, BasicBlock *> Blocks;
  MapVector<Instruction *, Instruction *> Values;
  SmallPtrSet<const BasicBlock *, 16> RightBlocks;
  SmallSetVector<BasicBlock *, 2> Joins;
};

/// Both ways lead to loops in `L`, by themselves.
bool leadsToLoops(const BranchInst &Branch, const Loop &L, const LoopInfo &LI) {
  return all_of(Branch.successors(), [&](const BasicBlock *Next) {
    constexpr unsigned MostBlocks = 8;
    for (unsigned At = 0; Next && At < MostBlocks; ++At) {
      const Loop *In = LI.getLoopFor(Next);
      if (In != &L)
        return In && L.contains(In);
      Next = Next->getUniqueSuccessor();
    }
    return false;
  });
}

/// Addresses that do not change are taken before the loop: a structure's first member has none
/// of its own.
void hoistAddresses(const Loop &L) {
  for (BasicBlock *B : L.blocks())
    for (Instruction &I : make_early_inc_range(*B))
      if (bool Moved = false; isa<GetElementPtrInst>(I) && L.hasLoopInvariantOperands(&I))
        L.makeLoopInvariant(&I, Moved);
}

/// Makes the first two alternatives one.
bool mergeOne(Function &F, const LoopInfo &LI) {
  for (BasicBlock &B : F) {
    auto *Branch = dyn_cast<BranchInst>(B.getTerminator());
    const Loop *L = LI.getLoopFor(&B);
    if (!Branch || !Branch->isConditional() || !L || !L->isLoopSimplifyForm() ||
        L->isLoopInvariant(Branch->getCondition()) || !leadsToLoops(*Branch, *L, LI))
      continue;
    hoistAddresses(*L);
    Alternatives Both(*Branch, LI);
    if (!Both.match() || !Both.comeRound(*L))
      continue;
    Both.merge();
    return true;
  }
  return false;
}

} // namespace

PreservedAnalyses MergeAlternatives::run(Function &F, FunctionAnalysisManager &FAM) {
  bool Changed = false;
  while (mergeOne(F, FAM.getResult<LoopAnalysis>(F))) {
    Changed = true;
    FAM.invalidate(F, PreservedAnalyses::none());
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
