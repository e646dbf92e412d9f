/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Credit the call in progress to the object that one of its arguments, or its result, refers to.
 */
#ifndef SYSWATCH_CREDIT_H
#define SYSWATCH_CREDIT_H

#define CLOCK_MONOTONIC 1
#define NANOSECONDS 1000000000ULL

/* What makes a file the same one: its inode may be that of an earlier file with the same address, and
 * anonymous files of all types have the same inode. */
static __always_inline void slot_of_file(int descriptor, struct slot *slot)
{
	struct file *file = file_of(descriptor);
	struct inode *inode;

	if (!file)
		return;
	inode = BPF_CORE_READ(file, f_inode);
	slot->first = (wide)file;
	slot->second = (wide)inode;
	slot->third = BPF_CORE_READ(inode, i_ino);
	slot->fourth = BPF_CORE_READ(inode, i_generation) ^ (wide)BPF_CORE_READ(file, f_op);
}

static __always_inline void load_slot_of_file(struct task_struct *task, int descriptor,
					      struct slot *slot)
{
	wide address = load_file(task, descriptor);
	struct inode *inode;

	if (!address)
		return;
	slot->first = address;
	slot->second = load_number(address + bpf_core_field_offset(struct file, f_inode));
	inode = LOADABLE(inode, slot->second);
	slot->third = inode->i_ino;
	slot->fourth = inode->i_generation ^
		       load_number(address + bpf_core_field_offset(struct file, f_op));
}

static __always_inline int is_connecting(struct object *object)
{
	return object && object->side == SIDE_UNCONNECTED;
}

/* Find the row of a call that is not in the cache of the thread. */
__noinline int find_row(struct task *state, struct slot *wanted, int descriptor)
{
	struct object_key key;
	word object = NO_OBJECT, call;
	struct object *known;

	if (!state || !wanted)
		return 0;
	call = state->call;
	if (call < CALLS && catalog.subjects[call].rule == SUBJECT_FUTEX) {
		begin_key(&key, BY_FUTEX);
		key.detail = wanted->fourth;
		key.first = wanted->first;
		key.second = wanted->second;
		key.third = wanted->third;
		object = plain_object(&key, KIND_FUTEX);
	} else if (wanted->first) {
		object = object_of_file((void *)wanted->first, descriptor);
	}
	credit(state, object);
	/* A socket without a peer will be another object soon, except that of a server for UDP. */
	known = object_at(object);
	if (!is_connecting(known) || known->kind == KIND_UDP)
		remember(state, wanted);
	return 0;
}

/* Credit a call to the file of a descriptor. */
__noinline int credit_file(struct task *state, int descriptor)
{
	struct file *file = file_of(descriptor);

	if (state)
		credit(state, file ? object_of_file(file, descriptor) : NO_OBJECT);
	return 0;
}

static __always_inline void credit_path(struct task *state, const struct subject *subject)
{
	struct relative path = {.directory = WORKING_FOLDER};

	path.address = argument_of(state, subject->argument);
	if (subject->other != NO_ARGUMENT)
		path.directory = argument_of(state, subject->other);
	if (read_path(&path))
		credit(state, object_of_path(&path));
	/* An empty path, or none: the descriptor itself. */
	else if (path.directory != WORKING_FOLDER)
		credit_file(state, path.directory);
	else
		credit(state, KIND_PATH);
}

/* Two significant digits, so that a sleep until the next second is one object or few. */
static __always_inline wide rounded(wide number)
{
	wide unit = 1;
	int digits;

	for (digits = 0; digits < 18 && number >= 100; digits++) {
		number = (number + 5) / 10;
		unit *= 10;
	}
	return number * unit;
}

static __always_inline void credit_sleep(struct task *state, const struct subject *subject)
{
	struct object_key key;
	wide address = argument_of(state, subject->argument), time[2] = {}, sleep, now = 0;
	word short_time[2] = {};

	begin_key(&key, BY_SLEEP);
	if (subject->bytes & SHORT_TIME) {
		bpf_probe_read_user(short_time, sizeof(short_time), (void *)address);
		time[0] = short_time[0];
		time[1] = short_time[1];
	} else {
		bpf_probe_read_user(time, sizeof(time), (void *)address);
	}
	sleep = time[0] * NANOSECONDS + time[1];
	/* Until a time on some clock: only this one can be read here. */
	if (subject->other != NO_ARGUMENT && argument_of(state, subject->other) & 1) {
		if (state->flags & INSIDE && state->arguments[0] == CLOCK_MONOTONIC)
			now = bpf_ktime_get_ns();
		sleep = now && sleep > now ? sleep - now : 0;
		key.detail = !now;
	}
	key.first = rounded(sleep);
	credit(state, plain_object(&key, KIND_SLEEP));
}

static __always_inline void credit_child(struct task *state, int pid)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct object_key key;

	if (pid <= 0) {
		credit(state, KIND_CHILD);
		return;
	}
	begin_key(&key, BY_CHILD);
	key.first = pid;
	key.second = BPF_CORE_READ(task, group_leader, start_time);
	credit(state, plain_object(&key, KIND_CHILD));
}

#endif
