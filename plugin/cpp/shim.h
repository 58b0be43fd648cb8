//===- shim.h - LLVM's C++ analyses as plain C queries ----------*- C -*-===//
//
// What LLVM's own C API does not reach, for the Rust side of the plugin
// (bindgen reads this header; plugin/src/llvm is the only caller).
//
// Rules that every function keeps:
//  - no exception, no global mutable state; one ShimContext belongs to one run
//    of the pass over one module, on one thread;
//  - a list is written to (out, capacity) and its full length is returned, so a
//    result above capacity means: call again with more room;
//  - text goes to a ShimSink, so nobody owns a string across the border;
//  - a null handle in the result means "there is none".
//
//===----------------------------------------------------------------------===//

#ifndef HEXPASS_SHIM_H
#define HEXPASS_SHIM_H

#include "llvm-c/TargetMachine.h"
#include "llvm-c/Types.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One run of the pass over one module, with its host's analysis managers.
typedef struct ShimContext ShimContext;
/// The analyses of one function, as it was when they were made.
typedef struct ShimAnalyses ShimAnalyses;
/// An llvm::Loop; lives as long as the ShimAnalyses that returned it.
typedef const struct ShimLoop *ShimLoopRef;
/// An llvm::SCEV; lives as long as the ShimAnalyses that returned it.
typedef const struct ShimScev *ShimScevRef;

/// Receives a piece of text; called any number of times.
typedef void (*ShimSink)(void *state, const char *text, size_t length);

// ---- entry.cpp: registration and the run ----------------------------------

/// Where in the host's pipeline the pass stands.
typedef enum {
  /// IR as the front end wrote it.
  ShimPointPipelineStart,
  /// After inlining and the scalar optimiser, before vectorisation.
  ShimPointOptimizerEarly,
  /// Link-time optimisation, full or thin, before its inliner.
  ShimPointLinkTime,
  /// `opt -passes=hexpass`.
  ShimPointExplicit,
  /// `opt -passes=hexpass-canonicalise`: commit every working copy as it is.
  ShimPointCanonicalise,
  /// `opt -passes=hexpass-describe`: say what the analyses know of each.
  ShimPointDescribe,
} ShimPoint;

/// Adds the pass to an llvm::PassBuilder.
void shim_register(void *pass_builder);
ShimPoint shim_point(const ShimContext *ctx);
/// This is the compile step of a link-time optimisation, whose link will look
/// at what is deferred now. False as well where a host does not say so.
bool shim_links_later(const ShimContext *ctx);
/// Something that another unit may have is called in the loop.
bool shim_calls_away(const ShimAnalyses *a, ShimLoopRef loop);
/// Has the link look at `function` again, with other units' bodies.
void shim_defer(ShimContext *ctx, LLVMValueRef function);
/// The Rust side: looks at the whole module; true when it changed anything.
bool hexpass_run_on_module(LLVMModuleRef module, ShimContext *ctx);

// ---- copy.cpp: working copies ---------------------------------------------

/// Functions that may hold a nest, callees before callers; those marked as
/// seen, without a body of their own, optnone or minsize are left out.
size_t shim_candidates(ShimContext *ctx, LLVMValueRef *out, size_t capacity);
/// Marks `function` so that later runs over this module leave it alone.
void shim_mark_seen(ShimContext *ctx, LLVMValueRef function);
/// The function that has the only call of `function`, and may be rewritten; null where there are
/// more calls, it is seen from elsewhere or may not be inlined.
LLVMValueRef shim_only_caller(LLVMValueRef function);
/// Nobody calls it, and nobody will.
bool shim_is_unused(LLVMValueRef function);
/// Working copies of the caller of a function that is called once have it inlined, or not.
void shim_keep_out(LLVMValueRef function, bool out);
/// An internal copy of `function` in the same module with the calls inside its
/// loops inlined and the scalar clean-up done. Null where copying is refused or
/// another copy is still open. End it with shim_commit or shim_discard. `separate`: time
/// loops lose what they hardly ever do (rare_paths.cpp), keep the arrays of a step
/// (stack_arrays.cpp) and begin their steps where they are left (midway_exits.cpp); whether
/// there was any. `lent`: nothing of that is rare, not even where a step has its arrays from
/// the heap; whether the copy would be another one then. `turned`: loops that have lost that also
/// begin their steps where these are looked at; whether one does.
LLVMValueRef shim_clone_and_canonicalise(ShimContext *ctx, LLVMValueRef function, bool *separate,
                                         bool *lent, bool *turned);
/// The body of `copy` becomes that of `function`; `copy` is gone afterwards. `whole`:
/// headers of the nests before which the runtime is called, where nothing else was
/// done to `copy`; then `function` may keep its body instead, and only gets the calls
/// (as_written.cpp).
void shim_commit(ShimContext *ctx, LLVMValueRef function, LLVMValueRef copy,
                 const LLVMBasicBlockRef *whole, size_t count);
/// Erases `copy` and everything the module gained since it was made; the
/// module prints as it did before.
void shim_discard(ShimContext *ctx, LLVMValueRef copy);

// ---- stretch_*.cpp: sweeps gathered over several steps -----------------------

/// A time loop whose sweeps can be executed several steps at a time, and the
/// function that does it.
typedef struct ShimStretches ShimStretches;

typedef enum {
  /// No inner loop of it can wait.
  ShimStretchNoSweep,
  /// Something stands between two sweeps of a step that may touch their arrays.
  ShimStretchMiddle,
  /// The loop is left between two sweeps of a step.
  ShimStretchExit,
  /// A sweep needs a value that can't be kept for later.
  ShimStretchValue,
  /// ... and it is a pointer.
  ShimStretchPointer,
  /// What might be a sweep leaves a value that the rest uses: a sum, a maximum.
  ShimStretchReduction,
  /// What has been made of the sweeps is no function that LLVM takes: a fault of ours.
  ShimStretchBroken,
} ShimStretchRefusal;

/// Makes the stretch for a loop of the function that `a` is about; the function
/// stays as it is. `with_stores`: stores directly in the loop may be part of the
/// sweeps. `keeps`: sweeps leave values that are seldom looked at, and there is one
/// at least. `records`: loops keep elements of the grids at places that they look up, and there
/// is one at least. `*reductions`: sweeps may end in a largest or smallest value; then
/// whether there are some. Null where it is refused; then `why`
/// says so, and `culprit` is what stands in the way, or null.
ShimStretches *shim_stretches_new(ShimAnalyses *a, ShimLoopRef loop,
                                  bool with_stores, bool keeps, bool records,
                                  bool *reductions, ShimStretchRefusal *why,
                                  LLVMValueRef *culprit);
/// The same for sweeps that don't wait: the first ones of a step that stand
/// together, `most` of them at most and none whose header is `left_out`, are
/// executed where the last of them stands, one step at a time; with what is stored
/// directly in the loop, where that may be. Null if there are none, or if more instructions had to
/// be gone through than `work`, of which nothing is left then.
ShimStretches *shim_stretches_apart(ShimAnalyses *a, ShimLoopRef loop,
                                    size_t most, bool with_stores,
                                    const LLVMBasicBlockRef *left_out,
                                    size_t left_out_count, size_t *work);
/// An access of what would be one of these sweeps to a place that another array says;
/// null if there is none.
LLVMValueRef shim_gather(ShimAnalyses *a, ShimLoopRef loop);
/// A sweep needs the largest value that a loop of the same step finds: neither waits.
bool shim_needs_extreme(ShimAnalyses *a, ShimLoopRef loop);
/// Stores directly in the loop belong to the sweeps.
bool shim_stretches_store(const ShimStretches *stretches);
/// Headers of its sweeps, in order. How many there are; the first `capacity` are
/// written to `to`.
size_t shim_stretches_sweeps(const ShimStretches *stretches,
                             LLVMBasicBlockRef *to, size_t capacity);
/// The function of the sweeps; its only loop is the time loop.
LLVMValueRef shim_stretches_function(const ShimStretches *stretches);
/// Which object in memory holds a number or a pointer that sweeps that wait are handed, by a number
/// that all such have in common, and at how many bytes from its beginning; false if it is not known.
bool shim_held_at(LLVMValueRef value, unsigned *object, int64_t *offset);
/// What an argument of a stretch was when the time loop began, if that was a constant; or what
/// is loaded from a variable, as the program begins with it: likely, no more.
bool shim_first_value(LLVMValueRef of, int64_t *value);

typedef enum {
  ShimReductionLargest,
  ShimReductionSmallest,
  /// Added up in double precision.
  ShimReductionSum,
  /// ... of the sum before it, without signs.
  ShimReductionMagnitudes,
  /// Added up one after the other, as the loops go through them.
  ShimReductionTerms,
  /// What the terms before it are multiplied by, and not rounded in between.
  ShimReductionFactors,
} ShimReductionKind;

/// A reduction, in a stretch that keeps what competes in an array.
typedef struct {
  /// Argument of the stretch that is the array's address.
  LLVMValueRef grid;
  ShimReductionKind kind;
  /// The result depends on where NaNs stand.
  bool counts_nans;
  /// A NaN that is the best gives way to any number.
  bool yields;
  /// Zeros of both signs may compete; of a sum, values of both signs.
  bool sign_of_zero;
  /// What equals the best does not take its place.
  bool strict;
  /// The loop computes with `float`.
  bool single_;
  /// A NaN is an alarm (alarms.cpp).
  bool alarm;
} ShimReduction;

/// How many there are; the first `capacity` are written to `to`.
size_t shim_stretches_reductions(const ShimStretches *stretches,
                                 ShimReduction *to, size_t capacity);
/// The argument that leads to what the runtime and the loop tell each other
/// (`Ahead` in runtime/abi); null without reductions.
LLVMValueRef shim_stretches_ahead(const ShimStretches *stretches);
/// The argument that leads to where arrays may stay (`Frame` in runtime/abi).
LLVMValueRef shim_stretches_frame(const ShimStretches *stretches);
/// Why sweeps that wait, or run ahead, do so for no more than one step.
typedef enum {
  /// They may for several.
  ShimPaceSeveral,
  /// Something in each step may look at what they touch.
  ShimPaceLook,
  /// They run ahead, and need a value that each step computes.
  ShimPaceValue,
  /// They run ahead, and what they touch moves on from step to step.
  ShimPaceMoves,
  /// They run ahead, and pointers or sizes change in memory in a way that is not followed.
  ShimPaceExchange,
} ShimPace;

/// `culprit` is what is to blame, or null.
ShimPace shim_stretches_pace(const ShimStretches *stretches, LLVMValueRef *culprit);
/// What the nest exchanges in memory is exchanged by the loop itself, after each of its steps:
/// behind the nest it is as it was before.
bool shim_stretches_leave_words(const ShimStretches *stretches);
/// Takes the sweeps out of the loop, which calls the stretch instead. The
/// analyses are stale afterwards, and `stretches` is gone.
void shim_stretches_commit(ShimStretches *stretches);
/// Erases the stretch; the function is as if nothing had been tried.
void shim_stretches_drop(ShimContext *ctx, ShimStretches *stretches);
/// Where arrays of a time loop that is taken whole may stay when it is left: a frame of
/// the function, if there is a loop around. The analyses are stale afterwards.
LLVMValueRef shim_frame_around(ShimAnalyses *a, ShimLoopRef time_loop);
/// Takes back a frame that nobody uses.
void shim_drop_frame(LLVMValueRef function);
bool shim_has_frame(LLVMValueRef function);
/// Arrays that stay in the frame do so until the outermost loop around their nests is
/// left; `originals` are the headers of those that were taken whole. False: there is a
/// loop in which they can't, and the function can't be used. The analyses are stale
/// afterwards.
bool shim_stay(ShimAnalyses *a, const LLVMBasicBlockRef *originals, size_t count);

// ---- taken.cpp: loops that have been taken ----------------------------------

/// Marks a nest's time loop and all loops in it, wherever they are inlined.
void shim_mark_taken(ShimLoopRef time_loop);
/// The loop was marked.
bool shim_is_taken(ShimLoopRef loop);
/// The loop has lost what it hardly ever does.
bool shim_is_settled(ShimLoopRef loop);
/// It is such a loop and what that has lost.
bool shim_resumes_settled(ShimLoopRef loop);
/// ... or one in it.
bool shim_holds_taken(ShimLoopRef loop);

// ---- anchor.cpp: linking ---------------------------------------------------

/// A hidden common symbol of that name, kept to the object file: where the
/// runtime's archive defines it, the linker takes the archive.
void shim_add_anchor(LLVMModuleRef module, const char *name, size_t length);

// ---- analyses.cpp: loops, dominance, memory -------------------------------

/// Computes the analyses of `function`; null when it has no body.
ShimAnalyses *shim_analyses_new(ShimContext *ctx, LLVMValueRef function);
/// Ends them. With `invalidate`, the host forgets them too (the IR changed).
void shim_analyses_free(ShimAnalyses *analyses, bool invalidate);

size_t shim_top_loops(const ShimAnalyses *a, ShimLoopRef *out, size_t capacity);
ShimLoopRef shim_loop_of(const ShimAnalyses *a, LLVMBasicBlockRef block);
size_t shim_loop_children(ShimLoopRef loop, ShimLoopRef *out, size_t capacity);
ShimLoopRef shim_loop_parent(ShimLoopRef loop);
/// 1 for an outermost loop.
unsigned shim_loop_depth(ShimLoopRef loop);
LLVMBasicBlockRef shim_loop_header(ShimLoopRef loop);
LLVMBasicBlockRef shim_loop_preheader(ShimLoopRef loop);
LLVMBasicBlockRef shim_loop_latch(ShimLoopRef loop);
size_t shim_loop_blocks(ShimLoopRef loop, LLVMBasicBlockRef *out,
                        size_t capacity);
size_t shim_loop_exiting_blocks(ShimLoopRef loop, LLVMBasicBlockRef *out,
                                size_t capacity);
size_t shim_loop_exit_blocks(ShimLoopRef loop, LLVMBasicBlockRef *out,
                             size_t capacity);
bool shim_loop_contains(ShimLoopRef loop, LLVMBasicBlockRef block);
bool shim_loop_contains_loop(ShimLoopRef loop, ShimLoopRef inner);
/// Control never comes back from the block, neither to the loop nor to the caller; or it is
/// where the loop is left for what it hardly ever does.
bool shim_loop_fails_at(ShimLoopRef loop, LLVMBasicBlockRef block);
/// It is such a place.
bool shim_block_is_rare_path(LLVMBasicBlockRef block);
/// Preheader, one latch, dedicated exits.
bool shim_loop_is_simplified(ShimLoopRef loop);

/// A source position; line 0 is none. The texts belong to the LLVM context.
typedef struct {
  unsigned line;
  unsigned column;
  const char *file;
  size_t file_length;
  const char *directory;
  size_t directory_length;
  /// The file that was compiled, of which this one may be a part.
  const char *unit_file;
  size_t unit_file_length;
  const char *unit_directory;
  size_t unit_directory_length;
} ShimLocation;

/// Where the loop starts in the source.
ShimLocation shim_loop_location(ShimLoopRef loop);
/// The function that the loop was inlined from, by its symbol if the module has it; empty if it
/// was not, or nobody knows.
void shim_loop_inlined_from(ShimLoopRef loop, ShimSink sink, void *state);
/// Where an instruction, or a function's subprogram, stands in the source.
ShimLocation shim_value_location(LLVMValueRef value);

bool shim_dominates(const ShimAnalyses *a, LLVMBasicBlockRef over,
                    LLVMBasicBlockRef under);
bool shim_post_dominates(const ShimAnalyses *a, LLVMBasicBlockRef over,
                         LLVMBasicBlockRef under);
/// The value of `definition` is available at `use`.
bool shim_value_dominates(const ShimAnalyses *a, LLVMValueRef definition,
                          LLVMValueRef use);

/// What the root of a pointer is known to be.
typedef enum {
  ShimObjectUnknown,
  ShimObjectAlloca,
  ShimObjectGlobal,
  ShimObjectNoAliasArgument,
  ShimObjectByValArgument,
  /// The result of malloc, operator new, __rust_alloc and the like.
  ShimObjectAllocation,
} ShimObjectKind;

/// The pointer that `pointer` was computed from, through GEPs and casts.
LLVMValueRef shim_underlying_object(LLVMValueRef pointer);
ShimObjectKind shim_object_kind(LLVMValueRef object);

typedef enum {
  ShimAliasNo,
  ShimAliasMay,
  ShimAliasPartial,
  ShimAliasMust,
} ShimAlias;

/// Of `size` bytes at each pointer; UINT64_MAX is an unknown size.
ShimAlias shim_alias(ShimAnalyses *a, LLVMValueRef left, uint64_t left_size,
                     LLVMValueRef right, uint64_t right_size);
/// Nothing inside `loop` may write what `load` reads, and its address does not
/// change there: the load gives one value for a whole run of the loop. It may
/// still not be safe to execute where the loop never reaches it.
bool shim_load_is_invariant(ShimAnalyses *a, LLVMValueRef load,
                            ShimLoopRef loop);
/// `instruction` is executed in every iteration of `loop` that goes all the way
/// round.
bool shim_executes_each_iteration(ShimAnalyses *a, LLVMValueRef instruction,
                                  ShimLoopRef loop);

/// What executing an instruction may do besides computing its value.
typedef struct {
  bool reads;
  bool writes;
  /// Volatile access or intrinsic.
  bool is_volatile;
  /// Any atomic ordering, unordered included.
  bool atomic;
  bool may_throw;
  /// Always hands control to what comes next.
  bool returns;
  /// Touches nothing but what its pointer arguments point to.
  bool only_arguments;
  /// May be executed where the original would not.
  bool speculatable;
} ShimEffects;

ShimEffects shim_effects(LLVMValueRef instruction);
/// The C library function that a call is known to mean ("sqrtf"), if any.
void shim_library_function(ShimAnalyses *a, LLVMValueRef call, ShimSink sink,
                           void *state);
/// The memory of a local variable, or of one of the module, is written in the function only, by what can
/// be seen to write there.
bool shim_is_written_here_only(ShimAnalyses *a, LLVMValueRef variable);
/// What a number that is loaded from a fixed place in a table, or passed from there, is likely to be;
/// false if that is not known.
bool shim_likely_number(ShimAnalyses *a, LLVMValueRef number, int64_t *is);
/// Name of an intrinsic without its type suffix ("llvm.fmuladd"), if it is one.
void shim_intrinsic_name(LLVMValueRef function, ShimSink sink, void *state);

uint64_t shim_type_alloc_size(LLVMModuleRef module, LLVMTypeRef type);
uint64_t shim_type_store_size(LLVMModuleRef module, LLVMTypeRef type);

// ---- scev.cpp: scalar evolution -------------------------------------------

typedef enum {
  ShimScevConstant,
  ShimScevVScale,
  ShimScevTruncate,
  ShimScevZeroExtend,
  ShimScevSignExtend,
  ShimScevAdd,
  ShimScevMul,
  ShimScevUDiv,
  ShimScevAddRec,
  ShimScevUMax,
  ShimScevSMax,
  ShimScevUMin,
  ShimScevSMin,
  ShimScevSequentialUMin,
  ShimScevPtrToInt,
  ShimScevUnknown,
  ShimScevCouldNotCompute,
} ShimScevKind;

/// A closed range of values; signed_fits / unsigned_fits say whether the
/// bounds fit 64 bits.
typedef struct {
  int64_t signed_min;
  int64_t signed_max;
  uint64_t unsigned_min;
  uint64_t unsigned_max;
  bool signed_fits;
  bool unsigned_fits;
} ShimRange;

/// Null when the value has no integer or pointer type.
ShimScevRef shim_scev(ShimAnalyses *a, LLVMValueRef value);
/// As seen from inside `scope`, or from outside all loops when null.
ShimScevRef shim_scev_at_scope(ShimAnalyses *a, ShimScevRef scev,
                               ShimLoopRef scope);
ShimScevKind shim_scev_kind(ShimScevRef scev);
size_t shim_scev_operand_count(ShimScevRef scev);
ShimScevRef shim_scev_operand(ShimScevRef scev, size_t index);
/// Sign-extended value of a constant; false when it needs more than 64 bits.
bool shim_scev_constant(ShimScevRef scev, int64_t *value);
LLVMTypeRef shim_scev_type(ShimScevRef scev);
/// Width in bits of the integer, or of the pointer's index type.
unsigned shim_scev_bits(ShimAnalyses *a, ShimScevRef scev);
bool shim_scev_is_pointer(ShimScevRef scev);
bool shim_scev_nuw(ShimScevRef scev);
bool shim_scev_nsw(ShimScevRef scev);
ShimLoopRef shim_scev_loop(ShimScevRef add_rec);
LLVMValueRef shim_scev_value(ShimScevRef unknown);
/// The part of a pointer expression that is a pointer.
ShimScevRef shim_scev_pointer_base(ShimAnalyses *a, ShimScevRef scev);
/// left - right; CouldNotCompute for pointers of different bases.
ShimScevRef shim_scev_minus(ShimAnalyses *a, ShimScevRef left,
                            ShimScevRef right);
ShimScevRef shim_scev_add(ShimAnalyses *a, ShimScevRef left, ShimScevRef right);
ShimScevRef shim_scev_mul(ShimAnalyses *a, ShimScevRef left, ShimScevRef right);
/// What an unsigned division leaves.
ShimScevRef shim_scev_urem(ShimAnalyses *a, ShimScevRef left,
                           ShimScevRef right);
/// A constant of `like`'s integer type.
ShimScevRef shim_scev_of_i64(ShimAnalyses *a, int64_t value, ShimScevRef like);
/// `scev` in an integer of `bits`, truncated, or extended by its sign or zeros.
ShimScevRef shim_scev_cast(ShimAnalyses *a, ShimScevRef scev, unsigned bits,
                           bool is_signed);
bool shim_scev_is_invariant(ShimAnalyses *a, ShimScevRef scev,
                            ShimLoopRef loop);
/// `scev` under the conditions that hold on entry to `loop`.
ShimScevRef shim_scev_apply_guards(ShimAnalyses *a, ShimScevRef scev,
                                   ShimLoopRef loop);
ShimRange shim_scev_range(ShimAnalyses *a, ShimScevRef scev);
/// `left predicate right` (an LLVMIntPredicate) holds always.
bool shim_scev_known(ShimAnalyses *a, int predicate, ShimScevRef left,
                     ShimScevRef right);
/// ... holds whenever `loop` is entered.
bool shim_scev_known_on_entry(ShimAnalyses *a, ShimLoopRef loop, int predicate,
                              ShimScevRef left, ShimScevRef right);
/// Exact number of times the back edge is taken, or CouldNotCompute.
ShimScevRef shim_backedge_taken(ShimAnalyses *a, ShimLoopRef loop);
/// The same, of leaving through one exiting block as if it were the only one.
ShimScevRef shim_exit_count(ShimAnalyses *a, ShimLoopRef loop,
                            LLVMBasicBlockRef exiting);
/// ... if the loop were left only where `condition` is `leaves_if`.
ShimScevRef shim_condition_count(ShimAnalyses *a, ShimLoopRef loop, LLVMValueRef condition,
                                 bool leaves_if);
/// Code that computes `scev` as `type` before `insert_before`; null where that
/// is not safe (a division that may trap, a value not available there).
LLVMValueRef shim_expand_scev(ShimAnalyses *a, ShimScevRef scev,
                              LLVMTypeRef type, LLVMValueRef insert_before);
void shim_scev_print(ShimScevRef scev, ShimSink sink, void *state);

// ---- device_code.cpp: code for a device ------------------------------------

/// Sends the assembly of `module`, which `machine` generates; false where it
/// can't. The module is changed.
bool shim_device_code(LLVMTargetMachineRef machine, LLVMModuleRef module,
                      ShimSink sink, void *state);

// ---- target.cpp: what the unit is compiled for ----------------------------

typedef enum { ShimNo, ShimYes, ShimUnknown } ShimAnswer;

/// The subtarget of `function` has fused multiply-add instructions.
ShimAnswer shim_has_fma(LLVMValueRef function);
/// The CPU and features that `function` is compiled for, as in its attributes.
void shim_target_cpu(LLVMValueRef function, ShimSink sink, void *state);
void shim_target_features(LLVMValueRef function, ShimSink sink, void *state);

typedef enum {
  ShimDenormalIEEE,
  ShimDenormalPreserveSign,
  ShimDenormalPositiveZero,
  ShimDenormalDynamic,
} ShimDenormal;

typedef struct {
  ShimDenormal output;
  ShimDenormal input;
} ShimDenormalMode;

/// Of float (32) or any wider type (64) in `function`.
ShimDenormalMode shim_denormal_mode(LLVMValueRef function, unsigned bits);
/// The function's module asks for floating-point exceptions, or sets how is rounded.
bool shim_watches_fp(LLVMValueRef function);

/// True when well formed; otherwise the verifier's words go to `sink`.
bool shim_verify_function(LLVMValueRef function, ShimSink sink, void *state);
bool shim_verify_module(LLVMModuleRef module, ShimSink sink, void *state);
void shim_print_value(LLVMValueRef value, ShimSink sink, void *state);

// ---- remarks.cpp -----------------------------------------------------------

typedef enum {
  ShimRemarkPassed,
  ShimRemarkMissed,
  ShimRemarkAnalysis,
} ShimRemarkKind;

/// Sends a remark of pass "hexpass" about `function`, at `loop`'s start, or at
/// the instruction `at`, or at the function when both are null.
void shim_remark(ShimContext *ctx, ShimRemarkKind kind, LLVMValueRef function,
                 ShimLoopRef loop, LLVMValueRef at, const char *name,
                 size_t name_length, const char *message,
                 size_t message_length);
/// Remarks of this pass would be printed or recorded.
bool shim_remarks_enabled(LLVMValueRef function);

#ifdef __cplusplus
}
#endif

#endif // HEXPASS_SHIM_H
