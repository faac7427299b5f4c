#include "options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "diagnostic.h"
#include "quantity.h"

enum { OPTIONS_SHOWN = 80 };

static enum reason options_refuse(struct fault *fault, const char *text, const char *why)
{
    char shown[OPTIONS_SHOWN];
    diagnostic_escape(shown, sizeof shown, text, strlen(text));
    return fault_set(fault, REASON_USAGE, NULL, "%s: %s; see --help", shown, why);
}

static struct options_row *options_find(struct options_row *table, const char *name, size_t length)
{
    for (; table->name; table++)
        if (strlen(table->name) == length && memcmp(table->name, name, length) == 0)
            return table;
    return NULL;
}

/* Finds value among the words of "a|b|c". */
static bool options_choose(const char *words, const char *value, unsigned *place)
{
    size_t length = strlen(value);
    for (unsigned i = 0; words; i++) {
        size_t word = strcspn(words, "|");
        if (word == length && memcmp(words, value, length) == 0) {
            *place = i;
            return true;
        }
        words = words[word] ? words + word + 1 : NULL;
    }
    return false;
}

static bool options_append(struct options_list *list, const char *value, int argc)
{
    if (!list->items)
        list->items = calloc((size_t)argc, sizeof *list->items);
    if (!list->items)
        return false;
    list->items[list->count++] = value;
    return true;
}

/* Takes the value into the row; gives NULL, or what is wrong with it. */
static const char *options_take(struct options_row *row, const char *value, int argc)
{
    int64_t duration;
    unsigned mode;
    switch (row->kind) {
    case OPTIONS_FLAG:
        *(bool *)row->value = true;
        return NULL;
    case OPTIONS_TEXT:
        *(const char **)row->value = value;
        return *value ? NULL : "an empty value";
    case OPTIONS_LIST:
        if (!*value)
            return "an empty value";
        return options_append(row->value, value, argc) ? NULL : "out of memory";
    case OPTIONS_SIZE:
        return quantity_size(value, row->value) ? NULL : "takes bytes, a number with K, M, G or T, or unlimited";
    case OPTIONS_COUNT:
        return quantity_count(value, row->value) ? NULL : "takes a number or unlimited";
    case OPTIONS_DURATION:
        if (!quantity_duration(value, &duration) || duration == 0)
            return "takes a time over 0: seconds, or a number with ms, s, m or h";
        *(int64_t *)row->value = duration;
        return NULL;
    case OPTIONS_MODE:
        if (!quantity_mode(value, &mode))
            return "takes permission bits in octal, such as 0644";
        if (mode & (S_ISUID | S_ISGID | S_ISVTX))
            return "setuid, setgid and sticky are refused";
        *(unsigned *)row->value = mode;
        return NULL;
    case OPTIONS_CHOICE:
        return options_choose(row->argument, value, row->value) ? NULL : "is none of the choices";
    }
    return "of no known kind";
}

enum reason options_parse(struct options_row *table, int argc, char **argv, int *operands, struct fault *fault)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-' && argv[at][1]; at++) {
        const char *word = argv[at];
        if (strcmp(word, "--") == 0) {
            at++;
            break;
        }
        if (word[1] != '-')
            return options_refuse(fault, word, "no such option; a path that starts with - goes behind --");
        const char *equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
        struct options_row *row = options_find(table, word + 2, length);
        if (!row)
            return options_refuse(fault, word, "no such option");
        if (row->given && row->kind != OPTIONS_LIST)
            return options_refuse(fault, word, "given twice");
        row->given = true;
        const char *value = NULL;
        if (row->kind == OPTIONS_FLAG) {
            if (equals)
                return options_refuse(fault, word, "takes no value");
        } else if (equals)
            value = equals + 1;
        else if (++at < argc)
            value = argv[at];
        else
            return options_refuse(fault, word, "its value is missing");
        const char *wrong = options_take(row, value, argc);
        if (wrong)
            return options_refuse(fault, word, wrong);
    }
    *operands = at;
    return REASON_OK;
}

bool options_given(const struct options_row *table, const char *name)
{
    while (strcmp(table->name, name) != 0)
        table++;
    return table->given;
}

/* The first of the space-separated names that was given, NULL if none was; *length is that of the name. */
static const char *options_any(const struct options_row *table, const char *names, int *length)
{
    for (; *names; names += strspn(names, " ")) {
        size_t word = strcspn(names, " ");
        for (const struct options_row *row = table; row->name; row++)
            if (row->given && strlen(row->name) == word && memcmp(row->name, names, word) == 0) {
                *length = (int)word;
                return names;
            }
        names += word;
    }
    return NULL;
}

enum reason options_exclude(const struct options_row *table, const char *name, const char *names, struct fault *fault)
{
    int length = 0;
    const char *other = options_given(table, name) ? options_any(table, names, &length) : NULL;
    if (!other)
        return REASON_OK;
    return fault_set(fault, REASON_USAGE, NULL, "--%s and --%.*s exclude each other; see --help", name, length, other);
}

enum reason options_require(const struct options_row *table, const char *name, const char *names, struct fault *fault)
{
    int length = 0;
    const char *other = options_given(table, name) ? NULL : options_any(table, names, &length);
    if (!other)
        return REASON_OK;
    return fault_set(fault, REASON_USAGE, NULL, "--%.*s needs --%s; see --help", length, other, name);
}
