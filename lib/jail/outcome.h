/*
 * outcome: how a run ended, and the object that says so to a script. Pure: no system calls.
 *
 * An exit code alone cannot tell a command's own 66 from a refusal: the object can. It is the last frame and the status
 * file.
 */
#ifndef SBX_JAIL_OUTCOME_H
#define SBX_JAIL_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "base/identity.h"
#include "family.h"

enum outcome_stage {
    OUTCOME_CALL,  /* the command line */
    OUTCOME_SETUP, /* before the command: nothing ran */
    OUTCOME_EXEC,  /* the command could not be executed, or was not found */
    OUTCOME_RUN    /* the command ran */
};

struct outcome {
    struct fault fault; /* its reason is the outcome's; empty and REASON_OK where there is nothing to say */
    enum outcome_stage stage;
    int exec_code;      /* at OUTCOME_EXEC: OUTCOME_NOT_EXECUTED or OUTCOME_NOT_FOUND */
    bool ended;         /* the command has, with this status of wait(2) */
    int status;         /* */
    bool truncated;     /* output was held back or lost */
    unsigned survivors; /* processes that KILL did not end within its time */
    /* From OUTCOME_EXEC on, what held: */
    enum family_hold hold;
    bool guarded;  /* the command could not signal or trace its supervisor */
    bool filtered; /* the seccomp filter was there */
    struct identity_kept kept;
};

enum {
    OUTCOME_SIZE = 24 * 1024,   /* bytes that an object takes at most: a path may be escaped whole */
    OUTCOME_NOT_EXECUTED = 126, /* as env(1) and the shell have it */
    OUTCOME_NOT_FOUND = 127
};

/* The exit code: the reason's, the command's own or 128 + its signal; 126 or 127 at OUTCOME_EXEC. */
int outcome_code(const struct outcome *outcome);

/* Writes the object as one line of JSON with a newline, and no NUL, to OUTCOME_SIZE bytes; gives its length. */
size_t outcome_write(const struct outcome *outcome, char *line);

#endif
