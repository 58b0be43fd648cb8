//===- small_numbers.h - What a number in a table likely is -----*- C++ -*-===//

#ifndef HEXPASS_SMALL_NUMBERS_H
#define HEXPASS_SMALL_NUMBERS_H

#include "llvm/IR/Function.h"
#include <cstdint>
#include <optional>

namespace hexpass {

/// What a number of a table is likely to be, where a function of a module looks it up: what the
/// table begins with, or what the function stores there. A guess, for a guard to compare.
std::optional<int64_t> likelyNumber(const llvm::Value &V, const llvm::Function &F);

/// Says of the argument of a stretch what the value that is passed is likely to be.
void passNumber(const llvm::Value &V, const llvm::Function &F, llvm::Argument &As);

/// What the module does to a variable is to read it, or store to it in that function.
bool isOnlyRead(const llvm::Value &V, const llvm::Function *But);

} // namespace hexpass

#endif
