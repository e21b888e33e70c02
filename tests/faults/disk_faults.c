/*
 * Loaded into a server by LD_PRELOAD: fails reads and writes of files below DISK_FAULTS_FOLDER as a broken disk does.
 * The file DISK_FAULTS holds the fault: "<errno of reads> <errno of writes>"; 0 means none.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int faults(int fd, int isWrite) {
  char link[64], path[4096], text[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  const char *folder = getenv("DISK_FAULTS_FOLDER"), *control = getenv("DISK_FAULTS");
  if (!folder || !control || strncmp(path, folder, strlen(folder)) != 0) return 0;
  int file = open(control, O_RDONLY);
  if (file < 0) return 0;
  /* By number, because the function is replaced below. */
  length = syscall(SYS_read, file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  int reads = 0, writes = 0;
  if (sscanf(text, "%d %d", &reads, &writes) != 2) return 0;
  return isWrite ? writes : reads;
}

#define FAIL_OR(isWrite, type, name, ...) \
  int error = faults(fd, isWrite);        \
  if (error) {                            \
    errno = error;                        \
    return -1;                            \
  }                                       \
  return ((type)dlsym(RTLD_NEXT, name))(__VA_ARGS__)

ssize_t read(int fd, void *bytes, size_t count) {
  FAIL_OR(0, ssize_t (*)(int, void *, size_t), "read", fd, bytes, count);
}

ssize_t pread64(int fd, void *bytes, size_t count, off64_t at) {
  FAIL_OR(0, ssize_t (*)(int, void *, size_t, off64_t), "pread64", fd, bytes, count, at);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  FAIL_OR(1, ssize_t (*)(int, const void *, size_t), "write", fd, bytes, count);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  FAIL_OR(1, ssize_t (*)(int, const void *, size_t, off64_t), "pwrite64", fd, bytes, count, at);
}

int ftruncate64(int fd, off64_t length) {
  FAIL_OR(1, int (*)(int, off64_t), "ftruncate64", fd, length);
}

int fsync(int fd) {
  FAIL_OR(1, int (*)(int), "fsync", fd);
}

int fdatasync(int fd) {
  FAIL_OR(1, int (*)(int), "fdatasync", fd);
}
