#include "name.h"

#include <limits.h>
#include <string.h>

enum { DELETE = 0x7f };

static bool name_is_dots(const char *name, size_t length)
{
    return (length == 1 && name[0] == '.') || (length == 2 && name[0] == '.' && name[1] == '.');
}

bool name_carries(unsigned char byte)
{
    return byte >= ' ' && byte != DELETE;
}

enum reason name_check(const char *name, size_t length, struct fault *fault)
{
    char shown[NAME_LONGEST + 1];
    size_t cut = length < NAME_LONGEST ? length : NAME_LONGEST;
    memcpy(shown, name, cut);
    shown[cut] = '\0';
    if (length == 0)
        return fault_set(fault, REASON_BAD_NAME, NULL, "an empty name");
    if (length > NAME_LONGEST)
        return fault_set(fault, REASON_BAD_NAME, shown, "%zu bytes, limit %d", length, NAME_LONGEST);
    if (name_is_dots(name, length))
        return fault_set(fault, REASON_BAD_NAME, shown, "names a directory");
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)name[i];
        if (byte == '/')
            return fault_set(fault, REASON_BAD_NAME, shown, "a name holds no /");
        if (!name_carries(byte))
            return fault_set(fault, REASON_BAD_NAME, shown, "a control byte");
    }
    return REASON_OK;
}

enum reason name_split(const char *path, const char **last, struct fault *fault)
{
    size_t length = strlen(path);
    if (length >= PATH_MAX)
        return fault_set(fault, REASON_BAD_NAME, path, "%zu bytes, limit %d", length, PATH_MAX - 1);
    const char *slash = strrchr(path, '/');
    *last = slash ? slash + 1 : path;
    size_t rest = length - (size_t)(*last - path);
    if (rest == 0 || name_is_dots(*last, rest))
        return fault_set(fault, REASON_BAD_NAME, path, "names a directory");
    if (rest > NAME_LONGEST)
        return fault_set(fault, REASON_BAD_NAME, path, "a name of %zu bytes, limit %d", rest, NAME_LONGEST);
    return REASON_OK;
}

bool name_climbs(const char *path)
{
    while (*path) {
        size_t length = strcspn(path, "/");
        if (length == 2 && memcmp(path, "..", length) == 0)
            return true;
        path += length;
        path += strspn(path, "/");
    }
    return false;
}
