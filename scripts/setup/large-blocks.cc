/**
 * Large blocks of memory for TensorFlow inside Electron. Electron brings Chromium's allocator, which serves every library
 * of its processes, gives out no block of 2 GiB or more, and ends the process instead. XLA asks for all that a step keeps
 * in one block: a batch with a vocabulary of 50,257 is soon as large. So what TensorFlow's own libraries ask for in pieces
 * of 1 GiB and more comes from the system, and is returned to it; everything else stays with Electron's allocator.
 *
 * Loading this module (main/engine/runtime/native.ts, in Electron only) puts the functions below into the tables through
 * which TensorFlow's two libraries call the allocator (their ELF relocations). Linux on x64.
 */
#include "replace-functions.h"

#include <dlfcn.h>
#include <malloc.h>
#include <node_api.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace {

constexpr size_t kLarge = size_t{1} << 30;
constexpr size_t kPage = 4096;
constexpr int kMost = 1024;

struct Block {
  void* start;
  size_t size;
};
Block blocks[kMost];
std::atomic<int> held{0};
std::mutex guard;

void* Take(size_t size) {
  std::lock_guard<std::mutex> lock(guard);
  for (Block& block : blocks) {
    if (block.start != nullptr) continue;
    void* start = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) break;
    block = {start, size};
    ++held;
    return start;
  }
  errno = ENOMEM;
  return nullptr;
}

/** The size of a block that `Take` gave out; 0 for every other. */
size_t SizeOf(void* start) {
  if (held == 0 || start == nullptr || reinterpret_cast<uintptr_t>(start) % kPage != 0) return 0;
  std::lock_guard<std::mutex> lock(guard);
  for (const Block& block : blocks) {
    if (block.start == start) return block.size;
  }
  return 0;
}

bool Give(void* start) {
  if (SizeOf(start) == 0) return false;
  std::lock_guard<std::mutex> lock(guard);
  for (Block& block : blocks) {
    if (block.start != start) continue;
    munmap(start, block.size);
    block = {nullptr, 0};
    --held;
  }
  return true;
}

void* Malloc(size_t size) { return size < kLarge ? malloc(size) : Take(size); }

void* Calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes < kLarge) return calloc(count, size);
  return Take(bytes);
}

void Free(void* start) {
  if (!Give(start)) free(start);
}

void* Realloc(void* start, size_t size) {
  const size_t before = SizeOf(start);
  if (before == 0 && size < kLarge) return realloc(start, size);
  const size_t kept = before != 0 ? before : start == nullptr ? 0 : malloc_usable_size(start);
  void* moved = Malloc(size);
  if (moved == nullptr) return nullptr;
  memcpy(moved, start, kept < size ? kept : size);
  Free(start);
  return moved;
}

int PosixMemalign(void** result, size_t alignment, size_t size) {
  if (size < kLarge || alignment > kPage) return posix_memalign(result, alignment, size);
  void* start = Take(size);
  if (start == nullptr) return ENOMEM;
  *result = start;
  return 0;
}

void* AlignedAlloc(size_t alignment, size_t size) {
  return size < kLarge || alignment > kPage ? aligned_alloc(alignment, size) : Take(size);
}

std::vector<replacing::Replacement> replacements = {
    {"malloc", reinterpret_cast<void*>(Malloc), 0, 0},
    {"calloc", reinterpret_cast<void*>(Calloc), 0, 0},
    {"realloc", reinterpret_cast<void*>(Realloc), 0, 0},
    {"free", reinterpret_cast<void*>(Free), 0, 0},
    {"posix_memalign", reinterpret_cast<void*>(PosixMemalign), 0, 0},
    {"aligned_alloc", reinterpret_cast<void*>(AlignedAlloc), 0, 0},
    {"memalign", reinterpret_cast<void*>(AlignedAlloc), 0, 0},
};

}  // namespace

/** Exports `places`: in how many places the functions were put. */
NAPI_MODULE_INIT() {
  replacing::ReplaceFunctions("/libtensorflow_", replacements);
  int places = 0;
  for (const replacing::Replacement& replacement : replacements) places += replacement.places;
  napi_value value;
  napi_create_int32(env, places, &value);
  napi_set_named_property(env, exports, "places", value);
  return exports;
}
