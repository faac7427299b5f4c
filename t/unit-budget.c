/*
 * unit-budget: every cap lets its limit pass and stops the next.
 */
#include <stdlib.h>
#include <string.h>

#include "path/budget.h"
#include "unit.h"

static struct budget budget_of(void)
{
    struct budget budget;
    budget_init(&budget);
    return budget;
}

static void unit_defaults(void)
{
    struct budget budget = budget_of();
    unit_claim(budget.max_file == 104857600 && budget.max_total == 1073741824 && budget.max_files == 10000 &&
                   budget.max_depth == 64 && budget.max_names == 1048576,
               "the defaults are 100M a file, 1G in total, 10000 files, depth 64, 1M of names");
}

static void unit_file(void)
{
    struct budget budget = budget_of();
    struct fault fault;
    budget.max_file = 10;
    unit_claim(budget_check_file(&budget, "f", 10, &fault) == REASON_OK, "a file of --max-file passes");
    unit_claim(budget_check_file(&budget, "f", 11, &fault) == REASON_TOO_LARGE && strcmp(fault.path, "f") == 0 &&
                   strcmp(fault.detail, "11 bytes, limit 10 (--max-file)") == 0,
               "one byte more does not, and the fault says so: %s", fault.detail);
    unit_claim(budget.files == 0 && budget.total == 0, "a check charges nothing");
}

static void unit_files(void)
{
    struct budget budget = budget_of();
    struct fault fault;
    budget.max_files = 2;
    unsigned passed = 0;
    for (; budget_check_file(&budget, "f", 0, &fault) == REASON_OK; passed++)
        budget_charge_file(&budget, 0);
    unit_claim(passed == 2 && strcmp(fault.detail, "3 files, limit 2 (--max-files)") == 0,
               "two files of --max-files 2: %s", fault.detail);
}

static void unit_total(void)
{
    struct budget budget = budget_of();
    struct fault fault;
    budget.max_total = 100;
    budget_charge_file(&budget, 60);
    unit_claim(budget_check_file(&budget, "f", 40, &fault) == REASON_OK, "a file up to --max-total passes");
    unit_claim(budget_check_file(&budget, "f", 41, &fault) == REASON_TOO_LARGE &&
                   strcmp(fault.detail, "101 bytes in total, limit 100 (--max-total)") == 0,
               "one byte more does not: %s", fault.detail);
    budget.max_total = UINT64_MAX - 1;
    budget.max_file = BUDGET_UNLIMITED;
    unit_claim(budget_check_file(&budget, "f", UINT64_MAX - 50, &fault) == REASON_TOO_LARGE,
               "a sum that overflows does not");
}

static void unit_depth(void)
{
    struct budget budget = budget_of();
    struct fault fault;
    unit_claim(budget_check_depth(&budget, "d", 64, &fault) == REASON_OK, "depth 64 passes");
    unit_claim(budget_check_depth(&budget, "d", 65, &fault) == REASON_TOO_LARGE &&
                   strcmp(fault.detail, "65 levels deep, limit 64 (--max-depth)") == 0,
               "depth 65 does not: %s", fault.detail);
}

static void unit_names(void)
{
    struct budget budget = budget_of();
    struct fault fault;
    budget.max_names = 10;
    budget_charge_name(&budget, "n", 5, &fault);
    unit_claim(budget_charge_name(&budget, "n", 5, &fault) == REASON_OK, "names of --max-names pass");
    unit_claim(budget_charge_name(&budget, "n", 1, &fault) == REASON_TOO_LARGE &&
                   strcmp(fault.detail, "11 bytes of names, limit 10 (--max-names)") == 0,
               "one byte more does not: %s", fault.detail);
    budget_charge_name(&budget, "n", UINT64_MAX, &fault);
    unit_claim(budget_charge_name(&budget, "n", 1, &fault) == REASON_TOO_LARGE, "nor does any later one");
}

static void unit_unlimited(void)
{
    struct budget budget = budget_of();
    struct fault fault;
    budget.max_file = budget.max_total = budget.max_files = budget.max_depth = budget.max_names = BUDGET_UNLIMITED;
    budget_charge_file(&budget, UINT64_MAX);
    unit_claim(budget_check_file(&budget, "f", UINT64_MAX, &fault) == REASON_OK &&
                   budget_check_depth(&budget, "f", UINT64_MAX, &fault) == REASON_OK &&
                   budget_charge_name(&budget, "f", UINT64_MAX, &fault) == REASON_OK,
               "unlimited is");
}

int main(void)
{
    unit_defaults();
    unit_file();
    unit_files();
    unit_total();
    unit_depth();
    unit_names();
    unit_unlimited();
    return unit_end();
}
