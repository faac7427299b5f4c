#include "reason.h"

#include <errno.h>
#include <string.h>

static const struct {
    const char *name;
    int code;
    const char *text;
} table[REASON_COUNT] = {
#define REASON_ROW(constant, name, code, text) [REASON_##constant] = {name, code, text},
    REASON_TABLE(REASON_ROW)
#undef REASON_ROW
};

const char *reason_name(enum reason reason)
{
    return table[reason].name;
}

int reason_code(enum reason reason)
{
    return table[reason].code;
}

const char *reason_text(enum reason reason)
{
    return table[reason].text;
}

enum reason reason_find(const char *name, unsigned long length)
{
    enum reason reason = REASON_OK;
    while (reason < REASON_COUNT &&
           (strlen(table[reason].name) != length || memcmp(table[reason].name, name, length) != 0))
        reason++;
    return reason;
}

enum reason reason_from_errno(int error)
{
    switch (error) {
    case 0:
        return REASON_OK;
    case ENOENT:
    case ENOTDIR:
        return REASON_MISSING;
    case EACCES:
    case EPERM:
        return REASON_PERMISSION_DENIED;
    case ELOOP:
        return REASON_LINK;
    case EISDIR:
        return REASON_NOT_REGULAR;
    case EFBIG:
    case EIO:
    case EPIPE:
    case ECONNRESET:
        return REASON_IO;
    case EXDEV:
        return REASON_ESCAPES;
    case EEXIST:
        return REASON_EXISTS;
    case ENAMETOOLONG:
        return REASON_BAD_NAME;
    case ENOSPC:
    case EDQUOT:
        return REASON_NO_SPACE;
    case EROFS:
        return REASON_READ_ONLY;
    case EBUSY:
    case ETXTBSY:
    case EAGAIN:
        return REASON_BUSY;
    case ENOSYS:
    case EOPNOTSUPP:
        return REASON_UNSUPPORTED;
    default:
        return REASON_SYSTEM;
    }
}
