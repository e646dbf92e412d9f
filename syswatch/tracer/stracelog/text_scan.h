/*
 * Scanning a line: each function returns what follows something in it, or NULL without it.
 */
#ifndef SYSWATCH_TEXT_SCAN_H
#define SYSWATCH_TEXT_SCAN_H

#include "rows.h"

#define MOST_NAME 64
#define MOST_DESCRIPTOR_DIGITS 7

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_of_errno(char c)
{
    return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

/* Each of these returns where something ends that begins at `at`, or NULL if it does not. */

static const char *after(const char *at, const char *end, const char *text)
{
    size_t length = strlen(text);

    return (size_t)(end - at) >= length && !memcmp(at, text, length) ? at + length : NULL;
}

static const char *after_digits(const char *at, const char *end, int least, int most)
{
    const char *begin = at;

    while (at < end && at - begin < most && is_digit(*at))
        at++;
    return at - begin >= least ? at : NULL;
}

static const char *after_number(const char *at, const char *end)
{
    const char *begin = at;

    while (at < end && is_digit(*at))
        at++;
    return at > begin ? at : NULL;
}

static const char *after_spaces(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

static const char *after_name(const char *at, const char *end)
{
    const char *begin = at;

    if (at == end || !begins_name(*at))
        return NULL;
    while (at < end && at - begin < MOST_NAME && (begins_name(*at) || is_digit(*at)))
        at++;
    return at;
}

static const char *after_string(const char *at, const char *end)
{
    if (at == end || *at++ != '"')
        return NULL;
    for (; at < end; at++) {
        if (*at == '"')
            return at + 1;
        if (*at == '\\' && ++at == end)
            break;
    }
    return NULL;
}

static const char *after_plain_decoration(const char *at, const char *end)
{
    while (at < end && *at != '<' && *at != '>' && *at != '-')
        at++;
    return at;
}

/* See `DECORATION` in `grammar.py`. */
static const char *after_decoration(const char *at, const char *end)
{
    if (at == end || *at != '<')
        return NULL;
    at = after_plain_decoration(at + 1, end);
    while (at < end && *at == '-') {
        at++;
        if (at + 1 < end && *at == '>' && (is_digit(at[1]) || at[1] == '['))
            at++;
        at = after_plain_decoration(at, end);
    }
    if (at < end && *at == '<') {
        const char *inner = at + 1;

        while (inner < end && *inner != '<' && *inner != '>')
            inner++;
        if (inner == end || *inner != '>')
            return NULL;
        at = inner + 1;
    }
    if (at == end || *at++ != '>')
        return NULL;
    const char *deleted = after(at, end, "(deleted)");
    return deleted ? deleted : at;
}

static const char *after_optional_decoration(const char *at, const char *end)
{
    const char *decoration = after_decoration(at, end);

    return decoration ? decoration : at;
}

#endif
