//===- number_tables.cpp - Arrays of neighbours' numbers -------------------===//
//
// Consumes: a function whose sweeps find neighbours by numbers in arrays of the module
// (`u[next[i]][j]`) or in objects of its own (members of a class), and functions that it calls.
// Produces: which of these they are, and who fills them, whose body detection wants to see
// (plugin/src/detect/numbers.rs).
//
//===----------------------------------------------------------------------===//

#include "number_tables.h"
#include "llvm/Analysis/AliasAnalysis.h"
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
constexpr unsigned MostOperations = 12;
/// Slots from which a pointer is loaded, one after the other.
constexpr unsigned MostSlots = 8;
/// Constants that a function must store to fill part of an object.
constexpr unsigned FewestStores = 4;

const Value *withoutIndices(const Value *At) {
  while (auto *GEP = dyn_cast<GEPOperator>(At))
    At = GEP->getPointerOperand();
  return At;
}

/// What is stored to a local variable, if that happens once.
const Value *onlyValueOf(const AllocaInst &Slot) {
  const Value *Stored = nullptr;
  for (const User *U : Slot.users()) {
    auto *Store = dyn_cast<StoreInst>(U);
    if (!Store || Store->getPointerOperand() != &Slot)
      continue;
    if (Stored)
      return nullptr;
    Stored = Store->getValueOperand();
  }
  return Stored;
}

/// What an address starts from, through the slots that keep it before the function is simplified.
const Value *objectOf(const Value *Address) {
  const Value *At = withoutIndices(Address);
  for (unsigned Left = MostSlots; Left; --Left) {
    auto *Load = dyn_cast<LoadInst>(At);
    auto *Slot = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
    const Value *Kept = Slot ? onlyValueOf(*Slot) : nullptr;
    if (!Kept)
      break;
    At = withoutIndices(Kept);
  }
  return At;
}

/// The variable or object in which something lies, or in which its address does.
const Value *tableOf(const Value *Address) {
  const Value *At = objectOf(Address);
  if (isa<AllocaInst>(At) ? cast<AllocaInst>(At)->getAllocatedType()->isAggregateType()
                          : isNoAliasCall(At))
    return At;
  if (auto *Load = dyn_cast<LoadInst>(At))
    At = withoutIndices(Load->getPointerOperand());
  // A descriptor that has been copied to a local variable: flang looks into copies.
  if (auto *Slot = dyn_cast<AllocaInst>(At))
    for (const User *U : Slot->users())
      if (auto *Copy = dyn_cast<MemCpyInst>(U); Copy && Copy->getRawDest() == Slot)
        At = withoutIndices(Copy->getRawSource());
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
          if (const Value *Table = tableOf(Load->getPointerOperand()))
            if (Load->getPointerOperand() != Table && leadsToAddress(*Load, MostOperations))
              Tables.insert(Table);
  return Tables;
}

/// The function stores numbers to a variable among them, in a loop.
static bool fillsVariable(Function &F, const NumberTables &Tables) {
  DominatorTree DT(F);
  LoopInfo LI(DT);
  return any_of(instructions(F), [&](const Instruction &I) {
    auto *Store = dyn_cast<StoreInst>(&I);
    return Store && isNumber(Store->getValueOperand()->getType()) &&
           LI.getLoopFor(Store->getParent()) &&
           Tables.contains(tableOf(Store->getPointerOperand()));
  });
}

/// The function stores constants behind its argument, as a constructor does.
static bool fillsBehind(Function &F, const Argument &Object) {
  unsigned Stores = 0;
  for (const Instruction &I : instructions(F)) {
    if (auto *Store = dyn_cast<StoreInst>(&I))
      Stores += isa<ConstantInt>(Store->getValueOperand()) &&
                isNumber(Store->getValueOperand()->getType()) &&
                objectOf(Store->getPointerOperand()) == &Object;
    if (auto *Copy = dyn_cast<MemCpyInst>(&I))
      if (auto *Source = dyn_cast<GlobalVariable>(withoutIndices(Copy->getRawSource())))
        if (Source->isConstant() && objectOf(Copy->getRawDest()) == &Object)
          return true;
  }
  return Stores >= FewestStores;
}

bool fillsOne(const CallBase &Call, const NumberTables &Tables) {
  Function *Callee = Call.getCalledFunction();
  if (Tables.empty() || !Callee || Callee->isDeclaration())
    return false;
  if (fillsVariable(*Callee, Tables))
    return true;
  return any_of(Callee->args(), [&](const Argument &A) {
    if (!A.getType()->isPointerTy() || A.getArgNo() >= Call.arg_size())
      return false;
    const Value *Object = tableOf(Call.getArgOperand(A.getArgNo()));
    return isa_and_nonnull<Instruction>(Object) && Tables.contains(Object) &&
           fillsBehind(*Callee, A);
  });
}

} // namespace hexpass
