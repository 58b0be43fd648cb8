//===- number_tables.cpp - Arrays of neighbours' numbers -------------------===//
//
// Consumes: a function whose sweeps find neighbours by numbers in arrays of the module
// (`u[next[i]][j]`), and functions that it calls. Produces: which of these arrays they are, and who
// fills them, whose body detection wants to see (plugin/src/detect/numbers.rs).
//
//===----------------------------------------------------------------------===//

#include "number_tables.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Operations between a number and the address that is made of it.
constexpr unsigned MostOperations = 8;

/// The variable in which something lies, or in which its address does.
const GlobalVariable *tableOf(const Value *Address) {
  auto Base = [](const Value *At) {
    while (auto *GEP = dyn_cast<GEPOperator>(At))
      At = GEP->getPointerOperand();
    return At;
  };
  const Value *At = Base(Address);
  if (auto *Load = dyn_cast<LoadInst>(At))
    At = Base(Load->getPointerOperand());
  // A descriptor that has been copied to a local variable: flang looks into copies.
  if (auto *Slot = dyn_cast<AllocaInst>(At))
    for (const User *U : Slot->users())
      if (auto *Copy = dyn_cast<MemCpyInst>(U); Copy && Copy->getRawDest() == Slot)
        At = Base(Copy->getRawSource());
  auto *Variable = dyn_cast<GlobalVariable>(At);
  return Variable && !Variable->isConstant() ? Variable : nullptr;
}

bool isNumber(const Type *T) { return T->isIntegerTy(32) || T->isIntegerTy(64); }

/// It is made into an address.
bool leadsToAddress(const Value &V, unsigned Left) {
  if (!Left)
    return false;
  return any_of(V.users(), [&](const User *U) {
    if (isa<GetElementPtrInst>(U))
      return true;
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      auto *Slot = dyn_cast<AllocaInst>(Store->getPointerOperand());
      return Slot && Store->getValueOperand() == &V &&
             any_of(Slot->users(), [&](const User *Reads) {
               return isa<LoadInst>(Reads) && leadsToAddress(*Reads, Left - 1);
             });
    }
    return (isa<CastInst>(U) || isa<BinaryOperator>(U)) && leadsToAddress(*U, Left - 1);
  });
}

} // namespace

NumberTables numberTablesOf(Function &F) {
  NumberTables Tables;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  for (const BasicBlock &B : F)
    if (LI.getLoopFor(&B))
      for (const Instruction &I : B)
        if (auto *Load = dyn_cast<LoadInst>(&I); Load && isNumber(Load->getType()))
          if (const GlobalVariable *Table = tableOf(Load->getPointerOperand()))
            if (Load->getPointerOperand() != Table && leadsToAddress(*Load, MostOperations))
              Tables.insert(Table);
  return Tables;
}

bool fillsOne(Function &F, const NumberTables &Tables) {
  if (Tables.empty() || F.isDeclaration())
    return false;
  DominatorTree DT(F);
  LoopInfo LI(DT);
  return any_of(instructions(F), [&](const Instruction &I) {
    auto *Store = dyn_cast<StoreInst>(&I);
    return Store && isNumber(Store->getValueOperand()->getType()) &&
           LI.getLoopFor(Store->getParent()) &&
           Tables.contains(tableOf(Store->getPointerOperand()));
  });
}

} // namespace hexpass
