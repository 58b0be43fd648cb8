//===- turns.cpp - Values that come round with the steps of a loop ----------===//
//
// Consumes: a value in a loop. Produces: whether it is again what it was after a few steps, as
// whose turn it is among several buffers: `cur = 1 - cur`, `t % 2`, `(c + 1) % 3`.
//
//===----------------------------------------------------------------------===//

#include "turns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace hexpass {

Value *throughExits(Value *V) {
  while (auto *Phi = dyn_cast<PHINode>(V)) {
    if (Phi->getNumIncomingValues() != 1)
      break;
    V = Phi->getIncomingValue(0);
  }
  return V;
}

namespace {

/// Steps after which a value has come round, at most, and how deep it is made.
constexpr unsigned MostTurns = 8, MostDeep = 8;

/// `V` where the phi is `Is` and everything else it is made of is constant.
Constant *valueAfter(Value *V, const PHINode *Phi, Constant *Is, Choices Chosen, unsigned Deep) {
  if (V == Phi)
    return Is;
  if (auto *C = dyn_cast<Constant>(V))
    return C;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Deep)
    return nullptr;
  auto Of = [&](Value *Operand) { return valueAfter(Operand, Phi, Is, Chosen, Deep - 1); };
  if (auto *Either = dyn_cast<PHINode>(I)) {
    std::optional<Choice> Known = Chosen(*Either);
    Constant *If = Known ? Of(Known->If) : nullptr;
    return If ? Of(If->isZeroValue() ? Known->Else : Known->Then) : nullptr;
  }
  if (!isa<BinaryOperator, CastInst, ICmpInst, SelectInst>(I))
    return nullptr;
  SmallVector<Constant *, 3> Operands;
  for (Value *Operand : I->operands()) {
    Constant *C = Of(Operand);
    if (!C)
      return nullptr;
    Operands.push_back(C);
  }
  return ConstantFoldInstOperands(I, Operands, I->getDataLayout());
}

/// Steps after which numbers that start with `First` are again what they were; 0 where they
/// don't come back to it.
unsigned turnsFrom(Constant *First, Value *Next, const PHINode &Phi, Choices Chosen) {
  Constant *Is = First;
  for (unsigned Turn = 1; Is && Turn <= MostTurns; ++Turn) {
    Is = valueAfter(Next, &Phi, Is, Chosen, MostDeep);
    if (Is == First)
      return Turn;
  }
  return 0;
}

/// A phi of the header that comes round, by itself (`cur = 1 - cur`) or with others
/// (`old, now = now, old`).
bool phiComesRound(const PHINode &Phi, const Loop &L, Choices Chosen) {
  if (Phi.getParent() != L.getHeader() || !Phi.getType()->isIntegerTy())
    return false;
  const BasicBlock *Latch = L.getLoopLatch();
  // The last of those that are handed on from one to the next is made from itself.
  const PHINode *Last = &Phi;
  Value *Next = throughExits(Phi.getIncomingValueForBlock(Latch));
  for (unsigned Turn = 0; Turn < MostTurns; ++Turn) {
    auto *Other = dyn_cast<PHINode>(Next);
    if (!Other || Other->getParent() != L.getHeader() || Other == &Phi)
      break;
    Last = Other;
    Next = throughExits(Other->getIncomingValueForBlock(Latch));
  }
  if (Next == &Phi)
    return true;
  // A start that is not known is one of the first numbers, which the guard checks. What stays
  // where it is (`c = 2 * c` from 0) says nothing of other starts.
  if (auto *First = dyn_cast<Constant>(Last->getIncomingValueForBlock(L.getLoopPreheader())))
    return turnsFrom(First, Next, *Last, Chosen) > 0;
  return any_of(ArrayRef<uint64_t>{0, 1}, [&](uint64_t First) {
    return turnsFrom(ConstantInt::get(Last->getType(), First), Next, *Last, Chosen) > 1;
  });
}

/// A sum of constants, what does not change, and numbers of the loop that constants are added to.
bool counts(const Value &V, const Loop &L, unsigned Deep) {
  if (L.isLoopInvariant(&V))
    return true;
  auto *Phi = dyn_cast<PHINode>(&V);
  if (Phi && Phi->getParent() == L.getHeader()) {
    Value *Next = throughExits(Phi->getIncomingValueForBlock(L.getLoopLatch()));
    return match(Next, m_c_Add(m_Specific(Phi), m_ConstantInt()));
  }
  auto *I = dyn_cast<Instruction>(&V);
  return I && Deep && (isa<CastInst>(I) || match(I, m_Add(m_Value(), m_Value()))) &&
         all_of(I->operands(), [&](const Use &U) { return counts(*U, L, Deep - 1); });
}

/// A remainder of the steps' own number, or of one that they count: `t % 2`, `t & 1`, a
/// number's last bits.
bool isRemainder(const Value &V, const Loop &L) {
  auto IsSmall = [](const Value *Divisor, const APInt *C) {
    return match(Divisor, m_APInt(C)) && C->isStrictlyPositive() && C->ule(MostTurns);
  };
  const Value *Of;
  const APInt *C = nullptr;
  if (match(&V, m_And(m_Value(Of), m_APInt(C))))
    return C->isMask() && C->ult(MostTurns) && counts(*Of, L, MostDeep);
  if (auto *I = dyn_cast<BinaryOperator>(&V))
    return (I->getOpcode() == Instruction::SRem || I->getOpcode() == Instruction::URem) &&
           IsSmall(I->getOperand(1), C) && counts(*I->getOperand(0), L, MostDeep);
  auto *Cut = dyn_cast<TruncInst>(&V);
  return Cut && Cut->getType()->getScalarSizeInBits() <= Log2_32(MostTurns) &&
         counts(*Cut->getOperand(0), L, MostDeep);
}

bool comesRound(const Value &V, const Loop &L, Choices Chosen, unsigned Deep) {
  if (L.isLoopInvariant(&V))
    return true;
  if (auto *Phi = dyn_cast<PHINode>(&V))
    return phiComesRound(*Phi, L, Chosen);
  auto *I = dyn_cast<Instruction>(&V);
  return I && Deep && isa<BinaryOperator, CastInst, ICmpInst, SelectInst>(I) &&
         (isRemainder(*I, L) ||
          all_of(I->operands(), [&](const Use &U) { return comesRound(*U, L, Chosen, Deep - 1); }));
}

} // namespace

bool comesRound(const Value &V, const Loop &L, Choices Chosen) {
  return comesRound(V, L, Chosen, MostDeep);
}

} // namespace hexpass
