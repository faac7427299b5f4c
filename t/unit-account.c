/* unit-account: what is an entry of /etc/passwd and of /etc/group, and what is none. */
#include "base/account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* The parser takes its line apart, so each gets a copy of exactly its size, for the sanitizer to guard. */
static bool unit_user(const char *text, struct account *account)
{
    char *line = strdup(text);
    bool entry = account_parse_user(line, account);
    free(line);
    return entry;
}

static bool unit_group(const char *text, const char *name, gid_t gid)
{
    gid_t got = 7;
    const char *found = "";
    char *line = strdup(text);
    bool entry = account_parse_group(line, &found, &got) && strcmp(found, name) == 0 && got == gid;
    free(line);
    return entry;
}

/* Whether an entry with a name and a home of so many bytes is one. */
static bool unit_lengths(int name, int home)
{
    static struct account account;
    char line[ACCOUNT_LINE_SIZE + 64];
    snprintf(line, sizeof line, "%0*d:x:1000:1000::%0*d:", name, 0, home, 0);
    return unit_user(line, &account);
}

int main(void)
{
    static const char *const bad[] = {"",
                                      "agent",
                                      "agent:x:1000",
                                      "agent:x:1000:1000::/home/agent",
                                      "agent:x:1000:1000::/home/agent:/bin/sh:more",
                                      ":x:1000:1000::/home/agent:/bin/sh",
                                      "agent:x::1000::/home/agent:/bin/sh",
                                      "agent:x:-1:1000::/home/agent:/bin/sh",
                                      "agent:x:4294967295:1000::/home/agent:/bin/sh",
                                      "agent:x:0x0:1000::/home/agent:/bin/sh",
                                      "agent:x:1000: 0::/home/agent:/bin/sh",
                                      "agent:x:1000:unlimited::/home/agent:/bin/sh",
                                      "#agent"};
    struct account account;
    id_t id = 7;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        unit_claim(!unit_user(bad[i], &account), "'%s' is no user", bad[i]);
    unit_claim(unit_user("agent:x:1000:1001:A, B:/home/agent:/bin/sh", &account) && account.uid == 1000 &&
                   account.gid == 1001 && strcmp(account.name, "agent") == 0 &&
                   strcmp(account.home, "/home/agent") == 0,
               "a user has a name, two ids and a home");
    unit_claim(unit_user("a::4294967294:0:::", &account) && account.uid == 4294967294U && account.home[0] == '\0',
               "the largest uid is one, and a home may be empty");
    unit_claim(unit_lengths(ACCOUNT_NAME_SIZE - 1, PATH_MAX - 1), "a name may have 255 bytes, a home 4095");
    unit_claim(!unit_lengths(ACCOUNT_NAME_SIZE, 1) && !unit_lengths(1, PATH_MAX), "but none more");
    unit_claim(unit_group("staff:x:50:a,b", "staff", 50) && unit_group("g::0:", "g", 0),
               "a group has a name and a gid");
    unit_claim(!unit_group("staff:x:50", "staff", 50) && !unit_group("staff:x:50:a:b", "staff", 50) &&
                   !unit_group("staff:x:many:", "staff", 50) && !unit_group(":x:50:", "", 50),
               "what has other fields is none");
    unit_claim(account_parse_id("0", &id) && id == 0 && !account_parse_id("4294967295", &id) &&
                   !account_parse_id("unlimited", &id) && !account_parse_id("", &id) && id == 0,
               "an id is a number that setresuid does not take for unchanged");
    unit_claim(account_find_name("root", &account) && account.uid == 0 && account_find_uid(0, &account) &&
                   !account_find_name("no such user", &account),
               "the files of this machine are read");
    return unit_end();
}
