//===- taken.h - Loops that have been taken ----------------------*- C++ -*-===//

#ifndef HEXPASS_TAKEN_H
#define HEXPASS_TAKEN_H

#include "llvm/Analysis/LoopInfo.h"

namespace hexpass {

/// The loop belongs to a nest that was taken, and stands for the case that the
/// runtime refuses.
bool isTaken(const llvm::Loop &L);
/// ... or a loop in it does.
bool holdsTaken(const llvm::Loop &L);
/// From now on it does, with the loops in it (`AndInside`).
void markTaken(llvm::Loop &L, bool AndInside = true);

} // namespace hexpass

#endif // HEXPASS_TAKEN_H
