/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Single calls, with what they were given: as many as the budget allows.
 */
#ifndef SYSWATCH_SAMPLES_H
#define SYSWATCH_SAMPLES_H

static __always_inline wide less(wide used, wide regained)
{
	return used > regained ? used - regained : 0;
}

/* Say whether there is room for one more; each window gives some back, up to a burst, so that
 * what is short is seen whole.  Failures have a budget of their own. */
static __always_inline int has_room(wide *used, wide now)
{
	wide window = now >> WINDOW_BITS, regained;

	/* Another processor may have been at a later one already. */
	if (window > totals.window) {
		regained = (window - totals.window) * settings.samples;
		totals.window = window;
		totals.used = less(totals.used, regained);
		totals.used_by_failures = less(totals.used_by_failures, regained);
	}
	if (*used >= settings.burst)
		return 0;
	ADD(*used, 1);
	return 1;
}

/* As much as there is: the next page may not be there. */
static __always_inline wide read_bytes(byte *bytes, const word size, wide address)
{
	wide length;

	if (!bpf_probe_read_user(bytes, size, (void *)address))
		return size;
	length = -address & 4095 & (size - 1);
	if (length && !bpf_probe_read_user(bytes, length, (void *)address))
		return length;
	return 0;
}

static __always_inline wide read_text(byte *bytes, const word size, wide address)
{
	long length = bpf_probe_read_user_str(bytes, size, (void *)address);

	/* Of an empty text, older kernels such as Linux 6.1 do not count the end. */
	if (!length)
		bytes[0] = 0;
	return length >= 0 ? (length ? length : 1) : 0;
}

static __always_inline void read_chunk(struct chunk *chunk, byte plan, wide *arguments)
{
	word index = plan & 7;

	chunk->length = 0;
	if (!(plan & CHUNK_WANTED) || index >= ARGUMENTS)
		return;
	chunk->address = arguments[index];
	if (!chunk->address)
		return;
	if (plan & CHUNK_TEXT)
		chunk->length = read_text(chunk->bytes, CHUNK, chunk->address);
	else
		chunk->length = read_bytes(chunk->bytes, CHUNK, chunk->address);
}

/* Follow the pointers that are in a chunk; those of 32-bit programs are not followed. */
static __noinline void read_pieces(struct memory *memory, word call)
{
	const volatile struct pointers *plan = &settings.pointers[call];
	word count = plan->count & ~CHUNK_TEXT, number = plan->chunk, at = plan->first, index;
	struct piece *piece;
	struct chunk *chunk;

	for (index = 0; index < PIECES; index++)
		memory->pieces[index].length = 0;
	if (!count || number >= CHUNKS || call >= TABLE)
		return;
	chunk = &memory->chunks[number];
	for (index = 0; index < PIECES; index++) {
		if (index >= count || at > CHUNK - 8 || at + 8 > chunk->length)
			break;
		piece = &memory->pieces[index];
		piece->address = *(wide *)&chunk->bytes[at & (CHUNK - 8)];
		if (!piece->address && plan->count & CHUNK_TEXT)
			break;
		if (piece->address && plan->count & CHUNK_TEXT)
			piece->length = read_text(piece->bytes, PIECE, piece->address);
		else if (piece->address)
			piece->length = read_bytes(piece->bytes, PIECE, piece->address);
		at += plan->stride;
	}
}

static __noinline void read_memory(struct memory *memory, word call, wide *arguments)
{
	word index;

	if (call >= CALLS)
		return;
#pragma unroll
	for (index = 0; index < CHUNKS; index++)
		read_chunk(&memory->chunks[index], settings.chunks[call][index], arguments);
	read_pieces(memory, call);
}

/* The last link is that of the result. */
static __noinline void read_links(struct link *links, word call, wide *arguments)
{
	word index, next = 0;
	byte descriptors;

#pragma unroll
	for (index = 0; index < LINKS; index++)
		links[index].mode = 0;
	if (!settings.links || call >= CALLS)
		return;
	descriptors = settings.descriptors[call];
#pragma unroll
	for (index = 0; index < ARGUMENTS; index++)
		if (descriptors & (1 << index) && next < LINKS - 1)
			read_link((int)arguments[index], &links[next++ & 1]);
}

/* Read before the call runs what it may take away: memory by execve, descriptors by close. */
static __always_inline void read_early(struct task_struct *task, struct task *state)
{
	word call = state->call, flags = 0;
	struct given *given;

	if (call >= CALLS)
		return;
	if (settings.early[call])
		flags |= EARLY_MEMORY;
	if (settings.links && settings.descriptors[call] &&
	    (totals.window != state->began_ns >> WINDOW_BITS || totals.used < settings.burst))
		flags |= EARLY_LINKS;
	if (!flags)
		return;
	given = bpf_task_storage_get(&early, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!given)
		return;
	if (flags & EARLY_MEMORY)
		read_memory(&given->memory, call, state->arguments);
	if (flags & EARLY_LINKS)
		read_links(given->links, call, state->arguments);
	state->flags |= flags;
}

static __always_inline void fill(struct task_struct *task, struct task *state, word flags,
				 struct given *given)
{
	struct given *before = 0;

	if (flags & (EARLY_MEMORY | EARLY_LINKS))
		before = bpf_task_storage_get(&early, task, 0, 0);
	if (before && flags & EARLY_MEMORY)
		bpf_probe_read_kernel(&given->memory, sizeof(given->memory), &before->memory);
	else
		read_memory(&given->memory, state->call, state->arguments);
	if (before && flags & EARLY_LINKS)
		bpf_probe_read_kernel(given->links, sizeof(given->links), before->links);
	else
		read_links(given->links, state->call, state->arguments);
}

static __always_inline void keep(struct task_struct *task, struct task *state, word flags,
				 wide now, const struct outcome *outcome, long result)
{
	word shown = has_room(&totals.used, now);
	word call = state->call;
	struct sample *sample;
	byte returns;

	if (call >= CALLS || (outcome->unfinished && !shown) ||
	    (!shown && !(outcome->failed && has_room(&totals.used_by_failures, now))))
		return;
	/* Here, because Linux 6.1 will not remember below that the call has been checked. */
	returns = settings.returns[call];
	sample = bpf_ringbuf_reserve(&samples, sizeof(*sample), 0);
	if (!sample)
		return;
	sample->began_ns = now - outcome->duration;
	sample->result = result;
	__builtin_memcpy(sample->arguments, state->arguments, sizeof(sample->arguments));
	sample->tid = pid_of(task);
	sample->call = call;
	sample->shown = shown && outcome->unfinished ? UNFINISHED : shown;
	fill(task, state, flags, &sample->given);
	if (settings.links && returns && !outcome->failed)
		read_link((int)result, &sample->given.links[LINKS - 1]);
	bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
}

#endif
