/**
 * Puts functions into the tables through which libraries that are loaded call others (their ELF relocations), so that these
 * libraries, and no others, call ours instead. Linux on x64.
 */
#pragma once

#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace replacing {

struct Replacement {
  const char* name;
  void* function;
  /** In how many places it was put. */
  int places;
  /** In how many it could not be put, since their table cannot be written to: there the library still calls the other one. */
  int refused;
};

struct Task {
  /** Part of the paths of the libraries that are meant. */
  const char* libraries;
  std::vector<Replacement>& replacements;
};

inline void ReplaceInTable(ElfW(Addr) base, const ElfW(Rela) * table, size_t bytes, const ElfW(Sym) * symbols,
                           const char* names, std::vector<Replacement>& replacements) {
  constexpr size_t kPage = 4096;
  for (size_t i = 0; i < bytes / sizeof(ElfW(Rela)); ++i) {
    const auto type = ELF64_R_TYPE(table[i].r_info);
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) continue;
    const char* name = names + symbols[ELF64_R_SYM(table[i].r_info)].st_name;
    for (Replacement& replacement : replacements) {
      if (strcmp(name, replacement.name) != 0) continue;
      auto** place = reinterpret_cast<void**>(base + table[i].r_offset);
      void* page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(place) / kPage * kPage);
      // The loader has made most of these tables read-only.
      if (mprotect(page, kPage, PROT_READ | PROT_WRITE) != 0) {
        ++replacement.refused;
        continue;
      }
      *place = replacement.function;
      ++replacement.places;
    }
  }
}

inline int ReplaceInLibrary(dl_phdr_info* library, size_t, void* data) {
  auto* task = static_cast<Task*>(data);
  if (strstr(library->dlpi_name, task->libraries) == nullptr) return 0;
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& header = library->dlpi_phdr[i];
    if (header.p_type == PT_DYNAMIC) entry = reinterpret_cast<const ElfW(Dyn)*>(library->dlpi_addr + header.p_vaddr);
  }
  const char* names = nullptr;
  const ElfW(Sym)* symbols = nullptr;
  const ElfW(Rela)* tables[2] = {nullptr, nullptr};
  size_t bytes[2] = {0, 0};
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const auto address = entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(address);
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(address);
    if (entry->d_tag == DT_JMPREL) tables[0] = reinterpret_cast<const ElfW(Rela)*>(address);
    if (entry->d_tag == DT_PLTRELSZ) bytes[0] = entry->d_un.d_val;
    if (entry->d_tag == DT_RELA) tables[1] = reinterpret_cast<const ElfW(Rela)*>(address);
    if (entry->d_tag == DT_RELASZ) bytes[1] = entry->d_un.d_val;
  }
  if (names == nullptr || symbols == nullptr) return 0;
  for (int i = 0; i < 2; ++i) {
    if (tables[i] != nullptr)
      ReplaceInTable(library->dlpi_addr, tables[i], bytes[i], symbols, names, task->replacements);
  }
  return 0;
}

/** In every library that is loaded now and has `libraries` in its path; counts the places. */
inline void ReplaceFunctions(const char* libraries, std::vector<Replacement>& replacements) {
  for (Replacement& replacement : replacements) replacement.places = replacement.refused = 0;
  Task task{libraries, replacements};
  dl_iterate_phdr(ReplaceInLibrary, &task);
}

}  // namespace replacing
