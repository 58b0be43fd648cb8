//===- printed.cpp - What Rust prints is a copy -----------------------------===//
//
// Consumes: a working copy with structures of a few members apart. Rust's `println!("{error}")`
// hands over a list of places, each with the function that writes what lies there:
//
//     store &error, list[0]                       copy = error
//     store <f64 as Display>::fmt, list[1]   →    store &copy, list[0]
//     print(template, list)                       ...
//
// and so a variable that steps compute stays in memory, where whoever prints might look at it at
// any time; and a grid of which one element is printed lies open to the library.
//
// Produces: a copy, which is made where the place is handed over. Who has lent it can't change it
// before the list is gone, and the library's functions for numbers look at the number alone.
//
// Refuses what is written by other functions, lists that anybody but the library's printing looks
// at, and places of which nobody asks anything else.
//
//===----------------------------------------------------------------------===//

#include "loops.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace hexpass {
namespace {

/// What a number of Rust is in memory; null of another type.
Type *numberOf(StringRef Name, LLVMContext &Ctx) {
  unsigned Bits = StringSwitch<unsigned>(Name)
                      .Cases({"i8", "u8", "bool"}, 8)
                      .Cases({"i16", "u16"}, 16)
                      .Cases({"i32", "u32", "f32"}, 32)
                      .Cases({"i64", "u64", "isize", "usize", "f64"}, 64)
                      .Default(0);
  if (Bits == 0)
    return nullptr;
  if (Name.starts_with("f"))
    return Bits == 32 ? Type::getFloatTy(Ctx) : Type::getDoubleTy(Ctx);
  return Type::getIntNTy(Ctx, Bits);
}

/// The number that one of Rust's own functions writes as text; null of any other function.
Type *writtenBy(const Function &F) {
  StringRef Name = F.getName();
  if (!Name.contains("4core3fmt"))
    return nullptr;
  std::string Long = demangle(Name);
  StringRef Says = Long, Of;
  if (Says.consume_front("<")) {
    // <f64 as core::fmt::Display>::fmt
    Of = Says.take_until([](char C) { return C == ' '; });
    Says = Says.drop_front(Of.size());
    if (!Says.consume_front(" as core::fmt::") || !Says.ends_with(">::fmt"))
      return nullptr;
  } else {
    // core::fmt::float::<impl core::fmt::Display for f64>::fmt::h0123
    size_t From = Says.find(" for "), End = Says.find(">::fmt");
    if (!Says.starts_with("core::fmt::") || !Says.contains("<impl core::fmt::") ||
        From == StringRef::npos || End == StringRef::npos || End < From)
      return nullptr;
    Of = Says.slice(From + 5, End);
  }
  return numberOf(Of, F.getContext());
}

/// One of those of Rust's own functions that write what such a list says, and do nothing else with
/// it.
bool writesList(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return false;
  std::string Long = demangle(Callee->getName());
  StringRef Name = Long;
  return any_of(ArrayRef<StringRef>{"std::io::stdio::_print", "std::io::stdio::_eprint",
                                    "alloc::fmt::format::format_inner", "core::fmt::write",
                                    "core::panicking::panic_fmt"},
                [&](StringRef Own) { return Name.starts_with(Own); }) ||
         Name.contains(" as std::io::Write>::write_fmt") ||
         Name.contains(" as core::fmt::Write>::write_fmt");
}

/// Nobody looks at the list but such functions.
bool isOnlyWritten(const Value &List) {
  return all_of(List.users(), [&](const User *U) {
    if (auto *Store = dyn_cast<StoreInst>(U))
      return Store->getPointerOperand() == &List;
    if (isa<GetElementPtrInst>(U))
      return isOnlyWritten(*U);
    auto *Call = dyn_cast<CallBase>(U);
    return Call && (Call->isLifetimeStartOrEnd() || writesList(*Call));
  });
}

/// The store that hands over the place which the function in `Way` is for. An entry of the list
/// is both, the place first.
StoreInst *placeBefore(StoreInst &Way) {
  const DataLayout &DL = Way.getDataLayout();
  auto Split = [&](const StoreInst &S, APInt &Offset) {
    Offset = APInt(DL.getIndexTypeSizeInBits(S.getPointerOperandType()), 0);
    return S.getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset,
                                                                    /*AllowNonInbounds=*/false);
  };
  uint64_t Word = DL.getPointerSize();
  APInt At, Other;
  const Value *List = Split(Way, At);
  if (!isa<AllocaInst>(List) || !isOnlyWritten(*List) || At.urem(2 * Word) != Word)
    return nullptr;
  StoreInst *Found = nullptr;
  for (Instruction &I : *Way.getParent()) {
    auto *Place = dyn_cast<StoreInst>(&I);
    if (!Place || !Place->getValueOperand()->getType()->isPointerTy() ||
        Split(*Place, Other) != List || Other + Word != At)
      continue;
    if (Found)
      return nullptr;
    Found = Place;
  }
  return Found;
}

/// Nobody but who prints it looks at what `Hands` hands over, and it is written just before: that
/// is a copy, or nothing that steps compute. A number that is written in each step, and printed in
/// a few, is none.
bool isCopy(const StoreInst &Hands) {
  const Value *Place = Hands.getValueOperand();
  if (isa<Constant>(Place))
    return true;
  auto *Local = dyn_cast<AllocaInst>(Place);
  return Local && all_of(Local->users(), [&](const User *U) {
           auto *I = cast<Instruction>(U);
           auto *Store = dyn_cast<StoreInst>(I);
           return I->isLifetimeStartOrEnd() ||
                  (Store && (Store->getValueOperand() == Local ||
                             Store->getParent() == Hands.getParent()));
         });
}

} // namespace

PreservedAnalyses CopyWhatIsPrinted::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<std::pair<StoreInst *, Type *>, 8> Found;
  for (Instruction &I : instructions(F)) {
    auto *Way = dyn_cast<StoreInst>(&I);
    auto *Writes = Way ? dyn_cast<Function>(Way->getValueOperand()) : nullptr;
    Type *T = Writes ? writtenBy(*Writes) : nullptr;
    StoreInst *Place = T ? placeBefore(*Way) : nullptr;
    if (Place && !isCopy(*Place))
      Found.emplace_back(Place, T);
  }
  for (auto &[Place, T] : Found) {
    IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
    AllocaInst *Copy = B.CreateAlloca(T, nullptr, "printed");
    B.SetInsertPoint(Place);
    B.CreateStore(B.CreateLoad(T, Place->getValueOperand()), Copy);
    Place->setOperand(0, Copy);
  }
  if (Found.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}

} // namespace hexpass
