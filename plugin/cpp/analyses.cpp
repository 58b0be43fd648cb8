//===- analyses.cpp - Loops, dominance and memory as plain queries --------===//
//
// Consumes: a function and the host's analysis managers. Produces: answers.
// Nothing here changes the IR; what does (SCEV expansion) is in scev.cpp.
//
//===----------------------------------------------------------------------===//

#include "internal.h"
#include "rare_paths.h"
#include "small_numbers.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace hexpass;

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

ShimAnalyses *shim_analyses_new(ShimContext *Ctx, LLVMValueRef Of) {
  auto &F = *cast<Function>(llvm::unwrap(Of));
  if (F.isDeclaration())
    return nullptr;
  auto &FAM = Ctx->FAM;
  return new ShimAnalyses{*Ctx,
                          F,
                          FAM.getResult<LoopAnalysis>(F),
                          FAM.getResult<DominatorTreeAnalysis>(F),
                          FAM.getResult<PostDominatorTreeAnalysis>(F),
                          FAM.getResult<ScalarEvolutionAnalysis>(F),
                          FAM.getResult<AAManager>(F),
                          FAM.getResult<MemorySSAAnalysis>(F).getMSSA(),
                          FAM.getResult<TargetLibraryAnalysis>(F)};
}

void shim_analyses_free(ShimAnalyses *A, bool Invalidate) {
  auto &FAM = A->Ctx.FAM;
  auto &F = A->F;
  delete A;
  if (!Invalidate)
    return;
  FAM.invalidate(F, PreservedAnalyses::none());
  // What stands before a nest that was taken may use what a loop before that one has
  // computed: seen through phis behind that loop again, which may be replaced too.
  bool Changed = false;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  for (Loop *L : LI)
    Changed |= formLCSSARecursively(*L, FAM.getResult<DominatorTreeAnalysis>(F), &LI, nullptr);
  if (Changed)
    FAM.invalidate(F, PreservedAnalyses::none());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static LLVMBasicBlockRef wrapBlock(BasicBlock *B) { return llvm::wrap(B); }

static size_t fillBlocks(ArrayRef<BasicBlock *> Blocks, LLVMBasicBlockRef *Out,
                         size_t Capacity) {
  return fill(Blocks, Out, Capacity, wrapBlock);
}

size_t shim_top_loops(const ShimAnalyses *A, ShimLoopRef *Out,
                      size_t Capacity) {
  // LoopInfo keeps them last first.
  return fill(reverse(A->LI.getTopLevelLoops()), Out, Capacity,
              [](const Loop *L) { return hexpass::wrap(L); });
}

ShimLoopRef shim_loop_of(const ShimAnalyses *A, LLVMBasicBlockRef Block) {
  return hexpass::wrap(A->LI.getLoopFor(llvm::unwrap(Block)));
}

size_t shim_loop_children(ShimLoopRef L, ShimLoopRef *Out, size_t Capacity) {
  return fill(reverse(hexpass::unwrap(L)->getSubLoops()), Out, Capacity,
              [](const Loop *Sub) { return hexpass::wrap(Sub); });
}

ShimLoopRef shim_loop_parent(ShimLoopRef L) {
  return hexpass::wrap(
      static_cast<const Loop *>(hexpass::unwrap(L)->getParentLoop()));
}

unsigned shim_loop_depth(ShimLoopRef L) {
  return hexpass::unwrap(L)->getLoopDepth();
}

LLVMBasicBlockRef shim_loop_header(ShimLoopRef L) {
  return llvm::wrap(hexpass::unwrap(L)->getHeader());
}

LLVMBasicBlockRef shim_loop_preheader(ShimLoopRef L) {
  return llvm::wrap(hexpass::unwrap(L)->getLoopPreheader());
}

LLVMBasicBlockRef shim_loop_latch(ShimLoopRef L) {
  return llvm::wrap(hexpass::unwrap(L)->getLoopLatch());
}

size_t shim_loop_blocks(ShimLoopRef L, LLVMBasicBlockRef *Out,
                        size_t Capacity) {
  return fillBlocks(hexpass::unwrap(L)->getBlocks(), Out, Capacity);
}

size_t shim_loop_exiting_blocks(ShimLoopRef L, LLVMBasicBlockRef *Out,
                                size_t Capacity) {
  SmallVector<BasicBlock *, 4> Blocks;
  hexpass::unwrap(L)->getExitingBlocks(Blocks);
  return fillBlocks(Blocks, Out, Capacity);
}

size_t shim_loop_exit_blocks(ShimLoopRef L, LLVMBasicBlockRef *Out,
                             size_t Capacity) {
  SmallVector<BasicBlock *, 4> Blocks;
  hexpass::unwrap(L)->getUniqueExitBlocks(Blocks);
  return fillBlocks(Blocks, Out, Capacity);
}

bool shim_loop_contains(ShimLoopRef L, LLVMBasicBlockRef Block) {
  return hexpass::unwrap(L)->contains(llvm::unwrap(Block));
}

bool shim_loop_contains_loop(ShimLoopRef L, ShimLoopRef Inner) {
  return hexpass::unwrap(L)->contains(hexpass::unwrap(Inner));
}

bool shim_loop_fails_at(ShimLoopRef L, LLVMBasicBlockRef Block) {
  const BasicBlock &At = *llvm::unwrap(Block);
  return isRarePath(At) || isFailure(At, *hexpass::unwrap(L));
}

bool shim_block_is_rare_path(LLVMBasicBlockRef Block) { return isRarePath(*llvm::unwrap(Block)); }

bool shim_is_settled(ShimLoopRef L) { return isSettled(*hexpass::unwrap(L)); }

bool shim_resumes_settled(ShimLoopRef L) { return resumesSettled(*hexpass::unwrap(L)); }

bool shim_loop_is_simplified(ShimLoopRef L) {
  return hexpass::unwrap(L)->isLoopSimplifyForm();
}

//===----------------------------------------------------------------------===//
// Source positions
//===----------------------------------------------------------------------===//

static ShimLocation location(unsigned Line, unsigned Column,
                             const DIScope *Scope) {
  ShimLocation Where{Line, Column, "", 0, "", 0, "", 0, "", 0};
  if (!Scope)
    return Where;
  StringRef File = Scope->getFilename(), Directory = Scope->getDirectory();
  Where.file = File.data();
  Where.file_length = File.size();
  Where.directory = Directory.data();
  Where.directory_length = Directory.size();
  auto *Local = dyn_cast<DILocalScope>(Scope);
  const DISubprogram *In = Local ? Local->getSubprogram() : nullptr;
  if (const DICompileUnit *Unit = In ? In->getUnit() : nullptr) {
    StringRef UnitFile = Unit->getFilename(), UnitDirectory = Unit->getDirectory();
    Where.unit_file = UnitFile.data();
    Where.unit_file_length = UnitFile.size();
    Where.unit_directory = UnitDirectory.data();
    Where.unit_directory_length = UnitDirectory.size();
  }
  return Where;
}

/// A file that came with the compiler: nobody can change anything there.
static bool isOfToolchain(const DIScope &Scope) {
  StringRef File = Scope.getFilename();
  return File.starts_with("/rustc/") || File.starts_with("library/") ||
         File.contains("/library/core/src/") || File.contains("/library/alloc/src/") ||
         File.contains("/library/std/src/") || File.contains("/include/c++/");
}

const DILocation *hexpass::inOwnSource(const DILocation *Loc) {
  while (Loc && Loc->getInlinedAt() && isOfToolchain(*Loc->getScope()))
    Loc = Loc->getInlinedAt();
  return Loc;
}

static ShimLocation location(const DebugLoc &Found) {
  const DILocation *Loc = inOwnSource(Found.get());
  if (!Loc)
    return location(0, 0, nullptr);
  return location(Loc->getLine(), Loc->getColumn(), Loc->getScope());
}

ShimLocation shim_loop_location(ShimLoopRef L) {
  return location(hexpass::unwrap(L)->getStartLoc());
}

/// What a function is called in the module; where it is gone, as it says itself.
static StringRef symbolOf(const DISubprogram &Of, const Module &M) {
  for (const Function &F : M)
    if (F.getSubprogram() == &Of)
      return F.getName();
  return Of.getLinkageName().empty() ? Of.getName() : Of.getLinkageName();
}

void shim_loop_inlined_from(ShimLoopRef Raw, ShimSink Sink, void *State) {
  const Loop &L = *hexpass::unwrap(Raw);
  const DebugLoc Start = L.getStartLoc();
  const DILocation *Loc = inOwnSource(Start.get());
  if (!Loc || !Loc->getInlinedAt())
    return;
  StringRef Name = symbolOf(*Loc->getScope()->getSubprogram(), *L.getHeader()->getModule());
  Sink(State, Name.data(), Name.size());
}

ShimLocation shim_value_location(LLVMValueRef V) {
  if (auto *I = dyn_cast<Instruction>(llvm::unwrap(V)))
    return location(I->getDebugLoc());
  if (auto *F = dyn_cast<Function>(llvm::unwrap(V)))
    if (DISubprogram *Subprogram = F->getSubprogram())
      return location(Subprogram->getLine(), 0, Subprogram);
  return location(0, 0, nullptr);
}

//===----------------------------------------------------------------------===//
// Dominance
//===----------------------------------------------------------------------===//

bool shim_dominates(const ShimAnalyses *A, LLVMBasicBlockRef Over,
                    LLVMBasicBlockRef Under) {
  return A->DT.dominates(llvm::unwrap(Over), llvm::unwrap(Under));
}

bool shim_post_dominates(const ShimAnalyses *A, LLVMBasicBlockRef Over,
                         LLVMBasicBlockRef Under) {
  return A->PDT.dominates(llvm::unwrap(Over), llvm::unwrap(Under));
}

bool shim_value_dominates(const ShimAnalyses *A, LLVMValueRef Definition,
                          LLVMValueRef Use) {
  auto *I = dyn_cast<Instruction>(llvm::unwrap(Use));
  return I && A->DT.dominates(llvm::unwrap(Definition), I);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LLVMValueRef shim_underlying_object(LLVMValueRef Pointer) {
  return llvm::wrap(
      getUnderlyingObject(llvm::unwrap(Pointer), /*MaxLookup=*/0));
}

ShimObjectKind shim_object_kind(LLVMValueRef Object) {
  Value *V = llvm::unwrap(Object);
  if (isa<AllocaInst>(V))
    return ShimObjectAlloca;
  if (isa<GlobalVariable>(V))
    return ShimObjectGlobal;
  if (auto *A = dyn_cast<Argument>(V)) {
    if (A->hasByValAttr())
      return ShimObjectByValArgument;
    if (A->hasNoAliasAttr())
      return ShimObjectNoAliasArgument;
  }
  return isNoAliasCall(V) ? ShimObjectAllocation : ShimObjectUnknown;
}

static LocationSize sizeOf(uint64_t Bytes) {
  return Bytes == UINT64_MAX ? LocationSize::afterPointer()
                             : LocationSize::precise(Bytes);
}

ShimAlias shim_alias(ShimAnalyses *A, LLVMValueRef Left, uint64_t LeftSize,
                     LLVMValueRef Right, uint64_t RightSize) {
  AliasResult Result =
      A->AA.alias(MemoryLocation(llvm::unwrap(Left), sizeOf(LeftSize)),
                  MemoryLocation(llvm::unwrap(Right), sizeOf(RightSize)));
  switch (Result) {
  case AliasResult::NoAlias:
    return ShimAliasNo;
  case AliasResult::PartialAlias:
    return ShimAliasPartial;
  case AliasResult::MustAlias:
    return ShimAliasMust;
  case AliasResult::MayAlias:
    break;
  }
  return ShimAliasMay;
}

static bool mayWrite(AAResults &AA, const Instruction &I,
                     const MemoryLocation &Where) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return !Store->isSimple() ||
           !AA.isNoAlias(MemoryLocation::get(Store), Where);
  if (auto *Mem = dyn_cast<MemIntrinsic>(&I))
    return !AA.isNoAlias(MemoryLocation::getForDest(Mem), Where);
  return I.mayWriteToMemory();
}

bool shim_load_is_invariant(ShimAnalyses *A, LLVMValueRef V, ShimLoopRef In) {
  auto *Load = dyn_cast<LoadInst>(llvm::unwrap(V));
  const Loop *L = hexpass::unwrap(In);
  if (!Load || !Load->isSimple())
    return false;
  if (!A->SE.isLoopInvariant(A->SE.getSCEV(Load->getPointerOperand()), L))
    return false;
  if (Load->hasMetadata(LLVMContext::MD_invariant_load))
    return true;
  // Each definition is asked: MemorySSA's walker gives up at the header's phi
  // (and names a virtual table that a host of another major lacks).
  MemoryLocation Where = MemoryLocation::get(Load);
  for (BasicBlock *B : L->blocks())
    if (const auto *Definitions = A->MSSA.getBlockDefs(B))
      for (const MemoryAccess &Definition : *Definitions)
        if (auto *Def = dyn_cast<MemoryDef>(&Definition))
          if (mayWrite(A->AA, *Def->getMemoryInst(), Where))
            return false;
  return true;
}

bool shim_executes_each_iteration(ShimAnalyses *A, LLVMValueRef V,
                                  ShimLoopRef In) {
  auto *I = dyn_cast<Instruction>(llvm::unwrap(V));
  const Loop *L = hexpass::unwrap(In);
  if (!I || !L->contains(I))
    return false;
  // An iteration that reaches a latch has come through what dominates it.
  SmallVector<BasicBlock *, 4> Latches;
  L->getLoopLatches(Latches);
  return all_of(Latches, [&](BasicBlock *Latch) {
    return A->DT.dominates(I->getParent(), Latch);
  });
}

ShimEffects shim_effects(LLVMValueRef V) {
  auto *I = dyn_cast<Instruction>(llvm::unwrap(V));
  if (!I)
    return {false, false, false, false, false, true, true, true};
  auto *Call = dyn_cast<CallBase>(I);
  return {I->mayReadFromMemory(),
          I->mayWriteToMemory(),
          I->isVolatile(),
          I->isAtomic(),
          I->mayThrow(),
          I->willReturn(),
          !Call || Call->onlyAccessesArgMemory(),
          isSafeToSpeculativelyExecute(I)};
}

void shim_library_function(ShimAnalyses *A, LLVMValueRef V, ShimSink Sink,
                           void *State) {
  auto *Call = dyn_cast<CallBase>(llvm::unwrap(V));
  LibFunc Which;
  if (Call && Call->getCalledFunction() && A->TLI.getLibFunc(*Call, Which) && A->TLI.has(Which))
    put(Sink, State,
        GlobalValue::dropLLVMManglingEscape(
            Call->getCalledFunction()->getName()));
}

bool shim_is_written_here_only(ShimAnalyses *A, LLVMValueRef V) {
  const Value *Variable = llvm::unwrap(V);
  return isa<GlobalVariable, AllocaInst>(Variable) && hexpass::isOnlyRead(*Variable, &A->F);
}

bool shim_likely_number(ShimAnalyses *A, LLVMValueRef V, int64_t *Number) {
  auto Known = hexpass::likelyNumber(*llvm::unwrap(V), A->F);
  *Number = Known.value_or(0);
  return Known.has_value();
}

void shim_intrinsic_name(LLVMValueRef V, ShimSink Sink, void *State) {
  auto *F = dyn_cast<Function>(llvm::unwrap(V));
  if (F && F->isIntrinsic())
    put(Sink, State, Intrinsic::getBaseName(F->getIntrinsicID()));
}

uint64_t shim_type_alloc_size(LLVMModuleRef M, LLVMTypeRef T) {
  return llvm::unwrap(M)->getDataLayout().getTypeAllocSize(llvm::unwrap(T));
}

uint64_t shim_type_store_size(LLVMModuleRef M, LLVMTypeRef T) {
  return llvm::unwrap(M)->getDataLayout().getTypeStoreSize(llvm::unwrap(T));
}
