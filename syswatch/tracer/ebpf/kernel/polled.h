/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Which descriptor ended a wait in poll, select or epoll_wait.
 */
#ifndef SYSWATCH_POLLED_H
#define SYSWATCH_POLLED_H

#define MOST_POLLED 512 /* a multiple of TURN */
#define MOST_SELECTED 1024

struct search {
	wide address;
	word count;
	word at;
	int found;         /* descriptor, or -1 */
	word ready_only;
};

/* Continue to look for a descriptor in the entries of poll; return whether the search has ended. */
__noinline int search_polled(struct search *search)
{
	struct {
		int descriptor;
		short events;
		short ready;
	} entry;
	word turn;

	if (!search)
		return 1;
	for (turn = 0; turn < TURN; turn++) {
		if (search->at >= search->count ||
		    bpf_probe_read_user(&entry, sizeof(entry),
					(void *)search->address + search->at * sizeof(entry)))
			return 1;
		if (entry.ready || !search->ready_only) {
			search->found = entry.descriptor;
			return 1;
		}
		search->at++;
	}
	return 0;
}

static __always_inline int first_polled(wide address, word count, word ready_only)
{
	struct search search = {.address = address, .count = count, .ready_only = ready_only};
	word turn;

	search.found = -1;
	for (turn = 0; turn < MOST_POLLED / TURN; turn++)
		if (search_polled(&search))
			break;
	return search.found;
}

static __always_inline word lowest_bit(wide bits)
{
	word bit = 0;

	bits &= -bits;
#define LOWEST(n)                    \
	if (bits >> (n)) {           \
		bit += (n);          \
		bits >>= (n);        \
	}
	LOWEST(32) LOWEST(16) LOWEST(8) LOWEST(4) LOWEST(2) LOWEST(1)
	return bit;
}

/* The same in a set for select, of up to 1024 descriptors. */
__noinline int first_selected(wide address, word count)
{
	wide bits = 0;
	word at;

	if (!address)
		return -1;
	for (at = 0; at < MOST_SELECTED && !bits; at += 64)
		if (at >= count || bpf_probe_read_user(&bits, sizeof(bits), (void *)address + at / 8))
			return -1;
	if (!bits)
		return -1;
	at += lowest_bit(bits) - 64;
	return at < count ? at : -1;
}

static __always_inline int selected(struct task *state, word argument)
{
	word count = argument_of(state, argument);
	int found = first_selected(argument_of(state, argument + 1), count);

	if (found < 0)
		found = first_selected(argument_of(state, argument + 2), count);
	if (found < 0)
		found = first_selected(argument_of(state, argument + 3), count);
	return found;
}

static __always_inline void remember_watch(struct task *state)
{
	struct watch watch = {.descriptor = state->arguments[2]};
	struct file *epoll = file_of(state->arguments[0]), *file = file_of(watch.descriptor);
	struct watch_key key = {.epoll = (wide)epoll};

	if (state->arguments[1] == EPOLL_CTL_DEL || !epoll || !file ||
	    bpf_probe_read_user(&key.data, sizeof(key.data),
				(void *)state->arguments[3] + data_at()))
		return;
	watch.file = (wide)file;
	watch.object = object_of_file(file, watch.descriptor);
	bpf_map_update_elem(&watches, &key, &watch, BPF_ANY);
}

static __always_inline void end_epoll(struct task *state)
{
	struct file *epoll = file_of(state->arguments[0]), *file;
	struct watch_key key = {.epoll = (wide)epoll};
	struct watch *watch;

	if (bpf_probe_read_user(&key.data, sizeof(key.data),
				(void *)state->arguments[1] + data_at()))
		return;
	watch = bpf_map_lookup_elem(&watches, &key);
	if (!watch && epoll) {
		find_watch(key.epoll, key.data);
		watch = bpf_map_lookup_elem(&watches, &key);
	}
	if (!watch || !watch->file)
		return;
	file = file_of(watch->descriptor);
	/* It may have got a peer since then. */
	if (file && (wide)file == watch->file)
		credit_file(state, watch->descriptor);
	else if (watch->object)
		credit(state, watch->object);
}

static __always_inline void end_wait(struct task *state, word rule,
				     const struct subject *subject, long result)
{
	word count;
	int descriptor;

	if (result < 0)
		return;
	if (!result) {
		credit(state, KIND_TIMEOUT);
		return;
	}
	if (rule == SUBJECT_EPOLL) {
		end_epoll(state);
		return;
	}
	if (rule == SUBJECT_POLL) {
		count = argument_of(state, subject->other);
		descriptor = first_polled(argument_of(state, subject->argument), count, 1);
	} else {
		descriptor = selected(state, subject->argument);
	}
	if (descriptor >= 0)
		credit_file(state, descriptor);
}

#endif
