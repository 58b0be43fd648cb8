//===- canonicalise.h - Rewriting a working copy ----------------*- C++ -*-===//

#ifndef HEXPASS_CANONICALISE_H
#define HEXPASS_CANONICALISE_H

#include "llvm/IR/PassManager.h"

namespace hexpass {

/// Inlines the calls inside `Copy`'s loops, and small ones elsewhere. `Original`
/// is the function that `Copy` was made of: a call to it is recursion.
void inlineForAnalysis(llvm::Function &Copy, const llvm::Function &Original,
                       llvm::FunctionAnalysisManager &FAM);

/// Brings scalars into registers and loops into simplified, closed form.
void canonicalise(llvm::Function &Copy, llvm::FunctionAnalysisManager &FAM);

} // namespace hexpass

#endif // HEXPASS_CANONICALISE_H
