//===- stretch_bystanders.cpp - Variables beside the grids -------------------===//
//
// Consumes: a plan whose host reads or writes variables in each step that its sweeps might
// touch, for all that is known here: time and its end, in a structure beside the grids'
// pointers.
//
//     while (sim->time < sim->end) {            while (sim->time < sim->end) {
//       sweep(sim->u, sim->v);                    if (pending++ == 0)
//       swap(sim->u, sim->v);        becomes        apart = question(sim->u, ..., &sim->time, ...);
//       sim->time += sim->dt;                     if (pending && !apart) flush;
//     }                                           sim->time += sim->dt; ...
//
// Produces: the question, a copy of the stretch as far as its nest, which asks the runtime in
// that place whether the variables lie apart from all that pending sweeps may touch
// (`hexrt_apart`); nothing runs. Refuses variables that the sweeps read in other ways than as
// elements of their arrays: of those the runtime knows nothing.
//
//===----------------------------------------------------------------------===//

#include "stretches.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace hexpass;

namespace {

using Block = BasicBlock;

/// What is known of the variables: nothing yet, that they lie apart from what is pending, or
/// that they don't, or may not.
enum Answer : uint8_t { Unasked, Beside, Together };

/// Instructions that a number is followed through.
constexpr size_t MostUses = 64;

/// It says where something lies.
bool saysWhere(const Instruction &Loaded) {
  SmallVector<const Value *, 16> Work{&Loaded};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Work.empty()) {
    const Value *V = Work.pop_back_val();
    for (const Use &U : V->uses()) {
      auto *By = cast<Instruction>(U.getUser());
      bool Data = isa<StoreInst>(By) && U.getOperandNo() == 0;
      if (Data || isa<BranchInst, SwitchInst>(By) || !Seen.insert(By).second)
        continue;
      if (Seen.size() > MostUses ||
          !isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, PHINode>(By) ||
          By->getType()->isPointerTy())
        return true;
      Work.push_back(By);
    }
  }
  return false;
}

/// Of the question, nothing but whether it can be asked.
void answerNo(Function &Question) {
  Question.deleteBody();
  Question.setLinkage(GlobalValue::InternalLinkage);
  auto *Only = BasicBlock::Create(Question.getContext(), "", &Question);
  IRBuilder<>(Only).CreateRet(ConstantInt::get(Question.getReturnType(), 0));
}

/// Ways that don't lead to `Target` end with a no.
void endElsewhere(Block &Target) {
  SmallSetVector<Block *, 16> Leading;
  Leading.insert(&Target);
  for (size_t At = 0; At < Leading.size(); ++At)
    Leading.insert_range(predecessors(Leading[At]));
  Function &Question = *Target.getParent();
  auto *Else = Block::Create(Question.getContext(), "else", &Question);
  IRBuilder<>(Else).CreateRet(ConstantInt::get(Question.getReturnType(), 0));
  for (Block *B : Leading)
    for (unsigned At = 0; B != &Target && At < B->getTerminator()->getNumSuccessors(); ++At)
      if (Block *Next = B->getTerminator()->getSuccessor(At); !Leading.contains(Next)) {
        Next->removePredecessor(B, /*KeepOneInputPHIs=*/true);
        B->getTerminator()->setSuccessor(At, Else);
      }
}

/// It leaves nothing behind.
bool onlyAsks(Function &Question) {
  auto IsOwn = [](const Value *At) { return isa<AllocaInst>(getUnderlyingObject(At)); };
  return all_of(instructions(Question), [&](const Instruction &I) {
    if (!I.mayWriteToMemory())
      return true;
    if (auto *Store = dyn_cast<StoreInst>(&I))
      return IsOwn(Store->getPointerOperand());
    if (auto *Mem = dyn_cast<MemIntrinsic>(&I))
      return IsOwn(Mem->getRawDest());
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return Callee && (Callee->getName() == "hexrt_look" || Callee->getName() == "hexrt_apart" ||
                      cast<CallBase>(I).onlyAccessesInaccessibleMemory());
  });
}

} // namespace

/// Whether `J`, which the sweeps do, meets `I`, which the host does, as an element of an array
/// that the runtime knows, or not at all.
bool ShimStretches::isKnownToMeet(Instruction &J, Instruction &I) const {
  Footprint Of(A);
  Of.add(J);
  if (!Of.conflicts(I) || isa<MemIntrinsic>(J))
    return true;
  // Ahead, the host compares where it lies.
  if (isa<LoadInst>(J) && !Reductions.empty() && L.isLoopInvariant(getLoadStorePointerOperand(&J)))
    return true;
  Type *T = getLoadStoreType(&J);
  if (T->isPointerTy() || (T->isIntegerTy() && isa<LoadInst>(J) && saysWhere(J)))
    return false;
  Loop *Sweep = A.LI.getLoopFor(J.getParent());
  while (Sweep && Sweep->getParentLoop() != &L)
    Sweep = Sweep->getParentLoop();
  // What is read from one place is a number to the nest.
  return Sweep && (isa<StoreInst>(J) ||
                   !A.SE.isLoopInvariant(A.SE.getSCEV(getLoadStorePointerOperand(&J)), Sweep));
}

/// Words that sweeps read by themselves, sizes for instance, and which it may be among.
SmallVector<LoadInst *, 4> ShimStretches::wordsBeside(Instruction &I) const {
  SmallVector<LoadInst *, 4> Found;
  auto Add = [&](LoadInst *Load) {
    Footprint Read(A);
    Read.add(*Load);
    if (Read.conflicts(I))
      Found.push_back(Load);
  };
  for (const auto &Loads : {SweepLoads, LateLoads})
    for_each(Loads, Add);
  for (const Loop *C : SweepLoops)
    for (BasicBlock *B : C->blocks())
      for (Instruction &J : *B)
        if (auto *Load = dyn_cast<LoadInst>(&J);
            Load && L.isLoopInvariant(Load->getPointerOperand()))
          Add(Load);
  return Found;
}

/// All of those words lie where they can be compared with it.
bool ShimStretches::canTellApart(Instruction &I) const {
  constexpr size_t MostWords = 8;
  SmallVector<LoadInst *, 4> Words = wordsBeside(I);
  return Words.size() <= MostWords && all_of(Words, [&](const LoadInst *Load) {
           return L.isLoopInvariant(Load->getPointerOperand());
         });
}

/// A variable that the host reads or writes, and whose place is known before the loop; beside
/// sweeps that are ahead, wherever it is (`energy[t] = sum`).
bool ShimStretches::isBystander(Instruction &I) const {
  if (Apart || !isa<LoadInst, StoreInst>(I) || I.isVolatile() || I.isAtomic())
    return false;
  Type *T = getLoadStoreType(&I);
  bool IsPlain = T->isIntegerTy() || T->isFloatingPointTy();
  if (!(IsPlain || (T->isPointerTy() && !Reductions.empty())) ||
      (Reductions.empty() && !L.isLoopInvariant(getLoadStorePointerOperand(&I))))
    return false;
  auto Fits = [&](Instruction *J) { return isKnownToMeet(*J, I); };
  auto IsWord = [](const Instruction *J) {
    auto *Store = dyn_cast<StoreInst>(J);
    return Store && !Store->getValueOperand()->getType()->isFloatingPointTy();
  };
  // Words that the stretch exchanges itself are no elements.
  Footprint Words(A);
  for (Instruction *Store : Stores)
    if (IsWord(Store))
      Words.add(*Store);
  if (Words.conflicts(I))
    return false;
  if (!Reductions.empty() ? !canTellApart(I) : !wordsBeside(I).empty())
    return false;
  return all_of(SweepLoops, [&](const Loop *C) {
    return all_of(C->blocks(), [&](BasicBlock *B) {
      return all_of(*B, [&](Instruction &J) {
        return !isa<LoadInst, StoreInst, MemIntrinsic>(J) || Fits(&J);
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// The host
//===----------------------------------------------------------------------===//

/// How many bytes it reads or writes, and that it only reads them.
uint64_t ShimStretches::bytesBeside(const Instruction &I) {
  uint64_t Bytes = I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I)).getFixedValue();
  return isa<LoadInst>(I) ? Bytes | OnlyRead : Bytes;
}

/// Before the loop: the question's name, where its answer is kept, and where the variables lie.
void ShimStretches::prepareQuestion(IRBuilderBase &Entry, IRBuilderBase &Before) {
  if (Bystanders.empty() && Asked.empty())
    return;
  Function &Of = *frameArgument()->getParent();
  SmallVector<Type *, 16> Types(Of.getFunctionType()->params());
  Type *I64 = Entry.getInt64Ty();
  Types.append({Entry.getPtrTy(), I64, I64});
  Question = Function::Create(FunctionType::get(Entry.getInt32Ty(), Types, false),
                              GlobalValue::InternalLinkage, Of.getName() + ".apart",
                              A.F.getParent());
  if (Bystanders.empty())
    return;
  Answered = makeOwn(Entry, Entry.getInt8Ty(), nullptr, "apart");
  Before.CreateStore(Before.getInt8(Unasked), Answered);
  SmallSetVector<std::pair<Value *, uint64_t>, 4> All;
  for (Instruction *I : Bystanders)
    All.insert({getLoadStorePointerOperand(I), bytesBeside(*I)});
  BystanderCount = All.size();
  Standing = makeOwn(Entry, I64, Entry.getInt64(2 * BystanderCount), "bystanders");
  for (auto [At, Of] : enumerate(All)) {
    auto Word = [&](unsigned Further) {
      return Before.CreateConstInBoundsGEP1_64(I64, Standing, 2 * At + Further);
    };
    Before.CreateStore(Before.CreatePtrToInt(Of.first, I64), Word(0));
    Before.CreateStore(Before.getInt64(Of.second), Word(1));
  }
}

/// Asks when the first step is pending, until the answer is no.
void ShimStretches::ask(Value *IsFirst) {
  if (Bystanders.empty())
    return;
  IRBuilder<> B(AppendBefore);
  B.SetCurrentDebugLocation(L.getStartLoc());
  Value *Known = B.CreateLoad(B.getInt8Ty(), Answered);
  Value *If = B.CreateAnd(IsFirst, B.CreateICmpNE(Known, B.getInt8(Together)));
  B.SetInsertPoint(SplitBlockAndInsertIfThen(If, AppendBefore, false));
  B.SetCurrentDebugLocation(L.getStartLoc());
  SmallVector<Value *, 16> Arguments = arguments(B, B.getInt64(1), Bases, nullptr);
  Arguments.append({Standing, B.getInt64(BystanderCount), B.getInt64(Capacity)});
  CallInst *Call = B.CreateCall(Question, Arguments);
  Call->setDoesNotThrow();
  Value *Yes = B.CreateICmpNE(Call, B.getInt32(0));
  B.CreateStore(B.CreateSelect(Yes, B.getInt8(Beside), B.getInt8(Together)), Answered);
}

/// The variables may lie among what is pending.
Value *ShimStretches::mayMeet(IRBuilderBase &B) const {
  return B.CreateICmpNE(B.CreateLoad(B.getInt8Ty(), Answered), B.getInt8(Beside));
}

//===----------------------------------------------------------------------===//
// The question
//===----------------------------------------------------------------------===//

/// The stretch as far as the call of the runtime, where that is asked instead.
void ShimStretches::makeQuestion() {
  if (!Question)
    return;
  Function &Of = *frameArgument()->getParent();
  Module &M = *Of.getParent();
  ValueToValueMapTy VMap;
  for (auto [Old, New] : zip(Of.args(), Question->args()))
    VMap[&Old] = &New;
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(Question, &Of, VMap, CloneFunctionChangeType::LocalChangesOnly, Returns);
  Type *I32 = Question->getReturnType();
  for (ReturnInst *Return : Returns) {
    IRBuilder<>(Return).CreateRet(ConstantInt::get(I32, 0));
    Return->eraseFromParent();
  }
  auto Calls = make_filter_range(instructions(*Question), callsRuntime);
  if (Calls.empty() || std::next(Calls.begin()) != Calls.end())
    return answerNo(*Question);
  auto *Run = cast<CallBase>(&*Calls.begin());
  IRBuilder<> B(Run);
  Type *P = B.getPtrTy(), *I64 = B.getInt64Ty();
  auto Asked = M.getOrInsertFunction("hexrt_apart",
                                     FunctionType::get(I32, {P, P, P, I64, I64}, false));
  cast<Function>(Asked.getCallee())->setLinkage(GlobalValue::ExternalWeakLinkage);
  // Where the runtime is not called, because it is not there or what it needs can't be read.
  Value *Can = B.CreateICmpEQ(Run->getCalledOperand(), M.getFunction("hexrt_run"));
  Can = B.CreateAnd(
      Can, B.CreateICmpNE(Asked.getCallee(), ConstantPointerNull::get(cast<PointerType>(P))));
  Block *Asking = Run->getParent();
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Can, Run->getIterator(), /*Unreachable=*/true));
  Argument *Last = Question->getArg(Question->arg_size() - 1);
  CallInst *Answer_ = B.CreateCall(Asked, {Run->getArgOperand(0), Run->getArgOperand(1),
                                           Question->getArg(Question->arg_size() - 3),
                                           Question->getArg(Question->arg_size() - 2), Last});
  Instruction *Never = &*B.GetInsertPoint();
  B.CreateRet(Answer_);
  Never->eraseFromParent();
  B.SetInsertPoint(Run);
  B.CreateRet(ConstantInt::get(I32, 0));
  Block *Here = Run->getParent();
  Here->splitBasicBlock(Run);
  Here->getTerminator()->eraseFromParent();
  endElsewhere(*Asking);
  EliminateUnreachableBlocks(*Question);
  if (!onlyAsks(*Question))
    answerNo(*Question);
}
