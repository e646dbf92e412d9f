/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Copies what the arguments of a call point to, in the steps that were planned for it.
 */
#ifndef SYSWATCH_MEMORY_H
#define SYSWATCH_MEMORY_H

#define PAGE 4096
#define ALIGNED(length) (((length) + 7) & ~7)

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

/* Return whether a step of the arguments is due; inner steps follow their outer one. */
static __always_inline int is_due(struct reading *reading, word when)
{
	word bit = 1 << (reading->done & 31);

	if (!reading->outermost)
		return 1;
	if (reading->moment == AT_ENTRY)
		return when & AT_ENTRY;
	if (when & AT_EXIT)
		return 1;
	if (reading->sample.memory.early & bit)
		return 0;
	return when & IF_MISSED || (when & IF_FAILED && reading->failed);
}

/* The offset of a piece.  A mask, which Linux 6.1 tracks even where it loses a comparison. */
static __always_inline byte *behind(struct memory *memory, word at)
{
	barrier_var(at);
	return &memory->data[at & (DATA - 1)];
}

/* Copy memory into a new piece; return its length. */
static __always_inline word read_behind(struct memory *memory, const volatile struct step *step,
					word at, wide address, wide units)
{
	word form = step->form, size = step->size, length;
	byte *bytes = behind(memory, at) + PIECE;

	at += PIECE;
	if (form == FORM_POINTERS || form == FORM_ENTRIES) {
		length = count_elements(address, units, form, step->unit);
		*(wide *)bytes = length;
		return length < MOST_COUNTED ? sizeof(wide) : 0;
	}
	if (units < size && units * step->scale < size)
		size = units * step->scale;
	barrier_var(size);
	if (!size || size > MOST)
		return 0;
	if (form == FORM_TEXT)
		return read_text(bytes, size, address);
	length = read_bytes(bytes, size, address);
	return form == FORM_LIST ? length_of_list(memory, at, length, step->unit) : length;
}

static __always_inline void read_piece(struct reading *reading, const volatile struct step *step,
				       word base)
{
	struct memory *memory = &reading->sample.memory;
	wide address = number_at(memory, base + step->pointer, step->width), units = 1ULL << 62;
	word at = memory->length, length;
	struct piece *piece;

	/* The first page is never mapped. */
	if (address < PAGE || at >= DATA)
		return;
	if (step->limit != UNLIMITED)
		units = number_at(memory, base + step->limit, step->limit_width);
	length = read_behind(memory, step, at, address, units);
	if (!length)
		return;
	if (reading->outermost && reading->moment == AT_ENTRY)
		memory->early |= 1 << (reading->done & 31);
	piece = (void *)behind(memory, at);
	piece->address = address;
	piece->length = length;
	piece->first = step->first;
	piece->steps = step->steps;
	piece->form = step->form;
	piece->kept = reading->outermost ? (step->when & GIVEN) | reading->moment : reading->kept;
	memory->length = at + PIECE + ALIGNED(length);
}

/* Continue with the next piece that may contain pointers. */
static __always_inline int next_piece(struct reading *reading)
{
	struct memory *memory = &reading->sample.memory;
	word at = reading->next;
	struct piece *piece;

	if (at >= memory->length || at >= DATA)
		return 0;
	piece = (void *)behind(memory, at);
	reading->outermost = 0;
	reading->base = at + PIECE;
	reading->length = piece->length;
	reading->kept = piece->kept;
	reading->step = piece->first;
	reading->steps = piece->steps;
	reading->done = reading->element = 0;
	reading->next = reading->base + ALIGNED(piece->length);
	return 1;
}

/* Do one more read; return whether there was one. */
__noinline int read_next(struct reading *reading)
{
	const volatile struct step *step;
	word index, base;

	if (!reading)
		return 0;
	if (reading->done >= reading->steps)
		return next_piece(reading);
	index = reading->step + reading->done;
	barrier_var(index);
	if (index >= STEPS)
		return 0;
	step = &settings.steps[index];
	base = reading->element * step->stride;
	if (reading->element >= step->count ||
	    base + step->pointer + step->width > reading->length || !is_due(reading, step->when)) {
		reading->done++;
		reading->element = 0;
		return 1;
	}
	reading->element++;
	read_piece(reading, step, reading->base + base);
	return 1;
}

__noinline int read_more(struct reading *reading)
{
	word turn;

	for (turn = 0; turn < TURN; turn++)
		if (!read_next(reading))
			return 0;
	return 1;
}

/* The first piece consists of the arguments and the result; all others are at pointers in previous
 * pieces. */
static __noinline void read_memory(struct reading *reading, word call, struct task *state, long result,
			  word moment)
{
	struct memory *memory = &reading->sample.memory;
	word turn;

	if (call >= CALLS)
		return;
	__builtin_memcpy(memory->data, state->arguments, sizeof(state->arguments));
	*(wide *)&memory->data[sizeof(state->arguments)] = result > 0 ? result : 0;
	if (memory->length < ROOT)
		memory->length = ROOT;
	reading->moment = moment;
	reading->failed = result < 0 && result >= -MAX_ERRNO;
	reading->outermost = 1;
	reading->base = reading->done = reading->element = reading->kept = 0;
	reading->length = ROOT;
	reading->next = memory->length;
	reading->step = settings.plans[call].first;
	reading->steps = settings.plans[call].steps;
	for (turn = 0; turn < READS / TURN; turn++)
		if (!read_more(reading))
			break;
}

#endif
