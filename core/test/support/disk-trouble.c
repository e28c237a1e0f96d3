/*
 * A library to preload (LD_PRELOAD): while the driver wants it, calls on the files of one queue fail.
 *
 *   DISK_TROUBLE_QUEUE    the path of the queue; what begins with it ("-wal" too) has trouble, "-shm" has none
 *   DISK_TROUBLE_CONTROL  a file of two numbers (uint32, in the machine's order) that the driver writes at any time: which
 *                         troubles there are (the sum of enum trouble), and that one call in so many has it (0: none)
 */
#include "../../sqlite/test/support/preload.h"
#include <sys/mman.h>

enum trouble { WRITE_EIO = 1, WRITE_ENOSPC = 2, WRITE_SHORT = 4, SYNC_EIO = 8, READ_EIO = 16, TRUNCATE_EIO = 32 };

static unsigned char troubled[MAX_FD];
static const char *queue;
static volatile uint32_t *control;
static __thread unsigned int seed;

static ssize_t (*real_pread)(int, void *, size_t, off_t);

__attribute__((constructor)) static void start(void) {
  find_real();
  FIND(pread);
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

ssize_t pread(int fd, void *data, size_t length, off_t offset) {
  return has(fd, READ_EIO) ? failed(EIO) : real_pread(fd, data, length, offset);
}

ssize_t pread64(int fd, void *data, size_t length, off_t offset) __attribute__((alias("pread")));

int ftruncate(int fd, off_t length) { return has(fd, TRUNCATE_EIO) ? failed(EIO) : real_ftruncate(fd, length); }

int fsync(int fd) { return has(fd, SYNC_EIO) ? failed(EIO) : real_fsync(fd); }

int fdatasync(int fd) { return has(fd, SYNC_EIO) ? failed(EIO) : real_fdatasync(fd); }
