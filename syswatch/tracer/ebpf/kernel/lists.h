/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Texts, lists of pointers and directory entries in the memory of the target: how long they are.
 */
#ifndef SYSWATCH_LISTS_H
#define SYSWATCH_LISTS_H

#define PAGE 4096

/* As much as is readable: the next page may not be in memory. */
static __always_inline word read_bytes(byte *bytes, word size, wide address)
{
	word rest = PAGE - (address & (PAGE - 1));

	if (!bpf_probe_read_user(bytes, size, (void *)address))
		return size;
	if (rest >= size)
		return 0;
	/* The verifier of Linux 6.1 learns nothing from comparing two numbers. */
	barrier_var(rest);
	rest &= MOST - 1;
	return bpf_probe_read_user(bytes, rest, (void *)address) ? 0 : rest;
}

/* A text that fills its buffer is truncated, and the NUL is not part of it. */
static __always_inline word read_text(byte *bytes, word size, wide address)
{
	long length = bpf_probe_read_user_str(bytes, size, (void *)address);

	if (length < 0 || length > size)
		return 0;
	/* For an empty text, older kernels such as Linux 6.1 do not count the NUL. */
	if (!length) {
		bytes[0] = 0;
		return 1;
	}
	return length == size ? length - 1 : length;
}

/* A long loop is divided into inner loops: the kernel verifies an inner loop once, and not for each
 * iteration of the outer one.  For that, the state of the loop is kept in memory. */
#define TURN 32

/* Not static, as all functions with loops or called in loops: the kernel verifies it once, not for
 * every call. */
__noinline wide number_at(struct memory *memory, word at, word width)
{
	void *place;

	if (!memory || at > SPACE - sizeof(wide))
		return 0;
	/* By way of a variable, so that the compiler does not read it byte by byte. */
	place = &memory->data[at];
	return width == sizeof(word) ? *(word *)place : *(wide *)place;
}

struct list {
	word at;
	word end;
	word length;
	word width;
};

/* Continue to the end of a list of pointers; return whether it was found. */
__noinline int look_at_pointers(struct memory *memory, struct list *list)
{
	word turn, end;

	if (!memory || !list)
		return 1;
	for (turn = 0; turn < TURN; turn++) {
		end = list->end + list->width;
		if (end > list->length)
			return 1;
		if (!number_at(memory, list->at + list->end, list->width)) {
			list->length = end;
			return 1;
		}
		list->end = end;
	}
	return 0;
}

/* Return the length of a list of pointers, including the null pointer. */
static __always_inline word length_of_list(struct memory *memory, word at, word length, word width)
{
	struct list list = {.at = at, .length = length, .width = width};
	word turn;

	for (turn = 0; turn < MOST / sizeof(word) / TURN; turn++)
		if (look_at_pointers(memory, &list))
			break;
	return list.length;
}

/* Return the length of an element: a pointer, or a directory entry, which contains its length; 0 at
 * the end, and if it is not readable.  A separate function, so that the loop below has few branches:
 * the number that the verifier tracks is limited. */
__noinline int length_of_element(wide address, word form, word width)
{
	unsigned short length = 0;
	wide pointer = 0;

	if (form == FORM_ENTRIES) {
		if (bpf_probe_read_user(&length, sizeof(length), (void *)address + ENTRY_LENGTH))
			return -1;
		return length;
	}
	if (bpf_probe_read_user(&pointer, sizeof(word), (void *)address))
		return -1;
	if (width > sizeof(word) && !pointer &&
	    bpf_probe_read_user(&pointer, sizeof(wide), (void *)address))
		return -1;
	return pointer ? width : 0;
}

struct array {
	wide address;
	long left;
	word form;
	word width;
	word count;
};

/* Continue to count; return whether the end was found. */
__noinline int count_more(struct array *array)
{
	word turn;
	int length;

	if (!array)
		return 1;
	for (turn = 0; turn < TURN; turn++) {
		if (array->left <= 0)
			return 1;
		length = length_of_element(array->address, array->form, array->width);
		if (length <= 0) {
			if (length)
				array->count = MOST_COUNTED;
			return 1;
		}
		array->left -= length;
		array->address += length;
		array->count++;
	}
	return 0;
}

/* Count the elements at a pointer, up to MOST_COUNTED. */
static __always_inline word count_elements(wide address, long left, word form, word width)
{
	struct array array = {.address = address, .left = left, .form = form, .width = width};
	word turn;

	for (turn = 0; turn < MOST_COUNTED / TURN; turn++)
		if (count_more(&array))
			break;
	return array.count;
}

#endif
