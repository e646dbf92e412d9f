/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Copies what the arguments of a call point to, in the steps that were planned for it.
 */
#ifndef SYSWATCH_MEMORY_H
#define SYSWATCH_MEMORY_H

#define ALIGNED(length) (((length) + 7) & ~7)

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
static __always_inline word read_behind(struct memory *memory, const struct step *step,
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

static __always_inline void read_piece(struct reading *reading, const struct step *step,
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
	const struct step *step;
	word index, base;

	if (!reading)
		return 0;
	if (reading->done >= reading->steps)
		return next_piece(reading);
	index = reading->step + reading->done;
	barrier_var(index);
	if (index >= STEPS)
		return 0;
	step = &catalog.steps[index];
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
	reading->step = catalog.plans[call].first;
	reading->steps = catalog.plans[call].steps;
	for (turn = 0; turn < READS / TURN; turn++)
		if (!read_more(reading))
			break;
}

#endif
