//===- taken.cpp - Loops that have been taken -------------------------------===//
//
// Consumes: a time loop before which the runtime is called now. Produces: a mark on it,
// and on the loops in it, that goes where they go: it is metadata of the loop, which
// LLVM's inliner, its loop passes and bitcode keep.
//
// Why: what was taken stays in the function, for the case that the runtime refuses. A
// function is looked at once (SeenAttribute), but its body may be inlined into one that
// is looked at later: behind the inliner, or when linking. There the loop would be taken
// a second time, behind the call of the runtime. Where the time loop itself has gone,
// unrolled, its sweeps are no others than they were.
//
//===----------------------------------------------------------------------===//

#include "taken.h"
#include "internal.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace hexpass {

/// Of the loop's `llvm.loop` node.
static constexpr char TakenMark[] = "hexpass.taken";

bool isTaken(const Loop &L) { return findOptionMDForLoop(&L, TakenMark) != nullptr; }

bool holdsTaken(const Loop &L) {
  return isTaken(L) || any_of(L.getSubLoops(), [](const Loop *C) { return holdsTaken(*C); });
}

void markTaken(Loop &L, bool AndInside) {
  for (Loop *C : L.getLoopsInPreorder())
    if (AndInside || C == &L)
      addStringMetadataToLoop(C, TakenMark);
}

} // namespace hexpass

void shim_mark_taken(ShimLoopRef L) {
  hexpass::markTaken(*const_cast<Loop *>(hexpass::unwrap(L)));
}

bool shim_is_taken(ShimLoopRef L) { return hexpass::isTaken(*hexpass::unwrap(L)); }
bool shim_holds_taken(ShimLoopRef L) { return hexpass::holdsTaken(*hexpass::unwrap(L)); }
