/*
 * A library to preload (LD_PRELOAD): while the driver wants it, calls on the files of one queue fail.
 *
 *   DISK_TROUBLE_QUEUE    the path of the queue; what begins with it ("-wal" too) has trouble, "-shm" has none
 *   DISK_TROUBLE_CONTROL  a file of two numbers (uint32, in the machine's order) that the driver writes at any time: which
 *                         troubles there are (the sum of enum trouble), and that one call in so many has it (0: none)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum trouble { WRITE_EIO = 1, WRITE_ENOSPC = 2, WRITE_SHORT = 4, SYNC_EIO = 8, READ_EIO = 16, TRUNCATE_EIO = 32 };

#define MAX_FD 65536
static unsigned char troubled[MAX_FD];
static const char *queue;
static volatile uint32_t *control;
static __thread unsigned int seed;

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

__attribute__((constructor)) static void start(void) {
  real_open = dlsym(RTLD_NEXT, "open");
  real_close = dlsym(RTLD_NEXT, "close");
  real_write = dlsym(RTLD_NEXT, "write");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite");
  real_pread = dlsym(RTLD_NEXT, "pread");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  queue = getenv("DISK_TROUBLE_QUEUE");
  const char *path = getenv("DISK_TROUBLE_CONTROL");
  if (queue == NULL || path == NULL) return;
  int fd = real_open(path, O_RDONLY | O_CLOEXEC);
  void *memory = fd < 0 ? MAP_FAILED : mmap(NULL, 8, PROT_READ, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) abort();
  real_close(fd);
  control = memory;
}

/* Whether this call has this trouble. */
static int has(int fd, enum trouble trouble) {
  if (control == NULL || fd < 0 || fd >= MAX_FD || !troubled[fd]) return 0;
  uint32_t one_in = control[1];
  if (one_in == 0 || (control[0] & trouble) == 0) return 0;
  if (seed == 0) seed = (unsigned int)getpid() ^ (unsigned int)(uintptr_t)&seed;
  return (uint32_t)rand_r(&seed) % one_in == 0;
}

static int failed(int error) {
  errno = error;
  return -1;
}

static int opened(const char *path, int flags, mode_t mode) {
  int fd = real_open(path, flags, mode);
  if (fd < 0 || fd >= MAX_FD || queue == NULL) return fd;
  size_t length = strlen(queue);
  troubled[fd] = path != NULL && strncmp(path, queue, length) == 0 && strcmp(path + length, "-shm") != 0;
  return fd;
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int close(int fd) {
  if (fd >= 0 && fd < MAX_FD) troubled[fd] = 0;
  return real_close(fd);
}

ssize_t write(int fd, const void *data, size_t length) {
  if (has(fd, WRITE_EIO)) return failed(EIO);
  if (has(fd, WRITE_ENOSPC)) return failed(ENOSPC);
  if (length > 1 && has(fd, WRITE_SHORT)) length /= 2;
  return real_write(fd, data, length);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
  if (has(fd, WRITE_EIO)) return failed(EIO);
  if (has(fd, WRITE_ENOSPC)) return failed(ENOSPC);
  if (length > 1 && has(fd, WRITE_SHORT)) length /= 2;
  return real_pwrite(fd, data, length, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off_t offset) __attribute__((alias("pwrite")));

ssize_t pread(int fd, void *data, size_t length, off_t offset) {
  return has(fd, READ_EIO) ? failed(EIO) : real_pread(fd, data, length, offset);
}

ssize_t pread64(int fd, void *data, size_t length, off_t offset) __attribute__((alias("pread")));

int ftruncate(int fd, off_t length) { return has(fd, TRUNCATE_EIO) ? failed(EIO) : real_ftruncate(fd, length); }

int ftruncate64(int fd, off_t length) __attribute__((alias("ftruncate")));

int fsync(int fd) { return has(fd, SYNC_EIO) ? failed(EIO) : real_fsync(fd); }

int fdatasync(int fd) { return has(fd, SYNC_EIO) ? failed(EIO) : real_fdatasync(fd); }
