/**
 * Several processes that compute one thing together: TensorFlow's own collectives (all-reduce, gather, broadcast over
 * gRPC), which its C API offers and tfjs-node's binding does not. They run in a context of their own, on the processor, in a
 * thread of Node's pool, so that signals and messages still come in while others are waited for.
 *
 * Loaded by main/cluster/native.ts, after TensorFlow. Who may connect is looked after by collectives-door.cc.
 * Reference: tensorflow/c/c_api_experimental.h; core/ops/collective_ops.cc.
 */
#include <node_api.h>
#include <tensorflow/c/c_api.h>
#include <tensorflow/c/eager/c_api.h>
#include <tensorflow/c/c_api_experimental.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "collectives-door.h"

namespace {

TFE_Context* context = nullptr;
std::string device;

/** A sum travels in parts of at most 4 MB, and one is wrapped while another travels; TensorFlow makes one part of it all. */
constexpr int kMostParts = 16;

struct Status {
  TF_Status* status = TF_NewStatus();
  ~Status() { TF_DeleteStatus(status); }
  bool ok() const { return TF_GetCode(status) == TF_OK; }
};

std::string StringOf(napi_env env, napi_value value) {
  size_t length = 0;
  napi_get_value_string_utf8(env, value, nullptr, 0, &length);
  std::string text(length, '\0');
  napi_get_value_string_utf8(env, value, text.data(), length + 1, &length);
  return text;
}

int64_t IntOf(napi_env env, napi_value value) {
  int64_t number = 0;
  napi_get_value_int64(env, value, &number);
  return number;
}

double NumberOf(napi_env env, napi_value value) {
  double number = 0;
  napi_get_value_double(env, value, &number);
  return number;
}

struct View {
  void* data = nullptr;
  size_t elements = 0;
  napi_typedarray_type type = napi_uint8_array;
};

View ViewOf(napi_env env, napi_value value) {
  View view;
  napi_get_typedarray_info(env, value, &view.type, &view.elements, &view.data, nullptr, nullptr);
  return view;
}

napi_value Throw(napi_env env, const std::string& message) {
  napi_throw_error(env, nullptr, message.c_str());
  return nullptr;
}

/** open(serverDef, configProto, device): begins to listen, and to know the others. Once a process. */
napi_value Open(napi_env env, napi_callback_info info) {
  size_t count = 3;
  napi_value args[3];
  napi_get_cb_info(env, info, &count, args, nullptr, nullptr);
  if (context != nullptr) return Throw(env, "collectives are open already");
  const View server = ViewOf(env, args[0]);
  const View config = ViewOf(env, args[1]);
  Status status;
  TFE_ContextOptions* options = TFE_NewContextOptions();
  TFE_ContextOptionsSetConfig(options, config.data, config.elements, status.status);
  TFE_Context* opened = status.ok() ? TFE_NewContext(options, status.status) : nullptr;
  TFE_DeleteContextOptions(options);
  if (status.ok()) TFE_EnableCollectiveOps(opened, server.data, server.elements, status.status);
  if (!status.ok()) return Throw(env, TF_Message(status.status));
  context = opened;
  device = StringOf(env, args[2]);
  return nullptr;
}

/** One collective: what goes in, and what came out. */
struct Work {
  std::string op;
  TF_DataType type = TF_FLOAT;
  /** Sums of floats travel as bfloat16. */
  bool halved = false;
  int32_t group_size = 0;
  int32_t group_key = 0;
  int32_t instance = 0;
  float timeout = 0;
  /** What is given, and where to put what comes of it: Node's own memory, kept by these references while it is used here. */
  View values;
  View into;
  napi_ref kept[2] = {};
  std::string problem;
  int code = 0;
  napi_deferred deferred = nullptr;
  napi_async_work work = nullptr;
};

uint16_t ToBfloat16(uint32_t bits) {
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const uint32_t not_a_number = (bits >> 16) | 0x40;
  return static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? not_a_number : rounded);
}

TF_Tensor* TensorOf(const View& values, TF_DataType type) {
  const int64_t dims[] = {static_cast<int64_t>(values.elements)};
  const size_t width = type == TF_BFLOAT16 ? 2 : 4;
  TF_Tensor* tensor = TF_AllocateTensor(type, dims, 1, values.elements * width);
  if (type == TF_BFLOAT16) {
    const uint32_t* from = static_cast<uint32_t*>(values.data);
    uint16_t* to = static_cast<uint16_t*>(TF_TensorData(tensor));
    for (size_t i = 0; i < values.elements; ++i) to[i] = ToBfloat16(from[i]);
  } else {
    std::memcpy(TF_TensorData(tensor), values.data, values.elements * width);
  }
  return tensor;
}

/** @returns whether it is as much as there is room for */
bool Take(TF_Tensor* tensor, const View& into) {
  const bool is_half = TF_TensorType(tensor) == TF_BFLOAT16;
  if (TF_TensorByteSize(tensor) != into.elements * (is_half ? 2 : 4)) return false;
  if (is_half) {
    const uint16_t* from = static_cast<uint16_t*>(TF_TensorData(tensor));
    uint32_t* to = static_cast<uint32_t*>(into.data);
    for (size_t i = 0; i < into.elements; ++i) to[i] = static_cast<uint32_t>(from[i]) << 16;
  } else {
    std::memcpy(into.data, TF_TensorData(tensor), into.elements * 4);
  }
  return true;
}

TFE_TensorHandle* Scalar(int32_t value, TF_Status* status) {
  TF_Tensor* tensor = TF_AllocateTensor(TF_INT32, nullptr, 0, 4);
  std::memcpy(TF_TensorData(tensor), &value, 4);
  TFE_TensorHandle* handle = TFE_NewTensorHandle(tensor, status);
  TF_DeleteTensor(tensor);
  return handle;
}

void SetString(TFE_Op* op, const char* name, const char* value) {
  TFE_OpSetAttrString(op, name, value, std::strlen(value));
}

void Execute(napi_env, void* data) {
  Work& work = *static_cast<Work*>(data);
  Status status;
  TF_Status* s = status.status;
  const TF_DataType type = work.halved ? TF_BFLOAT16 : work.type;
  const bool receives = work.op == "CollectiveBcastRecvV2";
  TFE_Op* op = TFE_NewOp(context, work.op.c_str(), s);
  std::vector<TFE_TensorHandle*> handles;
  const auto add = [&](TFE_TensorHandle* handle) {
    if (handle == nullptr) return;
    handles.push_back(handle);
    TFE_OpAddInput(op, handle, s);
  };
  if (status.ok()) TFE_OpSetDevice(op, device.c_str(), s);
  if (status.ok()) {
    if (!receives) {
      TF_Tensor* input = TensorOf(work.values, type);
      add(TFE_NewTensorHandle(input, s));
      TF_DeleteTensor(input);
    }
    for (int32_t value : {work.group_size, work.group_key, work.instance}) add(Scalar(value, s));
    TFE_OpSetAttrType(op, "T", type);
    if (receives) {
      const int64_t rank[] = {1};
      TF_Tensor* shape = TF_AllocateTensor(TF_INT32, rank, 1, 4);
      const int32_t size = static_cast<int32_t>(work.into.elements);
      std::memcpy(TF_TensorData(shape), &size, 4);
      add(TFE_NewTensorHandle(shape, s));
      TF_DeleteTensor(shape);
      TFE_OpSetAttrType(op, "Tshape", TF_INT32);
    }
    if (work.op == "CollectiveReduceV2") {
      SetString(op, "merge_op", "Add");
      SetString(op, "final_op", "Id");
      TFE_OpSetAttrInt(op, "max_subdivs_per_device", kMostParts);
    }
    if (work.op == "CollectiveReduceV2" || work.op == "CollectiveGatherV2") {
      SetString(op, "communication_hint", "RING");
      TFE_OpSetAttrInt(op, "Nordering_token", 0);
    }
    TFE_OpSetAttrFloat(op, "timeout_seconds", work.timeout);
  }
  TFE_TensorHandle* result = nullptr;
  int results = 1;
  if (status.ok()) TFE_Execute(op, &result, &results, s);
  TF_Tensor* output = status.ok() ? TFE_TensorHandleResolve(result, s) : nullptr;
  if (output != nullptr) {
    if (!Take(output, work.into)) TF_SetStatus(s, TF_INTERNAL, "there is no room for as much as comes");
    TF_DeleteTensor(output);
  }
  if (!status.ok()) {
    work.code = TF_GetCode(s);
    work.problem = TF_Message(s);
  }
  if (result != nullptr) TFE_DeleteTensorHandle(result);
  for (TFE_TensorHandle* handle : handles) TFE_DeleteTensorHandle(handle);
  if (op != nullptr) TFE_DeleteOp(op);
}

napi_value Failure(napi_env env, const Work& work) {
  napi_value message, code, error;
  napi_create_string_utf8(env, work.problem.c_str(), work.problem.size(), &message);
  napi_create_error(env, nullptr, message, &error);
  napi_create_int32(env, work.code, &code);
  napi_set_named_property(env, error, "status", code);
  return error;
}

void Complete(napi_env env, napi_status, void* data) {
  std::unique_ptr<Work> work(static_cast<Work*>(data));
  if (work->problem.empty() && work->code == 0) {
    napi_value into;
    napi_get_reference_value(env, work->kept[1], &into);
    napi_resolve_deferred(env, work->deferred, into);
  } else {
    napi_reject_deferred(env, work->deferred, Failure(env, *work));
  }
  for (napi_ref each : work->kept) napi_delete_reference(env, each);
  napi_delete_async_work(env, work->work);
}

/**
 * run(op, values, into, halved, groupSize, groupKey, instance, timeoutSeconds): a promise of `into`, which is filled with
 * what comes out, and may be `values` itself. Both are read and written while it lasts; of what is received only, `values`
 * does not count.
 */
napi_value Run(napi_env env, napi_callback_info info) {
  size_t count = 8;
  napi_value args[8];
  napi_get_cb_info(env, info, &count, args, nullptr, nullptr);
  if (context == nullptr) return Throw(env, "collectives are not open");
  auto work = std::make_unique<Work>();
  work->op = StringOf(env, args[0]);
  work->values = ViewOf(env, args[1]);
  work->into = ViewOf(env, args[2]);
  for (int i : {0, 1}) napi_create_reference(env, args[1 + i], 1, &work->kept[i]);
  napi_get_value_bool(env, args[3], &work->halved);
  work->group_size = static_cast<int32_t>(IntOf(env, args[4]));
  work->group_key = static_cast<int32_t>(IntOf(env, args[5]));
  work->instance = static_cast<int32_t>(IntOf(env, args[6]));
  work->timeout = static_cast<float>(NumberOf(env, args[7]));
  work->type = work->into.type == napi_int32_array ? TF_INT32 : TF_FLOAT;
  napi_value name, promise;
  napi_create_string_utf8(env, "collective", NAPI_AUTO_LENGTH, &name);
  napi_create_promise(env, &work->deferred, &promise);
  napi_create_async_work(env, nullptr, name, Execute, Complete, work.get(), &work->work);
  napi_queue_async_work(env, work->work);
  work.release();
  return promise;
}

/** abort(message): everything that waits for others fails, here and, as far as they can be told, there. */
napi_value Abort(napi_env env, napi_callback_info info) {
  size_t count = 1;
  napi_value args[1];
  napi_get_cb_info(env, info, &count, args, nullptr, nullptr);
  if (context == nullptr) return nullptr;
  const std::string message = StringOf(env, args[0]);
  Status status;
  TF_SetStatus(status.status, TF_ABORTED, message.c_str());
  TFE_AbortCollectiveOps(context, status.status);
  return nullptr;
}

struct Question {
  std::string task;
  int64_t milliseconds = 0;
  std::string problem;
  napi_deferred deferred = nullptr;
  napi_async_work work = nullptr;
};

void Ask(napi_env, void* data) {
  Question& question = *static_cast<Question*>(data);
  Status status;
  TFE_CollectiveOpsCheckPeerHealth(context, question.task.c_str(), question.milliseconds, status.status);
  if (!status.ok()) question.problem = TF_Message(status.status);
}

void Answer(napi_env env, napi_status, void* data) {
  std::unique_ptr<Question> question(static_cast<Question*>(data));
  napi_value answer;
  napi_create_string_utf8(env, question->problem.c_str(), question->problem.size(), &answer);
  napi_resolve_deferred(env, question->deferred, answer);
  napi_delete_async_work(env, question->work);
}

/** health(task, milliseconds): a promise of what is wrong with another process; '' for nothing. */
napi_value Health(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value args[2];
  napi_get_cb_info(env, info, &count, args, nullptr, nullptr);
  if (context == nullptr) return Throw(env, "collectives are not open");
  auto question = std::make_unique<Question>();
  question->task = StringOf(env, args[0]);
  question->milliseconds = IntOf(env, args[1]);
  napi_value name, promise;
  napi_create_string_utf8(env, "health", NAPI_AUTO_LENGTH, &name);
  napi_create_promise(env, &question->deferred, &promise);
  napi_create_async_work(env, nullptr, name, Ask, Answer, question.get(), &question->work);
  napi_queue_async_work(env, question->work);
  question.release();
  return promise;
}

/** guard(listen, port, key, peers): before `open`. See collectives-door.h. */
napi_value Guard(napi_env env, napi_callback_info info) {
  size_t count = 4;
  napi_value args[4];
  napi_get_cb_info(env, info, &count, args, nullptr, nullptr);
  const View key = ViewOf(env, args[2]);
  uint32_t length = 0;
  napi_get_array_length(env, args[3], &length);
  std::vector<std::string> peers;
  for (uint32_t i = 0; i < length; ++i) {
    napi_value peer;
    napi_get_element(env, args[3], i, &peer);
    peers.push_back(StringOf(env, peer));
  }
  const std::string key_bytes(static_cast<char*>(key.data), key.elements);
  const std::string problem = door::Guard(StringOf(env, args[0]), static_cast<int>(IntOf(env, args[1])), key_bytes, peers);
  return problem.empty() ? nullptr : Throw(env, problem);
}

/** proof(key, message): what the door asks for; for its test. */
napi_value Prove(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value args[2];
  napi_get_cb_info(env, info, &count, args, nullptr, nullptr);
  const View key = ViewOf(env, args[0]);
  const View message = ViewOf(env, args[1]);
  const std::string proof = door::Proof(std::string(static_cast<char*>(key.data), key.elements),
                                        std::string(static_cast<char*>(message.data), message.elements));
  void* memory = nullptr;
  napi_value buffer, array;
  napi_create_arraybuffer(env, proof.size(), &memory, &buffer);
  std::memcpy(memory, proof.data(), proof.size());
  napi_create_typedarray(env, napi_uint8_array, proof.size(), buffer, 0, &array);
  return array;
}

}  // namespace

NAPI_MODULE_INIT() {
  const struct {
    const char* name;
    napi_callback function;
  } functions[] = {{"guard", Guard}, {"open", Open},     {"run", Run},
                   {"abort", Abort}, {"health", Health},
                   {"proof", Prove}};
  for (const auto& [name, function] : functions) {
    napi_value value;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, function, nullptr, &value);
    napi_set_named_property(env, exports, name, value);
  }
  return exports;
}
