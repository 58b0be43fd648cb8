//===- internal.h - What the shim's own files share -------------*- C++ -*-===//
//
// The C++ faces of shim.h's opaque handles, and the conversions between them.
//
//===----------------------------------------------------------------------===//

#ifndef HEXPASS_INTERNAL_H
#define HEXPASS_INTERNAL_H

#include "as_written.h"
#include "look.h"
#include "shim.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"
#include <memory>
#include <optional>

namespace hexpass {

struct MemoryFacts;

/// What a module held before a working copy was made in it, for putting it
/// back: passes over the copy may declare functions, add string constants,
/// raise a global's alignment or infer attributes of a declaration.
struct ModuleSnapshot {
  /// Newcomers are appended: they come after these. Null if there was none.
  llvm::Function *LastFunction;
  llvm::GlobalVariable *LastGlobal;
  llvm::SmallVector<std::pair<llvm::Function *, llvm::AttributeList>, 32>
      Attributes;
  llvm::SmallVector<std::pair<llvm::GlobalVariable *, llvm::MaybeAlign>, 8>
      Alignments;

  explicit ModuleSnapshot(llvm::Module &M);
  /// What `F` is now is what it was before: its attributes stay.
  void keepAttributes(llvm::Function &F);
  /// Erases what nothing uses among the newcomers; `Copy` has gone by now.
  void restore(llvm::Module &M) const;
};

/// An attribute that says: this function has been looked at.
inline constexpr llvm::StringLiteral SeenAttribute = "hexpass-seen";
/// ... and a nest of it was taken; its body is not to be copied elsewhere.
inline constexpr llvm::StringLiteral TakenAttribute = "hexpass-taken";
/// ... or: it waits for the link (see deferral.cpp).
inline constexpr llvm::StringLiteral DeferredAttribute = "hexpass-deferred";

/// The place in the program's own source where what stands in a file of the compiler's
/// (an iterator, a container) was inlined.
const llvm::DILocation *inOwnSource(const llvm::DILocation *Loc);

/// What stands for calls of `hexrt_home` becomes calls (stretch_home.cpp).
void lowerHomeMarks(llvm::Function &F);
/// Nothing of it is a frame, or of our own making, for a function that it is inlined
/// into.
void forgetFrames(llvm::Function &F);

/// Functions without a time loop: as they were when the pipeline started, and
/// nothing that its passes do will change that.
using Idle = llvm::SmallVector<llvm::WeakVH, 0>;

} // namespace hexpass

struct ShimContext {
  llvm::Module &M;
  llvm::FunctionAnalysisManager &FAM;
  ShimPoint Point;
  hexpass::Look Cheap;
  /// Written at the start of a pipeline, read later on; null where bodies come
  /// from elsewhere in between.
  hexpass::Idle *Settled;
  /// Set while a working copy is open.
  std::unique_ptr<hexpass::ModuleSnapshot> Snapshot;
  /// ... and what it remembers of the function that it was made of, where that may matter.
  std::optional<hexpass::Marks> Marks;
};

struct ShimAnalyses {
  ShimContext &Ctx;
  llvm::Function &F;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::PostDominatorTree &PDT;
  llvm::ScalarEvolution &SE;
  llvm::AAResults &AA;
  llvm::MemorySSA &MSSA;
  llvm::TargetLibraryInfo &TLI;
  /// The function has been changed since.
  bool Stale = false;
  /// What has been found of its memory (stretch_memory.cpp), while it is not.
  mutable std::shared_ptr<hexpass::MemoryFacts> Memory = nullptr;
};

namespace hexpass {

inline const llvm::Loop *unwrap(ShimLoopRef L) {
  return reinterpret_cast<const llvm::Loop *>(L);
}
inline ShimLoopRef wrap(const llvm::Loop *L) {
  return reinterpret_cast<ShimLoopRef>(L);
}
inline const llvm::SCEV *unwrap(ShimScevRef S) {
  return reinterpret_cast<const llvm::SCEV *>(S);
}
inline ShimScevRef wrap(const llvm::SCEV *S) {
  return reinterpret_cast<ShimScevRef>(S);
}
inline void put(ShimSink Sink, void *State, llvm::StringRef Text) {
  Sink(State, Text.data(), Text.size());
}

/// Writes what fits and returns how many there are.
template <typename Range, typename Out, typename Convert>
size_t fill(const Range &R, Out *To, size_t Capacity, Convert Fn) {
  size_t N = 0;
  for (auto &&Item : R) {
    if (N < Capacity)
      To[N] = Fn(Item);
    ++N;
  }
  return N;
}

} // namespace hexpass

#endif // HEXPASS_INTERNAL_H
