/*
 * What a library to preload (LD_PRELOAD) shares with every other: the C library's own functions, and the ways in which a program
 * opens a file. A source that includes this defines `opened`, and calls `find_real` first of all.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* File descriptors below this one are told apart. */
#define MAX_FD 65536

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

#define FIND(name) real_##name = dlsym(RTLD_NEXT, #name)

static void find_real(void) {
  FIND(open);
  FIND(close);
  FIND(write);
  FIND(pwrite);
  FIND(ftruncate);
  FIND(fsync);
  FIND(fdatasync);
}

static int opened(const char *path, int flags, mode_t mode);

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened(path, flags, mode);
}

/* On a 64-bit system the two names of each function are the same. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
ssize_t pwrite64(int fd, const void *data, size_t length, off_t offset) __attribute__((alias("pwrite")));
int ftruncate64(int fd, off_t length) __attribute__((alias("ftruncate")));
