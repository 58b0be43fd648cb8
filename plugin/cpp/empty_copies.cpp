//===- empty_copies.cpp - Copies that ask whether there is anything to copy ---===//
//
// Consumes: a working copy with loops that copy or fill memory at one go, as `u = v` and
// `std::copy` of vectors do:
//
//     if (v.end() != v.begin())
//         memmove(to, v.begin(), v.end() - v.begin());
//
// Produces: the copy without the question, which copies nothing where there is nothing. Refuses
// copies beside which the branch does more than find out where they go to, and what can't be asked
// if there is nothing. (Newer libraries compare numbers, which is a condition like others.)
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// The branch at the end of a block into one that comes back to where the other way leads.
struct Question {
  BranchInst *Asks;
  BasicBlock *Copies, *Behind;
  /// The condition under which nothing is copied.
  CmpInst::Predicate Predicate;
  Value *Left, *Right;
};

/// A copy's block is left for where the branch leads otherwise.
std::optional<Question> questionOf(BasicBlock &B) {
  auto *Asks = dyn_cast<BranchInst>(B.getTerminator());
  auto *By = Asks && Asks->isConditional() ? dyn_cast<ICmpInst>(Asks->getCondition()) : nullptr;
  if (!By)
    return std::nullopt;
  for (unsigned Side : {0, 1}) {
    BasicBlock *Copies = Asks->getSuccessor(Side), *Behind = Asks->getSuccessor(1 - Side);
    if (Copies == Behind || Copies->getSinglePredecessor() != &B ||
        Copies->getSingleSuccessor() != Behind)
      continue;
    return Question{Asks,
                    Copies,
                    Behind,
                    Side == 0 ? By->getInversePredicate() : By->getPredicate(),
                    By->getOperand(0),
                    By->getOperand(1)};
  }
  return std::nullopt;
}

/// The block's copy or fill; null if it does anything else that may not be done before `At`.
MemIntrinsic *onlyCopy(BasicBlock &B, const Instruction &At, AssumptionCache &AC,
                       const DominatorTree &DT) {
  MemIntrinsic *Found = nullptr;
  for (Instruction &I : B) {
    if (auto *Mem = dyn_cast<MemIntrinsic>(&I)) {
      if (Found || Mem->isVolatile() || isa<ConstantInt>(Mem->getLength()))
        return nullptr;
      Found = Mem;
      continue;
    }
    if (I.isTerminator() || I.isDebugOrPseudoInst())
      continue;
    // Loads stand before the copy, which may write there.
    if (!isSafeToSpeculativelyExecute(&I, &At, &AC, &DT) || (Found && I.mayReadFromMemory()))
      return nullptr;
  }
  return Found;
}

/// What comes together behind the copy is the same whether there was one.
bool isSameBehind(const Question &Q) {
  return all_of(Q.Behind->phis(), [&](PHINode &Phi) {
    return Phi.getIncomingValueForBlock(Q.Copies) ==
           Phi.getIncomingValueForBlock(Q.Asks->getParent());
  });
}

/// A length in bytes is nothing where two addresses are one, or a number is zero.
bool isNothing(Value *Bytes, const Question &Q) {
  if (Q.Predicate != CmpInst::ICMP_EQ)
    return false;
  Value *A = nullptr, *B = nullptr;
  auto Same = [&](Value *X, Value *Y) {
    return (X == Q.Left && Y == Q.Right) || (X == Q.Right && Y == Q.Left);
  };
  if ((match(Bytes, m_Sub(m_PtrToInt(m_Value(A)), m_PtrToInt(m_Value(B)))) && Same(A, B)) ||
      (match(Bytes, m_Sub(m_Value(A), m_Value(B))) && Same(A, B)))
    return true;
  if (!match(Q.Right, m_Zero()))
    return false;
  for (unsigned Deep = 0; Bytes != Q.Left; ++Deep)
    if (Deep == 4 || (!match(Bytes, m_Shl(m_Value(A), m_Value())) &&
                      !match(Bytes, m_Mul(m_Value(A), m_Constant()))))
      return false;
    else
      Bytes = A;
  return true;
}

/// The branch leads to the copy, whatever it asks.
void dontAsk(const Question &Q) {
  Q.Behind->removePredecessor(Q.Asks->getParent(), /*KeepOneInputPHIs=*/true);
  BranchInst::Create(Q.Copies, Q.Asks->getIterator())->setDebugLoc(Q.Asks->getDebugLoc());
  Value *Condition = Q.Asks->getCondition();
  Q.Asks->eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(Condition);
}

bool copiesWithoutQuestion(BasicBlock &B, AssumptionCache &AC, const DominatorTree &DT) {
  std::optional<Question> Q = questionOf(B);
  MemIntrinsic *Copy = Q && isSameBehind(*Q) ? onlyCopy(*Q->Copies, *Q->Asks, AC, DT) : nullptr;
  if (!Copy || !isNothing(Copy->getLength(), *Q))
    return false;
  dontAsk(*Q);
  return true;
}

} // namespace

PreservedAnalyses CopyNothing::run(Function &F, FunctionAnalysisManager &FAM) {
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  SmallVector<BasicBlock *, 16> Blocks;
  for (BasicBlock &B : F)
    if (LI.getLoopFor(&B))
      Blocks.push_back(&B);
  bool Changed = false;
  for (BasicBlock *B : Blocks)
    Changed |= copiesWithoutQuestion(*B, AC, DT);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace hexpass
