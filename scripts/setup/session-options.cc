/**
 * The options of TensorFlow's sessions, which tfjs-node's binding does not let one choose: it is compiled with
 * TF_NewSessionOptions called NewSessionOptions, which is below (binding.mjs).
 *
 * Before a graph first runs, TensorFlow rewrites it (Grappler). Our tracer has folded and pruned it already, and what XLA
 * compiles is not touched anyway, so this costs more than everything else a graph needs to begin. While VERISIM_REWRITES is
 * `off`, sessions are made that do not rewrite.
 *
 * A session of ours never gets more nodes than it began with, and no caller requests the parts that its graph is cut into:
 * TensorFlow need not keep copies of them (tens of thousands of nodes for a large model's steps).
 */
#undef TF_NewSessionOptions
#include "tensorflow/c/c_api.h"

#include <cstdlib>
#include <cstring>

extern "C" TF_SessionOptions* NewSessionOptions() {
  TF_SessionOptions* options = TF_NewSessionOptions();
  const char* rewrites = std::getenv("VERISIM_REWRITES");
  const bool keeps = rewrites != nullptr && std::strcmp(rewrites, "off") == 0;
  // ConfigProto {
  //   experimental { optimize_for_static_graph: true disable_output_partition_graphs: true }
  //   graph_options { rewrite_options { disable_meta_optimizer: true } }  // the last six bytes, where nothing is rewritten
  // }
  static const unsigned char config[] = {0x82, 0x01, 0x04, 0x60, 0x01, 0x70, 0x01, 0x52, 0x05, 0x52, 0x03, 0x98, 0x01, 0x01};
  TF_Status* status = TF_NewStatus();
  TF_SetConfig(options, config, keeps ? sizeof config : sizeof config - 7, status);
  TF_DeleteStatus(status);
  return options;
}
