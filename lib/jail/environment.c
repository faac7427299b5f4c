#include "environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostic.h"

#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define DEFAULT_LANG "C.UTF-8"

enum { ENVIRONMENT_SHOWN = 80, ENVIRONMENT_OWN = 16 /* more than the jail sets itself */ };

struct builder {
    char **items;
    size_t count;
};

static enum reason environment_refuse(struct fault *fault, const char *option, const char *item, const char *why)
{
    char shown[ENVIRONMENT_SHOWN];
    /* Only the name is shown: what is behind it may be a secret, and stderr goes to logs. */
    diagnostic_escape(shown, sizeof shown, item, strcspn(item, "="));
    return fault_set(fault, REASON_USAGE, NULL, "--%s %s: %s; see --help", option, shown, why);
}

const char *environment_find(char *const *environment, const char *name)
{
    size_t length = strcspn(name, "=");
    for (; *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

static enum reason environment_out_of_memory(struct fault *fault)
{
    return fault_set(fault, REASON_SYSTEM, NULL, "out of memory for the environment");
}

/* Adds NAME=VALUE. */
static enum reason environment_add(struct builder *builder, const char *name, const char *value, const char *behind,
                                   struct fault *fault)
{
    size_t length = strcspn(name, "=");
    size_t size = length + strlen(value) + strlen(behind) + 2;
    char *item = malloc(size);
    if (!item)
        return environment_out_of_memory(fault);
    snprintf(item, size, "%.*s=%s%s", (int)length, name, value, behind);
    builder->items[builder->count++] = item;
    return REASON_OK;
}

/* Adds what the jail sets, unless it was given. */
static enum reason environment_default(struct builder *builder, const char *name, const char *value, const char *behind,
                                       struct fault *fault)
{
    return environment_find(builder->items, name) ? REASON_OK : environment_add(builder, name, value, behind, fault);
}

static enum reason environment_set(struct builder *builder, const struct options_list *list, struct fault *fault)
{
    enum reason reason = REASON_OK;
    for (size_t i = 0; i < list->count && reason == REASON_OK; i++) {
        const char *item = list->items[i];
        const char *value = strchr(item, '=');
        if (!value || value == item)
            return environment_refuse(fault, "env", item, "takes NAME=VALUE");
        if (environment_find(builder->items, item))
            return environment_refuse(fault, "env", item, "given twice");
        reason = environment_add(builder, item, value + 1, "", fault);
    }
    return reason;
}

static enum reason environment_keep(struct builder *builder, const struct options_list *list, char *const *caller,
                                    struct fault *fault)
{
    enum reason reason = REASON_OK;
    for (size_t i = 0; i < list->count && reason == REASON_OK; i++) {
        const char *name = list->items[i];
        if (strchr(name, '='))
            return environment_refuse(fault, "keep", name, "takes a NAME alone; --env sets one");
        for (size_t j = 0; j < i; j++)
            if (strcmp(list->items[j], name) == 0)
                return environment_refuse(fault, "keep", name, "given twice");
        if (environment_find(builder->items, name))
            return environment_refuse(fault, "keep", name, "given as --env too");
        const char *value = environment_find(caller, name);
        if (value)
            reason = environment_add(builder, name, value, "", fault);
    }
    return reason;
}

/* A relative entry of PATH means wherever the command happens to be: only absolute ones go through. */
static void environment_absolute(char *path)
{
    char *to = path;
    for (const char *entry = path; *entry;) {
        size_t length = strcspn(entry, ":");
        const char *next = entry + length + (entry[length] == ':');
        if (*entry == '/') {
            if (to != path)
                *to++ = ':';
            memmove(to, entry, length);
            to += length;
        }
        entry = next;
    }
    *to = '\0';
}

static enum reason environment_set_path(struct builder *builder, char *const *caller, struct fault *fault)
{
    const char *given = environment_find(caller, "PATH");
    char *path = strdup(given ? given : "");
    if (!path)
        return environment_out_of_memory(fault);
    environment_absolute(path);
    enum reason reason = environment_default(builder, "PATH", *path ? path : DEFAULT_PATH, "", fault);
    free(path);
    return reason;
}

static enum reason environment_set_own(struct builder *builder, const struct environment_request *request,
                                       struct fault *fault)
{
    const char *given = environment_find(builder->items, "HOME");
    const char *home = given ? given : request->home;
    const char *beneath = strcmp(home, "/") == 0 ? "" : home;
    const struct {
        const char *name, *value, *behind;
    } own[] = {
        {"HOME", home, ""},
        {"USER", request->user, ""},
        {"LANG", DEFAULT_LANG, ""},
        {"TMPDIR", "/tmp", ""},
        {"TMPPREFIX", "/tmp", "/zsh"},
        {"XDG_CACHE_HOME", beneath, "/.cache"},
        {"XDG_CONFIG_HOME", beneath, "/.config"},
        {"XDG_DATA_HOME", beneath, "/.local/share"},
        {"XDG_STATE_HOME", beneath, "/.local/state"},
    };
    enum reason reason = environment_set_path(builder, request->caller, fault);
    for (size_t i = 0; i < sizeof own / sizeof own[0] && reason == REASON_OK; i++)
        reason = environment_default(builder, own[i].name, own[i].value, own[i].behind, fault);
    return reason;
}

enum reason environment_build(const struct environment_request *request, char ***environment, struct fault *fault)
{
    struct builder builder = {NULL, 0};
    builder.items = calloc(request->set->count + request->keep->count + ENVIRONMENT_OWN, sizeof *builder.items);
    if (!builder.items)
        return environment_out_of_memory(fault);
    enum reason reason = environment_set(&builder, request->set, fault);
    if (reason == REASON_OK)
        reason = environment_keep(&builder, request->keep, request->caller, fault);
    if (reason == REASON_OK)
        reason = environment_set_own(&builder, request, fault);
    *environment = builder.items;
    return reason;
}
