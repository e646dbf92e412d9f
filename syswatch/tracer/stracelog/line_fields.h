/*
 * Finding the fields of a line, as the expressions of `line_format.py` do.
 */
#ifndef SYSWATCH_LINE_FIELDS_H
#define SYSWATCH_LINE_FIELDS_H

#include "text_scan.h"

enum { NO_TIME, TIME_OF_DAY, DATE };

#define MOST_PID_DIGITS 8
#define MOST_ADDRESS_DIGITS 16
#define MOST_SECOND_DIGITS 9

/* The text from `at` to before `end`; both are NULL if a row does not have the field. */
typedef struct {
    const char *at;
    const char *end;
} Text;

/* What the lines of a log begin with, and what is needed of them. */
typedef struct {
    int time;
    bool pid_first;
    bool has_relative;
    bool has_number;
    bool has_pointer;
    bool has_arguments;
} LineForm;

static const char *after_pid(const LineForm *form, const char *at, const char *end, Text *row)
{
    const char *digits = at, *rest;

    if (form->pid_first) {
        rest = after_digits(at, end, 1, MOST_PID_DIGITS);
        if (!rest || rest == end || *rest != ' ')
            return NULL;
        row[PID] = (Text){at, rest};
        return after_spaces(rest, end);
    }
    digits = after(at, end, "[pid ");
    if (!digits)
        return at;
    digits = after_spaces(digits, end);
    rest = after_digits(digits, end, 1, MOST_PID_DIGITS);
    if (!rest || end - rest < 2 || memcmp(rest, "] ", 2))
        return at;
    row[PID] = (Text){digits, rest};
    return rest + 2;
}

static const char *after_time(const LineForm *form, const char *at, const char *end, Text *row)
{
    const char *begin = at;

    if (form->time == NO_TIME)
        return at;
    if (form->time == DATE) {
        at = after_digits(at, end, 9, 10);
    } else {
        for (int part = 0; part < 3 && at; part++) {
            at = part ? after(at, end, ":") : at;
            at = at ? after_digits(at, end, 2, 2) : NULL;
        }
    }
    if (!at)
        return NULL;
    row[SECOND] = (Text){begin, at};
    if (at < end && *at == '.') {
        const char *fraction = at + 1;

        at = after_number(fraction, end);
        if (!at)
            return NULL;
        row[FRACTION] = (Text){fraction, at};
    }
    return at < end && *at == ' ' ? at + 1 : NULL;
}

static const char *after_relative_time(const char *at, const char *end)
{
    const char *spaces = after(at, end, "(+");

    if (!spaces)
        return NULL;
    at = after_spaces(spaces, end);
    if (at == spaces || !(at = after_number(at, end)) || !(at = after(at, end, ".")))
        return NULL;
    at = after_number(at, end);
    return at ? after(at, end, ") ") : NULL;
}

static const char *after_call_number(const char *at, const char *end)
{
    if (!(at = after(at, end, "[")) || !(at = after_number(after_spaces(at, end), end)))
        return NULL;
    return after(at, end, "] ");
}

static const char *after_pointer(const char *at, const char *end)
{
    const char *begin;

    if (!(begin = at = after(at, end, "[")))
        return NULL;
    while (at < end && at - begin < MOST_ADDRESS_DIGITS && (is_hexadecimal(*at) || *at == '?'))
        at++;
    return at - begin >= 8 ? after(at, end, "] ") : NULL;
}

static const char *after_leader(const LineForm *form, const char *at, const char *end, Text *row)
{
    if (!(at = after_pid(form, at, end, row)) || !(at = after_time(form, at, end, row)))
        return NULL;
    if (form->has_relative && !(at = after_relative_time(at, end)))
        return NULL;
    if (form->has_number && !(at = after_call_number(at, end)))
        return NULL;
    return form->has_pointer ? after_pointer(at, end) : at;
}

/* Whether a line ends at `at` as a plain call does after its arguments; fills the fields of a row. */
static bool ends_call(const char *at, const char *end, Text *row)
{
    const char *begin, *rest, *spaces = after(at, end, ")");

    at = after_spaces(spaces, end);
    if (at == spaces || !(at = after(at, end, "= ")))
        return false;
    row[RESULT] = row[HEXADECIMAL] = row[ERRNO] = row[DURATION] = (Text){NULL, NULL};
    begin = at;
    if ((rest = after(at, end, "0x")) && rest < end && is_hexadecimal(*rest)) {
        while (rest < end && is_hexadecimal(*rest))
            rest++;
        row[HEXADECIMAL] = (Text){begin, at = rest};
    } else {
        rest = after(at, end, "-");
        if (!(at = after_number(rest ? rest : at, end)))
            return false;
        row[RESULT] = (Text){begin, at = after_optional_decoration(at, end)};
    }
    if (end - at > 2 && at[0] == ' ' && at[1] == 'E' && is_of_errno(at[2])) {
        for (begin = at + 1, rest = begin + 1; rest < end && is_of_errno(*rest); rest++)
            ;
        row[ERRNO] = (Text){begin, rest};
        if (!(rest = after(rest, end, " (")))
            return false;
        while (rest < end && *rest != '(' && *rest != ')')
            rest++;
        if (!(at = after(rest, end, ")")))
            return false;
    }
    if ((rest = after(at, end, " <"))) {
        begin = rest;
        if (!(rest = after_digits(begin, end, 1, MOST_SECOND_DIGITS)) ||
            !(rest = after(rest, end, ".")) || !(rest = after_number(rest, end)) || rest == end ||
            *rest != '>')
            return false;
        row[DURATION] = (Text){begin, rest};
        at = rest + 1;
    }
    return at == end;
}

/* Returns the parenthesis that closes the arguments of a plain call, or NULL if it is none. */
static const char *end_of_arguments(const char *begin, const char *end, Text *row)
{
    for (const char *at = end; (at = memrchr(begin, ')', at - begin));)
        if (ends_call(at, end, row))
            return at;
    return NULL;
}

/* Whether the text before `at` is a name that ends so, and a parenthesis. */
static bool follows(const char *name_end, const char *name_begin, const char *text)
{
    Py_ssize_t length = strlen(text);

    return name_begin && name_end - name_begin >= length &&
           !memcmp(name_end - length, text, length);
}

/* See `FIRST_ARGUMENT` in `grammar.py`: finds a path, or else a descriptor or a futex. */
static void find_first(Text name, const char *begin, const char *end, Text *row)
{
    const char *path = begin, *at, *rest;

    if ((at = after(begin, end, "AT_FDCWD")))
        at = after_optional_decoration(at, end);
    else
        at = after(begin, end, "-100");
    if (at && (at = after(at, end, ", ")) && (rest = after_string(at, end))) {
        path = at;
    } else {
        rest = after_string(begin, end);
        if (!rest && (follows(name.end, name.at, "openat") || follows(name.end, name.at, "openat2")) &&
            (at = after_digits(begin + (begin < end && *begin == '-'), end, 1,
                               MOST_DESCRIPTOR_DIGITS)) &&
            (at = after(after_optional_decoration(at, end), end, ", ")))
            rest = after_string(at, end);
    }
    if (rest) {
        at = after(rest, end, "...");
        row[PATH] = (Text){path, at ? at : rest};
        return;
    }
    at = after_digits(begin, end, 1, MOST_DESCRIPTOR_DIGITS);
    if (at && at - begin == 1 && *begin == '0' && at < end && *at == 'x' &&
        follows(name.end, name.at, "futex")) {
        for (rest = ++at; at < end && at - rest < MOST_ADDRESS_DIGITS && is_hexadecimal(*at);)
            at++;
        if (at == rest)
            return;
    }
    if (at && (at = after_optional_decoration(at, end)) < end && (*at == ',' || *at == ')'))
        row[FIRST] = (Text){begin, at};
}

/*
 * Finds the fields of the call whose arguments begin at `begin`; returns whether it is a plain one.
 * Sets `unsure` if what looks like its end may be inside its first argument.
 */
static bool find_call(const LineForm *form, Text name, const char *begin, const char *end,
                      Text *row, bool *unsure)
{
    const char *close = end_of_arguments(begin, end, row);

    if (!close) {
        row[RESULT] = row[HEXADECIMAL] = row[ERRNO] = row[DURATION] = (Text){NULL, NULL};
        return false;
    }
    find_first(name, begin, end, row);
    *unsure = row[PATH].end > close || row[FIRST].end > close;
    if (form->has_arguments)
        row[ARGUMENTS] = (Text){begin, close};
    return true;
}

/* Finds the fields of a line. */
static void find_fields(const LineForm *form, const char *at, const char *end, Text *row,
                        bool *unsure)
{
    static const char unfinished[] = " <unfinished ...>";
    const Py_ssize_t length = sizeof unfinished - 1;
    const char *rest;
    Text name;

    if (!(at = after_leader(form, at, end, row))) {
        memset(row, 0, FIELDS * sizeof *row);
        return;
    }
    if ((rest = after(at, end, "<... "))) {
        name = (Text){rest, after_name(rest, end)};
        if (name.end && (rest = after(name.end, end, " resumed>")) &&
            find_call(form, (Text){NULL, NULL}, rest, end, row, unsure))
            row[RESUMED] = name;
        return;
    }
    name = (Text){at, after_name(at, end)};
    if (!name.end || name.end == end || *name.end != '(')
        return;
    if (end - name.end > length && !memcmp(end - length, unfinished, length))
        row[BEGUN] = (Text){at, end - length};
    else if (find_call(form, name, name.end + 1, end, row, unsure))
        row[NAME] = name;
}

#endif
