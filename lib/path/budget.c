#include "budget.h"

/* a + b, or the largest number: a sum that wraps would let everything through. */
static uint64_t sum(uint64_t a, uint64_t b)
{
    uint64_t result;
    return __builtin_add_overflow(a, b, &result) ? UINT64_MAX : result;
}

/* The one comparison: value against limit, told in the words of the cap. */
static enum reason check(const char *path, uint64_t value, uint64_t limit, const char *what, const char *option,
                         struct fault *fault)
{
    if (limit == BUDGET_UNLIMITED || value <= limit)
        return REASON_OK;
    return fault_set(fault, REASON_TOO_LARGE, path, "%llu %s, limit %llu (%s)", (unsigned long long)value, what,
                     (unsigned long long)limit, option);
}

void budget_init(struct budget *budget)
{
    *budget = (struct budget){
        .max_file = BUDGET_FILE_DEFAULT,
        .max_total = BUDGET_TOTAL_DEFAULT,
        .max_files = BUDGET_FILES_DEFAULT,
        .max_depth = BUDGET_DEPTH_DEFAULT,
        .max_names = BUDGET_NAMES_DEFAULT,
    };
}

enum reason budget_charge_name(struct budget *budget, const char *path, uint64_t length, struct fault *fault)
{
    budget->names = sum(budget->names, length);
    return check(path, budget->names, budget->max_names, "bytes of names", "--max-names", fault);
}

enum reason budget_check_depth(const struct budget *budget, const char *path, uint64_t depth, struct fault *fault)
{
    return check(path, depth, budget->max_depth, "levels deep", "--max-depth", fault);
}

enum reason budget_check_file(const struct budget *budget, const char *path, uint64_t size, struct fault *fault)
{
    enum reason reason = check(path, size, budget->max_file, "bytes", "--max-file", fault);
    if (reason == REASON_OK)
        reason = check(path, sum(budget->files, 1), budget->max_files, "files", "--max-files", fault);
    if (reason == REASON_OK)
        reason = check(path, sum(budget->total, size), budget->max_total, "bytes in total", "--max-total", fault);
    return reason;
}

void budget_charge_file(struct budget *budget, uint64_t bytes)
{
    budget->files = sum(budget->files, 1);
    budget->total = sum(budget->total, bytes);
}
