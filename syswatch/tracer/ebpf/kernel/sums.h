/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Counts, times and errors.
 */
#ifndef SYSWATCH_SUMS_H
#define SYSWATCH_SUMS_H

/* A loop must be bounded; so many collisions in a row do not happen. */
#define TRIES 16

static __always_inline word bucket_of(wide duration)
{
	wide rest = duration;
	word bits = 0, bucket;

	if (duration < 1 << SUB_BITS)
		return duration;
#define HALVE(n)                     \
	if (rest >> (n)) {           \
		bits += (n);         \
		rest >>= (n);        \
	}
	HALVE(32) HALVE(16) HALVE(8) HALVE(4) HALVE(2) HALVE(1)
	bits -= SUB_BITS;
	bucket = (bits << SUB_BITS) + (word)(duration >> bits);
	return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static __always_inline word error_of(word number)
{
	if (number < PLAIN_ERRORS)
		return number;
	if (number - FIRST_RESTART < RESTARTS)
		return PLAIN_ERRORS + number - FIRST_RESTART;
	return ERRORS - 1;
}

/* The sums of a CPU are changed by that CPU only. */
static __always_inline void count(word line, const struct outcome *outcome)
{
	word cpu = bpf_get_smp_processor_id();
	/* The division, which takes long, is removed when the program is loaded if it is not needed. */
	word shard = settings.shards == settings.cpus ? cpu : cpu % settings.shards;
	word index = cpu * ROWS + line, error = outcome->error, bucket;
	struct histogram *histogram;
	struct errors *all;
	struct sums *mine;
	byte *mark;
	int is_first;

	shard = shard * ROWS + line;
	mine = bpf_map_lookup_elem(&sums, &index);
	if (!mine)
		return;
	is_first = !mine->count++;
	if (outcome->failed) {
		mine->errors++;
		all = bpf_map_lookup_elem(&errors, &line);
		barrier_var(error); /* or the compiler removes the check that the verifier needs */
		if (all && error < ERRORS)
			ADD(all->counts[error], 1);
	}
	if (outcome->timed) {
		mine->total_ns += outcome->duration;
		if (!mine->timed || outcome->duration < mine->min_ns)
			mine->min_ns = outcome->duration;
		if (outcome->duration > mine->max_ns)
			mine->max_ns = outcome->duration;
		mine->timed++;
		bucket = outcome->bucket;
		barrier_var(bucket);
		histogram = bpf_map_lookup_elem(&histograms, &shard);
		if (histogram && bucket < BUCKETS) {
			if (settings.shards == settings.cpus)
				histogram->counts[bucket]++;
			else
				ADD(histogram->counts[bucket], 1);
		}
	}
	if (!is_first)
		return;
	mark = bpf_map_lookup_elem(&seen, &line);
	if (mark)
		*mark = 1;
}

static __always_inline struct row *row_of(word process, word call)
{
	struct row_key key = {.process = process, .call = call};
	struct row *row = bpf_map_lookup_elem(&rows, &key), *empty;
	word zero = 0;

	if (row)
		return row;
	empty = bpf_map_lookup_elem(&empty_row, &zero);
	if (!empty)
		return 0;
	/* Another thread may have inserted it first: then that entry is used. */
	bpf_map_update_elem(&rows, &key, empty, BPF_NOEXIST);
	return bpf_map_lookup_elem(&rows, &key);
}

/* Update a minimum or a maximum while other threads may do the same.  A minimum of 0 means none, so
 * a duration of 0 counts as one nanosecond. */
static __always_inline void lower(wide *least, wide value)
{
	wide known = *least;
	int tries;

	value = value ? value : 1;
	for (tries = 0; tries < TRIES && (!known || value < known); tries++)
		known = __sync_val_compare_and_swap(least, known, value);
}

static __always_inline void raise(wide *most, wide value)
{
	wide known = *most;
	int tries;

	for (tries = 0; tries < TRIES && value > known; tries++)
		known = __sync_val_compare_and_swap(most, known, value);
}

/* The sums of a process are changed by all of its threads.  Not inlined, because its variables would be
 * on the stack of all calls. */
static __noinline void count_apart(struct process *process, word index, word call,
					const struct outcome *outcome)
{
	struct row *row = row_of(index, call);
	word error = outcome->error, bucket;

	if (!row) {
		if (!__sync_lock_test_and_set(&process->cut, 1))
			ADD(totals.crowded, 1);
		return;
	}
	ADD(row->sums.count, 1);
	if (outcome->failed) {
		ADD(row->sums.errors, 1);
		barrier_var(error);
		if (error < ERRORS)
			ADD(row->errors[error], 1);
	}
	if (!outcome->timed)
		return;
	ADD(row->sums.total_ns, outcome->duration);
	bucket = outcome->bucket;
	barrier_var(bucket);
	if (bucket < BUCKETS)
		ADD(row->histogram[bucket], 1);
	lower(&row->sums.min_ns, outcome->duration);
	raise(&row->sums.max_ns, outcome->duration);
	ADD(row->sums.timed, 1);
}

static __always_inline void count_process(word index, word call, const struct outcome *outcome)
{
	struct process *process = bpf_map_lookup_elem(&processes, &index);

	if (!process)
		return;
	ADD(process->count, 1);
	if (outcome->timed)
		ADD(process->total_ns, outcome->duration);
	if (outcome->failed)
		ADD(process->errors, 1);
	if (settings.split)
		count_apart(process, index, call, outcome);
}

#endif
