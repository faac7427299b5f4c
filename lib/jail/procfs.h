/*
 * procfs: what files of /proc say. Pure: no system calls. proc(5), proc_pid_stat(5), proc_pid_mountinfo(5).
 */
#ifndef SBX_JAIL_PROCFS_H
#define SBX_JAIL_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct procfs_stat {
    pid_t pid, parent;
    char state;                 /* R, S, D, Z and so on */
    unsigned long long started; /* in clock ticks after boot: tells two processes of one pid apart */
};

/* Reads a line of /proc/PID/stat, length bytes; false for one that is no such line. */
bool procfs_read_stat(const char *line, size_t length, struct procfs_stat *stat);

/*
 * Whether a second proc, mounted on /proc, would show nothing that the first one does not: false where parts of /proc
 * are mounted over, as a container engine does, where it is read-only, hides something by its options, or is not there.
 * text is /proc/self/mountinfo; it ends with a NUL.
 */
bool procfs_hides_nothing(const char *text);

#endif
