//===- touches.h - Who may touch a place in memory --------------*- C++ -*-===//

#ifndef HEXPASS_TOUCHES_H
#define HEXPASS_TOUCHES_H

#include "llvm/Analysis/AliasAnalysis.h"

namespace hexpass {

/// `I` may look at what lies there, which somebody changes, or change it (touches.cpp).
bool mayTouch(const llvm::Instruction &I, const llvm::MemoryLocation &Place,
              llvm::BatchAAResults &AA);

/// `I` may change it.
bool mayChange(const llvm::Instruction &I, const llvm::MemoryLocation &Place,
               llvm::BatchAAResults &AA);

} // namespace hexpass

#endif // HEXPASS_TOUCHES_H
