/*
 * json: writing JSON (RFC 8259) into a buffer. Pure: no system calls.
 *
 * Everything written is ASCII. What does not fit is cut, and the writer says so: callers give room enough for the
 * longest there can be.
 */
#ifndef SBX_JAIL_JSON_H
#define SBX_JAIL_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    char *buffer;
    size_t size, used;
    bool comma; /* a value stands before */
};

/* A writer into size bytes of buffer. */
struct json json_into(char *buffer, size_t size);

/* "{" or "[" and their ends; name is that of the member, NULL in an array or at the top. */
void json_begin(struct json *json, const char *name, char bracket);
void json_end(struct json *json, char bracket);

/* A member of an object, or an element where name is NULL. */
void json_text(struct json *json, const char *name, const char *text);
void json_number(struct json *json, const char *name, int64_t number);
void json_bool(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);

/* Bytes as they are, such as a newline between objects. */
void json_raw(struct json *json, const char *bytes, size_t length);

/* Bytes as a string in base64 (RFC 4648, section 4). */
void json_base64(struct json *json, const char *name, const unsigned char *bytes, size_t length);

#endif
