#include "member.h"

#include <string.h>

static bool control_is(char byte)
{
    return (unsigned char)byte < 0x20 || byte == 0x7f;
}

static enum reason component_check(const char *component, size_t length, const char *path, struct fault *fault)
{
    if (length == 0)
        return fault_set(fault, REASON_BAD_NAME, path, "an empty component");
    if (length > NAME_MAX)
        return fault_set(fault, REASON_BAD_NAME, path, "a component of %zu bytes, limit %d", length, NAME_MAX);
    if (length == 1 && component[0] == '.')
        return fault_set(fault, REASON_BAD_NAME, path, "a component \".\"");
    if (length == 2 && component[0] == '.' && component[1] == '.')
        return fault_set(fault, REASON_ESCAPES, path, "a component \"..\"");
    for (size_t at = 0; at < length; at++) {
        if (control_is(component[at]))
            return fault_set(fault, REASON_BAD_NAME, path, "a control byte");
    }
    return REASON_OK;
}

enum reason member_normalize(const char *raw, size_t length, bool directory, char name[static PATH_MAX],
                             struct fault *fault)
{
    /* What a fault shows is the name as it came, as much as fits. */
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
    if (directory && length > 1 && raw[length - 1] == '/')
        length--;
    if (root && directory) {
        name[0] = '\0';
        return REASON_OK;
    }
    if (length == 0)
        return fault_set(fault, REASON_BAD_NAME, name, "an empty name");
    if (length >= PATH_MAX)
        return fault_set(fault, REASON_BAD_NAME, name, "a name of %zu bytes, limit %d", length, PATH_MAX - 1);

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
