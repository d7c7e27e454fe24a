/* The program at the front of an AppImage: it mounts the file system that follows it in the same file, starts AppRun in it, and
 * unmounts when nobody uses it any more. Where nothing can be mounted it unpacks once into the cache folder and starts that.
 *
 * Linked statically (appimage.mjs) with Debian's squashfuse and fuse3, so that it starts on every x86-64 Linux. Mounting as an
 * ordinary user goes through the system's fusermount3. Options are those that people know of AppImages:
 *   --appimage-extract           unpacks into ./squashfs-root
 *   --appimage-extract-and-run   as where nothing can be mounted
 *   --appimage-mount             mounts, says where, and waits to be ended
 *   --appimage-offset            says where the file system begins
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <squashfuse/ll.h>
#include <squashfuse/squashfuse.h>

/* Of squashfuse, in its library and in none of its headers. */
sqfs_err sqfs_stat(sqfs *fs, sqfs_inode *inode, struct stat *about);

/* Ways of compressing that squashfuse knows and no image of ours uses: their libraries are left out, one of them for its licence. */
int lzo1x_decompress_safe(void) { return -1; }
int LZ4_decompress_safe(void) { return -1; }
int lzma_stream_buffer_decode(void) { return 11; }

/* Of 256 KiB each (appimage.mjs): 16 MB of data, and as much of what is small. */
#define BLOCKS_KEPT 64

static char self[PATH_MAX];
static volatile pid_t app_pid = 0;
static volatile sig_atomic_t ended_from_outside = 0;

static void die(const char *what) {
  fprintf(stderr, "Verisim: %s: %s\n", what, strerror(errno));
  exit(1);
}

/* Where this program ends in its file: behind the table of sections, which is last. */
static size_t end_of_program(void) {
  Elf64_Ehdr header;
  int file = open(self, O_RDONLY | O_CLOEXEC);
  if (file < 0 || read(file, &header, sizeof header) != (ssize_t)sizeof header) die(self);
  close(file);
  return header.e_shoff + (size_t)header.e_shentsize * header.e_shnum;
}

/* One regular file out of the file system. */
static bool write_file(sqfs *fs, sqfs_inode *inode, const char *path, mode_t mode) {
  static char block[1 << 20];
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file < 0) return false;
  sqfs_off_t done = 0;
  for (;;) {
    sqfs_off_t size = sizeof block;
    if (sqfs_read_range(fs, inode, done, &size, block) != SQFS_OK) break;
    if (size == 0) return close(file) == 0;
    for (sqfs_off_t at = 0; at < size;) {
      ssize_t written = write(file, block + at, (size_t)(size - at));
      if (written < 0) { close(file); return false; }
      at += written;
    }
    done += size;
  }
  close(file);
  errno = EIO;
  return false;
}

/* Everything of the file system, with modes and times. */
static bool unpack(size_t offset, const char *target) {
  sqfs fs;
  sqfs_traverse walk;
  sqfs_err error = sqfs_open_image(&fs, self, offset);
  if (error != SQFS_OK) { errno = EIO; return false; }
  if (mkdir(target, 0755) != 0 && errno != EEXIST) return false;
  if (sqfs_traverse_open(&walk, &fs, sqfs_inode_root(&fs)) != SQFS_OK) { errno = EIO; return false; }
  while (sqfs_traverse_next(&walk, &error)) {
    if (walk.dir_end) continue;
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", target, walk.path) >= (int)sizeof path) { errno = ENAMETOOLONG; return false; }
    sqfs_inode inode;
    struct stat about;
    if (sqfs_inode_get(&fs, &inode, sqfs_dentry_inode(&walk.entry)) != SQFS_OK) { errno = EIO; return false; }
    if (sqfs_stat(&fs, &inode, &about) != SQFS_OK) { errno = EIO; return false; }
    struct timespec times[2] = {{.tv_sec = about.st_mtime}, {.tv_sec = about.st_mtime}};
    if (S_ISDIR(about.st_mode)) {
      if (mkdir(path, 0755) != 0 && errno != EEXIST) return false;
    } else if (S_ISLNK(about.st_mode)) {
      char to[PATH_MAX];
      size_t size = sizeof to;
      if (sqfs_readlink(&fs, &inode, to, &size) != SQFS_OK) { errno = EIO; return false; }
      unlink(path);
      if (symlink(to, path) != 0) return false;
    } else if (S_ISREG(about.st_mode)) {
      if (!write_file(&fs, &inode, path, about.st_mode & 0755)) return false;
      utimensat(AT_FDCWD, path, times, 0);
    }
  }
  sqfs_traverse_close(&walk);
  sqfs_destroy(&fs);
  if (error != SQFS_OK) { errno = EIO; return false; }
  return true;
}


static void start(const char *folder, char **arguments) {
  char program[PATH_MAX], here[PATH_MAX];
  snprintf(program, sizeof program, "%s/AppRun", folder);
  setenv("APPDIR", folder, 1);
  setenv("APPIMAGE", self, 1);
  setenv("ARGV0", arguments[0], 1);
  if (getcwd(here, sizeof here)) setenv("OWD", here, 1);
  execv(program, arguments);
  die(program);
}

/* Unpacked once for each version, whole or not there. */
static void run_unpacked(size_t offset, char **arguments) {
  char base[PATH_MAX - 300], folder[PATH_MAX - 200], fresh[PATH_MAX - 100];
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache && cache[0] == '/') snprintf(base, sizeof base, "%s", cache);
  else snprintf(base, sizeof base, "%s/.cache", home ? home : "/tmp");
  mkdir(base, 0700);
  strncat(base, "/verisim", sizeof base - strlen(base) - 1);
  mkdir(base, 0755);
  sqfs fs;
  if (sqfs_open_image(&fs, self, offset) != SQFS_OK) { errno = EIO; die(self); }
  snprintf(folder, sizeof folder, "%s/unpacked-%x-%llx", base, (unsigned)fs.sb.mkfs_time, (unsigned long long)fs.sb.bytes_used);
  sqfs_destroy(&fs);
  if (access(folder, X_OK) != 0) {
    fprintf(stderr, "Verisim: unpacking into %s (once, about 1 GB).\n", folder);
    snprintf(fresh, sizeof fresh, "%s.%d", folder, (int)getpid());
    if (!unpack(offset, fresh)) die("cannot unpack");
    if (rename(fresh, folder) != 0 && access(folder, X_OK) != 0) die(folder);
  }
  start(folder, arguments);
}

static void *serve(void *session) {
  fuse_session_loop(session);
  return NULL;
}

/* Not while somebody still uses it: a trainer that stops with a checkpoint reads its libraries to the end. */
static bool unmount_if_unused(const char *folder) {
  if (umount2(folder, UMOUNT_NOFOLLOW) == 0) return true;
  if (errno == EINVAL || errno == ENOENT) return true;
  pid_t helper = fork();
  if (helper == 0) {
    int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 2);
    execlp("fusermount3", "fusermount3", "-u", "-q", folder, NULL);
    execlp("fusermount", "fusermount", "-u", "-q", folder, NULL);
    _exit(127);
  }
  int status = 1;
  while (waitpid(helper, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void pass_on(int signal_number) {
  ended_from_outside = 1;
  if (app_pid > 0) kill(app_pid, signal_number);
}

/* The library keeps one unpacked block, and the kernel asks for less than one at a time, here and there in the program that starts:
   what was just unpacked would be unpacked again and again. */
static void remember_blocks(sqfs *fs) {
  sqfs_cache more;
  if (sqfs_block_cache_init(&more, BLOCKS_KEPT) == SQFS_OK) {
    sqfs_cache_destroy(&fs->data_cache);
    fs->data_cache = more;
  }
  if (sqfs_block_cache_init(&more, BLOCKS_KEPT) == SQFS_OK) {
    sqfs_cache_destroy(&fs->frag_cache);
    fs->frag_cache = more;
  }
}

static int run_mounted(size_t offset, char **arguments, bool only_mount) {
  const char *base = getenv("TMPDIR");
  char folder[PATH_MAX], source[PATH_MAX + 16];
  snprintf(folder, sizeof folder, "%s/.mount_VerisimXXXXXX", base && base[0] == '/' ? base : "/tmp");
  if (!mkdtemp(folder)) return -1;
  sqfs_ll *image = calloc(1, sizeof *image);
  if (sqfs_open_image(&image->fs, self, offset) != SQFS_OK || sqfs_ll_init(image) != SQFS_OK) { errno = EIO; die(self); }
  remember_blocks(&image->fs);
  struct fuse_lowlevel_ops operations = {
    .getattr = sqfs_ll_op_getattr, .opendir = sqfs_ll_op_opendir, .releasedir = sqfs_ll_op_releasedir,
    .readdir = sqfs_ll_op_readdir, .lookup = sqfs_ll_op_lookup, .open = sqfs_ll_op_open, .create = sqfs_ll_op_create,
    .release = sqfs_ll_op_release, .read = sqfs_ll_op_read, .readlink = sqfs_ll_op_readlink, .forget = sqfs_ll_op_forget,
    .statfs = stfs_ll_op_statfs,
  };
  snprintf(source, sizeof source, "-oro,nodev,fsname=Verisim,subtype=appimage");
  char *given[] = {"verisim", source, NULL};
  struct fuse_args options = FUSE_ARGS_INIT(2, given);
  sqfs_ll_chan channel;
  /* What the library says when there is no FUSE is said below in words of our own. */
  int errors = dup(2), nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nothing, 2);
  sqfs_err mounted = sqfs_ll_mount(&channel, folder, &options, &operations, sizeof operations, image);
  dup2(errors, 2);
  close(errors);
  close(nothing);
  if (mounted != SQFS_OK) {
    rmdir(folder);
    return -1;
  }
  struct sigaction passing = {.sa_handler = pass_on}, ignoring = {.sa_handler = SIG_IGN};
  sigaction(SIGTERM, &passing, NULL);
  sigaction(SIGHUP, &passing, NULL);
  sigaction(SIGINT, only_mount ? &passing : &ignoring, NULL);
  pthread_t server;
  if (pthread_create(&server, NULL, serve, channel.session) != 0) die("no thread");
  int status = 0;
  if (only_mount) {
    printf("%s\n", folder);
    fflush(stdout);
    while (!ended_from_outside) pause();
  } else {
    app_pid = fork();
    if (app_pid == 0) {
      signal(SIGINT, SIG_DFL);
      signal(SIGTERM, SIG_DFL);
      signal(SIGHUP, SIG_DFL);
      start(folder, arguments);
    }
    while (waitpid(app_pid, &status, 0) < 0 && errno == EINTR) {}
    app_pid = 0;
  }
  for (useconds_t pause_for = 50000; !unmount_if_unused(folder); usleep(pause_for)) {
    if (pause_for < 1000000) pause_for *= 2;
  }
  rmdir(folder);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **arguments) {
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) die("/proc/self/exe");
  size_t offset = end_of_program();
  const char *option = count > 1 ? arguments[1] : "";
  if (strcmp(option, "--appimage-offset") == 0) {
    printf("%zu\n", offset);
    return 0;
  }
  if (strcmp(option, "--appimage-extract") == 0) {
    if (!unpack(offset, "squashfs-root")) die("cannot unpack");
    return 0;
  }
  bool only_mount = strcmp(option, "--appimage-mount") == 0;
  bool unpacked = strcmp(option, "--appimage-extract-and-run") == 0;
  if (unpacked) {
    for (int i = 1; i < count; i++) arguments[i] = arguments[i + 1];
  }
  if (unpacked || getenv("APPIMAGE_EXTRACT_AND_RUN")) run_unpacked(offset, arguments);
  int code = run_mounted(offset, arguments, only_mount);
  if (code >= 0) return code;
  if (only_mount) die("cannot mount (is fusermount3 there?)");
  run_unpacked(offset, arguments);
}
