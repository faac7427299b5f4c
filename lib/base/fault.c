#include "fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fault_path(struct fault *fault, const char *path)
{
    snprintf(fault->path, sizeof fault->path, "%s", path ? path : "");
}

enum reason fault_set(struct fault *fault, enum reason reason, const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->detail, sizeof fault->detail, format, arguments);
    va_end(arguments);
    fault_path(fault, path);
    return fault->reason = reason;
}

enum reason fault_errno(struct fault *fault, const char *path, const char *call, int error)
{
    return fault_set(fault, reason_from_errno(error), path, "%s: %s", call, strerror(error));
}
