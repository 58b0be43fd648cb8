//===- canonicalise.h - Rewriting a working copy ----------------*- C++ -*-===//

#ifndef HEXPASS_CANONICALISE_H
#define HEXPASS_CANONICALISE_H

#include "look.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/PassManager.h"

namespace hexpass {

/// Inlines the calls inside those of `Copy`'s loops that may be time loops, and
/// small ones elsewhere. `Original`
/// is the function that `Copy` was made of: a call to it is recursion.
/// `MayCopyInPlace`: vectors of vectors may be copied row by row where that allocates nothing
/// (nested_vectors.cpp); whether there were any.
bool inlineForAnalysis(llvm::Function &Copy, const llvm::Function &Original,
                       Look &Cheap, llvm::FunctionAnalysisManager &FAM, bool MayCopyInPlace);

/// Says of calls that tell the time or write to the outside that they touch nothing but what
/// they are handed, and don't keep that: what was loaded before one is the same behind it
/// (stretch_memory.cpp). Whether that was news.
bool sayWhatOthersTouch(llvm::Function &F);

/// Says of calls of functions with a body here which arguments they don't keep or only look at, and
/// that they write nothing, where that is so (readers.cpp). `Early`: bodies are as they were
/// written.
void sayWhatCalleesDo(llvm::Function &F, bool Early);

/// C's square roots become instructions, and other functions of libm touch no memory, where nobody
/// in the unit looks at errno (roots.cpp).
void letFunctionsOnlyCompute(llvm::Function &F, const llvm::TargetLibraryInfo &TLI);

/// The first part of canonicalisation: scalars into registers.
void tidy(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

/// After `tidy`, takes apart what a second look at the same code takes apart:
/// joined paths, aggregates that were copied whole, switches, tiny loops. `Whole`: also
/// assignments of whole arrays that hardly ever allocate; whether there was one. `Merged`: whether
/// two sweeps became one, or a call arithmetic.
void separatePaths(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM, bool &Whole,
                   bool &Merged);

/// A loop for each of the functions that it may call by address (call_targets.cpp), after
/// `separatePaths`.
void separateTargets(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

/// The first step, where it sweeps otherwise than all that follow, by itself (first_steps.cpp), after
/// `separatePaths`; what is left of its loop is settled then. Whether there was one.
bool separateFirstSteps(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

/// Variables that loops around other loops count with, into registers (counters.cpp); what calls
/// touch may be known better by now.
void promoteCounters(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

/// After `separatePaths`, brings loops into simplified, closed form. Whether loads became several,
/// without which the original loop is better off.
bool canonicalise(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

/// Small static arrays of a main program become locals of its copy
/// (work_arrays.cpp). `Original` is the function that `Copy` was made of. Which arrays
/// those are.
llvm::SmallVector<const llvm::GlobalVariable *, 4>
makeLocal(llvm::Function &Copy, const llvm::Function &Original,
          llvm::FunctionAnalysisManager &FAM);

/// Makes single numbers of the vectors that a compile step has made of them, in a function of a
/// few lines that a sweep of another unit calls: the link sees it as it was optimised there.
/// Vectors of `Original`, of which `Copy` was made, may be its author's: then all stay.
void takeVectorsApart(llvm::Function &Copy, const llvm::Function &Original,
                      llvm::FunctionAnalysisManager &FAM);

/// Sections of arrays that flang's runtime would copy, as loops, and whole ones as moves if
/// `Whole` says so, which then says whether there was one (fortran_assign.cpp).
class AssignSections : public llvm::PassInfoMixin<AssignSections> {
public:
  explicit AssignSections(bool &Whole) : Whole(Whole) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);

private:
  bool &Whole;
};

/// Allocatable arrays that change places by moves of flang's runtime, as pointers that do
/// (fortran_moves.cpp).
struct MoveAllocations : llvm::PassInfoMixin<MoveAllocations> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Pointers to arrays that are assigned to each other in a time loop, word by word
/// (fortran_pointers.cpp).
struct PointersInWords : llvm::PassInfoMixin<PointersInWords> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Constants that are added to what is shifted, as numbers with a sign (shifted_constants.cpp).
struct SignedShifts : llvm::PassInfoMixin<SignedShifts> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Narrow sums that are computed in the upper half of a word, as narrow sums (high_words.cpp).
struct HighWords : llvm::PassInfoMixin<HighWords> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Comparisons of several numbers' signs at once, as one for each (joined_signs.cpp).
struct JoinedSigns : llvm::PassInfoMixin<JoinedSigns> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Variables that no way through a body sets, as what they were before (unset_values.cpp).
struct UnsetValues : llvm::PassInfoMixin<UnsetValues> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Remainders by 256 that are kept in a byte, as remainders (narrow_remainders.cpp).
struct NarrowRemainders : llvm::PassInfoMixin<NarrowRemainders> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Whole powers as products (powers.cpp).
struct PowersToProducts : llvm::PassInfoMixin<PowersToProducts> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Has accesses say whether they go to objects that LLVM gives up on (many_uses.cpp).
struct ScopesOfObjects : llvm::PassInfoMixin<ScopesOfObjects> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Loads from a place that is chosen, as a branch and a load on either side (chosen_places.cpp).
struct ChosenPlaces : llvm::PassInfoMixin<ChosenPlaces> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// One load again of those that `ChosenPlaces` has made of one, in a function that is done:
/// branches would keep the original loop from being vectorised.
void joinPlaces(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// What the compiler's library computes of products of complex numbers, and the modulus, as
/// arithmetic (complex_products.cpp).
struct ComplexProducts : llvm::PassInfoMixin<ComplexProducts> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Copies of single complex numbers, as two loads and stores (complex_products.cpp).
struct ComplexCopies : llvm::PassInfoMixin<ComplexCopies> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

/// Where paths meet that have computed one address each, that address (same_addresses.cpp).
struct SameAddresses : llvm::PassInfoMixin<SameAddresses> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Choices of which a branch of the same block knows the outcome
/// (known_selects.cpp).
struct KnownSelects : llvm::PassInfoMixin<KnownSelects> {
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &);
};

} // namespace hexpass

#endif // HEXPASS_CANONICALISE_H
