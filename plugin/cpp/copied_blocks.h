//===- copied_blocks.h - Blocks of a loop that stand there twice -*- C++ -*-===//

#ifndef HEXPASS_COPIED_BLOCKS_H
#define HEXPASS_COPIED_BLOCKS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace hexpass {

/// Blocks and their copies.
class CopiedBlocks {
public:
  /// Copies blocks behind the function's others; what copies use of one another are the copies.
  llvm::SmallVector<llvm::BasicBlock *, 16> add(llvm::ArrayRef<llvm::BasicBlock *> Blocks,
                                                const llvm::Twine &Suffix) {
    llvm::SmallVector<llvm::BasicBlock *, 16> New;
    for (llvm::BasicBlock *B : Blocks) {
      New.push_back(llvm::CloneBasicBlock(B, Map, Suffix, B->getParent()));
      Map[B] = New.back();
    }
    llvm::remapInstructionsInBlocks(New, Map);
    return New;
  }

  llvm::BasicBlock *of(llvm::BasicBlock *B) const {
    return llvm::cast<llvm::BasicBlock>(of(static_cast<llvm::Value *>(B)));
  }

  /// The value itself where it was not copied.
  llvm::Value *of(llvm::Value *V) const {
    auto Found = Map.find(V);
    return Found == Map.end() ? V : static_cast<llvm::Value *>(Found->second);
  }

  /// `With` stands in the place of the copy of `V`.
  void replace(llvm::Value *V, llvm::Value *With) { Map[V] = With; }

  /// The copy of `B` leads to `Next`, which is not copied, as `B` does.
  void enter(llvm::BasicBlock &Next, llvm::BasicBlock *B) const {
    for (llvm::PHINode &Phi : Next.phis())
      for (llvm::BasicBlock *Way : successors(B))
        if (Way == &Next)
          Phi.addIncoming(of(Phi.getIncomingValueForBlock(B)), of(B));
  }

private:
  llvm::ValueToValueMapTy Map;
};

} // namespace hexpass

#endif // HEXPASS_COPIED_BLOCKS_H
