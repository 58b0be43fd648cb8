//===- known_selects.cpp - Choices that a branch has already made -------------===//
//
// Consumes: a working copy in which clean-up has made choices of short branches:
//
//     %end  = icmp eq ptr %p, %last
//     %step = select i1 %end, i64 0, i64 8
//     %next = getelementptr i8, ptr %p, i64 %step
//     br i1 %end, label %out, label %body
//
// as an iterator's "is there a next one?" leaves them. Where %next is used in the
// body only, it is %p + 8. Produces: that, so that %p is seen to count; also of sums with the
// condition itself as a number. Where the iterator gives pointers, the branch asks whether a
// choice between none and %p is none: for %end, or for %p.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {
namespace {

/// The values of one block that its branch chooses among.
class Chosen {
public:
  Chosen(BranchInst &Branch, DominatorTree &DT) : Branch(Branch), DT(DT) {
    addParts(Branch.getCondition(), 0);
    addParts(Branch.getCondition(), 1);
    for (Instruction &I : *Branch.getParent()) {
      auto *Select = dyn_cast<SelectInst>(&I);
      bool Follows = isa<GetElementPtrInst, BinaryOperator, CastInst>(I) &&
                     isSafeToSpeculativelyExecute(&I) &&
                     any_of(I.operands(), [&](Value *V) { return Arms.contains(V); });
      bool Known =
          (Select && (isKnown(*Select, 0) || isKnown(*Select, 1))) ||
          (isa<ZExtInst>(I) && (isKnown(*I.getOperand(0), 0) || isKnown(*I.getOperand(0), 1)));
      if (Follows || Known)
        Arms[&I] = {};
    }
  }

  bool settle() {
    bool Changed = false;
    for (unsigned Side : {0, 1}) {
      BasicBlockEdge Edge(Branch.getParent(), Branch.getSuccessor(Side));
      for (Value *V : values()) {
        SmallVector<Use *, 4> Known;
        for (Use &U : V->uses())
          if (DT.dominates(Edge, U))
            Known.push_back(&U);
        if (Known.empty() || arm(V, Side) == V)
          continue;
        for (Use *U : Known)
          U->set(arm(V, Side));
        Changed = true;
      }
    }
    return Changed;
  }

private:
  /// Where all of several conditions hold, or none of them, each is known.
  void addParts(Value *Condition, unsigned Side) {
    Value *X, *Y;
    Conditions[Side].insert(Condition);
    if (Side == 0 ? match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y)))
                  : match(Condition, m_LogicalOr(m_Value(X), m_Value(Y)))) {
      addParts(X, Side);
      addParts(Y, Side);
    }
  }

  bool isKnown(const Value &Condition, unsigned Side) const {
    return Conditions[Side].contains(&Condition);
  }
  bool isKnown(const SelectInst &Select, unsigned Side) const {
    return isKnown(*Select.getCondition(), Side);
  }

  SmallVector<Value *, 4> values() const {
    SmallVector<Value *, 4> All;
    for (auto &[V, Sides] : Arms)
      All.push_back(V);
    return All;
  }

  /// What `V` is where the branch goes that way.
  Value *arm(Value *V, unsigned Side) {
    auto It = Arms.find(V);
    if (It == Arms.end())
      return V;
    if (Value *Made = It->second[Side])
      return Made;
    Value *Made = nullptr;
    if (auto *Select = dyn_cast<SelectInst>(V)) {
      if (!isKnown(*Select, Side))
        return V;
      Made = arm(Side == 0 ? Select->getTrueValue() : Select->getFalseValue(), Side);
    } else if (isa<ZExtInst>(V) && isKnown(*cast<ZExtInst>(V)->getOperand(0), Side)) {
      Made = ConstantInt::get(V->getType(), Side == 0 ? 1 : 0);
    } else {
      auto Changes = [&](Value *Operand) { return arm(Operand, Side) != Operand; };
      if (none_of(cast<Instruction>(V)->operands(), Changes))
        return V;
      Instruction *Copy = cast<Instruction>(V)->clone();
      for (Use &U : Copy->operands())
        U.set(arm(U.get(), Side));
      Copy->insertBefore(Branch.getIterator());
      Copy->setName(V->getName());
      Made = Copy;
    }
    return Arms[V][Side] = Made;
  }

  BranchInst &Branch;
  DominatorTree &DT;
  /// Those that hold where the branch goes the first way, and those that don't where it
  /// goes the second.
  SmallPtrSet<const Value *, 4> Conditions[2];
  MapVector<Value *, std::array<Value *, 2>> Arms;
};

/// A branch on whether a choice between nothing and a pointer is nothing asks for two things.
bool takeApart(BranchInst &Branch) {
  Value *Condition = Branch.getCondition(), *Which, *Pointer;
  CmpPredicate Predicate;
  if (!Condition->hasOneUse() ||
      !match(Condition, m_ICmp(Predicate, m_Select(m_Value(Which), m_Zero(), m_Value(Pointer)),
                               m_Zero())) ||
      !Pointer->getType()->isPointerTy() || !ICmpInst::isEquality(Predicate))
    return false;
  IRBuilder<> B(cast<Instruction>(Condition));
  bool Eq = Predicate == ICmpInst::ICMP_EQ;
  Value *Null = Constant::getNullValue(Pointer->getType());
  Value *Own = B.CreateICmp(Predicate, Pointer, Null);
  Branch.setCondition(Eq ? B.CreateLogicalOr(Which, Own)
                         : B.CreateSelect(Which, B.getFalse(), Own));
  return true;
}

} // namespace

PreservedAnalyses KnownSelects::run(Function &F, FunctionAnalysisManager &FAM) {
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  bool Changed = false;
  for (BasicBlock &B : F) {
    auto *Branch = dyn_cast<BranchInst>(B.getTerminator());
    if (Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1) &&
        DT.isReachableFromEntry(&B)) {
      Changed |= takeApart(*Branch);
      Changed |= Chosen(*Branch, DT).settle();
    }
  }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
