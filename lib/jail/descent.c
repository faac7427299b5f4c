#include "descent.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/kernel.h"
#include "procfs.h"

enum { DESCENT_MOST = 65536, STAT_SIZE = 1024 };

static struct descent_process {
    struct procfs_stat stat;
    bool ours;
} processes[DESCENT_MOST];

bool descent_possible(void)
{
    return access("/proc/self/stat", R_OK) == 0;
}

static bool descent_read(const char *process, struct procfs_stat *stat)
{
    char path[64];
    char line[STAT_SIZE];
    snprintf(path, sizeof path, "/proc/%s/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, line, sizeof line - 1);
    if (file >= 0)
        close(file);
    return length > 0 && procfs_read_stat(line, (size_t)length, stat);
}

static size_t descent_list(void)
{
    DIR *directory = opendir("/proc");
    const struct dirent *entry;
    size_t count = 0;
    while (directory && count < DESCENT_MOST && (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        processes[count].ours = false;
        if (descent_read(entry->d_name, &processes[count].stat))
            count++;
    }
    if (directory)
        closedir(directory);
    return count;
}

static bool descent_is_ours(pid_t parent, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (processes[i].stat.pid == parent)
            return processes[i].ours;
    return false;
}

/* Marks the descendants: children of this process, then theirs, until no pass finds another. */
static void descent_mark(size_t count)
{
    pid_t self = getpid();
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < count; i++) {
            if (processes[i].ours)
                continue;
            pid_t parent = processes[i].stat.parent;
            processes[i].ours = parent == self || descent_is_ours(parent, count);
            found |= processes[i].ours;
        }
    }
}

static void descent_hit(const struct procfs_stat *stat, int signal)
{
    char name[32];
    struct procfs_stat now;
    int pidfd = kernel_pidfd_open(stat->pid);
    if (pidfd < 0)
        return;
    snprintf(name, sizeof name, "%d", (int)stat->pid);
    if (descent_read(name, &now) && now.started == stat->started)
        kernel_pidfd_signal(pidfd, signal);
    close(pidfd);
}

unsigned descent_signal(int signal)
{
    unsigned alive = 0;
    size_t count = descent_list();
    descent_mark(count);
    for (size_t i = 0; i < count; i++) {
        const struct procfs_stat *stat = &processes[i].stat;
        if (!processes[i].ours || stat->state == 'Z' || stat->state == 'X')
            continue;
        alive++;
        if (signal)
            descent_hit(stat, signal);
    }
    return alive;
}
