//===- number_tables.h - Arrays of neighbours' numbers ----------*- C++ -*-===//

#ifndef HEXPASS_NUMBER_TABLES_H
#define HEXPASS_NUMBER_TABLES_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/GlobalVariable.h"

namespace hexpass {

/// Variables of the module.
using NumberTables = llvm::SmallPtrSet<const llvm::GlobalVariable *, 4>;

/// Those that hold numbers, or lead to them, which a loop of the function looks up and computes
/// addresses with.
NumberTables numberTablesOf(llvm::Function &F);

/// The function stores numbers to one of them, in a loop.
bool fillsOne(llvm::Function &F, const NumberTables &Tables);

} // namespace hexpass

#endif
