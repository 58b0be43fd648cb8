//===- turns.h - Values that come round with the steps of a loop -*- C++ -*-===//

#ifndef HEXPASS_TURNS_H
#define HEXPASS_TURNS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace hexpass {

/// The value that phis with one operand hand on.
llvm::Value *throughExits(llvm::Value *V);

/// A phi that is one of two values.
struct Choice {
  llvm::Value *If, *Then, *Else;
};
using Choices = llvm::function_ref<std::optional<Choice>(const llvm::PHINode &)>;

/// It is made of header phis that come round after a few steps, of small remainders of what
/// the steps count, and of what does not change in the loop.
bool comesRound(
    const llvm::Value &V, const llvm::Loop &L,
    Choices Chosen = [](const llvm::PHINode &) { return std::nullopt; });

} // namespace hexpass

#endif // HEXPASS_TURNS_H
