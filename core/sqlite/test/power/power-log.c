/*
 * A library to preload (LD_PRELOAD): logs in one order what a process does to the files of one queue, so that a test can build
 * every state that a power loss could have left.
 *
 *   POWER_LOG_QUEUE  the queue's file; its "-wal" and "-journal" are logged too
 *   POWER_LOG_TO     the log, which several processes may share
 *
 * Logged: the creation (also by a link to an empty file), writes (with their data), truncations, syncs, renames and unlinks of
 * these files, and the syncs of their folder. What is written to "<POWER_LOG_QUEUE>-mark" goes into the log only. The file "-shm" is shared memory, which a
 * power loss clears. A sync is answered without waiting for the disk: the log decides what is durable.
 *
 * A call and its record are made under one lock of all threads and processes, so the order of the records is the order of the
 * calls. power-log.ts reads the records.
 */
#include "../support/preload.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>

enum kind { CREATED = 1, WRITTEN, TRUNCATED, SYNCED, UNLINKED, RENAMED, MARKED };
enum name { NONE = 0, QUEUE, WAL, JOURNAL, MARK, FOLDER };

struct record {
  uint32_t kind;
  uint32_t name;
  uint32_t pid;
  uint32_t length; /* of the data that follows */
  uint64_t inode;
  uint64_t offset; /* of a write; the size after a truncation; the new name after a rename */
};

static unsigned char names[MAX_FD];
static uint64_t inodes[MAX_FD];

static char queue_path[4096];
static char folder_path[4096];
static int log_fd = -1;
static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;

static int (*real_unlink)(const char *);
static int (*real_rename)(const char *, const char *);
static int (*real_link)(const char *, const char *);

static void fail(const char *what) {
  dprintf(2, "power-log: %s: %s\n", what, strerror(errno));
  abort();
}

__attribute__((constructor)) static void start(void) {
  find_real();
  FIND(unlink);
  FIND(rename);
  FIND(link);
  const char *queue = getenv("POWER_LOG_QUEUE");
  const char *to = getenv("POWER_LOG_TO");
  if (queue == NULL || to == NULL) return;
  snprintf(queue_path, sizeof queue_path, "%s", queue);
  snprintf(folder_path, sizeof folder_path, "%s", queue);
  char *slash = strrchr(folder_path, '/');
  if (slash == NULL) fail("POWER_LOG_QUEUE must be an absolute path");
  *slash = 0;
  log_fd = real_open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log_fd < 0) fail(to);
}

static enum name name_of(const char *path) {
  if (log_fd < 0 || path == NULL) return NONE;
  size_t length = strlen(queue_path);
  if (strncmp(path, queue_path, length) == 0) {
    const char *rest = path + length;
    if (*rest == 0) return QUEUE;
    if (strcmp(rest, "-wal") == 0) return WAL;
    if (strcmp(rest, "-journal") == 0) return JOURNAL;
    if (strcmp(rest, "-mark") == 0) return MARK;
    return NONE;
  }
  return strcmp(path, folder_path) == 0 ? FOLDER : NONE;
}

static enum name name_of_fd(int fd) { return fd >= 0 && fd < MAX_FD ? names[fd] : NONE; }

static void lock(void) {
  pthread_mutex_lock(&threads);
  while (flock(log_fd, LOCK_EX) != 0)
    if (errno != EINTR) fail("flock");
}

static void unlock(void) {
  int saved = errno;
  flock(log_fd, LOCK_UN);
  pthread_mutex_unlock(&threads);
  errno = saved;
}

/* Called under the lock. */
static void append(enum kind kind, enum name name, uint64_t inode, uint64_t offset, const void *data, size_t length) {
  struct record record = {kind, name, (uint32_t)getpid(), (uint32_t)length, inode, offset};
  struct iovec parts[2] = {{&record, sizeof record}, {(void *)data, length}};
  int saved = errno;
  if (writev(log_fd, parts, length > 0 ? 2 : 1) != (ssize_t)(sizeof record + length)) fail("the log is incomplete");
  errno = saved;
}

static int opened(const char *path, int flags, mode_t mode) {
  enum name name = name_of(path);
  if (name == NONE) {
    int fd = real_open(path, flags, mode);
    if (fd >= 0 && fd < MAX_FD) names[fd] = NONE;
    return fd;
  }
  lock();
  struct stat before, after;
  int existed = stat(path, &before) == 0;
  int fd = real_open(path, flags, mode);
  if (fd >= MAX_FD) fail("a file descriptor is too large");
  if (fd >= 0) {
    if (fstat(fd, &after) != 0) fail("fstat");
    names[fd] = name;
    inodes[fd] = after.st_ino;
    if (!existed && name != MARK) append(CREATED, name, after.st_ino, 0, NULL, 0);
    if (existed && (flags & O_TRUNC) && name != MARK) append(TRUNCATED, name, after.st_ino, 0, NULL, 0);
  }
  unlock();
  return fd;
}

int close(int fd) {
  if (fd >= 0 && fd < MAX_FD) names[fd] = NONE;
  return real_close(fd);
}

ssize_t write(int fd, const void *data, size_t length) {
  enum name name = name_of_fd(fd);
  if (name == NONE || name == FOLDER) return real_write(fd, data, length);
  lock();
  ssize_t done = (ssize_t)length;
  if (name == MARK) append(MARKED, MARK, 0, 0, data, length);
  else {
    off_t offset = lseek(fd, 0, SEEK_CUR);
    done = real_write(fd, data, length);
    if (done > 0) append(WRITTEN, name, inodes[fd], offset, data, done);
  }
  unlock();
  return done;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
  enum name name = name_of_fd(fd);
  if (name == NONE) return real_pwrite(fd, data, length, offset);
  lock();
  ssize_t done = real_pwrite(fd, data, length, offset);
  if (done > 0) append(WRITTEN, name, inodes[fd], offset, data, done);
  unlock();
  return done;
}

int ftruncate(int fd, off_t size) {
  enum name name = name_of_fd(fd);
  if (name == NONE) return real_ftruncate(fd, size);
  lock();
  int result = real_ftruncate(fd, size);
  if (result == 0) append(TRUNCATED, name, inodes[fd], size, NULL, 0);
  unlock();
  return result;
}

static int synced(int fd, int (*real)(int)) {
  enum name name = name_of_fd(fd);
  if (name == NONE || name == MARK) return real(fd);
  lock();
  append(SYNCED, name, inodes[fd], 0, NULL, 0);
  unlock();
  return 0;
}

int fsync(int fd) { return synced(fd, real_fsync); }

int fdatasync(int fd) { return synced(fd, real_fdatasync); }

int unlink(const char *path) {
  enum name name = name_of(path);
  if (name == NONE || name == MARK) return real_unlink(path);
  lock();
  int result = real_unlink(path);
  if (result == 0) append(UNLINKED, name, 0, 0, NULL, 0);
  unlock();
  return result;
}

int link(const char *from, const char *to) {
  enum name name = name_of(to);
  if (name == NONE) return real_link(from, to);
  lock();
  struct stat after;
  int result = real_link(from, to);
  if (result == 0) {
    if (stat(to, &after) != 0) fail("stat");
    if (after.st_size != 0) fail("a link to a file that is not empty: its bytes are not in the log");
    append(CREATED, name, after.st_ino, 0, NULL, 0);
  }
  unlock();
  return result;
}

int rename(const char *from, const char *to) {
  enum name old_name = name_of(from), new_name = name_of(to);
  if (old_name == NONE && new_name == NONE) return real_rename(from, to);
  lock();
  int result = real_rename(from, to);
  if (result == 0) append(RENAMED, old_name, 0, new_name, NULL, 0);
  unlock();
  return result;
}
