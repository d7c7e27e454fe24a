/**
 * What has been freed goes back to the system while a process grows. Where XLA compiles a function, in several threads, glibc keeps
 * what they free: half a gigabyte and more for thirty layers, in no use just when the function first runs and its own arrays
 * come to it. Compiling and that run are one call of TensorFlow's, so another thread checks how much the process has.
 *
 * It asks for no memory itself: glibc would give it a store of its own.
 */
#include <cstdlib>

#ifdef __GLIBC__
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr long kGrowth = 64L << 20;
constexpr timespec kPause = {0, 250'000'000};

/** Resident bytes: the second number of statm is pages. */
long Resident(int statm, long page) {
  char text[128];
  const ssize_t length = pread(statm, text, sizeof text - 1, 0);
  if (length <= 0) return 0;
  text[length] = '\0';
  char* rest = nullptr;
  std::strtol(text, &rest, 10);
  return std::strtol(rest, nullptr, 10) * page;
}

void* GiveBack(void*) {
  const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (statm < 0) return nullptr;
  const long page = sysconf(_SC_PAGESIZE);
  for (long least = Resident(statm, page);;) {
    nanosleep(&kPause, nullptr);
    const long now = Resident(statm, page);
    if (now > least + kGrowth) {
      malloc_trim(0);
      least = Resident(statm, page);
    } else if (now < least) {
      least = now;
    }
  }
}

__attribute__((constructor)) void Begin() {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, GiveBack, nullptr) == 0) pthread_detach(thread);
}

}  // namespace
#endif
