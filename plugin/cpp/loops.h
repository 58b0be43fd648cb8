//===- loops.h - Loop rewrites of a working copy ----------------*- C++ -*-===//

#ifndef HEXPASS_LOOPS_H
#define HEXPASS_LOOPS_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueMap.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

namespace hexpass {

/// Unrolls innermost loops of a few iterations whose number is a constant: the
/// taps of a filter, the words of a swapped struct. And loops around sweeps: of
/// borders, one for each side, that ask which side they are at; of the stages of a step.
class UnrollTinyLoops : public llvm::PassInfoMixin<UnrollTinyLoops> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

/// Gives each loop one way back to its header, as a `continue` in a C loop has it. LLVM would
/// make two loops of some that have several.
class UniteLatches : public llvm::PassInfoMixin<UniteLatches> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

/// Begins loops behind what stands before their body where that is another thing the first
/// time: an iterator that leaves elements out (heads.cpp).
class BeginBehindHeads : public llvm::PassInfoMixin<BeginBehindHeads> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &FAM);
};

/// What stands in the loop before `Body`, a block of it, has no effects and is short (heads.cpp).
bool isBeforeBody(const llvm::Loop &L, llvm::BasicBlock &Body, const llvm::LoopInfo &LI);

/// Begins such a loop, in closed form, behind that; analyses know nothing of it.
void beginBehind(llvm::Loop &L, llvm::BasicBlock &Body, const llvm::LoopInfo &LI);

/// Has loops count whose range keeps whether it is exhausted, as Rust's `1..=n` does
/// (inclusive.cpp).
class CountInclusiveRanges : public llvm::PassInfoMixin<CountInclusiveRanges> {
public:
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Has what Rust prints copied where it is handed over (printed.cpp).
struct CopyWhatIsPrinted : llvm::PassInfoMixin<CopyWhatIsPrinted> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Takes counters that live in memory into registers (counters.cpp).
struct CountersToRegisters : llvm::PassInfoMixin<CountersToRegisters> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Says what counters in registers are behind their loops by what is known before these
/// (counters.cpp).
struct SayWhatIsLeft : llvm::PassInfoMixin<SayWhatIsLeft> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Makes pointers of addresses that travel as numbers (addresses.cpp).
struct AddressesToPointers : llvm::PassInfoMixin<AddressesToPointers> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Has loops that exchange owners of storage ask once whether these lie apart (emptied.cpp).
struct AskIfEmptied : llvm::PassInfoMixin<AskIfEmptied> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Has structures in memory that change places whole do so word by word (exchanged_heads.cpp).
struct HeadsInWords : llvm::PassInfoMixin<HeadsInWords> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Cells that are copied whole, member by member (cells.cpp).
struct CellsToMembers : llvm::PassInfoMixin<CellsToMembers> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Copies and fills of what may be nothing, without asking whether it is (empty_copies.cpp).
struct CopyNothing : llvm::PassInfoMixin<CopyNothing> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Sums that sweeps keep in memory, in registers (kept_sums.cpp).
struct SumsToRegisters : llvm::PassInfoMixin<SumsToRegisters> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Stores once what is stored and at once stored again (stored_again.cpp).
struct StoreOnce : llvm::PassInfoMixin<StoreOnce> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Looks up rows of tables where sweeps begin (fixed_rows.cpp).
struct RowsToSweeps : llvm::PassInfoMixin<RowsToSweeps> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Has numbers that are copied two at a time copied each by itself (words.cpp).
struct WordsToMembers : llvm::PassInfoMixin<WordsToMembers> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// The loop directly in `L` that holds the block; null if `L` does, or none in it.
llvm::Loop *childOf(const llvm::Loop &L, const llvm::BasicBlock *B, const llvm::LoopInfo &LI);

/// A small number in a pointer's place, as an empty `Vec` has it: no object lies there.
bool isNowhere(const llvm::Value *V);

/// Makes numbers of flags that sweeps leave (flags.cpp).
struct FlagsToNumbers : llvm::PassInfoMixin<FlagsToNumbers> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Makes one sweep of two between which the step's number chooses, and which do the same to other
/// arrays (alternatives.cpp).
struct MergeAlternatives : llvm::PassInfoMixin<MergeAlternatives> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Has the largest elements of arrays begin with none (extremes.cpp).
struct ExtremesFromNothing : llvm::PassInfoMixin<ExtremesFromNothing> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// `New` is `Other` where that is better than `Best`, or a number where `Best` is none. By which
/// comparison `Other` wins.
bool givesWay(const llvm::Value &New, const llvm::Value &Best, const llvm::Value *&Other,
              llvm::CmpInst::Predicate &Wins);

/// Makes variables of containers' lengths, where each step makes a container anew (lengths.cpp).
struct LengthsToNumbers : llvm::PassInfoMixin<LengthsToNumbers> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Has loops that fill a container begin with its first element, which stands before them
/// (fills.cpp).
struct FillsFromTheFirst : llvm::PassInfoMixin<FillsFromTheFirst> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Takes the first step out of a loop that sweeps otherwise in it; what is left is settled then
/// (first_steps.cpp).
struct FirstStepApart : llvm::PassInfoMixin<FirstStepApart> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Instructions of a loop, with those of the loops inside it.
unsigned instructionsOf(const llvm::Loop &L);

/// Widens induction variables to the width that their uses are extended to, so
/// that subscripts are formulas without casts. Exit tests stay as written.
class WidenInductions : public llvm::PassInfoMixin<WidenInductions> {
public:
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &LAM,
                              llvm::LoopStandardAnalysisResults &AR,
                              llvm::LPMUpdater &Updater);
};

/// What a loop in another one has counted up to when it is left, and what the last iteration of any has
/// made of its counter, as what that is by the loop's bounds, where it goes to a variable of the whole
/// program: a counter that all procedures share is no value that sweeps compute (last_values.cpp).
class LastValues : public llvm::PassInfoMixin<LastValues> {
public:
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &LAM,
                              llvm::LoopStandardAnalysisResults &AR,
                              llvm::LPMUpdater &Updater);
};

/// What a load's type says of whom it may meet, by load.
using TypeTags = llvm::ValueMap<const llvm::Value *, llvm::MDNode *>;

/// Gives loads that LICM has moved out of a loop the tags back that it dropped, since
/// they may be executed where they were not: that what they read is used only where the
/// source reads it is still so. Without them a loop further out would keep them.
class KeepTags : public llvm::PassInfoMixin<KeepTags> {
public:
  explicit KeepTags(const TypeTags &Tags) : Tags(Tags) {}
  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &LAM,
                              llvm::LoopStandardAnalysisResults &AR,
                              llvm::LPMUpdater &Updater);

private:
  const TypeTags &Tags;
};

} // namespace hexpass

#endif // HEXPASS_LOOPS_H
