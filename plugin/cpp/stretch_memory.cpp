//===- stretch_memory.cpp - What code may touch, over all steps --------------===//
//
// Consumes: the sweeps of a time loop and other instructions of it. Produces:
// whether one may touch what the others touch, in whatever iterations. Alias
// analysis speaks of one iteration, so that pointers are followed to the objects
// behind them, through the phis of the loop; scopes of restricted pointers, which
// may be as short as an iteration, are not believed, nor what flang says in types of
// dummy arguments and allocatables, which are others' memory in the next one.
//
//===----------------------------------------------------------------------===//

#include "canonicalise.h"
#include "fortran_descriptors.h"
#include "plain_streams.h"
#include "stretches.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace hexpass;

namespace {

/// A function that comes back, throws nothing, and touches no memory of the
/// program but what its arguments point to; `Stream` is the argument that is a
/// FILE, or a statement of flang's runtime, which nobody may look into.
struct KnownFunction {
  StringLiteral Name;
  int Stream = -1;
};

constexpr KnownFunction Output[] = {
    {"__fprintf_chk", 0}, {"__printf_chk"}, {"__snprintf_chk"},
    {"__sprintf_chk"}, {"fclose", 0}, {"fflush", 0}, {"fopen"}, {"fopen64"},
    {"fprintf", 0}, {"fputc", 1}, {"fputs", 1}, {"fwrite", 3}, {"perror"},
    {"printf"}, {"putc", 1}, {"putchar"}, {"puts"}, {"snprintf"}, {"sprintf"},
    {"_FortranAioBeginExternalFormattedOutput"},
    {"_FortranAioBeginExternalListOutput"}, {"_FortranAioBeginUnformattedOutput"},
    {"_FortranAioBeginInternalFormattedOutput"}, {"_FortranAioBeginInternalListOutput"},
    {"_FortranAioBeginOpenUnit"}, {"_FortranAioBeginClose"}, {"_FortranAioSetAccess", 0},
    {"_FortranAioSetAction", 0}, {"_FortranAioSetFile", 0}, {"_FortranAioSetForm", 0},
    {"_FortranAioSetPosition", 0}, {"_FortranAioSetRec", 0}, {"_FortranAioSetRecl", 0},
    {"_FortranAioSetStatus", 0}, {"_FortranAioEndIoStatement", 0},
    {"_FortranAioOutputAscii", 0}, {"_FortranAioOutputComplex32", 0},
    {"_FortranAioOutputComplex64", 0}, {"_FortranAioOutputInteger32", 0},
    {"_FortranAioOutputInteger64", 0}, {"_FortranAioOutputLogical", 0},
    {"_FortranAioOutputReal32", 0}, {"_FortranAioOutputReal64", 0}};

constexpr KnownFunction Clocks[] = {
    {"clock"}, {"clock_gettime"}, {"getrusage"}, {"gettimeofday"},
    {"nanosleep"}, {"omp_get_wtime"}, {"sleep"}, {"time"}, {"usleep"},
    {"_FortranACpuTime"}, {"_FortranASystemClockCount"},
    {"_FortranASystemClockCountMax"}, {"_FortranASystemClockCountRate"},
    // std::chrono's
    {"_ZNSt6chrono3_V212steady_clock3nowEv"},
    {"_ZNSt6chrono3_V212system_clock3nowEv"}};

constexpr KnownFunction Mathematics[] = {
    {"acos"}, {"acosf"}, {"asin"}, {"asinf"}, {"atan"}, {"atan2"}, {"atan2f"},
    {"atanf"}, {"cbrt"}, {"cbrtf"}, {"cos"}, {"cosf"}, {"cosh"}, {"coshf"},
    {"drand48"}, {"exp"}, {"exp2"}, {"exp2f"}, {"expf"}, {"fmod"}, {"fmodf"},
    {"hypot"}, {"hypotf"}, {"log"}, {"log10"}, {"log10f"}, {"log2"}, {"log2f"},
    {"logf"}, {"pow"}, {"powf"}, {"rand"}, {"random"}, {"round"}, {"roundf"},
    {"sin"}, {"sinf"}, {"sinh"}, {"sinhf"}, {"sqrt"}, {"sqrtf"}, {"srand"},
    {"srand48"}, {"srandom"}, {"tan"}, {"tanf"}, {"tanh"}, {"tanhf"}};

/// What C++'s streams print, where they are as the library made them (plain_streams.cpp).
constexpr KnownFunction Streams[] = {{"std::ostream", 0}};

/// Rust's clocks, in either of its manglings.
bool isRustClock(StringRef Name) {
  if (!Name.contains("3std4time"))
    return false;
  for (StringRef Method : {"7Instant3now", "7Instant7elapsed",
                           "7Instant14duration_since", "10SystemTime3now"})
    if (Name.contains(Method))
      return true;
  return false;
}

/// What Rust prints to its standard streams, where only `core` formats it. It may panic: who
/// catches that is told by the way there.
constexpr KnownFunction RustOutput[] = {{"std::io::_print"}};

/// `core`'s own implementation of a trait in `core::fmt`, for numbers, `bool` and `char`; not those
/// for references and texts, which look at what they lead to. In either mangling.
bool formatsOnly(const Function &F) {
  StringRef Name = F.getName();
  for (StringRef Legacy : {"_ZN4core3fmt3num", "_ZN4core3fmt5float"})
    if (Name.starts_with(Legacy))
      return true;
  // The path of the implementation comes first, and in it the crate.
  auto Disambiguator = [&] {
    if (Name.consume_front("s"))
      Name = Name.drop_until([](char C) { return C == '_'; }).drop_front(1);
  };
  if (!Name.consume_front("_RNvX"))
    return false;
  Disambiguator();
  while (Name.consume_front("Nt"))
    ;
  if (!Name.consume_front("C"))
    return false;
  Disambiguator();
  if (!Name.consume_front("4core3fmt"))
    return false;
  return Name.starts_with("3num") || Name.starts_with("5float") ||
         Name.starts_with("bNtB") || Name.starts_with("cNtB");
}

/// Each function in the arguments that are handed to it is one of `core`'s; the others are where
/// the values lie, in local variables and constants.
bool formatsPlainly(const Value *Arguments, SmallVectorImpl<const Value *> &Values) {
  constexpr size_t MostParts = 64;
  if (isa<Constant>(Arguments))
    return true;
  auto *Local = dyn_cast<AllocaInst>(Arguments);
  if (!Local)
    return false;
  SmallSetVector<const Value *, 16> Parts;
  Parts.insert(Local);
  for (unsigned At = 0; At < Parts.size(); ++At)
    for (const User *U : Parts[At]->users()) {
      if (isa<GetElementPtrInst>(U)) {
        Parts.insert(U);
      } else if (auto *Store = dyn_cast<StoreInst>(U);
                 Store && Store->getValueOperand() != Parts[At]) {
        const Value *Stored = Store->getValueOperand();
        if (!Stored->getType()->isPointerTy())
          continue;
        auto *F = dyn_cast<Function>(Stored);
        if (F ? !formatsOnly(*F)
              : !isa<AllocaInst>(getUnderlyingObject(Stored)) && !isa<Constant>(Stored))
          return false;
        if (!F)
          Values.push_back(Stored);
      } else if (!isa<CallBase>(U) && !cast<Instruction>(U)->isLifetimeStartOrEnd()) {
        return false;
      }
      if (Parts.size() > MostParts)
        return false;
    }
  return true;
}

bool isRustPrint(const CallBase &Call, StringRef Name) {
  SmallVector<const Value *, 8> Values;
  return isa<InvokeInst>(Call) && Name.contains("3std2io5stdio") &&
         (Name.contains("6__print") || Name.contains("7__eprint")) && Call.arg_size() == 2 &&
         formatsPlainly(Call.getArgOperand(1), Values);
}

const KnownFunction *known(const CallBase &Call) {
  if (usesPlainStream(Call))
    return &Streams[0];
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || Callee->isIntrinsic())
    return nullptr;
  StringRef Name = GlobalValue::dropLLVMManglingEscape(Callee->getName());
  if (isRustClock(Name))
    return &Clocks[0];
  if (isRustPrint(Call, Name))
    return &RustOutput[0];
  for (ArrayRef<KnownFunction> List :
       {ArrayRef(Output), ArrayRef(Clocks), ArrayRef(Mathematics)})
    for (const KnownFunction &F : List)
      if (F.Name == Name)
        return &F;
  return nullptr;
}

bool isOneOf(const KnownFunction &F, ArrayRef<KnownFunction> List) {
  return any_of(List, [&](const KnownFunction &Of) { return &Of == &F; });
}

/// A statement of flang's that writes to a text in memory, its first argument, until it ends.
bool beginsInternal(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && (Callee->getName() == "_FortranAioBeginInternalFormattedOutput" ||
                    Callee->getName() == "_FortranAioBeginInternalListOutput");
}

/// Flang's assignment of arrays looks at two descriptors, and keeps neither's address: no
/// program can.
bool isAssignment(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->getName() == "_FortranAAssign" && Call.arg_size() >= 2;
}

/// Who gives memory back says nothing of where it was: nobody may look there any more.
bool isDelete(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->isDeclaration() && Call.arg_size() >= 1 &&
         Call.getArgOperand(0)->getType()->isPointerTy() &&
         (Callee->getName().starts_with("_ZdlPv") || Callee->getName().starts_with("_ZdaPv"));
}

/// How much it gives back is the distance between two addresses, of which nothing else is made: it
/// says no more of them than that.
bool takeDistance(CallBase &Call) {
  Value *End, *Begin;
  auto *Bytes = Call.arg_size() < 2 ? nullptr : dyn_cast<Instruction>(Call.getArgOperand(1));
  if (!Bytes || !match(Bytes, m_Sub(m_OneUse(m_PtrToInt(m_Value(End))),
                                    m_OneUse(m_PtrToInt(m_Value(Begin))))))
    return false;
  for (auto [Operand, Pointer] : {std::pair(0, End), std::pair(1, Begin)}) {
    auto *Old = cast<Instruction>(Bytes->getOperand(Operand));
    Bytes->setOperand(Operand, IRBuilder<>(Old).CreatePtrToAddr(Pointer));
    Old->eraseFromParent();
  }
  return true;
}

/// The texts that a part of such a statement may write to.
SmallVector<const Value *, 2> textsOf(const CallBase &Call, const KnownFunction &F) {
  SmallVector<const Value *, 2> Texts;
  if (F.Stream < 0 || unsigned(F.Stream) >= Call.arg_size())
    return Texts;
  SmallVector<const Value *, 4> Statements;
  getUnderlyingObjects(Call.getArgOperand(F.Stream), Statements, /*LI=*/nullptr, /*MaxLookup=*/0);
  for (const Value *Statement : Statements)
    if (auto *Begins = dyn_cast<CallBase>(Statement); Begins && beginsInternal(*Begins))
      Texts.push_back(Begins->getArgOperand(0));
  return Texts;
}

/// What it writes goes out of the program: a stream may also lead to memory
/// (`open_memstream`, Fortran's internal units), unless it is known where it was opened.
bool writesOutside(const CallBase &Call, const KnownFunction &F) {
  constexpr StringLiteral Opening[] = {"fopen", "fopen64",
                                       "_FortranAioBeginExternalFormattedOutput",
                                       "_FortranAioBeginExternalListOutput",
                                       "_FortranAioBeginUnformattedOutput",
                                       "_FortranAioBeginOpenUnit", "_FortranAioBeginClose"};
  if (F.Stream < 0)
    return !beginsInternal(Call);
  if (unsigned(F.Stream) >= Call.arg_size())
    return false;
  SmallVector<const Value *, 4> Streams;
  getUnderlyingObjects(Call.getArgOperand(F.Stream), Streams, /*LI=*/nullptr, /*MaxLookup=*/0);
  return all_of(Streams, [&](const Value *Stream) {
    auto *Load = dyn_cast<LoadInst>(Stream);
    auto *Global = Load ? dyn_cast<GlobalVariable>(Load->getPointerOperand()) : nullptr;
    if (Global)
      return Global->getName() == "stdout" || Global->getName() == "stderr";
    // In a body that has not been cleaned up it is a variable that is set once.
    if (const Value *Kept = Load ? onlyValueOf(Load->getPointerOperand()) : nullptr)
      Stream = Kept;
    auto *Opened = dyn_cast<CallBase>(Stream);
    const KnownFunction *By = Opened ? known(*Opened) : nullptr;
    return By && is_contained(Opening, By->Name);
  });
}

/// It only reads what its arguments point to.
bool onlyReads(const CallBase &Call, const KnownFunction &F) {
  constexpr StringLiteral Reading[] = {"fopen",  "fopen64", "fputs", "fwrite",
                                       "perror", "puts",    "_FortranAioOutputAscii"};
  return &F == &Streams[0] || &F == &RustOutput[0] ||
         (is_contained(Reading, F.Name) && textsOf(Call, F).empty());
}

/// flang says by types, too, through which name data is reached: once a procedure is
/// part of its caller, one iteration's dummy is another one's. All data is one then; it
/// is still no descriptor.
MDNode *withoutNames(MDNode *Tag) {
  MDNode *Data = typeAbove(Tag, DataType);
  return Data ? MDBuilder(Tag->getContext()).createTBAAStructTagNode(Data, Data, 0) : Tag;
}

AAMDNodes typeOnly(const Instruction &I) {
  AAMDNodes Tags = I.getAAMetadata();
  Tags.TBAA = withoutNames(Tags.TBAA);
  Tags.Scope = nullptr;
  Tags.NoAlias = nullptr;
  return Tags;
}

/// The objects that `Pointer` may lead to; where it is one at a known distance,
/// which bytes of it.
void append(const Value *Pointer, AAMDNodes Tags, LocationSize Size,
            const DataLayout &DL, SmallVectorImpl<Object> &To) {
  SmallVector<const Value *, 4> Roots;
  getUnderlyingObjects(Pointer, Roots, /*LI=*/nullptr, /*MaxLookup=*/0);
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  const Value *Base = Pointer->stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/true);
  for (const Value *Root : Roots) {
    Object O{Root, Tags, 0, 0};
    // What a loop computes may be another address next time; what a descriptor says where the
    // function begins, as flang's of `class(solver) :: self`, is one.
    auto *Made = dyn_cast<Instruction>(Root);
    bool Fixed = isa<Argument>(Root) || isa<GlobalValue>(Root) || isa<AllocaInst>(Root) ||
                 (Made && Made->getParent()->isEntryBlock());
    if (Base == Root && Fixed && Size.isPrecise() && !Size.isScalable()) {
      O.Low = Offset.getSExtValue();
      O.High = O.Low + int64_t(Size.getValue().getFixedValue());
    }
    if (!is_contained(To, O))
      To.push_back(O);
  }
}

MemoryLocation whole(const Object &O) {
  return MemoryLocation::getBeforeOrAfter(O.Root, O.Tags);
}

/// Memory that goes with the function, unless its address gets out.
bool isPrivate(const Value *Root) {
  return isa<AllocaInst>(Root) || isNoAliasCall(Root);
}

bool isStackRestore(const CallBase &Call) {
  return Call.getIntrinsicID() == Intrinsic::stackrestore;
}

bool isDynamic(const Object &O) {
  auto *Slot = dyn_cast<AllocaInst>(O.Root);
  return Slot && !Slot->isStaticAlloca();
}

/// Nobody may write there.
bool isConstant(const Object &O) {
  auto *Global = dyn_cast<GlobalVariable>(O.Root);
  return Global && Global->isConstant();
}

/// What a plain access reads and writes.
void split(const Instruction &I, SmallVectorImpl<Object> &Reads,
           SmallVectorImpl<Object> &Writes) {
  const DataLayout &DL = I.getDataLayout();
  auto Add = [&](const Value *Pointer, LocationSize Size,
                 SmallVectorImpl<Object> &To) {
    append(Pointer, typeOnly(I), Size, DL, To);
  };
  if (auto *Load = dyn_cast<LoadInst>(&I))
    Add(Load->getPointerOperand(), MemoryLocation::get(Load).Size, Reads);
  else if (auto *Store = dyn_cast<StoreInst>(&I))
    Add(Store->getPointerOperand(), MemoryLocation::get(Store).Size, Writes);
  else if (auto *Mem = dyn_cast<MemIntrinsic>(&I)) {
    Add(Mem->getRawDest(), LocationSize::afterPointer(), Writes);
    if (auto *Transfer = dyn_cast<MemTransferInst>(Mem))
      Add(Transfer->getRawSource(), LocationSize::afterPointer(), Reads);
  }
}

} // namespace

bool hexpass::sayWhatOthersTouch(Function &F) {
  auto Lent = Attribute::getWithCaptureInfo(F.getContext(), CaptureInfo::none());
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && isDelete(*Call))
      Changed |= takeDistance(*Call);
    unsigned Lends = !Call ? 0 : isAssignment(*Call) ? 2 : isDelete(*Call) ? 1 : 0;
    for (unsigned N = 0; N < Lends; ++N)
      if (!Call->doesNotCapture(N)) {
        Changed = true;
        Call->addParamAttr(N, Lent);
      }
    const KnownFunction *Found = Call ? known(*Call) : nullptr;
    if (!Found || !(isOneOf(*Found, Clocks) || isOneOf(*Found, Output)))
      continue;
    bool Outside = isOneOf(*Found, Clocks) || writesOutside(*Call, *Found);
    // The compiler may have said that by itself, but for what becomes of addresses.
    MemoryEffects Effects = Call->getMemoryEffects() & (MemoryEffects::inaccessibleOrArgMemOnly() |
                                                        MemoryEffects::errnoMemOnly());
    if (Outside && Effects != Call->getMemoryEffects()) {
      Changed = true;
      Call->setMemoryEffects(Effects);
    }
    // The text stays known as long as it is written to.
    int Known = Outside ? -1 : beginsInternal(*Call) ? 0 : Found->Stream;
    for (unsigned N = 0; N < Call->arg_size(); ++N)
      if (int(N) != Known && Call->getArgOperand(N)->getType()->isPointerTy() &&
          !Call->doesNotCapture(N)) {
        Changed = true;
        Call->addParamAttr(N, Lent);
      }
  }
  return Changed;
}

bool hexpass::isMathematics(const CallBase &Call) {
  // Those give another number each time.
  constexpr StringLiteral Others[] = {"drand48", "rand",   "random",
                                      "srand",   "srand48", "srandom"};
  const KnownFunction *F = known(Call);
  return F >= std::begin(Mathematics) && F < std::end(Mathematics) &&
         !is_contained(Others, F->Name);
}

bool hexpass::leavesMemory(const CallBase &Call) {
  const KnownFunction *F = known(Call);
  if (!F || (isOneOf(*F, Output) && !writesOutside(Call, *F)))
    return false;
  bool Reads = onlyReads(Call, *F);
  return all_of(Call.args(), [&](const Use &U) {
    const Value *Object = getUnderlyingObject(U);
    auto *Text = dyn_cast<GlobalVariable>(Object);
    return Reads || !U->getType()->isPointerTy() || int(Call.getArgOperandNo(&U)) == F->Stream ||
           isa<AllocaInst>(Object) || (Text && Text->isConstant());
  });
}

bool hexpass::lendsOnly(const CallBase &Call, unsigned N, bool &Writes) {
  const KnownFunction *F = known(Call);
  Writes = !F || !onlyReads(Call, *F);
  return F && int(N) != F->Stream && !beginsInternal(Call);
}

bool hexpass::touchesArgumentsOnly(const CallBase &Call) { return known(Call) != nullptr; }

bool hexpass::showsNumbers(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Callee->getName() != "_FortranAioOutputDescriptor" || Call.arg_size() != 2)
    return false;
  auto *Begins = dyn_cast<CallBase>(getUnderlyingObject(Call.getArgOperand(0)));
  const KnownFunction *Statement = Begins ? known(*Begins) : nullptr;
  auto *Descriptor = dyn_cast<AllocaInst>(Call.getArgOperand(1));
  if (!Statement || !Statement->Name.starts_with("_FortranAioBegin") || beginsInternal(*Begins) ||
      !Descriptor)
    return false;
  return isOfNumbers(*Descriptor);
}

bool hexpass::touchesArgumentsOnly(const CallBase &Call,
                                   SmallVectorImpl<const Value *> &Pointers) {
  const KnownFunction *F = known(Call);
  for (unsigned I = 0; F && I < Call.arg_size(); ++I)
    if (int(I) != F->Stream && Call.getArgOperand(I)->getType()->isPointerTy())
      Pointers.push_back(Call.getArgOperand(I));
  if (F)
    append_range(Pointers, textsOf(Call, *F));
  if (F == &RustOutput[0])
    formatsPlainly(Call.getArgOperand(1), Pointers);
  return F != nullptr;
}

Footprint::Footprint(const ShimAnalyses &A)
    : A(&A), AA(&A.AA), Types(&A.Ctx.FAM.getResult<TypeBasedAA>(A.F)) {
  if (!A.Memory)
    A.Memory = std::make_shared<MemoryFacts>();
}

/// What a plain access reads and writes; nothing of anything else.
MemoryFacts::Deeds Footprint::deedsOf(const Instruction &I) const {
  MemoryFacts::Deeds Found;
  if (!isa<LoadInst, StoreInst, MemIntrinsic>(I))
    return Found;
  if (A->Stale || I.getFunction() != &A->F) {
    split(I, Found.first, Found.second);
    return Found;
  }
  auto [Known, New] = A->Memory->Accesses.try_emplace(&I);
  if (New)
    split(I, Known->second.first, Known->second.second);
  return Known->second;
}

void Footprint::add(const Instruction &I) {
  auto [Read, Written] = deedsOf(I);
  auto Take = [](ArrayRef<Object> From, SmallVectorImpl<Object> &To) {
    copy_if(From, std::back_inserter(To), [&](const Object &O) { return !is_contained(To, O); });
  };
  Take(Read, Reads);
  Take(Written, Writes);
}

void Footprint::add(const Instruction &I,
                    const DenseMap<const Argument *, Value *> &Arguments) {
  auto [Read, Written] = deedsOf(I);
  auto Take = [&](ArrayRef<Object> From, SmallVectorImpl<Object> &To) {
    for (const Object &O : From) {
      if (isa<AllocaInst>(O.Root))
        continue;
      if (isa<GlobalValue>(O.Root)) {
        To.push_back(O);
        continue;
      }
      auto *Formal = dyn_cast<Argument>(O.Root);
      Value *Actual = Formal ? Arguments.lookup(Formal) : nullptr;
      if (Actual)
        append(Actual, O.Tags, LocationSize::beforeOrAfterPointer(), I.getDataLayout(), To);
      else
        Anything = true;
    }
  };
  Take(Read, Reads);
  Take(Written, Writes);
}

/// LLVM looks at a hundred uses, and a few vectors that change places have more.
static bool mayBeKnownOutside(const Value *Root) {
  constexpr unsigned MostUses = 5000;
  return !isPrivate(Root) ||
         capturesAnyProvenance(PointerMayBeCaptured(Root, /*ReturnCaptures=*/false,
                                                    CaptureComponents::Provenance,
                                                    capturesAnything, MostUses));
}

bool Footprint::isShared(const Object &O) const {
  return !isConstant(O) && mayBeKnownOutside(O.Root);
}

/// What was loaded before anybody had heard of the function's own variable does not lead there.
bool Footprint::isOlder(const Value *Root, const Value *Than) const {
  auto *Load = dyn_cast<LoadInst>(Root);
  return Load && isa<AllocaInst>(Than) && !A->Stale &&
         !PointerMayBeCapturedBefore(Than, /*ReturnCaptures=*/true, Load, &A->DT,
                                     /*IncludeI=*/false, /*MaxUsesToExplore=*/0, &A->LI);
}

/// Some bytes of the one may be some of the other.
bool Footprint::mayAlias(const Object &X, const Object &O) const {
  auto Find = [&] {
    SimpleAAQueryInfo Query(*AA);
    // Asked first: of one pointer and itself, nobody asks it otherwise.
    return Types->alias(whole(X), whole(O), Query, nullptr) != AliasResult::NoAlias &&
           !AA->isNoAlias(whole(X), whole(O)) && !isOlder(X.Root, O.Root) &&
           !isOlder(O.Root, X.Root);
  };
  if (A->Stale)
    return Find();
  MemoryFacts::Kind One(X.Root, X.Tags), Other(O.Root, O.Tags);
  if (auto Known = A->Memory->Alias.find({One, Other}); Known != A->Memory->Alias.end())
    return Known->second;
  return A->Memory->Alias[{One, Other}] = Find();
}

bool Footprint::anyAlias(const Object &X, ArrayRef<Object> Others) const {
  if (isConstant(X) || Out.contains(X.Root))
    return false;
  if (Anything && isShared(X))
    return true;
  return any_of(Others, [&](const Object &O) { return !X.isApartFrom(O) && mayAlias(X, O); });
}

bool Footprint::meets(const Instruction &I) const {
  auto [Read, Written] = deedsOf(I);
  return any_of(Read, [&](const Object &O) { return anyAlias(O, Writes); }) ||
         any_of(Written, [&](const Object &O) {
           return anyAlias(O, Writes) || anyAlias(O, Reads);
         });
}

bool Footprint::mayWrite(const LoadInst &Load) const { return meets(Load); }

bool Footprint::touches(const Value *Root) const {
  auto Is = [&](const Object &O) { return O.Root == Root; };
  return any_of(Reads, Is) || any_of(Writes, Is);
}

bool Footprint::argumentsMeet(const CallBase &Call) const {
  SmallVector<const Value *, 8> Pointers;
  touchesArgumentsOnly(Call, Pointers);
  for (const Value *Pointer : Pointers) {
    SmallVector<Object, 4> Objects;
    append(Pointer, AAMDNodes(), LocationSize::beforeOrAfterPointer(),
           Call.getDataLayout(), Objects);
    // None of these functions looks behind a pointer to nothing.
    erase_if(Objects, [](const Object &O) { return isa<ConstantPointerNull>(O.Root); });
    for (const Object &O : Objects)
      if (anyAlias(O, Writes) || anyAlias(O, Reads)) {
        return true;
      }
  }
  return false;
}

unsigned Footprint::touch(Instruction &I) const {
  if (I.isVolatile() || I.isAtomic())
    return TouchReads | TouchWrites;
  auto [Read, Written] = deedsOf(I);
  if (!Read.empty() || !Written.empty()) {
    bool Changes = any_of(Written, [&](const Object &O) {
      return anyAlias(O, Writes) || anyAlias(O, Reads);
    });
    return Changes ? TouchReads | TouchWrites : TouchReads;
  }
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return I.mayWriteToMemory() ? TouchReads | TouchWrites : TouchReads;
  SmallVector<const Value *, 8> Roots;
  return touch(*Call, Roots);
}

ModRefInfo Footprint::reach(const CallBase &Call, const Object &O) const {
  ModRefInfo Info = AA->getModRefInfo(&Call, whole(O));
  if (!isModOrRefSet(Info) || !isPrivate(O.Root))
    return Info;
  bool IsHanded = any_of(Call.args(), [&](const Use &U) {
    SmallVector<const Value *, 4> Roots;
    if (U->getType()->isPtrOrPtrVectorTy())
      getUnderlyingObjects(U, Roots, /*LI=*/nullptr, /*MaxLookup=*/0);
    return is_contained(Roots, O.Root);
  });
  if (A->Stale)
    return IsHanded || mayBeKnownOutside(O.Root) ? Info : ModRefInfo::NoModRef;
  auto [Known, New] = A->Memory->Outside.try_emplace(O.Root, true);
  if (New)
    Known->second = mayBeKnownOutside(O.Root);
  return IsHanded || Known->second ? Info : ModRefInfo::NoModRef;
}

unsigned Footprint::touch(CallBase &Call, SmallVectorImpl<const Value *> &Roots) const {
  if (const KnownFunction *F = known(Call)) {
    Roots.push_back(nullptr);
    return onlyReads(Call, *F) ? TouchReads : TouchReads | TouchWrites;
  }
  if (showsNumbers(Call)) {
    Roots.push_back(nullptr);
    return TouchReads;
  }
  // It ends arrays whose size is known only where they start, and nothing else.
  if (isStackRestore(Call)) {
    for (const Object &O : concat<const Object>(Reads, Writes))
      if (isDynamic(O) && !is_contained(Roots, O.Root))
        Roots.push_back(O.Root);
    if (Anything)
      Roots.push_back(nullptr);
    return Roots.empty() ? 0 : TouchReads | TouchWrites;
  }
  unsigned How = 0;
  auto Add = [&](const Object &O, unsigned Which) {
    if (Which && !is_contained(Roots, O.Root))
      Roots.push_back(O.Root);
    How |= Which;
  };
  // Who may not come back shows the world what the sweeps have left so far.
  bool Leaves = Call.mayThrow() || !Call.willReturn();
  for (const Object &O : Writes) {
    ModRefInfo Info = reach(Call, O);
    bool Shown = Leaves && !isPrivate(O.Root);
    unsigned Which = isRefSet(Info) || Shown ? unsigned(TouchReads) : 0;
    if (isModSet(Info))
      Which = TouchReads | TouchWrites;
    Add(O, Which);
  }
  for (const Object &O : Reads)
    Add(O, isModSet(reach(Call, O)) ? TouchReads | TouchWrites : 0);
  if (Anything && !Call.onlyAccessesInaccessibleMemory()) {
    Roots.push_back(nullptr);
    return TouchReads | TouchWrites;
  }
  return How;
}

bool Footprint::conflicts(Instruction &I) const {
  if (isHomeMark(I) || readsStream(I))
    return false;
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
    if (Intrinsic->isAssumeLikeIntrinsic() ||
        Intrinsic->getIntrinsicID() == Intrinsic::stacksave)
      return false;
  if (!I.mayReadOrWriteMemory())
    return I.mayThrow() || !I.willReturn();
  if (I.isVolatile() || I.isAtomic())
    return true;
  if (isa<LoadInst>(I) || isa<StoreInst>(I) || isa<MemIntrinsic>(I))
    return meets(I);
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return true;
  if (isStackRestore(*Call))
    return Anything || any_of(concat<const Object>(Reads, Writes), isDynamic);
  if (known(*Call))
    return argumentsMeet(*Call);
  // Who may not come back shows the world what the sweeps have left so far.
  if (I.mayThrow() || !I.willReturn())
    if (Anything || !all_of(Writes, [](const Object &O) { return isPrivate(O.Root); }))
      return true;
  if (Anything && !Call->onlyAccessesInaccessibleMemory())
    return true;
  return any_of(Writes, [&](const Object &O) { return isModOrRefSet(reach(*Call, O)); }) ||
         any_of(Reads, [&](const Object &O) { return isModSet(reach(*Call, O)); });
}
