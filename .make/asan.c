/*
 * Options of the sanitizers that the tools must find in themselves, since no environment reaches them over docker exec.
 *
 * LeakSanitizer ends a program by attaching to it with ptrace(2), which PR_SET_DUMPABLE 0 forbids: it would make every
 * tool fail. 99 is no exit code of the tools, so no test takes a finding for a refusal.
 */
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the names are the sanitizers'
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:exitcode=99";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "print_stacktrace=1:exitcode=99";
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
