#include "limit.h"

#include <stdint.h>
#include <string.h>

#include "base/diagnostic.h"
#include "base/quantity.h"

enum { LIMIT_SHOWN = 80, MILLISECONDS = 1000 };

enum limit_unit { UNIT_SIZE, UNIT_COUNT, UNIT_TIME };

static const struct limit_row {
    const char *name;
    int resource;
    enum limit_unit unit;
} rows[LIMIT_COUNT] = {
    [LIMIT_AS] = {"as", RLIMIT_AS, UNIT_SIZE},
    [LIMIT_CORE] = {"core", RLIMIT_CORE, UNIT_SIZE},
    [LIMIT_CPU] = {"cpu", RLIMIT_CPU, UNIT_TIME},
    [LIMIT_FSIZE] = {"fsize", RLIMIT_FSIZE, UNIT_SIZE},
    [LIMIT_NOFILE] = {"nofile", RLIMIT_NOFILE, UNIT_COUNT},
    [LIMIT_NPROC] = {"nproc", RLIMIT_NPROC, UNIT_COUNT},
    [LIMIT_STACK] = {"stack", RLIMIT_STACK, UNIT_SIZE},
};

int limit_resource(enum limit_kind kind)
{
    return rows[kind].resource;
}

const char *limit_name(enum limit_kind kind)
{
    return rows[kind].name;
}

static enum reason limit_refuse(struct fault *fault, const char *item, const char *why)
{
    char shown[LIMIT_SHOWN];
    diagnostic_escape(shown, sizeof shown, item, strlen(item));
    return fault_set(fault, REASON_USAGE, NULL, "--limit %s: %s; see --help", shown, why);
}

static bool limit_value(enum limit_unit unit, const char *text, rlim_t *value)
{
    uint64_t number;
    int64_t time;
    if (strcmp(text, "unlimited") == 0) {
        *value = RLIM_INFINITY;
        return true;
    }
    if (unit == UNIT_TIME) {
        if (!quantity_duration(text, &time) || time == 0)
            return false;
        number = ((uint64_t)time + MILLISECONDS - 1) / MILLISECONDS;
    } else if (!(unit == UNIT_SIZE ? quantity_size(text, &number) : quantity_count(text, &number)))
        return false;
    *value = number;
    return true;
}

static enum reason limit_parse_item(const char *item, struct limits *limits, struct fault *fault)
{
    static const char *const takes[] = {"takes bytes, a number with K, M, G or T, or unlimited",
                                        "takes a number or unlimited",
                                        "takes a time over 0: seconds, or a number with ms, s, m or h; or unlimited"};
    size_t length = strcspn(item, "=");
    for (int i = 0; i < LIMIT_COUNT; i++) {
        if (strlen(rows[i].name) != length || memcmp(rows[i].name, item, length) != 0)
            continue;
        if (limits->given[i])
            return limit_refuse(fault, item, "given twice");
        limits->given[i] = true;
        if (!item[length] || !limit_value(rows[i].unit, item + length + 1, &limits->value[i]))
            return limit_refuse(fault, item, takes[rows[i].unit]);
        return REASON_OK;
    }
    return limit_refuse(fault, item, "takes NAME=VALUE, NAME one of " LIMIT_NAMES);
}

enum reason limit_parse(const struct options_list *items, struct limits *limits, struct fault *fault)
{
    memset(limits, 0, sizeof *limits);
    enum reason reason = REASON_OK;
    for (size_t i = 0; i < items->count && reason == REASON_OK; i++)
        reason = limit_parse_item(items->items[i], limits, fault);
    limits->given[LIMIT_CORE] = true;
    return reason;
}
