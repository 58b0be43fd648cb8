//===- copy.cpp - Working copies of functions ------------------------------===//
//
// Consumes: a function as the host has it. Produces: an internal copy of it in
// the same module, for canonicalise.cpp to rewrite and for detection to read.
// Commit moves the copy's body into the function; discard leaves the module as
// it was, to the letter. Refuses what cannot be copied or may not be touched.
//
// Why a copy: analysis needs the callees inlined and the scalars in registers,
// and code that we do not take must come out as if we had never looked.
//
//===----------------------------------------------------------------------===//

#include "alarms.h"
#include "canonicalise.h"
#include "internal.h"
#include "joined_copies.h"
#include "look.h"
#include "midway_exits.h"
#include "plain_flags.h"
#include "plain_streams.h"
#include "rare_paths.h"
#include "stack_arrays.h"
#include "step_storage.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace hexpass;

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {

/// Kernels are not instrumented: a program under a sanitizer keeps its loops.
bool isSanitized(const Function &F) {
  return F.hasFnAttribute(Attribute::SanitizeAddress) ||
         F.hasFnAttribute(Attribute::SanitizeHWAddress) ||
         F.hasFnAttribute(Attribute::SanitizeMemory) ||
         F.hasFnAttribute(Attribute::SanitizeThread);
}

bool mayBeRewritten(const Function &F) {
  return !F.isDeclaration() && !F.hasAvailableExternallyLinkage() &&
         !F.hasOptNone() && !F.hasMinSize() &&
         !F.hasFnAttribute(SeenAttribute) &&
         !F.hasFnAttribute(TakenAttribute) &&
         !F.hasFnAttribute(Attribute::Naked) && !isSanitized(F) &&
         !F.isPresplitCoroutine();
}

/// Where its last call is inlined, the function is gone; and nobody has forbidden that.
bool mayGoWithCalls(const Function &F) {
  return F.isDiscardableIfUnused() && !F.hasFnAttribute(Attribute::NoInline) &&
         !F.hasFnAttribute(Attribute::Cold);
}

/// Callees before callers, in the module's order otherwise.
void appendAfterCallees(Function &F, SmallPtrSetImpl<Function *> &Visited,
                        SmallVectorImpl<Function *> &Order) {
  SmallVector<std::pair<Function *, inst_iterator>, 8> Stack;
  if (F.isDeclaration() || !Visited.insert(&F).second)
    return;
  Stack.push_back({&F, inst_begin(F)});
  while (!Stack.empty()) {
    auto &[Top, It] = Stack.back();
    Function *Next = nullptr;
    for (; It != inst_end(*Top) && !Next; ++It)
      if (auto *Call = dyn_cast<CallBase>(&*It))
        if (Function *Callee = Call->getCalledFunction())
          if (!Callee->isDeclaration() && Visited.insert(Callee).second)
            Next = Callee;
    if (Next) {
      Stack.push_back({Next, inst_begin(*Next)});
      continue;
    }
    Order.push_back(Top);
    Stack.pop_back();
  }
}

} // namespace

size_t shim_candidates(ShimContext *Ctx, LLVMValueRef *Out, size_t Capacity) {
  SmallPtrSet<Function *, 32> Visited;
  SmallVector<Function *, 32> Order;
  for (Function &F : Ctx->M)
    appendAfterCallees(F, Visited, Order);
  bool Starts = Ctx->Settled && Ctx->Point == ShimPointPipelineStart;
  SmallPtrSet<Value *, 32> Known;
  if (Ctx->Settled && !Starts)
    Known.insert(Ctx->Settled->begin(), Ctx->Settled->end());
  if (Ctx->Settled)
    Ctx->Settled->clear();
  erase_if(Order, [&](Function *F) {
    if (!mayBeRewritten(*F) || Known.contains(F))
      return true;
    bool May = Ctx->Cheap.mayHoldTimeLoop(*F);
    if (Starts && !May && !Ctx->Cheap.mayClearUp(*F))
      Ctx->Settled->push_back(F);
    return !May;
  });
  return fill(Order, Out, Capacity,
              [](Function *F) { return llvm::wrap(static_cast<Value *>(F)); });
}

void shim_mark_seen(ShimContext *, LLVMValueRef Function_) {
  cast<Function>(llvm::unwrap(Function_))->addFnAttr(SeenAttribute);
}

LLVMValueRef shim_only_caller(LLVMValueRef Function_) {
  auto &F = *cast<Function>(llvm::unwrap(Function_));
  if (!mayGoWithCalls(F) || !F.hasOneUse())
    return nullptr;
  auto *Call = dyn_cast<CallBase>(*F.user_begin());
  if (!Call || Call->getCalledFunction() != &F || Call->isNoInline() ||
      Call->getFunction() == &F || !mayBeRewritten(*Call->getFunction()))
    return nullptr;
  return llvm::wrap(static_cast<Value *>(Call->getFunction()));
}

bool shim_is_unused(LLVMValueRef Function_) {
  auto &F = *cast<Function>(llvm::unwrap(Function_));
  return F.isDiscardableIfUnused() && F.use_empty();
}

void shim_keep_out(LLVMValueRef Function_, bool Out) {
  auto &F = *cast<Function>(llvm::unwrap(Function_));
  if (Out)
    F.addFnAttr(Attribute::NoInline);
  else
    F.removeFnAttr(Attribute::NoInline);
}

//===----------------------------------------------------------------------===//
// The module before the copy
//===----------------------------------------------------------------------===//

ModuleSnapshot::ModuleSnapshot(Module &M)
    : LastFunction(M.empty() ? nullptr : &M.getFunctionList().back()),
      LastGlobal(M.global_empty() ? nullptr : &*std::prev(M.global_end())) {
  for (Function &F : M)
    Attributes.push_back({&F, F.getAttributes()});
  for (GlobalVariable &G : M.globals())
    Alignments.push_back({&G, G.getAlign()});
}

void ModuleSnapshot::keepAttributes(Function &F) {
  auto *Known = find_if(Attributes, [&](auto &Of) { return Of.first == &F; });
  if (Known != Attributes.end())
    Known->second = F.getAttributes();
}

/// Erases what nothing uses among those after `Last`; true if there was any.
template <typename Global, typename Range>
static bool eraseNewcomers(Global *Last, Range &&All) {
  bool Erased = false;
  auto First = Last ? std::next(Last->getIterator()) : All.begin();
  for (Global &G : make_early_inc_range(make_range(First, All.end()))) {
    G.removeDeadConstantUsers();
    if (!G.use_empty())
      continue;
    G.eraseFromParent();
    Erased = true;
  }
  return Erased;
}

void ModuleSnapshot::restore(Module &M) const {
  for (auto &[F, List] : Attributes)
    if (F->getAttributes() != List)
      F->setAttributes(List);
  for (auto &[G, Align] : Alignments)
    if (G->getAlign() != Align)
      G->setAlignment(Align);
  // A newcomer may be used by another newcomer: repeat until none goes.
  bool Again = true;
  while (Again) {
    Again = eraseNewcomers(LastFunction, M.functions());
    Again |= eraseNewcomers(LastGlobal, M.globals());
  }
}

//===----------------------------------------------------------------------===//
// Copy, commit, discard
//===----------------------------------------------------------------------===//

namespace {

/// A block whose address is taken, or a jump to one, ties the body to its place.
bool hasFixedBody(const Function &F) {
  for (const BasicBlock &B : F) {
    if (B.hasAddressTaken() || isa<IndirectBrInst>(B.getTerminator()) ||
        isa<CallBrInst>(B.getTerminator()))
      return true;
    for (const Instruction &I : B)
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (Call->isMustTailCall() ||
            Call->hasFnAttr(Attribute::ReturnsTwice))
          return true;
  }
  return false;
}

/// The copy shares every metadata node with the original: it carries no
/// subprogram of its own meanwhile, so no debug scope is duplicated, and after
/// a commit the locations already name the right one.
Function *cloneSharingDebugInfo(Function &F) {
  Function *Copy =
      Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage,
                       F.getAddressSpace(), F.getName() + ".hexpass",
                       F.getParent());
  ValueToValueMapTy Map;
  for (auto [From, To] : zip(F.args(), Copy->args())) {
    To.setName(From.getName());
    Map[&From] = &To;
  }
  DISubprogram *Subprogram = F.getSubprogram();
  F.setSubprogram(nullptr);
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(Copy, &F, Map, CloneFunctionChangeType::LocalChangesOnly,
                    Returns);
  F.setSubprogram(Subprogram);
  // Cloning has brought the original's visibility.
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setDLLStorageClass(GlobalValue::DefaultStorageClass);
  Copy->setDSOLocal(true);
  Copy->setComdat(nullptr);
  return Copy;
}

void eraseFunction(FunctionAnalysisManager &FAM, Function &F) {
  FAM.clear(F, F.getName());
  F.eraseFromParent();
}

void dropBody(Function &F) {
  for (BasicBlock &B : F)
    B.dropAllReferences();
  while (!F.empty())
    F.begin()->eraseFromParent();
}

} // namespace

/// The host has begun to clean up.
static bool isClean(const ShimContext &Ctx) { return Ctx.Point == ShimPointOptimizerEarly; }

/// A working copy of the function, null if there is nothing in it. `Marked`: in any case so that
/// the calls of the runtime can be put into the function as it is. `Merged`: two sweeps of it are
/// one in the copy, calls are arithmetic, or loads are several.
static LLVMValueRef copyOf(ShimContext *Ctx, Function &F, bool *Separate, bool *Lent, bool *Turned,
                           bool Marked, bool &Merged) {
  if (Ctx->Snapshot || !mayBeRewritten(F) || hasFixedBody(F))
    return nullptr;
  Ctx->Snapshot = std::make_unique<ModuleSnapshot>(Ctx->M);
  Function *Copy = cloneSharingDebugInfo(F);
  Ctx->Marks.reset();
  if (Ctx->Point != ShimPointCanonicalise && Ctx->Point != ShimPointDescribe &&
      (Marked || losesRanges(*Copy, Ctx->Cheap, Ctx->FAM))) {
    prepare(*Copy, Ctx->FAM, isClean(*Ctx));
    Ctx->Marks = mark(*Copy, Ctx->FAM);
  }
  bool Rare = *Separate && !*Lent;
  bool InPlace = inlineForAnalysis(*Copy, F, Ctx->Cheap, Ctx->FAM, /*MayCopyInPlace=*/Rare);
  if (Ctx->Point == ShimPointLinkTime)
    takeVectorsApart(*Copy, F, Ctx->FAM);
  auto IsHopeless = [&](Stage At) {
    if (Ctx->Point == ShimPointCanonicalise ||
        mayHoldTimeLoop(*Copy, Ctx->FAM, At))
      return false;
    shim_discard(Ctx, llvm::wrap(static_cast<Value *>(Copy)));
    return true;
  };
  sayWhatCalleesDo(*Copy, Ctx->Point == ShimPointPipelineStart);
  tidy(*Copy, Ctx->FAM);
  if (IsHopeless(Stage::ScalarsInRegisters))
    return nullptr;
  auto Moved = makeLocal(*Copy, F, Ctx->FAM);
  bool Whole = Rare;
  separatePaths(*Copy, Ctx->FAM, Whole, Merged);
  separateTargets(*Copy, Ctx->FAM);
  if (IsHopeless(Stage::PathsApart))
    return nullptr;
  bool Apart = Rare && separateFirstSteps(*Copy, Ctx->FAM);
  bool Keeps = Rare && keepStorage(*Copy, Ctx->FAM);
  bool Asks = Rare && askForPlainStreams(*Copy, Ctx->FAM);
  *Lent = Rare && (separateRarePaths(*Copy, Ctx->FAM, Asks) || Whole || Keeps || InPlace || Apart);
  if (Asks && believePlainStreams(*Copy, Ctx->FAM))
    promoteCounters(*Copy, Ctx->FAM);
  *Turned = *Turned && *Lent && turnAtExits(*Copy, Ctx->FAM);
  if (*Separate && !*Lent) {
    *Separate = keepStackArrays(*Copy, Ctx->FAM);
    // A stack that is restored may touch anything.
    if (*Separate)
      promoteCounters(*Copy, Ctx->FAM);
    *Separate |= turnAtExits(*Copy, Ctx->FAM);
  }
  Merged |= canonicalise(*Copy, Ctx->FAM);
  if (Ctx->Marks && *Separate) {
    // The source has one loop where the copy has two.
    unmark(Ctx->M);
    Ctx->Marks.reset();
  }
  if (Ctx->Marks) {
    Ctx->Marks->Moved = std::move(Moved);
    for (Instruction &I : instructions(*Copy))
      if (auto *Local = dyn_cast<AllocaInst>(&I))
        Ctx->Marks->Known.insert(Local);
  }
  return llvm::wrap(static_cast<Value *>(Copy));
}

LLVMValueRef shim_clone_and_canonicalise(ShimContext *Ctx, LLVMValueRef Of, bool *Separate,
                                         bool *Lent, bool *Turned) {
  auto &F = *cast<Function>(llvm::unwrap(Of));
  bool Asked = *Separate, AskedLent = *Lent, AskedTurned = *Turned, Merged = false;
  LLVMValueRef Copy = copyOf(Ctx, F, Separate, Lent, Turned, /*Marked=*/false, Merged);
  if (!Copy || !Merged || Ctx->Marks || *Separate || Ctx->Point == ShimPointCanonicalise ||
      Ctx->Point == ShimPointDescribe)
    return Copy;
  // The original loop is better off with each of the sweeps, and rare calls, as they were written.
  shim_discard(Ctx, Copy);
  *Separate = Asked;
  *Lent = AskedLent;
  *Turned = AskedTurned;
  return copyOf(Ctx, F, Separate, Lent, Turned, /*Marked=*/true, Merged);
}

/// The function that takes the place of `F`: a fresh copy of it that calls the runtime
/// where `Copy` does, if there is nothing else to it; or `Copy`.
static Function &asWritten(ShimContext &Ctx, Function &F, Function &Copy,
                           ArrayRef<BasicBlock *> Nests) {
  if (!Ctx.Marks)
    return Copy;
  Function *Fresh = Nests.empty() ? nullptr : cloneSharingDebugInfo(F);
  if (Fresh)
    prepare(*Fresh, Ctx.FAM, isClean(Ctx));
  bool Can = Fresh && callAsIn(*Fresh, Copy, *Ctx.Marks, Nests, Ctx.FAM);
  unmark(Ctx.M);
  if (Fresh)
    eraseFunction(Ctx.FAM, Can ? Copy : *Fresh);
  return Can ? *Fresh : Copy;
}

void shim_commit(ShimContext *Ctx, LLVMValueRef Into, LLVMValueRef From,
                 const LLVMBasicBlockRef *Whole, size_t Count) {
  auto &F = *cast<Function>(llvm::unwrap(Into));
  SmallVector<BasicBlock *, 4> Nests;
  // What stays on a device does so around the loops of the copy.
  for (LLVMBasicBlockRef Nest : ArrayRef(Whole, shim_has_frame(From) ? 0 : Count))
    Nests.push_back(llvm::unwrap(Nest));
  auto &Copy = asWritten(*Ctx, F, *cast<Function>(llvm::unwrap(From)), Nests);
  lowerHomeMarks(Copy);
  forgetFrames(Copy);
  silenceAlarms(Copy);
  if (llvm::wrap(static_cast<Value *>(&Copy)) == From) {
    Ctx->FAM.invalidate(Copy, PreservedAnalyses::none());
    JoinCopies().run(Copy, Ctx->FAM);
    if (Ctx->Point != ShimPointCanonicalise)
      Ctx->FAM.invalidate(Copy, NumbersToFlags().run(Copy, Ctx->FAM));
  }
  Ctx->FAM.clear(F, F.getName());
  dropBody(F);
  F.splice(F.end(), &Copy);
  for (auto [Old, New] : zip(Copy.args(), F.args()))
    Old.replaceAllUsesWith(&New);
  // Inlining may have merged attributes and brought a personality.
  F.setAttributes(Copy.getAttributes());
  if (Copy.hasPersonalityFn())
    F.setPersonalityFn(Copy.getPersonalityFn());
  F.addFnAttr(SeenAttribute);
  F.addFnAttr(TakenAttribute);
  eraseFunction(Ctx->FAM, Copy);
  joinPlaces(F, Ctx->FAM);
  Ctx->Marks.reset();
  Ctx->Snapshot.reset();
}

void shim_discard(ShimContext *Ctx, LLVMValueRef From) {
  eraseFunction(Ctx->FAM, *cast<Function>(llvm::unwrap(From)));
  if (Ctx->Snapshot)
    Ctx->Snapshot->restore(Ctx->M);
  Ctx->Snapshot.reset();
}
