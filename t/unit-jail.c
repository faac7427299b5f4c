/* unit-jail: the pure parts of sbx-jail: JSON, outcomes, what files of /proc say, programs' heads, environment, limits.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "jail/environment.h"
#include "jail/json.h"
#include "jail/limit.h"
#include "jail/outcome.h"
#include "jail/procfs.h"
#include "jail/program.h"
#include "unit.h"

static struct fault fault;

static bool unit_json_is(const struct json *json, const char *wanted)
{
    return json->used == strlen(wanted) && memcmp(json->buffer, wanted, json->used) == 0;
}

static void unit_json(void)
{
    char buffer[256] = "";
    struct json json = json_into(buffer, sizeof buffer);
    json_begin(&json, NULL, '{');
    json_text(&json, "a\"b", "\\ \" \n \x7f \xff \x01");
    json_number(&json, "n", INT64_MIN);
    json_begin(&json, "l", '[');
    json_number(&json, NULL, 1);
    json_null(&json, NULL);
    json_end(&json, ']');
    json_bool(&json, "t", true);
    json_begin(&json, "o", '{');
    json_end(&json, '}');
    json_bool(&json, "f", false);
    json_end(&json, '}');
    unit_claim(unit_json_is(&json,
                            "{\"a\\\"b\":\"\\\\ \\\" \\u000a \\u007f \\u00ff \\u0001\",\"n\":-9223372036854775808,"
                            "\"l\":[1,null],\"t\":true,\"o\":{},\"f\":false}"),
               "an object of every kind of value is written as RFC 8259 has it");

    struct json small = json_into(buffer, 5);
    memset(buffer, '#', sizeof buffer);
    json_text(&small, NULL, "longer than that");
    unit_claim(small.used == 5 && memcmp(buffer, "\"long#", 6) == 0, "what does not fit is cut, and not one byte more");
    small = json_into(buffer, 6);
    memset(buffer, '#', sizeof buffer);
    json_base64(&small, NULL, (const unsigned char *)"abcdefghi", 9);
    unit_claim(small.used <= 6 && buffer[6] == '#', "base64 that does not fit neither");
}

static void unit_base64(void)
{
    /* RFC 4648, section 10. */
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    char buffer[64];
    char wanted[64];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct json json = json_into(buffer, sizeof buffer);
        json_base64(&json, NULL, (const unsigned char *)pairs[i][0], strlen(pairs[i][0]));
        snprintf(wanted, sizeof wanted, "\"%s\"", pairs[i][1]);
        unit_claim(unit_json_is(&json, wanted), "base64 of '%s'", pairs[i][0]);
    }
    const unsigned char bytes[] = {0xff, 0xfe, 0xfb, 0x00, 0xff};
    struct json json = json_into(buffer, sizeof buffer);
    json_base64(&json, NULL, bytes, sizeof bytes);
    unit_claim(unit_json_is(&json, "\"//77AP8=\""), "base64 of bytes that are no text");
}

static void unit_outcome(void)
{
    static char line[OUTCOME_SIZE];
    struct outcome outcome = {.stage = OUTCOME_RUN, .ended = true};
    outcome.status = 66 << 8;
    unit_claim(outcome_code(&outcome) == 66, "the command's code");
    outcome.status = 9;
    unit_claim(outcome_code(&outcome) == 137, "128 and its signal");
    outcome.fault.reason = REASON_DEADLINE;
    unit_claim(outcome_code(&outcome) == 124, "a reason of ours comes first");
    outcome = (struct outcome){.stage = OUTCOME_EXEC, .exec_code = OUTCOME_NOT_FOUND};
    outcome.fault.reason = REASON_MISSING;
    unit_claim(outcome_code(&outcome) == 127, "127 for what was not found");

    /* The longest there can be: a path of bytes that each become four, and more groups than are kept. */
    outcome.fault.reason = REASON_SYSTEM;
    memset(outcome.fault.path, 0xff, sizeof outcome.fault.path - 1);
    memset(outcome.fault.detail, '"', sizeof outcome.fault.detail - 1);
    outcome.stage = OUTCOME_RUN;
    outcome.survivors = UINT_MAX;
    outcome.kept.groups = UINT_MAX;
    memset(outcome.kept.group, 0xff, sizeof outcome.kept.group);
    size_t length = outcome_write(&outcome, line);
    unit_claim(length < OUTCOME_SIZE && line[length - 1] == '\n' && line[length - 2] == '}',
               "the longest object fits: %zu of %d bytes", length, OUTCOME_SIZE);
}

static void unit_stat(void)
{
    struct procfs_stat stat;
    const char *lines[] = {
        "42 (sleep) S 41 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 777 99 1",
        "42 () S 1 (x) R 7 1) Z 41 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 777 99 1",
        "42 (a\nb) D 41 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 777",
    };
    static const char states[] = "SZD";
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        unit_claim(procfs_read_stat(lines[i], strlen(lines[i]), &stat) && stat.pid == 42 && stat.parent == 41 &&
                       stat.state == states[i] && stat.started == 777,
                   "whatever a process calls itself, its line %zu is read", i);
    static const char *const bad[] = {
        "", "42", "42 (x", "42 (x)", "x (x) S 41 1 1", "42 (x) S", "42 (x) S x 1 1", "42 (x) S 41 1 1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        unit_claim(!procfs_read_stat(bad[i], strlen(bad[i]), &stat), "'%s' is no line of stat", bad[i]);
    char longest[2048];
    memset(longest, '(', sizeof longest);
    unit_claim(!procfs_read_stat(longest, sizeof longest, &stat), "nor is what is too long");
}

static void unit_mounts(void)
{
#define ROOT "1 0 8:1 / / rw - ext4 /dev/x rw\n"
#define PROC "22 1 0:21 / /proc rw,nosuid shared:5 - proc proc rw\n"
    static const struct {
        const char *text;
        bool whole;
        const char *what;
    } cases[] = {
        {ROOT PROC, true, "a plain one"},
        {PROC "23 22 0:30 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw\n", true, "one with binfmt_misc"},
        {PROC "23 22 0:30 / /procession rw - tmpfs x rw\n", true, "one beside a mount of a like name"},
        {ROOT, false, "none"},
        {"", false, "nothing"},
        {PROC "23 22 0:21 /sys /proc/sys ro - proc proc rw\n", false, "one with a read-only part"},
        {PROC "23 22 0:30 /null /proc/kcore rw - tmpfs tmpfs rw\n", false, "one with a masked file"},
        {PROC "23 22 0:30 / /proc/sys/fs/binfmt_misc2 rw - tmpfs x rw\n", false, "one with a mount of such a name"},
        {"22 1 0:21 / /proc ro,nosuid - proc proc rw\n", false, "a read-only mount"},
        {"22 1 0:21 / /proc rw - proc proc ro\n", false, "a read-only file system"},
        {"22 1 0:21 / /proc rw - proc proc rw,hidepid=invisible\n", false, "one that hides processes"},
        {"22 1 0:21 / /proc rw - proc proc rw,gid=5,subset=pid\n", false, "one of processes alone"},
        {"22 1 0:21 / /proc rw - tmpfs proc rw\n", false, "another file system"},
        {PROC "30 22 0:40 / /proc rw - tmpfs over rw\n", false, "one that is mounted over"},
        {"22 1 0:21 / /proc rw", false, "a line that is cut"},
        {"22", false, "less than a line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        unit_claim(procfs_hides_nothing(cases[i].text) == cases[i].whole, "/proc: %s %s", cases[i].what,
                   cases[i].whole ? "hides nothing" : "may hide something");
}

static bool unit_interpreter(const void *head, size_t size, const char *wanted)
{
    const char *name;
    size_t length;
    bool found = program_interpreter(head, size, &name, &length);
    return wanted ? found && length == strlen(wanted) && memcmp(name, wanted, length) == 0 : !found;
}

static void unit_programs(void)
{
    static const char *const scripts[][2] = {
        {"#!/bin/sh\n", "/bin/sh"},
        {"#! \t/usr/bin/env  python3\n", "/usr/bin/env"},
        {"#!/a b\n", "/a"},
        {"#!\n", NULL},
        {"#!", NULL},
        {"#! \n", NULL},
        {"#!/cut", NULL},
        {"# !/bin/sh\n", NULL},
        {"", NULL},
        {"#!/bin/sh\r\n", "/bin/sh\r"},
        {"\x7f"
         "EL",
         NULL},
    };
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
        unit_claim(unit_interpreter(scripts[i][0], strlen(scripts[i][0]), scripts[i][1]), "script %zu", i);

    /* An ELF file of one segment, cut at every length and with every byte of its header set to the extremes. */
    unsigned char file[256] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    file[32] = 64;  /* e_phoff */
    file[56] = 1;   /* e_phnum */
    file[64] = 3;   /* PT_INTERP */
    file[72] = 120; /* p_offset */
    file[96] = 10;  /* p_filesz */
    memcpy(file + 120, "/lib/ld.so", sizeof "/lib/ld.so");
    unit_claim(unit_interpreter(file, sizeof file, "/lib/ld.so"), "the loader of a 64-bit program");
    for (size_t size = 0; size < 130; size++)
        if (!unit_interpreter(file, size, NULL))
            unit_claim(false, "cut at %zu bytes it names none", size);
    const char *name;
    size_t length;
    bool inside = true;
    for (size_t at = 16; at < 120; at++)
        for (int value = 0; value < 256; value += 51) {
            unsigned char kept = file[at];
            file[at] = (unsigned char)value;
            if (program_interpreter(file, sizeof file, &name, &length))
                inside &= name >= (const char *)file && name + length <= (const char *)file + sizeof file;
            file[at] = kept;
        }
    unit_claim(inside, "whatever the header says, the name lies within what was read");
    file[4] = 1;
    unit_claim(unit_interpreter(file, 60, NULL), "a 32-bit program that is cut names none");
}

static void unit_limits(void)
{
    struct limits limits;
    const char *items[] = {"nofile=17", "as=1K", "cpu=1500ms", "nproc=unlimited"};
    struct options_list list = {items, 4};
    unit_claim(limit_parse(&list, &limits, &fault) == REASON_OK && limits.value[LIMIT_NOFILE] == 17 &&
                   limits.value[LIMIT_AS] == 1024 && limits.value[LIMIT_CPU] == 2 &&
                   limits.value[LIMIT_NPROC] == RLIM_INFINITY && limits.given[LIMIT_CORE] &&
                   limits.value[LIMIT_CORE] == 0 && !limits.given[LIMIT_STACK],
               "limits are read, CPU time is rounded up, and core is 0");
    const char *core[] = {"core=unlimited"};
    list = (struct options_list){core, 1};
    unit_claim(limit_parse(&list, &limits, &fault) == REASON_OK && limits.value[LIMIT_CORE] == RLIM_INFINITY,
               "unless it is given");
}

static void unit_environment(void)
{
    static char variables[][32] = {"PATH=:/a:b:/c::/d:", "KEEP=1=2", "KEEPER=3", "SECRET=x"};
    char *caller[] = {variables[0], variables[1], variables[2], variables[3], NULL};
    const char *set[] = {"HOME=/h", "EMPTY="};
    const char *kept[] = {"KEEP", "ABSENT"};
    struct options_list sets = {set, 2};
    struct options_list keeps = {kept, 2};
    const struct environment_request request = {"user", "/", &sets, &keeps, caller};
    char **environment;
    unit_claim(environment_build(&request, &environment, &fault) == REASON_OK, "an environment is built");
    static const char *const wanted[][2] = {{"PATH", "/a:/c:/d"},
                                            {"KEEP", "1=2"},
                                            {"HOME", "/h"},
                                            {"EMPTY", ""},
                                            {"USER", "user"},
                                            {"XDG_CACHE_HOME", "/h/.cache"},
                                            {"TMPPREFIX", "/tmp/zsh"},
                                            {"XDG_DATA_HOME", "/h/.local/share"}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const char *value = environment_find(environment, wanted[i][0]);
        unit_claim(value && strcmp(value, wanted[i][1]) == 0, "%s is %s", wanted[i][0], wanted[i][1]);
    }
    unit_claim(!environment_find(environment, "SECRET") && !environment_find(environment, "KEEPER") &&
                   !environment_find(environment, "ABSENT") && !environment_find(environment, "KEE"),
               "nothing else of the caller's");
    size_t count = 0;
    while (environment[count])
        free(environment[count++]);
    free(environment);
    unit_claim(count == 12, "and nothing more than that");
}

int main(void)
{
    unit_json();
    unit_base64();
    unit_outcome();
    unit_stat();
    unit_mounts();
    unit_programs();
    unit_limits();
    unit_environment();
    return unit_end();
}
