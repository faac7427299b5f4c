#include "description.h"

#include <string.h>

#include "record.h"

enum {
    GLOBALS_MAX = 16, /* they come without a member that a cap would count */
    MODE_OWNER_EXECUTES = 0100,
};

#define SPARSE "a sparse member: let GNU tar go without --sparse, and bsdtar with --no-read-sparse"

static enum reason corrupt(struct fault *fault, const char *path, const char *what)
{
    return fault_set(fault, REASON_CORRUPT, path, "%s", what);
}

bool description_is(char type)
{
    return type == BLOCK_PAX || type == BLOCK_PAX_GLOBAL || type == BLOCK_LONG_NAME || type == BLOCK_LONG_TARGET;
}

bool description_pending(const struct description *description)
{
    return description->pax || description->has_name || description->has_target;
}

enum reason description_expect(struct description *description, char type, struct fault *fault)
{
    /* GNU tar writes an L and a K for one member. Any other pair is a header about a header. */
    bool long_pair = !description->pax && ((type == BLOCK_LONG_NAME && !description->has_name) ||
                                           (type == BLOCK_LONG_TARGET && !description->has_target));
    if (description_pending(description) && !long_pair)
        return corrupt(fault, NULL, "a header that describes another header");
    if (type == BLOCK_PAX_GLOBAL && ++description->globals > GLOBALS_MAX)
        return corrupt(fault, NULL, "too many global headers");
    return REASON_OK;
}

/* Keeps a raw name or target. It is judged when the member's type is known. */
static enum reason keep(char raw[static DESCRIPTION_NAME_MAX], size_t *raw_length, bool *has, const char *value,
                        size_t length, struct fault *fault)
{
    if (*has)
        return corrupt(fault, NULL, "a name given twice");
    if (length == 0)
        return corrupt(fault, NULL, "an empty name in a header");
    if (memchr(value, '\0', length) != NULL)
        return corrupt(fault, NULL, "a NUL in a name");
    if (length >= DESCRIPTION_NAME_MAX)
        return fault_set(fault, REASON_BAD_NAME, NULL, "a name of %zu bytes, limit %d", length, PATH_MAX - 1);
    memcpy(raw, value, length);
    raw[length] = '\0';
    *raw_length = length;
    *has = true;
    return REASON_OK;
}

static enum reason add_name(struct description *description, const char *value, size_t length, struct fault *fault)
{
    return keep(description->raw_name, &description->name_length, &description->has_name, value, length, fault);
}

static enum reason add_target(struct description *description, const char *value, size_t length, struct fault *fault)
{
    return keep(description->raw_target, &description->target_length, &description->has_target, value, length, fault);
}

/* Sparse members have their map where others have data, and four spellings to say so. None is taken. */
static bool sparse_is(const struct record *record)
{
    return record_begins(record, "GNU.sparse.") || record_is(record, "SCHILY.realsize") ||
           record_is(record, "SUN.holesdata");
}

/*
 * The value must be one of POSIX's two for names as they are. No other is taken: what they mean would depend on who
 * reads.
 */
static bool charset_is_plain(const struct record *record)
{
    static const char binary[] = "BINARY", unicode[] = "ISO-IR 10646 2000 UTF-8";
    return (record->value_length == sizeof binary - 1 && memcmp(record->value, binary, sizeof binary - 1) == 0) ||
           (record->value_length == sizeof unicode - 1 && memcmp(record->value, unicode, sizeof unicode - 1) == 0);
}

/* What a record may say in any pax header. */
static enum reason check_common(const struct record *record, struct fault *fault)
{
    if (sparse_is(record))
        return corrupt(fault, NULL, SPARSE);
    if (record_is(record, "hdrcharset") && !charset_is_plain(record))
        return corrupt(fault, NULL, "names in an unknown character set");
    return REASON_OK;
}

static enum reason add_record(struct description *description, const struct record *record, struct fault *fault)
{
    if (record_is(record, "path"))
        return add_name(description, record->value, record->value_length, fault);
    if (record_is(record, "linkpath"))
        return add_target(description, record->value, record->value_length, fault);
    if (record_is(record, "size")) {
        if (description->has_size || !record_get_size(record, &description->size))
            return corrupt(fault, NULL, "a wrong size record");
        description->has_size = true;
    } else if (record_is(record, "mtime")) {
        if (description->has_mtime || !record_get_time(record, &description->mtime, &description->mtime_nanoseconds))
            return corrupt(fault, NULL, "a wrong mtime record");
        description->has_mtime = true;
    } else if (record_is(record, "comment") && ending_claimed(record->value, record->value_length)) {
        if (description->has_ending || !ending_parse(&description->ending, record->value, record->value_length))
            return corrupt(fault, NULL, "a wrong end record");
        description->has_ending = true;
    }
    return check_common(record, fault);
}

/* A global record would hold for every member to come. None of those that matter is taken, so that none is kept. */
static enum reason add_global_record(const struct record *record, struct fault *fault)
{
    if (record_is(record, "path") || record_is(record, "linkpath") || record_is(record, "size") ||
        record_is(record, "mtime") ||
        (record_is(record, "comment") && ending_claimed(record->value, record->value_length)))
        return corrupt(fault, NULL, "a global header that describes all members");
    return check_common(record, fault);
}

static enum reason add_records(struct description *description, bool global, const char *data, size_t length,
                               struct fault *fault)
{
    while (length > 0) {
        struct record record;
        if (!record_next(&data, &length, &record))
            return corrupt(fault, NULL, "a malformed pax record");
        enum reason reason = global ? add_global_record(&record, fault) : add_record(description, &record, fault);
        if (reason != REASON_OK)
            return reason;
    }
    return REASON_OK;
}

enum reason description_add(struct description *description, char type, const char *data, size_t length,
                            struct fault *fault)
{
    switch (type) {
    case BLOCK_LONG_NAME:
    case BLOCK_LONG_TARGET:
        /* GNU tar counts the NUL that ends the name; others leave it out. */
        if (data[length - 1] == '\0')
            length--;
        return type == BLOCK_LONG_NAME ? add_name(description, data, length, fault)
                                       : add_target(description, data, length, fault);
    case BLOCK_PAX:
        description->pax = true;
        description->has_ending = false;
        return add_records(description, false, data, length, fault);
    default:
        return add_records(description, true, data, length, fault);
    }
}

/* The name as the header's own fields have it: up to 256 bytes, of which each field is NUL-terminated unless full. */
static size_t header_name(const struct block *header, char raw[static DESCRIPTION_NAME_MAX])
{
    size_t length = 0;
    if (block_format(header) == BLOCK_USTAR && header->prefix[0] != '\0') {
        length = strnlen(header->prefix, BLOCK_PREFIX_SIZE);
        memcpy(raw, header->prefix, length);
        raw[length++] = '/';
    }
    size_t rest = strnlen(header->name, BLOCK_NAME_SIZE);
    memcpy(raw + length, header->name, rest);
    length += rest;
    raw[length] = '\0';
    return length;
}

static size_t header_target(const struct block *header, char raw[static DESCRIPTION_NAME_MAX])
{
    size_t length = strnlen(header->target, BLOCK_NAME_SIZE);
    memcpy(raw, header->target, length);
    raw[length] = '\0';
    return length;
}

/* The type of the header of a member. False for one that is not taken. */
static bool header_type(const struct block *header, bool slash, enum member_type *type)
{
    switch (header->type) {
    case BLOCK_FILE_OLD:
        /* Before there was a type for directories, a "/" told them. For POSIX's own '0' it is just a wrong name. */
        *type = slash ? MEMBER_DIRECTORY : MEMBER_FILE;
        return true;
    case BLOCK_FILE:
    case BLOCK_FILE_CONTIGUOUS: /* "treat as a regular file" where there is no such thing */
        *type = MEMBER_FILE;
        return true;
    case BLOCK_HARD_LINK:
        *type = MEMBER_HARD_LINK;
        return true;
    case BLOCK_SYMLINK:
        *type = MEMBER_SYMLINK;
        return true;
    case BLOCK_CHARACTER_DEVICE:
        *type = MEMBER_CHARACTER_DEVICE;
        return true;
    case BLOCK_BLOCK_DEVICE:
        *type = MEMBER_BLOCK_DEVICE;
        return true;
    case BLOCK_DIRECTORY:
        *type = MEMBER_DIRECTORY;
        return true;
    case BLOCK_FIFO:
        *type = MEMBER_FIFO;
        return true;
    default:
        return false;
    }
}

static enum reason member_numbers(const struct description *description, const struct block *header,
                                  struct member *member, struct fault *fault)
{
    const char *path = description->raw_name;
    int64_t size, mode;
    if (!block_get_number(header->size, sizeof header->size, &size) || size < 0)
        return corrupt(fault, path, "a wrong size");
    member->size = (uint64_t)size;
    if (description->has_size) {
        /* A size that fits no octal field may have left a 0 there. Whoever believes one of two others goes astray. */
        if (description->size != member->size && !(member->size == 0 && description->size > BLOCK_OCTAL_MAX))
            return corrupt(fault, path, "a pax size that contradicts its header");
        member->size = description->size;
    }
    /* POSIX lets a directory's size be a limit and a hard link's come with data; tars differ about both. */
    if (member->size != 0 && member->type != MEMBER_FILE)
        return corrupt(fault, path, "a size, and no file");

    if (!block_get_number(header->mode, sizeof header->mode, &mode) || mode < 0)
        return corrupt(fault, path, "a wrong mode");
    member->executable = member->type == MEMBER_FILE && (mode & MODE_OWNER_EXECUTES);

    member->mtime_nanoseconds = description->mtime_nanoseconds;
    member->mtime = description->mtime;
    if (!description->has_mtime && !block_get_number(header->mtime, sizeof header->mtime, &member->mtime))
        return corrupt(fault, path, "a wrong mtime");
    return REASON_OK;
}

static enum reason member_target(struct description *description, struct member *member, struct fault *fault)
{
    const char *raw = description->raw_target;
    size_t length = description->target_length;
    member->target = description->target;
    switch (member->type) {
    case MEMBER_HARD_LINK:
        return member_normalize(raw, length, false, description->target, fault);
    case MEMBER_SYMLINK:
        if (length == 0 || length >= PATH_MAX)
            return fault_set(fault, REASON_BAD_NAME, description->name, "a link's target of %zu bytes", length);
        memcpy(description->target, raw, length + 1);
        return REASON_OK;
    default:
        description->target[0] = '\0';
        if (description->has_target)
            return corrupt(fault, description->name, "a link's target, and no link");
        return REASON_OK;
    }
}

enum reason description_member(struct description *description, const struct block *header, struct member *member,
                               struct fault *fault)
{
    if (!description->has_name)
        description->name_length = header_name(header, description->raw_name);
    if (!description->has_target)
        description->target_length = header_target(header, description->raw_target);
    if (!description->has_mtime)
        description->mtime_nanoseconds = 0;

    const char *raw = description->raw_name;
    bool slash = description->name_length > 0 && raw[description->name_length - 1] == '/';
    if (!header_type(header, slash, &member->type))
        return corrupt(fault, raw, header->type == BLOCK_SPARSE ? SPARSE : "a member of a type that is not taken");
    member->name = description->name;
    enum reason reason = member_numbers(description, header, member, fault);
    if (reason == REASON_OK)
        reason =
            member_normalize(raw, description->name_length, member->type == MEMBER_DIRECTORY, description->name, fault);
    if (reason == REASON_OK)
        reason = member_target(description, member, fault);
    if (reason != REASON_OK)
        return reason;

    if (description->has_ending && (description->has_name || description->has_target || description->has_size ||
                                    description->has_mtime || member->type != MEMBER_DIRECTORY || *member->name))
        return corrupt(fault, raw, "an end record at another member");
    description->pax = description->has_name = description->has_target = false;
    description->has_size = description->has_mtime = false;
    return REASON_OK;
}
