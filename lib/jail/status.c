#include "status.h"

#include <errno.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "path/stage.h"

enum { STATUS_MODE = 0644 /* less the umask */, STATUS_NO_SYNC = -1 };

enum reason status_begin(struct status *status, const char *path, bool trusted, struct fault *fault)
{
    enum reason reason =
        parent_open(NULL, path, trusted ? PARENT_TRUSTED : PARENT_PLAIN, false, &status->parent, fault);
    if (reason != REASON_OK)
        return reason;
    int directory = status->parent.directory;
    if (faccessat(directory, ".", W_OK | X_OK, 0) < 0)
        return fault_errno(fault, path, "faccessat of its directory", errno);
    if (unlinkat(directory, status->parent.name, 0) < 0 && errno != ENOENT)
        return fault_errno(fault, path, "unlinkat", errno);
    status->path = path;
    return REASON_OK;
}

enum reason status_write(const struct status *status, const char *line, size_t length, struct fault *fault)
{
    struct stage stage;
    const struct stage_mode mode = {STATUS_MODE, false};
    const struct stage_rule rule = {false, STATUS_NO_SYNC};
    enum reason reason = stage_begin(&stage, status->parent.directory, mode, status->path, fault);
    if (reason != REASON_OK)
        return reason;
    reason = descriptor_write(stage.descriptor, line, length, status->path, fault);
    if (reason != REASON_OK) {
        stage_discard(&stage);
        return reason;
    }
    return stage_place(&stage, status->parent.name, &rule, status->path, fault);
}
