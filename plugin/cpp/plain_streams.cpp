//===- plain_streams.cpp - Output by C++'s own streams ------------------------===//
//
// Consumes: a working copy with loops in simplified form, in which steps print by `std::cout`,
// `std::cerr` or `std::clog`:
//
//     for (...) {
//         sweep(u, v);
//         std::cout << "step " << t << '\n';
//         if (t % 100 == 0) write(u);
//     }
//
// For all that is known of them, such calls may look at the grids: a stream writes by virtual
// functions of a buffer and of a locale, which a program may replace by its own, and it may throw.
//
// Produces: a question in each step whether the stream is as the library made it, after which what
// is printed touches no more than `printf` does. Steps in which it is not take a rare path
// (rare_paths.cpp), where nothing is believed:
//
//     for (...) {
//         if (!plain(std::cout)) goto rare;
//         sweep(u, v);
//         std::cout << "step " << t << '\n';        "known to touch what it is handed"
//         if (t % 100 == 0) {
//             write(u);                             may have changed std::cout:
//             if (!plain(std::cout)) goto rest;     asked if something is printed behind it
//         }
//     }
//
// What is asked, of libstdc++'s streams as they lie in memory on x86-64: exceptions are masked, the
// locale of the stream and of its buffer is the classic one, the buffer is of one of the library's
// classes, there is a table of characters, and the same holds for a stream that is tied to this one.
//
// Refuses: loops that catch what a call throws which may change a stream, that print inside an
// inner loop beside such a call, and other streams: of one that is named by a pointer, nobody knows
// whether it is there when a step begins.
//
//===----------------------------------------------------------------------===//

#include "plain_streams.h"
#include "loops.h"
#include "rare_paths.h"
#include "step_storage.h"
#include "stretches.h"
#include "taken.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace hexpass {
namespace {

/// Of calls: as above; of this kind where nothing else in the loop looks behind a stream.
constexpr char PlainMark[] = "hexpass-plain-stream";
constexpr char AloneKind[] = "alone";

/// The questions, as functions of the module.
constexpr char PlainName[] = "hexpass.stream.plain", OwnName[] = "hexpass.stream.own";

/// Questions of a loop, at most.
constexpr size_t MostQuestions = 8;
/// Calls that a stream has come through, at most.
constexpr unsigned MostOnTheWay = 64;

//===----------------------------------------------------------------------===//
// What prints
//===----------------------------------------------------------------------===//

constexpr StringLiteral LibraryStreams[] = {"_ZSt4cout", "_ZSt4cerr", "_ZSt4clog"};

/// `std::endl` and its like, which a stream is handed or which are called by their names.
bool isManipulator(StringRef Name) {
  return is_contained({"_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_",
                       "_ZSt4endsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_",
                       "_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_"},
                      Name);
}

/// A function of libstdc++'s that prints numbers or text to the stream it is handed first, and
/// gives it back.
bool prints(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Call.arg_empty() || Call.getType() != Call.getArgOperand(0)->getType())
    return false;
  StringRef Name = Callee->getName();
  if (isManipulator(Name))
    return true;
  // Handed a manipulator.
  if (Name == "_ZNSolsEPFRSoS_E") {
    auto *By = Call.arg_size() == 2 ? dyn_cast<Function>(Call.getArgOperand(1)) : nullptr;
    return By && isManipulator(By->getName());
  }
  StringRef Of = Name;
  // Members of one letter for the type of a number, and `operator<<(const void *)`.
  if (Of.consume_front("_ZNSols"))
    return Of.consume_front("E") &&
           (Of == "PKv" || (Of.size() == 1 && StringRef("bstijlmxyfde").contains(Of)));
  if (Of.consume_front("_ZNSo9_M_insertI"))
    return Of.ends_with("EERSoT_");
  // Characters and text that ends with a zero.
  if (Of.consume_front("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_"))
    return is_contained({"c", "a", "h", "PKc", "PKa", "PKh"}, Of);
  return is_contained(
      {"_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l",
       "_ZNSo3putEc", "_ZNSo5writeEPKcl", "_ZNSo5flushEv"},
      Name);
}

/// The library's stream that the pointer is, through calls that gave it back; null if none.
GlobalVariable *libraryStream(const Value *Pointer) {
  GlobalVariable *Found = nullptr;
  SmallPtrSet<const Value *, 8> Seen;
  SmallVector<const Value *, 4> Work{Pointer};
  while (!Work.empty()) {
    const Value *Stream = Work.pop_back_val()->stripPointerCasts();
    if (!Seen.insert(Stream).second)
      continue;
    if (Seen.size() > MostOnTheWay)
      return nullptr;
    if (auto *Global = dyn_cast<GlobalVariable>(Stream)) {
      if ((Found && Found != Global) || !Global->isDeclaration() ||
          !is_contained(LibraryStreams, Global->getName()))
        return nullptr;
      Found = const_cast<GlobalVariable *>(Global);
    } else if (auto *Phi = dyn_cast<PHINode>(Stream)) {
      append_range(Work, Phi->incoming_values());
    } else if (auto *By = dyn_cast<CallBase>(Stream); By && prints(*By)) {
      Work.push_back(By->getArgOperand(0));
    } else {
      return nullptr;
    }
  }
  return Found;
}

/// Where the library keeps what is asked: in `std::ios`, which is found by a word before the
/// stream's table, and in a buffer.
enum Offset : int64_t {
  StreamToBase = -24,
  Exceptions = 28,
  Locale = 208,
  Tie = 216,
  Buffer = 232,
  Characters = 240,
  TypeInfo = -8,
  BufferLocale = 56
};

/// The stream whose table of characters the value is; null if it is none.
GlobalVariable *streamOfTable(const Value *Table) {
  auto *Load = dyn_cast<LoadInst>(Table);
  auto *At = Load ? dyn_cast<GEPOperator>(Load->getPointerOperand()) : nullptr;
  APInt InBase(64, 0);
  if (!At || !At->accumulateConstantOffset(Load->getDataLayout(), InBase) ||
      InBase.getSExtValue() != Characters)
    return nullptr;
  // Of the base, which lies where the stream's own table says.
  auto *Base = dyn_cast<GEPOperator>(At->getPointerOperand());
  return Base ? libraryStream(Base->getPointerOperand()) : nullptr;
}

/// The stream of whose table `std::endl` wants a character, which the library makes the first time
/// that it is asked for one: by a function of its own, and by one that the table names; null if the
/// call is none.
GlobalVariable *widens(const CallBase &Call) {
  constexpr int64_t Widens = 48;
  Value *Table = Call.arg_empty() ? nullptr : Call.getArgOperand(0);
  GlobalVariable *Stream = Table ? streamOfTable(Table) : nullptr;
  const Function *Callee = Call.getCalledFunction();
  if (!Stream || Callee)
    return Callee && Callee->getName() == "_ZNKSt5ctypeIcE13_M_widen_initEv" ? Stream : nullptr;
  auto *Method = dyn_cast<LoadInst>(Call.getCalledOperand());
  const DataLayout &DL = Call.getDataLayout();
  APInt InTable(64, 0);
  auto *Methods = Method ? dyn_cast<LoadInst>(Method->getPointerOperand()
                                                  ->stripAndAccumulateConstantOffsets(
                                                      DL, InTable, /*AllowNonInbounds=*/true))
                         : nullptr;
  return Methods && InTable.getSExtValue() == Widens && Methods->getPointerOperand() == Table
             ? Stream
             : nullptr;
}

/// The library's stream that the call prints to; null if none.
GlobalVariable *streamOf(const CallBase &Call) {
  return prints(Call) ? libraryStream(Call.getArgOperand(0)) : widens(Call);
}

/// A pointer in one of the library's streams.
bool leadsOutOfStream(const Value *V) {
  auto *Load = dyn_cast<LoadInst>(V);
  auto *Global = Load ? dyn_cast<GlobalVariable>(
                            getUnderlyingObject(Load->getPointerOperand(), /*MaxLookup=*/0))
                      : nullptr;
  return Global && is_contained(LibraryStreams, Global->getName());
}

//===----------------------------------------------------------------------===//
// The question
//===----------------------------------------------------------------------===//

class Question {
public:
  explicit Question(Module &M)
      : M(M), C(M.getContext()), P(PointerType::getUnqual(C)), I64(Type::getInt64Ty(C)) {}

  /// Whether the stream is plain.
  Function *plain() {
    if (Function *Known = M.getFunction(PlainName))
      return Known;
    Function *Own = own();
    Function *F = make(PlainName);
    Value *Stream = F->getArg(0);
    BasicBlock *Yes, *No, *On = start(*F, Yes, No);
    IRBuilder<> B(On);
    On = goOnIf(B, B.CreateCall(Own, Stream), No);
    Value *Tied = load(B, P, base(B, Stream), Tie);
    auto *Other = BasicBlock::Create(C, "tied", F, Yes);
    B.CreateCondBr(B.CreateIsNull(Tied), Yes, Other);
    B.SetInsertPoint(Other);
    goOnIf(B, B.CreateCall(Own, Tied), No);
    B.CreateCondBr(B.CreateIsNull(load(B, P, base(B, Tied), Tie)), Yes, No);
    return F;
  }

private:
  /// The same but for what is tied to it.
  Function *own() {
    Function *F = make(OwnName);
    Value *Stream = F->getArg(0);
    BasicBlock *Yes, *No, *On = start(*F, Yes, No);
    IRBuilder<> B(On);
    // Before it is made, it is nothing but zeros.
    goOnIf(B, B.CreateIsNotNull(load(B, P, Stream, 0)), No);
    Value *Base = base(B, Stream);
    goOnIf(B, B.CreateIsNull(load(B, Type::getInt32Ty(C), Base, Exceptions)), No);
    Value *Held = load(B, P, Base, Buffer);
    goOnIf(B, B.CreateIsNotNull(Held), No);
    goOnIf(B, B.CreateIsNotNull(load(B, P, Base, Characters)), No);
    FunctionCallee Classic = M.getOrInsertFunction("_ZNSt6locale7classicEv", P);
    Value *Plain = load(B, P, B.CreateCall(Classic), 0);
    goOnIf(B, B.CreateICmpEQ(load(B, P, Base, Locale), Plain), No);
    goOnIf(B, B.CreateICmpEQ(load(B, P, Held, BufferLocale), Plain), No);
    Value *Class = load(B, P, load(B, P, Held, 0), TypeInfo);
    Value *Any = B.getFalse();
    for (StringRef Name : {"_ZTIN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE",
                           "_ZTIN9__gnu_cxx13stdio_filebufIcSt11char_traitsIcEEE",
                           "_ZTISt13basic_filebufIcSt11char_traitsIcEE",
                           "_ZTINSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE"})
      Any = B.CreateOr(Any, B.CreateICmpEQ(Class, M.getOrInsertGlobal(Name, P)));
    B.CreateCondBr(Any, Yes, No);
    return F;
  }

  Function *make(StringRef Name) {
    auto *T = FunctionType::get(Type::getInt1Ty(C), {P}, /*isVarArg=*/false);
    Function *F = Function::Create(T, GlobalValue::InternalLinkage, Name, M);
    F->addFnAttr(Attribute::NoUnwind);
    F->addFnAttr(Attribute::NoInline);
    F->addFnAttr(SeenAttribute);
    // The classic locale is made, where nobody sees it, when it is first asked for.
    F->setMemoryEffects(MemoryEffects::readOnly() | MemoryEffects::inaccessibleMemOnly());
    return F;
  }

  BasicBlock *start(Function &F, BasicBlock *&Yes, BasicBlock *&No) {
    auto *Entry = BasicBlock::Create(C, "", &F);
    Yes = BasicBlock::Create(C, "yes", &F);
    No = BasicBlock::Create(C, "no", &F);
    IRBuilder<>(Yes).CreateRet(ConstantInt::getTrue(C));
    IRBuilder<>(No).CreateRet(ConstantInt::getFalse(C));
    return Entry;
  }

  BasicBlock *goOnIf(IRBuilder<> &B, Value *Condition, BasicBlock *Else) {
    auto *On = BasicBlock::Create(C, "on", Else->getParent(), Else);
    B.CreateCondBr(Condition, On, Else);
    B.SetInsertPoint(On);
    return On;
  }

  Value *load(IRBuilder<> &B, Type *T, Value *From, int64_t At) {
    return B.CreateLoad(T, B.CreateConstGEP1_64(B.getInt8Ty(), From, At));
  }

  Value *base(IRBuilder<> &B, Value *Stream) {
    Value *Distance = load(B, I64, load(B, P, Stream, 0), StreamToBase);
    return B.CreateGEP(B.getInt8Ty(), Stream, Distance);
  }

  Module &M;
  LLVMContext &C;
  Type *P, *I64;
};

//===----------------------------------------------------------------------===//
// Where it is asked
//===----------------------------------------------------------------------===//

class Asking {
public:
  Asking(Loop &L, LoopInfo &LI, DominatorTree &DT, const TargetLibraryInfo &TLI)
      : L(L), LI(LI), DT(DT), TLI(TLI) {}

  /// Something is printed, and can be told from what is not known. Changes nothing.
  bool find() {
    if (L.isInnermost() || !L.isLoopSimplifyForm() || isTaken(L) || !sweeps())
      return false;
    for (BasicBlock *B : L.blocks())
      for (Instruction &I : *B) {
        auto *Call = dyn_cast<CallBase>(&I);
        if (!Call)
          continue;
        if (GlobalVariable *Stream = streamOf(*Call)) {
          Prints.push_back(Call);
          Streams.insert(Stream);
        } else if (mayChange(*Call)) {
          Unknown.push_back(Call);
        }
      }
    return !Prints.empty() && canAsk();
  }

  void ask() {
    Attribute Mark = Attribute::get(L.getHeader()->getContext(), PlainMark,
                                    areAlone() ? AloneKind : "");
    for (CallBase *Call : Prints)
      Call->addFnAttr(Mark);
    for (Instruction *Behind : Places)
      askBefore(*Behind);
    askFirst();
  }

private:
  /// Numbers are stored in a loop inside.
  bool sweeps() const {
    return any_of(L.blocks(), [&](BasicBlock *B) {
      return LI.getLoopFor(B) != &L && any_of(*B, [](Instruction &I) {
        return isa<StoreInst>(I) || isa<MemTransferInst>(I);
      });
    });
  }

  /// It may have a stream write by other means than before.
  bool mayChange(const CallBase &Call) const {
    if (isa<IntrinsicInst>(Call) || touchesArgumentsOnly(Call) ||
        isAllocationFn(&Call, &TLI) || getFreedOperand(&Call, &TLI))
      return false;
    return !Call.onlyReadsMemory() || !Call.doesNotThrow();
  }

  /// Something is printed behind the block in the same step.
  bool printsBehind(BasicBlock *B) const {
    SmallPtrSet<const BasicBlock *, 16> Printing;
    for (CallBase *Call : Prints)
      Printing.insert(Call->getParent());
    SmallPtrSet<const BasicBlock *, 16> Seen;
    SmallVector<const BasicBlock *, 16> Work{B};
    while (!Work.empty()) {
      const BasicBlock *At = Work.pop_back_val();
      if (!L.contains(At) || At == L.getHeader() || !Seen.insert(At).second)
        continue;
      if (Printing.contains(At))
        return true;
      append_range(Work, successors(At));
    }
    return false;
  }

  /// Behind this, at the beginning of a block or of its rest, the answer may be another one.
  bool askAt(Instruction *Behind) {
    BasicBlock *B = Behind->getParent();
    if (!L.contains(B) || !printsBehind(B))
      return true;
    // A block that is entered by an exception is not left in its middle.
    if (B->isEHPad() || childOf(L, B, LI))
      return false;
    if (!is_contained(Places, Behind))
      Places.push_back(Behind);
    return Places.size() <= MostQuestions;
  }

  bool canAsk() {
    SmallPtrSet<const Loop *, 4> Inside;
    for (CallBase *Call : Unknown) {
      if (Loop *C = childOf(L, Call->getParent(), LI)) {
        Inside.insert(C);
        continue;
      }
      auto *Invoke = dyn_cast<InvokeInst>(Call);
      if (Invoke && L.contains(Invoke->getUnwindDest()))
        return false;
      Instruction *Behind = Invoke ? &*Invoke->getNormalDest()->getFirstInsertionPt()
                                   : Call->getNextNode();
      if (!askAt(Behind))
        return false;
    }
    for (const Loop *C : Inside) {
      if (any_of(Prints, [&](CallBase *Call) { return C->contains(Call); }))
        return false;
      SmallVector<BasicBlock *, 4> Exits;
      C->getUniqueExitBlocks(Exits);
      for (BasicBlock *Exit : Exits)
        if (L.contains(Exit) && (Exit->isEHPad() || !askAt(&*Exit->getFirstInsertionPt())))
          return false;
    }
    return true;
  }

  Value *question(IRBuilder<> &B) {
    Function *Plain = Question(*B.GetInsertBlock()->getModule()).plain();
    Value *All = nullptr;
    for (GlobalVariable *Stream : Streams) {
      CallInst *Call = B.CreateCall(Plain, Stream);
      Call->addFnAttr(Attribute::get(B.getContext(), PlainMark, areAlone() ? AloneKind : ""));
      All = All ? B.CreateAnd(All, Call) : Call;
    }
    return All;
  }

  /// Between a block's end and what follows it.
  void branchAt(BasicBlock *Asks, DebugLoc At) {
    BasicBlock *Goes = Asks->getSingleSuccessor();
    auto *Slow = BasicBlock::Create(Asks->getContext(), "otherwise", Asks->getParent(), Goes);
    L.addBasicBlockToLoop(Slow, LI);
    BranchInst::Create(Goes, Slow)->setDebugLoc(At);
    for (PHINode &Phi : Goes->phis())
      Phi.addIncoming(Phi.getIncomingValueForBlock(Asks), Slow);
    Instruction *End = Asks->getTerminator();
    IRBuilder<> B(End);
    B.SetCurrentDebugLocation(At);
    markSeldom(*B.CreateCondBr(question(B), Goes, Slow), 1);
    End->eraseFromParent();
    DT.addNewBlock(Slow, Asks);
  }

  /// What a stream leads to, its buffer, is touched by nobody else: in the loop, where the rest of a
  /// stream lies is looked up in its table at most.
  bool areAlone() const {
    return none_of(L.blocks(), [](BasicBlock *B) {
      return any_of(*B, [](Instruction &I) {
        const Value *At = getLoadStorePointerOperand(&I);
        return At && leadsOutOfStream(getUnderlyingObject(At, /*MaxLookup=*/0)) &&
               !readsStreamTable(I);
      });
    });
  }

  void askBefore(Instruction &Behind) {
    BasicBlock *Asks = Behind.getParent();
    SplitBlock(Asks, &Behind, &DT, &LI);
    branchAt(Asks, Behind.getDebugLoc());
  }

  /// Behind the test whether there is a step, if the loop begins with that.
  void askFirst() {
    BasicBlock *Header = L.getHeader(), *Asks = Header;
    auto InLoop =
        make_filter_range(successors(Header), [&](BasicBlock *B) { return L.contains(B); });
    if (auto *Ends = dyn_cast<BranchInst>(Header->getTerminator());
        Ends && Ends->isConditional() && range_size(InLoop) == 1)
      Asks = SplitEdge(Header, *InLoop.begin(), &DT, &LI);
    else
      SplitBlock(Header, Header->getFirstInsertionPt(), &DT, &LI);
    branchAt(Asks, L.getStartLoc());
  }

  Loop &L;
  LoopInfo &LI;
  DominatorTree &DT;
  const TargetLibraryInfo &TLI;
  SmallVector<CallBase *, 8> Prints, Unknown;
  SmallSetVector<GlobalVariable *, 2> Streams;
  SmallVector<Instruction *, MostQuestions> Places;
};

/// The block is in usual steps only.
bool isUsual(const BasicBlock &B, const LoopInfo &LI) {
  for (const Loop *L = LI.getLoopFor(&B); L; L = L->getParentLoop())
    if (isSettled(*L))
      return true;
  return false;
}

/// It gives back what it was handed, throws nothing, and what it touches beside its arguments
/// nobody else in the loop does.
void believe(CallBase &Call) {
  if (GlobalVariable *Stream = prints(Call) ? streamOf(Call) : nullptr)
    Call.replaceAllUsesWith(Stream);
  CallBase *Now = &Call;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    // What a step ends with says what the loop is.
    MDNode *Says = Invoke->getMetadata(LLVMContext::MD_loop);
    Now = changeToCall(Invoke);
    Now->setMetadata(LLVMContext::MD_loop, nullptr);
    Now->getParent()->getTerminator()->setMetadata(LLVMContext::MD_loop, Says);
  }
  Now->setDoesNotThrow();
  if (Now->getFnAttr(PlainMark).getValueAsString() != AloneKind)
    return;
  Now->setMemoryEffects(MemoryEffects::inaccessibleOrArgMemOnly() | MemoryEffects::errnoMemOnly());
  auto Lent = Attribute::getWithCaptureInfo(Now->getContext(), CaptureInfo::none());
  // The first may be given back.
  for (unsigned N = 1; N < Now->arg_size(); ++N)
    if (Now->getArgOperand(N)->getType()->isPointerTy())
      Now->addParamAttr(N, Lent);
}

/// There is a table of characters, as has been asked: nothing is thrown for want of it.
void believeTables(Function &Copy, const LoopInfo &LI) {
  for (BasicBlock &B : Copy) {
    auto *Branch = dyn_cast<BranchInst>(B.getTerminator());
    auto *Asks = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition())
                                                   : nullptr;
    if (!Asks || !Asks->isEquality() || !isa<ConstantPointerNull>(Asks->getOperand(1)) ||
        !streamOfTable(Asks->getOperand(0)) || !isUsual(B, LI))
      continue;
    unsigned Never = Asks->getPredicate() == CmpInst::ICMP_EQ ? 0 : 1;
    Branch->getSuccessor(Never)->removePredecessor(&B, /*KeepOneInputPHIs=*/true);
    BranchInst::Create(Branch->getSuccessor(1 - Never), Branch->getIterator())
        ->setDebugLoc(Branch->getDebugLoc());
    Branch->eraseFromParent();
  }
}

} // namespace

bool usesPlainStream(const CallBase &Call) {
  return Call.getAttributes().hasFnAttr(PlainMark);
}

bool readsStreamTable(const Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  auto *At = Load ? dyn_cast<GEPOperator>(Load->getPointerOperand()) : nullptr;
  const DataLayout &DL = I.getDataLayout();
  APInt Bytes(DL.getIndexSizeInBits(0), 0);
  return At && leadsOutOfStream(At->getPointerOperand()) &&
         At->accumulateConstantOffset(DL, Bytes) && Bytes.getSExtValue() == StreamToBase;
}

bool isInStream(const Value *Address) {
  const Value *Object = getUnderlyingObject(Address, /*MaxLookup=*/0);
  auto *Global = dyn_cast<GlobalVariable>(Object);
  return (Global && is_contained(LibraryStreams, Global->getName())) || leadsOutOfStream(Object);
}

bool readsStream(const Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load || readsStreamTable(I) || streamOfTable(Load))
    return Load != nullptr;
  // Its members, and its methods.
  APInt At(64, 0);
  const Value *From = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      I.getDataLayout(), At, /*AllowNonInbounds=*/true);
  auto *Methods = dyn_cast<LoadInst>(From);
  return streamOfTable(From) || (Methods && streamOfTable(Methods->getPointerOperand()));
}

bool askForPlainStreams(Function &Copy, FunctionAnalysisManager &FAM) {
  Module &M = *Copy.getParent();
  if (!M.getTargetTriple().isX86_64() ||
      none_of(LibraryStreams, [&](StringRef Name) { return M.getNamedGlobal(Name) != nullptr; }))
    return false;
  auto &LI = FAM.getResult<LoopAnalysis>(Copy);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(Copy);
  auto &TLI = FAM.getResult<TargetLibraryAnalysis>(Copy);
  auto Loops = LI.getLoopsInPreorder();
  SmallPtrSet<const Loop *, 4> Asked;
  for (Loop *L : reverse(Loops)) {
    Asking Asks(*L, LI, DT, TLI);
    if (any_of(Asked, [&](const Loop *In) { return L->contains(In); }) || !Asks.find())
      continue;
    Asks.ask();
    Asked.insert(L);
  }
  if (!Asked.empty())
    FAM.invalidate(Copy, PreservedAnalyses::none());
  return !Asked.empty();
}

bool believePlainStreams(Function &Copy, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(Copy);
  SmallVector<CallBase *, 16> Usual;
  for (Instruction &I : instructions(Copy))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && usesPlainStream(*Call)) {
      if (isUsual(*Call->getParent(), LI))
        Usual.push_back(Call);
      else
        Call->removeFnAttr(PlainMark);
    }
  for (CallBase *Call : Usual)
    believe(*Call);
  if (!Usual.empty())
    believeTables(Copy, LI);
  EliminateUnreachableBlocks(Copy);
  FAM.invalidate(Copy, PreservedAnalyses::none());
  return !Usual.empty();
}

} // namespace hexpass
