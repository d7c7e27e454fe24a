/**
 * While TensorFlow's libraries are loaded they write to the terminal, whatever TF_CPP_MIN_LOG_LEVEL says, which they read
 * later (with oneDNN, for bfloat16: two lines). This is compiled into the binding, which is linked so that it begins before
 * the libraries do (binding.mjs), and sets the level then. Where the library has no such function, its lines are printed.
 */
#ifdef __linux__
#include <cstdlib>

/** Abseil's own level in TensorFlow 2.21, a number that it only stores: 0 everything, 1 warnings, 2 errors, 3 what ends the process. */
extern "C" __attribute__((weak)) void SetMinLogLevel(int level) __asm__(
    "_ZN4absl12lts_2025081412log_internal17RawSetMinLogLevelENS0_18LogSeverityAtLeastE");

namespace {

__attribute__((constructor)) void KeepQuiet() {
  const char* level = std::getenv("TF_CPP_MIN_LOG_LEVEL");
  if (level != nullptr && SetMinLogLevel != nullptr) SetMinLogLevel(std::atoi(level));
}

}  // namespace
#endif
