/**
 * The options of TensorFlow's sessions, which tfjs-node's binding does not let one choose: it is compiled with
 * TF_NewSessionOptions called NewSessionOptions, which is below (binding.mjs).
 *
 * Before a graph first runs, TensorFlow rewrites it (Grappler). Our tracer has folded and pruned it already, and what XLA
 * compiles is not touched anyway, so this costs more than everything else a graph needs to begin. While VERISIM_REWRITES is
 * `off`, sessions are made that do not rewrite.
 */
#undef TF_NewSessionOptions
#include "tensorflow/c/c_api.h"

#include <cstdlib>
#include <cstring>

extern "C" TF_SessionOptions* NewSessionOptions() {
  TF_SessionOptions* options = TF_NewSessionOptions();
  const char* rewrites = std::getenv("VERISIM_REWRITES");
  if (rewrites == nullptr || std::strcmp(rewrites, "off") != 0) return options;
  // ConfigProto { graph_options { rewrite_options { disable_meta_optimizer: true } } }
  static const unsigned char config[] = {0x52, 0x05, 0x52, 0x03, 0x98, 0x01, 0x01};
  TF_Status* status = TF_NewStatus();
  TF_SetConfig(options, config, sizeof config, status);
  TF_DeleteStatus(status);
  return options;
}
