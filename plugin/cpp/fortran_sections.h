//===- fortran_sections.h - Sections that flang's runtime copies -*- C++ -*-===//

#ifndef HEXPASS_FORTRAN_SECTIONS_H
#define HEXPASS_FORTRAN_SECTIONS_H

#include "llvm/IR/Instructions.h"

namespace hexpass {

/// How other accesses to the elements of the same array are tagged, if all are
/// tagged alike; `Element` is their type where it is known.
llvm::MDNode *tagOfElements(llvm::Function &F, const llvm::Value *Base, const llvm::Type *Element);

/// Has a block of that name run in the call's place where `Holds`, and the call elsewhere. The end
/// of the block.
llvm::Instruction *replaceWhere(llvm::Value *Holds, llvm::CallInst &Call, llvm::StringRef Name);

/// A section of one dimension, assigned to another one.
bool replaceLine(llvm::CallInst &Call);

/// A section of several dimensions: loops where it lies apart from the other one, and the call
/// elsewhere.
bool replaceArea(llvm::CallInst &Call);

} // namespace hexpass

#endif
