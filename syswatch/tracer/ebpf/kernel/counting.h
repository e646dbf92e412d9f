/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Counting calls without a look-up of the state of their task, which takes a helper.
 *
 * The kernel finds the storage of a task by the same loads as here.  A program can only read what it
 * loads so, and this suffices for counting: the state of a task does not change from call to call.
 */
#ifndef SYSWATCH_COUNTING_H
#define SYSWATCH_COUNTING_H

/* Return the address of the state of a task, or 0 if only the helper can tell. */
static __always_inline wide stored_state(struct task_struct *task)
{
	struct bpf_local_storage *storage = 0;
	struct bpf_local_storage_data *entry = 0;
	struct bpf_local_storage_map *map = 0;
	wide address;

	if (!bpf_core_field_exists(task->bpf_storage) || !bpf_core_field_exists(storage->cache) ||
	    !bpf_core_field_exists(entry->smap) || !bpf_core_field_exists(entry->data) ||
	    !bpf_core_field_exists(map->cache_idx))
		return 0;
	address = load_number((wide)task + bpf_core_field_offset(task->bpf_storage));
	if (!address)
		return 0;
	address = load_number(address + bpf_core_field_offset(storage->cache) +
			      LOADABLE(bpf_local_storage_map, &tasks)->cache_idx * sizeof(wide));
	if (!address || load_number(address + bpf_core_field_offset(entry->smap)) != (wide)&tasks)
		return 0;
	return address + bpf_core_field_offset(entry->data);
}

/* Count a call that has returned; return 0 if that takes the state. */
static __always_inline int count_only(wide *context, struct task_struct *task)
{
	wide state = stored_state(task), flags_and_process;
	struct outcome outcome = {};
	long result = context[1];
	word call;

	_Static_assert(__builtin_offsetof(struct task, process) ==
			       __builtin_offsetof(struct task, flags) + sizeof(word), "one load");
	if (!state || is_cut_short(task))
		return 0;
	flags_and_process = load_number(state + __builtin_offsetof(struct task, flags));
	call = number_in(task, (void *)context[0], result);
	if ((word)flags_and_process != SETTLED || call >= TABLE)
		return 0;
	call += is_32_bit(task) ? TABLE : 0;
	if (!catalog.traced[call])
		return 1;
	outcome.failed = has_failed(result);
	if (is_other_result(outcome.failed))
		return 1;
	outcome.error = error_of(-result);
	count(call, &outcome);
	count_process(flags_and_process >> 32, call, &outcome);
	return 1;
}

#endif
