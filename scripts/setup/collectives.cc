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
  TF_Tensor* input = nullptr;
  size_t elements = 0;
  TF_Tensor* output = nullptr;
  std::string problem;
  int code = 0;
  napi_deferred deferred = nullptr;
  napi_async_work work = nullptr;
};

uint16_t ToBfloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

TF_Tensor* Halved(TF_Tensor* whole, size_t elements) {
  const int64_t dims[] = {static_cast<int64_t>(elements)};
  TF_Tensor* half = TF_AllocateTensor(TF_BFLOAT16, dims, 1, elements * 2);
  const float* from = static_cast<float*>(TF_TensorData(whole));
  uint16_t* to = static_cast<uint16_t*>(TF_TensorData(half));
  for (size_t i = 0; i < elements; ++i) to[i] = ToBfloat16(from[i]);
  return half;
}

TF_Tensor* Doubled(TF_Tensor* half, size_t elements) {
  const int64_t dims[] = {static_cast<int64_t>(elements)};
  TF_Tensor* whole = TF_AllocateTensor(TF_FLOAT, dims, 1, elements * 4);
  const uint16_t* from = static_cast<uint16_t*>(TF_TensorData(half));
  uint32_t* to = static_cast<uint32_t*>(TF_TensorData(whole));
  for (size_t i = 0; i < elements; ++i) to[i] = static_cast<uint32_t>(from[i]) << 16;
  return whole;
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
  if (work.halved) {
    TF_Tensor* half = Halved(work.input, work.elements);
    TF_DeleteTensor(work.input);
    work.input = half;
    work.type = TF_BFLOAT16;
  }
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
    if (!receives) add(TFE_NewTensorHandle(work.input, s));
    for (int32_t value : {work.group_size, work.group_key, work.instance}) add(Scalar(value, s));
    TFE_OpSetAttrType(op, "T", work.type);
    if (receives) {
      const int64_t rank[] = {1};
      TF_Tensor* shape = TF_AllocateTensor(TF_INT32, rank, 1, 4);
      const int32_t size = static_cast<int32_t>(work.elements);
      std::memcpy(TF_TensorData(shape), &size, 4);
      add(TFE_NewTensorHandle(shape, s));
      TF_DeleteTensor(shape);
      TFE_OpSetAttrType(op, "Tshape", TF_INT32);
    }
    if (work.op == "CollectiveReduceV2") {
      SetString(op, "merge_op", "Add");
      SetString(op, "final_op", "Id");
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
  if (status.ok()) work.output = TFE_TensorHandleResolve(result, s);
  if (status.ok() && work.halved) {
    TF_Tensor* whole = Doubled(work.output, work.elements);
    TF_DeleteTensor(work.output);
    work.output = whole;
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
  if (work->output == nullptr) {
    napi_reject_deferred(env, work->deferred, Failure(env, *work));
  } else {
    const size_t bytes = TF_TensorByteSize(work->output);
    void* memory = nullptr;
    napi_value buffer, array;
    napi_create_arraybuffer(env, bytes, &memory, &buffer);
    std::memcpy(memory, TF_TensorData(work->output), bytes);
    const auto type = work->type == TF_INT32 ? napi_int32_array : napi_float32_array;
    napi_create_typedarray(env, type, bytes / 4, buffer, 0, &array);
    napi_resolve_deferred(env, work->deferred, array);
    TF_DeleteTensor(work->output);
  }
  if (work->input != nullptr) TF_DeleteTensor(work->input);
  napi_delete_async_work(env, work->work);
}

/**
 * run(op, values, halved, groupSize, groupKey, instance, timeoutSeconds): a promise of what comes out. `values` are
 * copied; of what is received only their number and kind count.
 */
napi_value Run(napi_env env, napi_callback_info info) {
  size_t count = 7;
  napi_value args[7];
  napi_get_cb_info(env, info, &count, args, nullptr, nullptr);
  if (context == nullptr) return Throw(env, "collectives are not open");
  auto work = std::make_unique<Work>();
  work->op = StringOf(env, args[0]);
  const View values = ViewOf(env, args[1]);
  napi_get_value_bool(env, args[2], &work->halved);
  work->group_size = static_cast<int32_t>(IntOf(env, args[3]));
  work->group_key = static_cast<int32_t>(IntOf(env, args[4]));
  work->instance = static_cast<int32_t>(IntOf(env, args[5]));
  work->timeout = static_cast<float>(NumberOf(env, args[6]));
  work->type = values.type == napi_int32_array ? TF_INT32 : TF_FLOAT;
  work->elements = values.elements;
  const int64_t dims[] = {static_cast<int64_t>(values.elements)};
  work->input = TF_AllocateTensor(work->type, dims, 1, values.elements * 4);
  std::memcpy(TF_TensorData(work->input), values.data, values.elements * 4);
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
