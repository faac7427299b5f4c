#include "json.h"

#include <stdio.h>
#include <string.h>

struct json json_into(char *buffer, size_t size)
{
    return (struct json){buffer, size, 0, false};
}

void json_raw(struct json *json, const char *bytes, size_t length)
{
    if (length > json->size - json->used)
        length = json->size - json->used;
    memcpy(json->buffer + json->used, bytes, length);
    json->used += length;
}

static void json_put(struct json *json, const char *text)
{
    json_raw(json, text, strlen(text));
}

static void json_string(struct json *json, const char *text)
{
    char escape[8];
    json_put(json, "\"");
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            json_raw(json, "\\", 1);
        if (byte >= ' ' && byte <= '~')
            json_raw(json, text, 1);
        else {
            snprintf(escape, sizeof escape, "\\u%04x", byte);
            json_put(json, escape);
        }
    }
    json_put(json, "\"");
}

/* What comes before a value: a comma behind another one, and its name. */
static void json_name(struct json *json, const char *name)
{
    if (json->comma)
        json_put(json, ",");
    if (name) {
        json_string(json, name);
        json_put(json, ":");
    }
    json->comma = true;
}

void json_begin(struct json *json, const char *name, char bracket)
{
    json_name(json, name);
    json_raw(json, &bracket, 1);
    json->comma = false;
}

void json_end(struct json *json, char bracket)
{
    json_raw(json, &bracket, 1);
    json->comma = true;
}

void json_text(struct json *json, const char *name, const char *text)
{
    json_name(json, name);
    json_string(json, text);
}

void json_number(struct json *json, const char *name, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)number);
    json_name(json, name);
    json_put(json, text);
}

void json_bool(struct json *json, const char *name, bool value)
{
    json_name(json, name);
    json_put(json, value ? "true" : "false");
}

void json_null(struct json *json, const char *name)
{
    json_name(json, name);
    json_put(json, "null");
}

void json_base64(struct json *json, const char *name, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    json_name(json, name);
    json_put(json, "\"");
    size_t i = 0;
    char *to = json->buffer + json->used;
    const char *end = json->buffer + json->size;
    for (; length - i >= 3 && end - to >= 4; i += 3, to += 4) {
        uint32_t group = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        to[0] = digits[group >> 18];
        to[1] = digits[group >> 12 & 63];
        to[2] = digits[group >> 6 & 63];
        to[3] = digits[group & 63];
    }
    json->used = (size_t)(to - json->buffer);
    if (length - i == 1 || length - i == 2) {
        uint32_t group = (uint32_t)bytes[i] << 16 | (length - i == 2 ? (uint32_t)bytes[i + 1] << 8 : 0);
        char last[4] = {digits[group >> 18], digits[group >> 12 & 63], '=', '='};
        if (length - i == 2)
            last[2] = digits[group >> 6 & 63];
        json_raw(json, last, sizeof last);
    }
    json_put(json, "\"");
}
