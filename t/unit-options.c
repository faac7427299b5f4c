/* unit-options: what a command line may look like, and that all else is a usage error that names the culprit. */
#include "base/options.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

enum { UNIT_ARGUMENTS = 8 };

static bool flag;
static const char *text;
static struct options_list list;
static uint64_t size;
static int64_t duration;
static unsigned mode;
static unsigned choice;

static const struct options_row blank[] = {
    {"flag", NULL, OPTIONS_FLAG, &flag, "", false},
    {"text", "TEXT", OPTIONS_TEXT, &text, "", false},
    {"list", "ITEM", OPTIONS_LIST, &list, "", false},
    {"size", "SIZE", OPTIONS_SIZE, &size, "", false},
    {"time", "TIME", OPTIONS_DURATION, &duration, "", false},
    {"mode", "MODE", OPTIONS_MODE, &mode, "", false},
    {"choice", "off|write|fs", OPTIONS_CHOICE, &choice, "", false},
    {NULL, NULL, OPTIONS_FLAG, NULL, NULL, false},
};

static struct options_row table[sizeof blank / sizeof blank[0]];
static struct fault fault;
static int operands;

static enum reason unit_parse(const char *const arguments[UNIT_ARGUMENTS])
{
    char *argv[UNIT_ARGUMENTS + 1] = {(char *)(uintptr_t) "unit"};
    int argc = 1;
    for (; argc <= UNIT_ARGUMENTS && arguments[argc - 1]; argc++)
        argv[argc] = (char *)(uintptr_t)arguments[argc - 1];
    memcpy(table, blank, sizeof blank);
    memset(&fault, 0, sizeof fault);
    free(list.items);
    list = (struct options_list){NULL, 0};
    return options_parse(table, argc, argv, &operands, &fault);
}

int main(void)
{
    static const char *const refused[][UNIT_ARGUMENTS] = {
        {"--nothing"},
        {"--fla"},    /* no abbreviations */
        {"-f"},       /* no short options */
        {"--flag=1"}, /* a value for a flag */
        {"--flag", "--flag"},
        {"--text"},  /* no value */
        {"--text="}, /* an empty one */
        {"--text", ""},
        {"--text", "a", "--text", "b"},
        {"--list", ""},
        {"--size", "1X"},
        {"--size="},
        {"--time", "0"},    /* no deadline at all, or one that is over? */
        {"--mode", "4755"}, /* setuid */
        {"--mode", "1777"},
        {"--mode", "rw"},
        {"--choice", "of"},
        {"--choice", "off|write"},
        {"--choice", ""},
        {"--=x"},
        {"---flag"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        unit_claim(unit_parse(refused[i]) == REASON_USAGE && strstr(fault.detail, "--help"), "%s %s is a usage error",
                   refused[i][0], refused[i][1] ? refused[i][1] : "");

    unit_claim(unit_parse((const char *const[UNIT_ARGUMENTS]){"--flag", "--text", "--flag", "--list=a", "--list", "b",
                                                              "--choice=write", "rest"}) == REASON_OK &&
                   flag && strcmp(text, "--flag") == 0 && list.count == 2 && strcmp(list.items[1], "b") == 0 &&
                   choice == 1 && operands == 8,
               "values are taken from = or the next word, and a list grows");
    unit_claim(unit_parse((const char *const[UNIT_ARGUMENTS]){"a", "--flag"}) == REASON_OK && operands == 1 &&
                   !options_given(table, "flag"),
               "the first operand ends the options");
    unit_claim(unit_parse((const char *const[UNIT_ARGUMENTS]){"--", "--flag"}) == REASON_OK && operands == 2 &&
                   !options_given(table, "flag"),
               "-- ends the options");
    unit_claim(unit_parse((const char *const[UNIT_ARGUMENTS]){"-"}) == REASON_OK && operands == 1, "- is an operand");
    unit_claim(unit_parse((const char *const[UNIT_ARGUMENTS]){"--flag", "--size=2K"}) == REASON_OK && size == 2048 &&
                   options_exclude(table, "flag", "text size", &fault) == REASON_USAGE &&
                   options_exclude(table, "flag", "text list", &fault) == REASON_OK &&
                   options_require(table, "text", "flag", &fault) == REASON_USAGE &&
                   options_require(table, "flag", "size", &fault) == REASON_OK,
               "options exclude and need each other");
    unit_claim(unit_parse((const char *const[UNIT_ARGUMENTS]){"--\x1b[31m"}) == REASON_USAGE &&
                   !strchr(fault.detail, '\x1b'),
               "an option is escaped when it is printed");
    return unit_end();
}
