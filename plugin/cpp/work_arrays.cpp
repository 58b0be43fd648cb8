//===- work_arrays.cpp - Small static variables that only the main program has //
//
// Consumes: the working copy of a main program, which runs once. Fortran keeps all
// of its arrays in static storage, those of a few elements too that hold what one
// point needs (`real feq(0:8)`): stores to fixed places in every iteration of a
// sweep. So it does with variables that begin with a value (`real :: change = 1.0`).
//
// Produces: locals, for variables and small arrays that nobody else can see and of
// which the copy names single elements only. Scalar replacement does the rest.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "loops.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Bytes: beyond, it is no array of one point.
constexpr uint64_t MaxSize = 256;

/// A number, or few of them.
bool isSmall(const Type &T, const DataLayout &DL) {
  return T.isIntegerTy() || T.isFloatingPointTy() ||
         (T.isArrayTy() && DL.getTypeAllocSize(const_cast<Type *>(&T)) <= MaxSize);
}

/// All that is done to `V` are loads and stores, in these functions, and in `Copy` at
/// fixed places.
bool isPlain(const Value &V, const Function &Copy, const Function &Original) {
  for (const Use &U : V.uses()) {
    const User *Of = U.getUser();
    if (auto *GEP = dyn_cast<GEPOperator>(Of)) {
      auto *I = dyn_cast<Instruction>(Of);
      bool InCopy = !I || I->getFunction() == &Copy;
      if ((InCopy && !GEP->hasAllConstantIndices()) || !isPlain(*GEP, Copy, Original))
        return false;
      continue;
    }
    auto *I = dyn_cast<Instruction>(Of);
    if (!I || (I->getFunction() != &Copy && I->getFunction() != &Original) || I->isVolatile() ||
        I->isAtomic())
      return false;
    auto *Store = dyn_cast<StoreInst>(I);
    if (!isa<LoadInst>(I) && !(Store && U.getOperandNo() == Store->getPointerOperandIndex()))
      return false;
  }
  return true;
}

bool isUsedIn(const Value &V, const Function &F) {
  return any_of(V.users(), [&](const User *U) {
    auto *I = dyn_cast<Instruction>(U);
    return I ? I->getFunction() == &F : isUsedIn(*U, F);
  });
}

} // namespace

SmallVector<const GlobalVariable *, 4> makeLocal(Function &Copy, const Function &Original,
                                                 FunctionAnalysisManager &FAM) {
  // What flang calls a main program; nothing calls it again.
  if (Original.getName() != "_QQmain")
    return {};
  Module &M = *Copy.getParent();
  const DataLayout &DL = M.getDataLayout();
  SmallVector<GlobalVariable *, 8> Small;
  for (GlobalVariable &G : M.globals())
    if (G.hasLocalLinkage() && !G.isConstant() && !G.isThreadLocal() && G.hasInitializer() &&
        !G.isExternallyInitialized() && isSmall(*G.getValueType(), DL) && isUsedIn(G, Copy))
      Small.push_back(&G);
  if (Small.empty())
    return {};
  // Loops over the elements become single elements.
  FunctionPassManager FPM;
  FPM.addPass(UnrollTinyLoops());
  FPM.addPass(InstSimplifyPass());
  FAM.invalidate(Copy, FPM.run(Copy, FAM));
  SmallVector<const GlobalVariable *, 4> Moved;
  for (GlobalVariable *G : Small) {
    if (!isPlain(*G, Copy, Original))
      continue;
    IRBuilder<> B(&*Copy.getEntryBlock().getFirstInsertionPt());
    AllocaInst *Local = B.CreateAlloca(G->getValueType(), nullptr, G->getName());
    Local->setAlignment(DL.getPreferredAlign(G));
    B.CreateAlignedStore(G->getInitializer(), Local, Local->getAlign());
    convertUsersOfConstantsToInstructions({G}, &Copy);
    G->replaceUsesWithIf(Local, [&](Use &U) {
      auto *I = dyn_cast<Instruction>(U.getUser());
      return I && I->getFunction() == &Copy;
    });
    Moved.push_back(G);
  }
  FAM.invalidate(Copy, PreservedAnalyses::none());
  return Moved;
}

} // namespace hexpass
