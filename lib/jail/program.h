/*
 * program: what the first bytes of a program's file say about how it is run. Pure: no system calls. execve(2), elf(5).
 */
#ifndef SBX_JAIL_PROGRAM_H
#define SBX_JAIL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

enum { PROGRAM_HEAD = 4096 /* bytes of the file that are looked at */ };

/*
 * Finds the interpreter that the kernel needs for the program: that of a script's "#!" line, or the loader that an ELF
 * file names. head is the file's beginning, size bytes of it. *name points into head, *length long, without a NUL;
 * false where none is named within it.
 */
bool program_interpreter(const unsigned char *head, size_t size, const char **name, size_t *length);

#endif
