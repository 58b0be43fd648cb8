//===- words.cpp - Members that are copied two at a time -------------------===//
//
// Consumes: a working copy in which structures have come apart. Where two numbers of four bytes lie
// side by side and a structure is exchanged whole, clean-up makes one word of both:
//
//     rows = load i32, ptr %grid
//     both = load i64, ptr %grid                     first = load i32, ptr %grid
//     store i64 both, ptr %other       becomes       second = load i32, ptr %grid + 4
//                                                    store i32 first, ptr %other, ...
//
// So does who hands a structure of sizes over by value; its halves are taken out of the word then:
//
//     rows = trunc i64 both to i32
//     columns = lshr i64 both, 32
//
// Produces: each number by itself, as the loops read it. Refuses words with which anything else is
// done, and places that nobody reads a half of.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include <optional>

using namespace llvm;

namespace hexpass {
namespace {

/// Bytes behind a pointer.
using Place = std::pair<const Value *, int64_t>;

constexpr int64_t Half = 4;

Place placeOf(const Value *At, const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(At->getType()), 0);
  const Value *Base =
      At->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  return {Base, Offset.getSExtValue()};
}

/// A word that is only handed on from one place to others, one of which has halves.
bool isHandedOn(const LoadInst &Word, const DenseSet<Place> &Halves) {
  const DataLayout &DL = Word.getDataLayout();
  auto HasHalves = [&](const Value *At) {
    auto [Base, Offset] = placeOf(At, DL);
    return Halves.contains({Base, Offset}) || Halves.contains({Base, Offset + Half});
  };
  bool Any = HasHalves(Word.getPointerOperand());
  for (const Use &U : Word.uses()) {
    auto *Store = dyn_cast<StoreInst>(U.getUser());
    if (!Store || !Store->isSimple() || U.getOperandNo() == Store->getPointerOperandIndex())
      return false;
    Any |= HasHalves(Store->getPointerOperand());
  }
  return Any && !Word.use_empty();
}

/// What is taken out of a word: a half, in so many bits.
struct HalfTaken {
  bool IsSecond, IsSigned;
};

std::optional<HalfTaken> halfTaken(const User &U, const LoadInst &Word) {
  if (isa<TruncInst>(U) && U.getType()->isIntegerTy(32))
    return HalfTaken{false, false};
  auto *Of = dyn_cast<BinaryOperator>(&U);
  auto *By = Of && Of->getOperand(0) == &Word ? dyn_cast<ConstantInt>(Of->getOperand(1)) : nullptr;
  if (!By)
    return std::nullopt;
  if (Of->getOpcode() == Instruction::And && By->getValue().isMask(32))
    return HalfTaken{false, false};
  bool Shifts = By->equalsInt(8 * Half);
  if (Shifts && Of->getOpcode() == Instruction::LShr)
    return HalfTaken{true, false};
  if (Shifts && Of->getOpcode() == Instruction::AShr)
    return HalfTaken{true, true};
  return std::nullopt;
}

/// A word out of which nothing but halves is taken.
bool isTakenApart(const LoadInst &Word) {
  return !Word.use_empty() &&
         all_of(Word.users(), [&](const User *U) { return halfTaken(*U, Word).has_value(); });
}

void split(LoadInst &Word) {
  IRBuilder<> B(&Word);
  Type *Number = B.getInt32Ty();
  auto SecondOf = [&](Value *At) { return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), At, Half); };
  Value *From = Word.getPointerOperand();
  LoadInst *First = B.CreateAlignedLoad(Number, From, Word.getAlign());
  LoadInst *Second =
      B.CreateAlignedLoad(Number, SecondOf(From), commonAlignment(Word.getAlign(), Half));
  SmallVector<Instruction *, 4> Users;
  for (User *U : Word.users())
    Users.push_back(cast<Instruction>(U));
  for (Instruction *User : Users) {
    B.SetInsertPoint(User);
    if (auto Taken = halfTaken(*User, Word)) {
      Value *Number = Taken->IsSecond ? Second : First;
      User->replaceAllUsesWith(B.CreateIntCast(Number, User->getType(), Taken->IsSigned));
      User->eraseFromParent();
      continue;
    }
    auto *Store = cast<StoreInst>(User);
    Value *To = Store->getPointerOperand();
    B.CreateAlignedStore(First, To, Store->getAlign());
    B.CreateAlignedStore(Second, SecondOf(To), commonAlignment(Store->getAlign(), Half));
    Store->eraseFromParent();
  }
  Word.eraseFromParent();
}

} // namespace

PreservedAnalyses WordsToMembers::run(Function &F, FunctionAnalysisManager &) {
  const DataLayout &DL = F.getDataLayout();
  DenseSet<Place> Halves;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->getType()->isIntegerTy(32))
      Halves.insert(placeOf(Load->getPointerOperand(), DL));
  SmallVector<LoadInst *, 4> Words;
  if (DL.isLittleEndian())
    for (Instruction &I : instructions(F))
      if (auto *Word = dyn_cast<LoadInst>(&I); Word && Word->isSimple() &&
                                               Word->getType()->isIntegerTy(64) &&
                                               (isHandedOn(*Word, Halves) || isTakenApart(*Word)))
        Words.push_back(Word);
  for_each(Words, [](LoadInst *Word) { split(*Word); });
  if (Words.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
