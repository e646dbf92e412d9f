/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The sums of each group of processes.
 *
 * The group is that of the task when the call returns.  Rows 0 to ROWS - 1 belong to `OTHER_GROUPS`,
 * one for each call; then comes one row for each group, for calls that get no row of their own.  So
 * the sum of all rows is always that of all calls.
 *
 * The reader may free a group: it deletes its keys from `group_index` and `group_row_index`,
 * increments the generation, and clears and pushes it one reading later at the earliest.
 */
#ifndef SYSWATCH_GROUPS_H
#define SYSWATCH_GROUPS_H

/* The lowest bit of each byte. */
#define LOW_BITS 0x0101010101010101ULL

struct kernfs_node {
	const char *name;
	struct kernfs_node *parent;
	struct kernfs_node *__parent; /* instead of it, since Linux 6.15 */
	wide id;
} KERNEL;

struct cgroup {
	struct kernfs_node *kn;
} KERNEL;

struct css_set {
	struct cgroup *dfl_cgrp;
} KERNEL;

/* Preallocated: a new entry must not fail because memory is short for a moment. */
#define PREALLOCATED(name, from, to)             \
	struct {                                 \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(max_entries, 1);          \
		__type(key, from);               \
		__type(value, to);               \
	} name SEC(".maps")

MAPPED(group_records, struct group, 1);
PREALLOCATED(group_index, struct group_key, word);
VACANT(vacant_groups);
MAPPED(group_times, struct histogram, 1);

MAPPED(group_rows, struct group_sums, 1);
MAPPED(group_row_keys, struct group_row_key, 1);
PREALLOCATED(group_row_index, struct group_row_key, word);
VACANT(vacant_group_rows);

MAPPED(group_counts, struct group_counts, 1);

static __always_inline struct group_counts *counts_of_groups(void)
{
	word zero = 0;

	return bpf_map_lookup_elem(&group_counts, &zero);
}

static __always_inline struct kernfs_node *node_around(struct kernfs_node *node)
{
	if (bpf_core_field_exists(node->__parent))
		return BPF_CORE_READ(node, __parent);
	return BPF_CORE_READ(node, parent);
}

/* Store the names now: the group may be gone before the reader looks at it. */
static __noinline void name_group(struct task_struct *task, struct group *group)
{
	struct kernfs_node *node = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn), *around;
	word depth;

	group->depth = group->cut = 0;
	for (depth = 0; depth < GROUP_DEPTH; depth++) {
		around = node ? node_around(node) : 0;
		/* The root has no name. */
		if (!around)
			return;
		bpf_probe_read_kernel_str(group->names[depth], GROUP_NAME, BPF_CORE_READ(node, name));
		group->depth = depth + 1;
		node = around;
	}
	group->cut = node_around(node) != 0;
}

static __always_inline word vacant_group(struct group_counts *counts)
{
	word index = 0;
	wide unused;

	if (!bpf_map_pop_elem(&vacant_groups, &index))
		return index;
	if (counts->unused_groups < settings.most_groups) {
		unused = ADD(counts->unused_groups, 1);
		if (unused < settings.most_groups)
			return unused;
	}
	return OTHER_GROUPS;
}

static __noinline word new_group(struct task_struct *task, const struct group_key *key)
{
	struct group_counts *counts = counts_of_groups();
	word index = counts ? vacant_group(counts) : OTHER_GROUPS, *known;
	struct group *group;

	if (index == OTHER_GROUPS)
		return index;
	group = bpf_map_lookup_elem(&group_records, &index);
	if (!group)
		return OTHER_GROUPS;
	group->key = *key;
	if (settings.groups == BY_CONTROL_GROUP)
		name_group(task, group);
	/* Another CPU may have inserted it first: then that record is used. */
	if (bpf_map_update_elem(&group_index, key, &index, BPF_NOEXIST))
		bpf_map_push_elem(&vacant_groups, &index, BPF_ANY);
	known = bpf_map_lookup_elem(&group_index, key);
	return known ? *known : OTHER_GROUPS;
}

static __always_inline word vacant_group_row(void)
{
	struct group_counts *counts = counts_of_groups();
	word place = 0;
	wide unused;

	if (!bpf_map_pop_elem(&vacant_group_rows, &place))
		return place;
	if (!counts || counts->unused_rows >= settings.group_rows)
		return 0;
	unused = ADD(counts->unused_rows, 1);
	return unused < settings.group_rows ? unused : 0;
}

/* The row of a group for those calls that have none of their own. */
static __always_inline word rest_of(word group)
{
	return ROWS + group;
}

/* Return the place of a row in the table of sums. */
static __noinline word place_of(word group, word row)
{
	struct group_row_key key = {.group = group, .row = row}, *name;
	word *known = bpf_map_lookup_elem(&group_row_index, &key), place;

	if (known)
		return *known;
	place = vacant_group_row();
	name = place ? bpf_map_lookup_elem(&group_row_keys, &place) : 0;
	if (!name)
		return rest_of(group);
	*name = key;
	if (bpf_map_update_elem(&group_row_index, &key, &place, BPF_NOEXIST)) {
		name->group = name->row = 0;
		bpf_map_push_elem(&vacant_group_rows, &place, BPF_ANY);
	}
	known = bpf_map_lookup_elem(&group_row_index, &key);
	return known ? *known : rest_of(group);
}

/* What bpf_get_current_cgroup_id() returns, without the cost of a helper. */
static __always_inline wide control_group_of(struct task_struct *task)
{
	struct css_set *set = task->cgroups;

	return set ? set->dfl_cgrp->kn->id : 0;
}

/* Return the bytes before the first NUL; all others are 0. */
static __always_inline wide up_to_nul(wide text)
{
	wide ends = (text - LOW_BITS) & ~text & LOW_BITS << 7;

	return text & (((ends & -ends) >> 7) - 1);
}

static __always_inline struct group_key key_of_group(struct task_struct *task)
{
	struct task_struct *leader = task->group_leader;
	struct group_key key = {};

	if (settings.groups == BY_CONTROL_GROUP) {
		key.first = control_group_of(task);
	} else if (leader) {
		key.first = up_to_nul(*(wide *)leader->comm);
		/* Older kernels leave the rest of a longer name behind the end. */
		if (key.first >> 56)
			key.second = up_to_nul(*(wide *)(leader->comm + sizeof(wide)));
	}
	return key;
}

static __noinline void enter_group(struct task_struct *task, struct task *state,
				   const struct group_key *key, wide generation)
{
	struct group_cache *cache = &state->groups;
	word *known = bpf_map_lookup_elem(&group_index, key);

	__builtin_memset(cache->slots, 0, sizeof(cache->slots));
	cache->group = known ? *known : new_group(task, key);
	cache->key = *key;
	cache->generation = generation;
}

static __always_inline word cached_place(struct group_cache *cache, word row)
{
	struct group_slot *slot = &cache->slots[row & (GROUP_SLOTS - 1)];

	if (cache->group == OTHER_GROUPS)
		return row;
	if (slot->row != row + 1) {
		slot->place = place_of(cache->group, row);
		slot->row = row + 1;
	}
	return slot->place;
}

static __always_inline void add_to_group(struct group_sums *sums, word group,
					 const struct outcome *outcome)
{
	struct histogram *times;
	word bucket;

	ADD(sums->count, 1);
	if (outcome->failed)
		ADD(sums->errors, 1);
	if (!outcome->timed)
		return;
	ADD(sums->total_ns, outcome->duration);
	if (outcome->switches) {
		ADD(sums->waiting_ns, outcome->waiting);
		ADD(sums->ready_ns, outcome->ready);
		if (outcome->waits)
			ADD(sums->waits, 1);
	}
	bucket = outcome->bucket;
	barrier_var(bucket);
	times = bpf_map_lookup_elem(&group_times, &group);
	if (times && bucket < BUCKETS)
		ADD(times->counts[bucket], 1);
}

/* Count a call that has returned for the group that its task is in. */
static __noinline void count_group(struct task_struct *task, struct task *state,
				   const struct outcome *outcome)
{
	struct group_counts *counts = counts_of_groups();
	struct group_cache *cache = &state->groups;
	struct group_key key = key_of_group(task);
	struct group_sums *sums;
	word place;

	if (!counts)
		return;
	if (cache->key.first != key.first || cache->key.second != key.second ||
	    cache->generation != counts->generation)
		enter_group(task, state, &key, counts->generation);
	place = cached_place(cache, state->row);
	sums = bpf_map_lookup_elem(&group_rows, &place);
	if (sums)
		add_to_group(sums, cache->group, outcome);
}

#endif
