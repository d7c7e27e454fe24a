/**
 * TensorFlow's collectives (all-reduce, gather, broadcast over gRPC) for Node: its C API offers them, tfjs-node's binding
 * does not. They run in their own context, on the processor, in a thread of Node's pool, so that signals and messages are
 * still handled during an exchange.
 *
 * Loaded by main/cluster/native.ts, after TensorFlow. Linux on x64.
 * Reference: tensorflow/c/c_api_experimental.h; core/ops/collective_ops.cc.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <node_api.h>
#include <sys/socket.h>
#include <tensorflow/c/c_api.h>
#include <tensorflow/c/c_api_experimental.h>
#include <tensorflow/c/eager/c_api.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "replace-functions.h"

namespace {

TFE_Context* context = nullptr;
std::string device;
/** The address of this member's server, in network byte order. */
sockaddr_in own{};

/** A sum travels in parts of at most 4 MB, so that one is encoded while another travels; TensorFlow's default is one part. */
constexpr int kMostParts = 16;

/** Replaces bind for TensorFlow, whose server listens on all addresses: the server's port is bound on one address only. */
int BindToOwnAddress(int fd, const sockaddr* address, socklen_t length) {
  if (address->sa_family == AF_INET && reinterpret_cast<const sockaddr_in*>(address)->sin_port == own.sin_port)
    return bind(fd, reinterpret_cast<const sockaddr*>(&own), sizeof(own));
  if (address->sa_family != AF_INET6 || reinterpret_cast<const sockaddr_in6*>(address)->sin6_port != own.sin_port)
    return bind(fd, address, length);
  sockaddr_in6 mapped{};
  mapped.sin6_family = AF_INET6;
  mapped.sin6_port = own.sin_port;
  mapped.sin6_addr.s6_addr[10] = mapped.sin6_addr.s6_addr[11] = 0xff;
  std::memcpy(mapped.sin6_addr.s6_addr + 12, &own.sin_addr, 4);
  return bind(fd, reinterpret_cast<const sockaddr*>(&mapped), sizeof(mapped));
}

/** @returns the problem; '' for none */
std::string ListenOnlyAt(const std::string& host, int64_t port) {
  own.sin_family = AF_INET;
  own.sin_port = htons(static_cast<uint16_t>(port));
  if (inet_pton(AF_INET, host.c_str(), &own.sin_addr) != 1 || port < 1 || port > 65535) return "not an address: " + host;
  std::vector<replacing::Replacement> replacements = {{"bind", reinterpret_cast<void*>(BindToOwnAddress), 0, 0}};
  replacing::ReplaceFunctions("/libtensorflow", replacements);
  const bool is_complete = replacements[0].places > 0 && replacements[0].refused == 0;
  return is_complete ? "" : "TensorFlow's server cannot be restricted to one address";
}

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

/** open(serverDef, configProto, device, host, port): starts the server and connects to the others, once per process. */
napi_value Open(napi_env env, napi_callback_info info) {
  size_t count = 5;
  napi_value args[5];
  napi_get_cb_info(env, info, &count, args, nullptr, nullptr);
  if (context != nullptr) return Throw(env, "collectives are open already");
  const std::string problem = ListenOnlyAt(StringOf(env, args[3]), IntOf(env, args[4]));
  if (!problem.empty()) return Throw(env, problem);
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

/** One collective operation with its input and output. */
struct Work {
  std::string op;
  TF_DataType type = TF_FLOAT;
  int32_t group_size = 0;
  int32_t group_key = 0;
  int32_t instance = 0;
  float timeout = 0;
  /** Input and output are Node's own memory, kept alive by these references. */
  View values;
  View into;
  napi_ref kept[2] = {};
  std::string problem;
  int code = 0;
  napi_deferred deferred = nullptr;
  napi_async_work work = nullptr;
};

TF_Tensor* TensorOf(const View& values, TF_DataType type) {
  const int64_t dims[] = {static_cast<int64_t>(values.elements)};
  TF_Tensor* tensor = TF_AllocateTensor(type, dims, 1, values.elements * 4);
  std::memcpy(TF_TensorData(tensor), values.data, values.elements * 4);
  return tensor;
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
      TF_Tensor* input = TensorOf(work.values, work.type);
      add(TFE_NewTensorHandle(input, s));
      TF_DeleteTensor(input);
    }
    for (int32_t value : {work.group_size, work.group_key, work.instance}) add(Scalar(value, s));
    TFE_OpSetAttrType(op, "T", work.type);
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
    const size_t size = work.into.elements * 4;
    if (TF_TensorByteSize(output) == size) std::memcpy(work.into.data, TF_TensorData(output), size);
    else TF_SetStatus(s, TF_INTERNAL, "the result has another size than expected");
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
 * run(op, values, into, groupSize, groupKey, instance, timeoutSeconds): a promise of `into` with the result. `into` may be
 * `values`; both are read and written until the promise settles. A receiver's `values` are ignored.
 */
napi_value Run(napi_env env, napi_callback_info info) {
  size_t count = 7;
  napi_value args[7];
  napi_get_cb_info(env, info, &count, args, nullptr, nullptr);
  if (context == nullptr) return Throw(env, "collectives are not open");
  auto work = std::make_unique<Work>();
  work->op = StringOf(env, args[0]);
  work->values = ViewOf(env, args[1]);
  work->into = ViewOf(env, args[2]);
  for (int i : {0, 1}) napi_create_reference(env, args[1 + i], 1, &work->kept[i]);
  work->group_size = static_cast<int32_t>(IntOf(env, args[3]));
  work->group_key = static_cast<int32_t>(IntOf(env, args[4]));
  work->instance = static_cast<int32_t>(IntOf(env, args[5]));
  work->timeout = static_cast<float>(NumberOf(env, args[6]));
  work->type = work->into.type == napi_int32_array ? TF_INT32 : TF_FLOAT;
  napi_value name, promise;
  napi_create_string_utf8(env, "collective", NAPI_AUTO_LENGTH, &name);
  napi_create_promise(env, &work->deferred, &promise);
  napi_create_async_work(env, nullptr, name, Execute, Complete, work.get(), &work->work);
  napi_queue_async_work(env, work->work);
  work.release();
  return promise;
}

/** abort(message): fails every pending collective, here and on all ranks that can still be reached. */
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

struct HealthCheck {
  std::string task;
  int64_t milliseconds = 0;
  std::string problem;
  napi_deferred deferred = nullptr;
  napi_async_work work = nullptr;
};

void CheckHealth(napi_env, void* data) {
  HealthCheck& check = *static_cast<HealthCheck*>(data);
  Status status;
  TFE_CollectiveOpsCheckPeerHealth(context, check.task.c_str(), check.milliseconds, status.status);
  if (!status.ok()) check.problem = TF_Message(status.status);
}

void CompleteCheck(napi_env env, napi_status, void* data) {
  std::unique_ptr<HealthCheck> check(static_cast<HealthCheck*>(data));
  napi_value answer;
  napi_create_string_utf8(env, check->problem.c_str(), check->problem.size(), &answer);
  napi_resolve_deferred(env, check->deferred, answer);
  napi_delete_async_work(env, check->work);
}

/** health(task, milliseconds): a promise of what is wrong with another rank; '' for nothing. */
napi_value Health(napi_env env, napi_callback_info info) {
  size_t count = 2;
  napi_value args[2];
  napi_get_cb_info(env, info, &count, args, nullptr, nullptr);
  if (context == nullptr) return Throw(env, "collectives are not open");
  auto check = std::make_unique<HealthCheck>();
  check->task = StringOf(env, args[0]);
  check->milliseconds = IntOf(env, args[1]);
  napi_value name, promise;
  napi_create_string_utf8(env, "health", NAPI_AUTO_LENGTH, &name);
  napi_create_promise(env, &check->deferred, &promise);
  napi_create_async_work(env, nullptr, name, CheckHealth, CompleteCheck, check.get(), &check->work);
  napi_queue_async_work(env, check->work);
  check.release();
  return promise;
}

}  // namespace

NAPI_MODULE_INIT() {
  const struct {
    const char* name;
    napi_callback function;
  } functions[] = {{"open", Open}, {"run", Run}, {"abort", Abort}, {"health", Health}};
  for (const auto& [name, function] : functions) {
    napi_value value;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, function, nullptr, &value);
    napi_set_named_property(env, exports, name, value);
  }
  return exports;
}
