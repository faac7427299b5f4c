/* unit-quantity: what counts as a number on a command line, at the limits of each kind. */
#include "base/quantity.h"

#include "unit.h"

static void unit_sizes(void)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"1", 1},
                {"1K", 1024},
                {"100M", 104857600},
                {"2G", 2147483648},
                {"16777215T", 16777215ULL << 40},
                {"18446744073709551614", UINT64_MAX - 1},
                {"unlimited", QUANTITY_UNLIMITED}};
    static const char *const bad[] = {"",
                                      " 1",
                                      "1 ",
                                      "+1",
                                      "-1",
                                      "0x10",
                                      "1k",
                                      "1KB",
                                      "1.5M",
                                      "K",
                                      "16777216T",
                                      "18446744073709551615",
                                      "1e3",
                                      "1KK",
                                      "unlimite",
                                      "unlimitedx",
                                      "99999999999999999999"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t bytes = 7;
        unit_claim(quantity_size(good[i].text, &bytes) && bytes == good[i].bytes, "size %s is taken", good[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t bytes = 7;
        unit_claim(!quantity_size(bad[i], &bytes) && bytes == 7, "size '%s' is refused and leaves no trace", bad[i]);
    }
}

static void unit_durations(void)
{
    static const struct {
        const char *text;
        int64_t milliseconds;
    } good[] = {{"0", 0},      {"1", 1000},      {"1.5", 1500},          {".25", 250},      {"10ms", 10},
                {"0.5ms", 1},  {"0.0001", 1},    {"2m", 120000},         {"1.5h", 5400000}, {"1s", 1000},
                {"0.0000", 0}, {"1.0010", 1001}, {"0.0010000000001", 2}, {"0.1h", 360000}};
    static const char *const bad[] = {
        "",    ".",   "1.",    "-1", "+1", "1d", "1 s", "s", "1ss", "1e3", "99999999999999999999",
        "inf", "nan", "1.5.5", "0x1"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        int64_t milliseconds = 7;
        unit_claim(quantity_duration(good[i].text, &milliseconds) && milliseconds == good[i].milliseconds,
                   "duration %s is %lld ms", good[i].text, (long long)good[i].milliseconds);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t milliseconds = 7;
        unit_claim(!quantity_duration(bad[i], &milliseconds) && milliseconds == 7, "duration '%s' is refused", bad[i]);
    }
}

static void unit_counts_and_modes(void)
{
    uint64_t count = 7;
    unsigned mode = 7;
    unit_claim(quantity_count("10000", &count) && count == 10000, "a count is a plain number");
    unit_claim(!quantity_count("1K", &count) && count == 10000, "a count takes no unit");
    unit_claim(quantity_mode("0644", &mode) && mode == 0644, "a mode is octal");
    unit_claim(quantity_mode("7777", &mode) && mode == 07777, "the largest mode is 7777");
    unit_claim(!quantity_mode("8", &mode) && !quantity_mode("10000", &mode) && !quantity_mode("", &mode) &&
                   !quantity_mode("u+x", &mode) && mode == 07777,
               "what is no octal mode is refused");
}

int main(void)
{
    unit_sizes();
    unit_durations();
    unit_counts_and_modes();
    return unit_end();
}
