/*
 * attack: what the attackers share. An attacker is what a hostile process of the agent would run: it does one thing as
 * fast as it can, a given number of times or until SIGTERM, and prints what it achieved.
 */
#ifndef SBX_ATTACK_H
#define SBX_ATTACK_H

#include <err.h>
#include <signal.h>
#include <stdlib.h>

enum { ATTACK_FAILED = 1, ATTACK_MISUSED = 64 };

static volatile sig_atomic_t attack_over;

static inline void attack_end(int number)
{
    (void)number;
    attack_over = 1;
}

/* Makes SIGTERM set attack_over and interrupt what blocks. */
static inline void attack_until_term(void)
{
    struct sigaction action = {.sa_handler = attack_end};
    if (sigaction(SIGTERM, &action, NULL) != 0)
        err(ATTACK_FAILED, "sigaction");
}

/* Takes a number of rounds; 0, also for text == NULL, means until SIGTERM. */
static inline unsigned long attack_rounds(const char *text)
{
    char *end = NULL;
    unsigned long rounds = text ? strtoul(text, &end, 10) : 0;
    if (text && (*text == '\0' || *end != '\0'))
        errx(ATTACK_MISUSED, "%s: not a number of rounds", text);
    return rounds;
}

#endif
