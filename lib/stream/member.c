#include "member.h"

#include <stdio.h>
#include <string.h>

#include "path/name.h"

/* Checks one component; what the fault names is the whole path. */
static enum reason component_check(const char *component, size_t length, const char *path, struct fault *fault)
{
    if (length == 2 && memcmp(component, "..", length) == 0)
        return fault_set(fault, REASON_ESCAPES, path, "a component \"..\"");
    enum reason reason = name_check(component, length, fault);
    if (reason != REASON_OK)
        snprintf(fault->path, sizeof fault->path, "%s", path);
    return reason;
}

enum reason member_normalize(const char *raw, size_t length, bool directory, char name[static PATH_MAX],
                             struct fault *fault)
{
    /* Until it is found right, name is the name as it came, as much as fits: what a fault shows. */
    size_t shown = length < PATH_MAX ? length : PATH_MAX - 1;
    memcpy(name, raw, shown);
    name[shown] = '\0';

    if (length > 0 && raw[0] == '/')
        return fault_set(fault, REASON_ESCAPES, name, "an absolute name");
    bool root = false;
    if (length >= 2 && raw[0] == '.' && raw[1] == '/') {
        raw += 2;
        length -= 2;
        root = length == 0;
    } else if (length == 1 && raw[0] == '.') {
        length = 0;
        root = true;
    }
    if (root && directory) {
        name[0] = '\0';
        return REASON_OK;
    }
    if (directory && length > 1 && raw[length - 1] == '/')
        length--;
    if (length >= PATH_MAX)
        return fault_set(fault, REASON_BAD_NAME, name, "%zu bytes, limit %d", length, PATH_MAX - 1);

    for (size_t start = 0; start <= length;) {
        const char *slash = memchr(raw + start, '/', length - start);
        size_t end = slash ? (size_t)(slash - raw) : length;
        enum reason reason = component_check(raw + start, end - start, name, fault);
        if (reason != REASON_OK)
            return reason;
        start = end + 1;
    }
    memcpy(name, raw, length);
    name[length] = '\0';
    return REASON_OK;
}

unsigned long member_depth(const char *name)
{
    unsigned long depth = *name != '\0';
    for (; *name != '\0'; name++)
        depth += *name == '/';
    return depth;
}

const char *member_basename(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}
