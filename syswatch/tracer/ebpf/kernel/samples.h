/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Single calls, with what they were given: as many as the budget allows.
 */
#ifndef SYSWATCH_SAMPLES_H
#define SYSWATCH_SAMPLES_H

/* Say whether there is room for one more in this window; failures have a budget of their own. */
static __always_inline int has_room(wide *used, wide now)
{
	wide window = now >> WINDOW_BITS;

	if (totals.window != window) {
		totals.window = window;
		totals.used = 0;
		totals.used_by_failures = 0;
	}
	if (*used >= settings.samples)
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

	return length > 0 ? length : 0;
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
static __noinline void read_pieces(struct given *given, word call)
{
	const volatile struct pointers *plan = &settings.pointers[call];
	word count = plan->count & ~CHUNK_TEXT, number = plan->chunk, at = plan->first, index;
	struct piece *piece;
	struct chunk *chunk;

	for (index = 0; index < PIECES; index++)
		given->pieces[index].length = 0;
	if (!count || number >= CHUNKS || call >= TABLE)
		return;
	chunk = &given->chunks[number];
	for (index = 0; index < PIECES; index++) {
		if (index >= count || at > CHUNK - 8 || at + 8 > chunk->length)
			break;
		piece = &given->pieces[index];
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

/* Read what a call is about; at its beginning `result` is not known yet. */
static __noinline void read_given(struct task_struct *task, struct given *given, word call,
				       wide *arguments)
{
	byte descriptors;
	word index, next = 0;

	if (call >= CALLS)
		return;
#pragma unroll
	for (index = 0; index < CHUNKS; index++)
		read_chunk(&given->chunks[index], settings.chunks[call][index], arguments);
	read_pieces(given, call);
#pragma unroll
	for (index = 0; index < LINKS; index++)
		given->links[index].mode = 0;
	if (!settings.links)
		return;
	descriptors = settings.descriptors[call];
#pragma unroll
	for (index = 0; index < ARGUMENTS; index++)
		if (descriptors & (1 << index) && next < LINKS - 1)
			read_link((wide)task, (int)arguments[index], &given->links[next++ & 1]);
}

/* Read it before the call runs, which may take it away: memory by execve, descriptors by close. */
static __always_inline void read_early(struct task_struct *task, struct task *state, wide now)
{
	struct given *given;
	word call = state->call;

	if (call >= CALLS || !(settings.early[call] || (settings.links && settings.descriptors[call])))
		return;
	if (totals.window == now >> WINDOW_BITS && totals.used >= settings.samples &&
	    !settings.early[call])
		return;
	given = bpf_task_storage_get(&early, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!given)
		return;
	read_given(task, given, call, state->arguments);
	state->flags |= EARLY;
}

static __always_inline void keep(struct task_struct *task, struct task *state, int was_read,
				 wide now, const struct outcome *outcome, long result)
{
	word call = state->call;
	int shown = has_room(&totals.used, now);
	struct given *given = 0;
	struct sample *sample;

	if (call >= CALLS || (!shown && !(outcome->failed && has_room(&totals.used_by_failures, now))))
		return;
	sample = bpf_ringbuf_reserve(&samples, sizeof(*sample), 0);
	if (!sample)
		return;
	sample->began_ns = now - outcome->duration;
	sample->duration_ns = outcome->duration;
	sample->result = result;
	__builtin_memcpy(sample->arguments, state->arguments, sizeof(sample->arguments));
	sample->pid = pid_of(task->group_leader);
	sample->tid = pid_of(task);
	sample->call = call;
	sample->shown = shown;
	if (was_read)
		given = bpf_task_storage_get(&early, task, 0, 0);
	if (given)
		bpf_probe_read_kernel(&sample->given, sizeof(sample->given), given);
	else
		read_given(task, &sample->given, call, state->arguments);
	if (settings.links && settings.returns[call] && !outcome->failed)
		read_link((wide)task, (int)result, &sample->given.links[LINKS - 1]);
	bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
	if (shown)
		ADD(totals.kept, 1);
}

#endif
