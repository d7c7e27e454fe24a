/**
 * How it is done: `bind`, `accept4` and `connect`, as TensorFlow's library calls them, are replaced in the tables through
 * which it reaches them (its ELF relocations, as in large-blocks.cc). Nothing of gRPC changes; it only ever sees connections
 * whose other side has answered right:
 *
 *     who accepts  → 16 random bytes a
 *     who connects → 16 random bytes b, HMAC(key, "connects" a b)
 *     who accepts  → HMAC(key, "accepts" a b)
 *
 * A stranger is answered by a thread of his own, which lets go of him after seconds, and gRPC is never told of him. One that
 * is admitted is laid aside, and a connection from here to here wakes gRPC, which is then given the other instead.
 * What members send each other after that is not encrypted: docs/clusters.md. Linux on x64.
 */
#include "collectives-door.h"
#include "replace-functions.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace door {
namespace {

constexpr size_t kNonce = 16;
constexpr size_t kProof = 32;
constexpr int kMilliseconds = 3000;
/** Strangers at once. */
constexpr int kMostAsked = 64;

std::string secret;
in_addr own{};
in_port_t own_port = 0;
std::set<std::pair<uint32_t, uint16_t>> members;

std::mutex guard;
std::set<int> listeners;
std::deque<std::pair<int, sockaddr_in>> admitted;
/** Ports of this process's own connections that only wake gRPC. */
std::set<uint16_t> knocks;
std::atomic<int> asked{0};

uint32_t Rotated(uint32_t x, int bits) { return (x >> bits) | (x << (32 - bits)); }

std::string Sha256(std::string message) {
  static const uint32_t constants[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const uint64_t bits = message.size() * 8;
  message += '\x80';
  while (message.size() % 64 != 56) message += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) message += static_cast<char>(bits >> shift);
  for (size_t block = 0; block < message.size(); block += 64) {
    uint32_t w[64];
    for (int i = 0; i < 16; ++i) {
      const auto* at = reinterpret_cast<const uint8_t*>(message.data() + block + i * 4);
      w[i] = uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3];
    }
    for (int i = 16; i < 64; ++i) {
      const uint32_t s0 = Rotated(w[i - 15], 7) ^ Rotated(w[i - 15], 18) ^ (w[i - 15] >> 3);
      const uint32_t s1 = Rotated(w[i - 2], 17) ^ Rotated(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t v[8];
    std::memcpy(v, h, sizeof(h));
    for (int i = 0; i < 64; ++i) {
      const uint32_t s1 = Rotated(v[4], 6) ^ Rotated(v[4], 11) ^ Rotated(v[4], 25);
      const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
      const uint32_t t1 = v[7] + s1 + choice + constants[i] + w[i];
      const uint32_t s0 = Rotated(v[0], 2) ^ Rotated(v[0], 13) ^ Rotated(v[0], 22);
      const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
      std::memmove(v + 1, v, 7 * sizeof(uint32_t));
      v[4] += t1;
      v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; ++i) h[i] += v[i];
  }
  std::string digest;
  for (uint32_t word : h)
    for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
  return digest;
}

using Clock = std::chrono::steady_clock;

/** Waits until a socket may be read or written. */
bool Ready(int fd, short events, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{fd, events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

bool Send(int fd, const std::string& bytes, Clock::time_point until) {
  for (size_t sent = 0; sent < bytes.size();) {
    if (!Ready(fd, POLLOUT, until)) return false;
    const ssize_t count = send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) sent += static_cast<size_t>(count);
    else if (errno != EAGAIN && errno != EINTR) return false;
  }
  return true;
}

bool Receive(int fd, size_t size, std::string* bytes, Clock::time_point until) {
  bytes->clear();
  while (bytes->size() < size) {
    char buffer[64];
    if (!Ready(fd, POLLIN, until)) return false;
    const ssize_t count = recv(fd, buffer, std::min(sizeof(buffer), size - bytes->size()), MSG_DONTWAIT);
    if (count > 0) bytes->append(buffer, static_cast<size_t>(count));
    else if (count == 0 || (errno != EAGAIN && errno != EINTR)) return false;
  }
  return true;
}

std::string Random() {
  std::string bytes(kNonce, '\0');
  if (getrandom(bytes.data(), kNonce, 0) != static_cast<ssize_t>(kNonce)) abort();
  return bytes;
}

bool Same(const std::string& a, const std::string& b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

/** Whether who has connected knows the key, and is told that this side does. */
bool AnswersRight(int fd, Clock::time_point until) {
  const std::string nonce = Random();
  std::string said;
  if (!Send(fd, nonce, until) || !Receive(fd, kNonce + kProof, &said, until)) return false;
  const std::string both = nonce + said.substr(0, kNonce);
  if (!Same(said.substr(kNonce), Proof(secret, "connects" + both))) return false;
  return Send(fd, Proof(secret, "accepts" + both), until);
}

/** The other side of it. */
bool ProvesItself(int fd, Clock::time_point until) {
  std::string nonce, answer;
  if (!Receive(fd, kNonce, &nonce, until)) return false;
  const std::string mine = Random();
  if (!Send(fd, mine + Proof(secret, "connects" + nonce + mine), until)) return false;
  return Receive(fd, kProof, &answer, until) && Same(answer, Proof(secret, "accepts" + nonce + mine));
}

/** IPv4, also where it is written as IPv6. */
bool AddressOf(const sockaddr* address, sockaddr_in* plain) {
  if (address->sa_family == AF_INET) {
    *plain = *reinterpret_cast<const sockaddr_in*>(address);
    return true;
  }
  if (address->sa_family != AF_INET6) return false;
  const auto* six = reinterpret_cast<const sockaddr_in6*>(address);
  *plain = {};
  plain->sin_family = AF_INET;
  plain->sin_port = six->sin6_port;
  if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) std::memcpy(&plain->sin_addr, six->sin6_addr.s6_addr + 12, 4);
  return IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) || IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr);
}

sockaddr_in6 AsSix(const sockaddr_in& plain) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = plain.sin_port;
  six.sin6_addr.s6_addr[10] = six.sin6_addr.s6_addr[11] = 0xff;
  std::memcpy(six.sin6_addr.s6_addr + 12, &plain.sin_addr, 4);
  return six;
}

/** In place of bind: the server's own port is bound on one address, not on all. */
int Bind(int fd, const sockaddr* address, socklen_t length) {
  sockaddr_in plain;
  if (!AddressOf(address, &plain) || plain.sin_port != own_port) return bind(fd, address, length);
  plain.sin_addr = own;
  const sockaddr_in6 six = AsSix(plain);
  const bool is_six = address->sa_family == AF_INET6;
  const int result = is_six ? bind(fd, reinterpret_cast<const sockaddr*>(&six), sizeof(six))
                            : bind(fd, reinterpret_cast<const sockaddr*>(&plain), sizeof(plain));
  if (result == 0) {
    std::lock_guard<std::mutex> lock(guard);
    listeners.insert(fd);
  }
  return result;
}

/** Makes the listening socket readable: a connection from here to here, known by its port. */
void Knock() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr = own;
  socklen_t length = sizeof(here);
  if (bind(fd, reinterpret_cast<sockaddr*>(&here), length) == 0 &&
      getsockname(fd, reinterpret_cast<sockaddr*>(&here), &length) == 0) {
    {
      std::lock_guard<std::mutex> lock(guard);
      knocks.insert(here.sin_port);
    }
    here.sin_port = own_port;
    connect(fd, reinterpret_cast<sockaddr*>(&here), sizeof(here));
  }
  close(fd);
}

void AskWho(int fd, sockaddr_in from) {
  if (AnswersRight(fd, Clock::now() + std::chrono::milliseconds(kMilliseconds))) {
    {
      std::lock_guard<std::mutex> lock(guard);
      admitted.emplace_back(fd, from);
    }
    Knock();
  } else {
    close(fd);
  }
  --asked;
}

/** The next one that is admitted, where `from` is a knock; −1 otherwise. */
int TakeAdmitted(const sockaddr_in& from, sockaddr_in* who, bool* is_knock) {
  std::lock_guard<std::mutex> lock(guard);
  *is_knock = from.sin_addr.s_addr == own.s_addr && knocks.erase(from.sin_port) > 0;
  if (!*is_knock || admitted.empty()) return -1;
  const auto [fd, address] = admitted.front();
  admitted.pop_front();
  *who = address;
  return fd;
}

/** In place of accept4: only who is admitted. */
int Accept(int fd, sockaddr* address, socklen_t* length, int flags) {
  {
    std::lock_guard<std::mutex> lock(guard);
    if (listeners.count(fd) == 0) return accept4(fd, address, length, flags);
  }
  for (;;) {
    sockaddr_storage storage{};
    socklen_t size = sizeof(storage);
    const int accepted = accept4(fd, reinterpret_cast<sockaddr*>(&storage), &size, flags);
    if (accepted < 0) return -1;
    sockaddr_in from{}, who{};
    AddressOf(reinterpret_cast<sockaddr*>(&storage), &from);
    bool is_knock = false;
    const int member = TakeAdmitted(from, &who, &is_knock);
    if (is_knock) {
      close(accepted);
      if (member < 0) continue;
      const sockaddr_in6 six = AsSix(who);
      const bool is_six = storage.ss_family == AF_INET6;
      const socklen_t whole = is_six ? sizeof(six) : sizeof(who);
      if (address != nullptr && length != nullptr) {
        std::memcpy(address, is_six ? static_cast<const void*>(&six) : &who, std::min(*length, whole));
        *length = whole;
      }
      return member;
    }
    if (++asked > kMostAsked) {
      --asked;
      close(accepted);
    } else {
      std::thread(AskWho, accepted, from).detach();
    }
  }
}

/** In place of connect: to a member only, and only where it proves that it is one. */
int Connect(int fd, const sockaddr* address, socklen_t length) {
  sockaddr_in plain;
  if (!AddressOf(address, &plain) || members.count({plain.sin_addr.s_addr, plain.sin_port}) == 0)
    return connect(fd, address, length);
  const auto until = Clock::now() + std::chrono::milliseconds(kMilliseconds);
  int problem = connect(fd, address, length) == 0 ? 0 : errno;
  if (problem == EINPROGRESS || problem == EAGAIN) {
    problem = ETIMEDOUT;
    socklen_t size = sizeof(problem);
    if (Ready(fd, POLLOUT, until)) getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size);
  }
  if (problem == 0 && !ProvesItself(fd, until)) {
    shutdown(fd, SHUT_RDWR);
    problem = ECONNREFUSED;
  }
  errno = problem;
  return problem == 0 ? 0 : -1;
}

std::vector<replacing::Replacement> replacements = {
    {"bind", reinterpret_cast<void*>(Bind), 0, 0},
    {"accept4", reinterpret_cast<void*>(Accept), 0, 0},
    {"connect", reinterpret_cast<void*>(Connect), 0, 0},
};

}  // namespace

std::string Proof(const std::string& key, const std::string& message) {
  std::string block = key.size() > 64 ? Sha256(key) : key;
  block.resize(64, '\0');
  std::string inner = block, outer = block;
  for (char& each : inner) each ^= 0x36;
  for (char& each : outer) each ^= 0x5c;
  return Sha256(outer + Sha256(inner + message));
}

std::string Guard(const std::string& listen, int port, const std::string& key, const std::vector<std::string>& peers) {
  if (own_port != 0) return "the door is looked after already";
  if (inet_pton(AF_INET, listen.c_str(), &own) != 1 || port < 1 || port > 65535) return "not an address: " + listen;
  if (key.size() < 32) return "a key has 32 bytes";
  for (const std::string& peer : peers) {
    const size_t colon = peer.rfind(':');
    in_addr address{};
    if (colon == std::string::npos || inet_pton(AF_INET, peer.substr(0, colon).c_str(), &address) != 1)
      return "not an address: " + peer;
    members.insert({address.s_addr, htons(static_cast<uint16_t>(std::stoi(peer.substr(colon + 1))))});
  }
  secret = key;
  own_port = htons(static_cast<uint16_t>(port));
  replacing::ReplaceFunctions("/libtensorflow", replacements);
  for (const replacing::Replacement& replacement : replacements) {
    if (replacement.places == 0) return std::string("TensorFlow does not call ") + replacement.name;
    // One call that goes past the door would let strangers in.
    if (replacement.refused > 0)
      return std::string("TensorFlow's calls cannot be led through the door everywhere: ") + replacement.name;
  }
  return "";
}

}  // namespace door
