//===- many_uses.cpp - Objects whose uses are too many to look at ------------===//
//
// Consumes: a working copy after scalar clean-up. LLVM knows that a pointer which is loaded does
// not lead to what a `noalias` argument points to, or to a local variable, if its address is stored
// nowhere; but asked about an object of more than a hundred uses it gives up. A structure that owns
// a few arrays of several sizes each, and swaps them word by word, has more:
//
//     let eaten = self.u[[i, j]] * ...;       /* loads of self.u's pointer, sizes and strides */
//     self.next_u[[i, j]] = ...;              /* might overwrite them, as far as LLVM looks */
//     std::mem::swap(&mut self.u, &mut self.next_u);
//
// Nor does it follow pointers to storage round several loops (rare_paths.cpp makes two of one), nor
// know, early in a pipeline, that a number of the unit's own has no address for anybody:
//
//     static double coef;
//     if (coef == 0) { fprintf(stderr, "no init\n"); exit(1); }      /* in each step */
//
// Produces: scopes, by which loads and stores say which of them go to such an object, and which
// can't. Refuses objects whose address is stored, or handed to somebody who keeps it; numbers that
// loops store to, which counters.cpp knows.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "loops.h"
#include "rare_paths.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Uses that are looked at.
constexpr unsigned MostUses = 5000;
/// Objects that one function's accesses speak of.
constexpr size_t MostObjects = 16;

/// The argument or variable is the only way to what it points to, which LLVM would not find out.
bool isQuietlyAlone(const Value &V) {
  return PointerMayBeCaptured(&V, /*ReturnCaptures=*/false) &&
         !PointerMayBeCaptured(&V, /*ReturnCaptures=*/false, MostUses);
}

/// The same, or, in loops that keep storage from step to step, not of the pointers to that.
bool isQuietlyAlone(const Argument &A, bool KeepsStorage) {
  return A.getType()->isPointerTy() && A.hasNoAliasAttr() &&
         (KeepsStorage ? !PointerMayBeCaptured(&A, /*ReturnCaptures=*/false, MostUses)
                       : isQuietlyAlone(A));
}

/// A number or a pointer of the unit's own that is read and written by its name alone.
bool isByName(const GlobalVariable &G) {
  return G.hasLocalLinkage() && !G.isThreadLocal() && !G.isConstant() &&
         G.getValueType()->isSingleValueType() && all_of(G.users(), [&](const User *U) {
           return (isa<LoadInst>(U) || isa<StoreInst>(U)) && getLoadStorePointerOperand(U) == &G &&
                  !cast<Instruction>(U)->isVolatile() &&
                  (isa<LoadInst>(U) || cast<StoreInst>(U)->getValueOperand() != &G);
         });
}

/// Loops of the function read it, and none of them writes it.
bool isOnlyReadInLoops(const GlobalVariable &G, const Function &F, const LoopInfo &LI) {
  bool Reads = false;
  for (const User *U : G.users()) {
    auto *I = cast<Instruction>(U);
    if (I->getFunction() != &F || !LI.getLoopFor(I->getParent()))
      continue;
    if (isa<StoreInst>(I))
      return false;
    Reads = true;
  }
  return Reads;
}

/// Adds a scope to a list of an instruction's.
void add(Instruction &I, unsigned Kind, MDNode *Scope) {
  MDNode *One = MDNode::get(I.getContext(), {Scope});
  I.setMetadata(Kind, MDNode::concatenate(I.getMetadata(Kind), One));
}

/// Nothing of the object can be reached from what the pointer comes from, since its address is
/// stored nowhere.
bool isApart(const Value *V, const Value &A) {
  return V != &A && (isa<Argument>(V) || isa<LoadInst>(V) || isa<IntToPtrInst>(V) ||
                     isa<AllocaInst>(V) || isa<GlobalVariable>(V) || isNoAliasCall(V) ||
                     isa<ConstantPointerNull>(V) || isNowhere(V));
}

/// Says of a load, a store or a copy whether it goes to the object.
void say(Instruction &I, const Value &A, MDNode *Scope) {
  SmallVector<const Value *, 4> Objects;
  auto Add = [&](const Value *Place) {
    getUnderlyingObjects(Place, Objects, nullptr, /*MaxLookup=*/0);
  };
  if (const Value *Place = getLoadStorePointerOperand(&I)) {
    Add(Place);
  } else if (auto *Copies = dyn_cast<MemTransferInst>(&I)) {
    Add(Copies->getRawDest());
    Add(Copies->getRawSource());
  }
  if (Objects.empty())
    return;
  if (all_of(Objects, [&](const Value *V) { return V == &A; }))
    add(I, LLVMContext::MD_alias_scope, Scope);
  else if (all_of(Objects, [&](const Value *V) { return isApart(V, A); }))
    add(I, LLVMContext::MD_noalias, Scope);
}

} // namespace

PreservedAnalyses ScopesOfObjects::run(Function &F, FunctionAnalysisManager &FAM) {
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(F);
  const bool KeepsStorage =
      any_of(LI.getLoopsInPreorder(), [](const Loop *L) { return isSettled(*L); });
  SmallVector<std::pair<const Value *, MDNode *>, 2> Alone;
  MDBuilder Scopes(F.getContext());
  MDNode *Domain = nullptr;
  auto Add = [&](const Value &V) {
    Domain = Domain ? Domain : Scopes.createAnonymousAliasScopeDomain(F.getName());
    Alone.emplace_back(&V, Scopes.createAnonymousAliasScope(Domain, V.getName()));
  };
  for (const Argument &A : F.args())
    if (isQuietlyAlone(A, KeepsStorage))
      Add(A);
  for (const Instruction &I : F.getEntryBlock())
    if (isa<AllocaInst>(I) && isQuietlyAlone(I))
      Add(I);
  for (const GlobalVariable &G : F.getParent()->globals())
    if (Alone.size() < MostObjects && isByName(G) && isOnlyReadInLoops(G, F, LI))
      Add(G);
  for (Instruction &I : instructions(F))
    for (auto [A, Scope] : Alone)
      say(I, *A, Scope);
  // What alias analysis has said of the function would stay in its caches.
  return Alone.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace hexpass
