#include "program.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

/* "#!", blanks, and the interpreter up to the next blank or the end of the line. */
static bool program_script(const unsigned char *head, size_t size, const char **name, size_t *length)
{
    size_t at = 2;
    while (at < size && (head[at] == ' ' || head[at] == '\t'))
        at++;
    size_t end = at;
    while (end < size && head[end] != ' ' && head[end] != '\t' && head[end] != '\n' && head[end] != '\0')
        end++;
    *name = (const char *)head + at;
    *length = end - at;
    return end > at && end < size;
}

static bool program_text(const unsigned char *head, size_t size, uint64_t offset, uint64_t count, const char **name,
                         size_t *length)
{
    if (offset >= size || count == 0 || count > size - offset)
        return false;
    *name = (const char *)head + offset;
    *length = strnlen(*name, count);
    return *length > 0;
}

/* The program headers of both classes, of the machine's own byte order, have the same fields in other places. */
#define PROGRAM_ELF(bits)                                                                                              \
    static bool program_elf##bits(const unsigned char *head, size_t size, const char **name, size_t *length)           \
    {                                                                                                                  \
        Elf##bits##_Ehdr file;                                                                                         \
        Elf##bits##_Phdr segment;                                                                                      \
        if (size < sizeof file)                                                                                        \
            return false;                                                                                              \
        memcpy(&file, head, sizeof file);                                                                              \
        for (uint64_t i = 0; i < file.e_phnum; i++) {                                                                  \
            uint64_t at = file.e_phoff + i * sizeof segment;                                                           \
            if (file.e_phoff > size || at > size || size - at < sizeof segment)                                        \
                return false;                                                                                          \
            memcpy(&segment, head + at, sizeof segment);                                                               \
            if (segment.p_type == PT_INTERP)                                                                           \
                return program_text(head, size, segment.p_offset, segment.p_filesz, name, length);                     \
        }                                                                                                              \
        return false;                                                                                                  \
    }
PROGRAM_ELF(32)
PROGRAM_ELF(64)

bool program_interpreter(const unsigned char *head, size_t size, const char **name, size_t *length)
{
    if (size > 2 && head[0] == '#' && head[1] == '!')
        return program_script(head, size, name, length);
    if (size <= EI_CLASS || memcmp(head, ELFMAG, SELFMAG) != 0)
        return false;
    return head[EI_CLASS] == ELFCLASS64 ? program_elf64(head, size, name, length)
                                        : program_elf32(head, size, name, length);
}
