// A pass plugin that does nothing but load: the wrapper's tests need one that clang takes, not one that transforms.
#include "llvm/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "nothing", "0", [](llvm::PassBuilder &) {}};
}
