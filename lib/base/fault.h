/*
 * fault: what went wrong, carried from the place that saw it to the main that prints it.
 *
 * lib/ never prints: it fills a fault and returns its reason, and cmd/ prints "tool: reason: path: detail".
 */
#ifndef SBX_BASE_FAULT_H
#define SBX_BASE_FAULT_H

#include <limits.h>

#include "reason.h"

enum { FAULT_DETAIL_SIZE = 512 };

struct fault {
    enum reason reason;
    char path[PATH_MAX]; /* raw bytes, cut to fit; empty when no path is concerned */
    char detail[FAULT_DETAIL_SIZE];
};

/*
 * Fills the fault and gives its reason back, so that a caller can write "return fault_set(...)". path may be NULL. The
 * detail is printf(3) formatted; names in it must have gone through diagnostic_escape.
 */
__attribute__((format(printf, 4, 5))) enum reason fault_set(struct fault *fault, enum reason reason, const char *path,
                                                            const char *format, ...);

/*
 * The same for a failed system call: the reason is reason_from_errno(error), the detail "CALL: text of the errno", as
 * in "openat: Permission denied".
 */
enum reason fault_errno(struct fault *fault, const char *path, const char *call, int error);

#endif
