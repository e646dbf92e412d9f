/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Which object a call is about.
 *
 * It is looked up when the call begins, because the call may close the descriptor or replace the
 * memory with the path, and so that it is known while the call is in progress; for calls that create
 * or find their object, it is replaced when the call has returned.
 */
#ifndef SYSWATCH_SUBJECTS_H
#define SYSWATCH_SUBJECTS_H

#define FUTEX_PRIVATE_FLAG 128
#define EINPROGRESS 115
#define MOST_POLLED 512 /* a multiple of TURN */
#define MOST_SELECTED 1024
#define CLOCK_MONOTONIC 1
#define NANOSECONDS 1000000000ULL
#define SI_PID 16
#define SI_PID_OF_32_BIT 12

static __always_inline wide argument_of(struct task *state, word index)
{
	barrier_var(index);
	return index < ARGUMENTS ? state->arguments[index] : 0;
}

/* What makes a file the same one: its inode may be that of an earlier file with the same address. */
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
	slot->fourth = BPF_CORE_READ(inode, i_generation);
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
	if (call < CALLS && settings.subjects[call].rule == SUBJECT_FUTEX) {
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

static __always_inline void credit_path(struct task *state, const volatile struct subject *subject)
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

static __always_inline void credit_sleep(struct task *state, const volatile struct subject *subject)
{
	struct object_key key;
	wide address = argument_of(state, subject->argument), time[2] = {}, sleep;
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
	if (subject->other != NO_ARGUMENT && argument_of(state, subject->other) & 1)
		sleep = state->arguments[0] == CLOCK_MONOTONIC && state->began_ns &&
					sleep > state->began_ns ? sleep - state->began_ns : 0;
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
	key.second = task->group_leader->start_time;
	credit(state, plain_object(&key, KIND_CHILD));
}

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

/* --- at the beginning of a call --- */

__noinline int begin_other(struct task *state)
{
	const volatile struct subject *subject;
	word call, count;
	wide address;

	if (!state)
		return 0;
	call = state->call;
	if (call >= CALLS)
		return 0;
	subject = &settings.subjects[call];
	switch (subject->rule) {
	case SUBJECT_PATH:
	case SUBJECT_OPEN:
		credit_path(state, subject);
		return 0;
	case SUBJECT_SLEEP:
		credit_sleep(state, subject);
		return 0;
	case SUBJECT_CHILD:
		credit_child(state, argument_of(state, subject->argument));
		return 0;
	case SUBJECT_WAITID:
		credit(state, KIND_CHILD);
		return 0;
	case SUBJECT_SIGNAL:
		credit(state, KIND_SIGNAL);
		return 0;
	case SUBJECT_POLL:
		address = argument_of(state, subject->argument);
		count = argument_of(state, subject->other);
		credit_file(state, count == 1 ? first_polled(address, 1, 0) : -1);
		return 0;
	}
	credit(state, NO_OBJECT);
	return 0;
}

/* Find the object of a call that begins, and its row. */
static __always_inline void begin_activity(struct task_struct *task, struct task *state)
{
	struct slot wanted = {};
	word call = state->call, rule, argument;
	int descriptor = -1;

	if (call >= CALLS)
		return;
	rule = settings.subjects[call].rule;
	argument = settings.subjects[call].argument;
	if (rule > SUBJECT_COPY && rule != SUBJECT_FUTEX) {
		begin_other(state);
		return;
	}
	if (rule == SUBJECT_FUTEX) {
		wanted.first = argument_of(state, argument);
		wanted.second = task->group_leader->start_time;
		wanted.third = !(argument_of(state, settings.subjects[call].other) & FUTEX_PRIVATE_FLAG);
		wanted.fourth = task->tgid;
	} else if (rule) {
		descriptor = argument_of(state, argument);
		slot_of_file(descriptor, &wanted);
	}
	if (!recall(state, &wanted))
		find_row(state, &wanted, descriptor);
}

/* --- at the end --- */

static __always_inline void remember_side(int descriptor, word side)
{
	struct file *file = file_of(descriptor);
	wide number;

	if (!file)
		return;
	number = BPF_CORE_READ(file, f_inode, i_ino);
	bpf_map_update_elem(&sides, &number, &side, BPF_ANY);
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

/* Remember what later calls need, even if this one is not selected. */
__noinline int notice(struct task *state, long result)
{
	struct object *object;
	word call, rule;

	if (!state)
		return 0;
	call = state->call;
	if (call >= CALLS)
		return 0;
	rule = settings.subjects[call].rule;
	if (rule == SUBJECT_CONNECT && (!result || result == -EINPROGRESS)) {
		remember_side(state->arguments[0], SIDE_CLIENT);
		/* It may have been another object before, in the cache of any thread. */
		object = object_at(state->object);
		if (!is_connecting(object) || object->kind == KIND_UDP)
			ADD(totals.generation, 1);
	}
	if (result < 0)
		return 0;
	if (rule == SUBJECT_ACCEPT)
		remember_side(result, SIDE_SERVER);
	else if (rule == SUBJECT_CREATE)
		renew(result);
	else if (rule == SUBJECT_WATCH)
		remember_watch(state);
	return 0;
}

#define NOTICED (1 << SUBJECT_CONNECT | 1 << SUBJECT_ACCEPT | 1 << SUBJECT_CREATE | 1 << SUBJECT_WATCH)

static __always_inline int is_noticed(word call)
{
	return settings.objects && call < CALLS && NOTICED >> (settings.subjects[call].rule & 31) & 1;
}

/* The address that a program passes to the kernel, or gets from it. */
struct socket_address {
	unsigned short family;
	unsigned short port;
	byte rest[24];
};

/* Credit a call to the peer whose address is in the memory of the program. */
__noinline int credit_peer(struct task *state, int descriptor, wide address)
{
	struct file *file = file_of(descriptor);
	struct connection *connection;
	struct socket_address given = {};

	if (!state || !file || !address)
		return 0;
	connection = begin_connection(file, descriptor);
	if (!connection || !is_internet(connection))
		return 0;
	/* An address of IPv4 is shorter. */
	if (bpf_probe_read_user(&given, sizeof(given), (void *)address) &&
	    bpf_probe_read_user(&given, 16, (void *)address))
		return 0;
	if (given.family != AF_INET && given.family != AF_INET6)
		return 0;
	read_connection(connection);
	connection->remote.port = swap(given.port);
	/* Only a server has a port of its own and clients with any. */
	connection->side = connection->kind == KIND_UDP && is_clients(connection->remote.port) &&
					   !is_clients(connection->local.port) ?
				   SIDE_SERVER : SIDE_CLIENT;
	connection->remote.is_ipv6 = given.family == AF_INET6;
	if (connection->remote.is_ipv6)
		__builtin_memcpy(connection->remote.address, given.rest + 4, 16);
	else
		__builtin_memcpy(connection->remote.address, given.rest, 4);
	simplify(&connection->remote);
	credit(state, object_of_connection());
	return 0;
}

static __always_inline void end_message(struct task *state, const volatile struct subject *subject)
{
	wide address = 0, header;

	if (!is_connecting(object_at(state->object)))
		return;
	if (subject->other != NO_ARGUMENT) {
		address = argument_of(state, subject->other);
	} else if (state->call < TABLE) {
		header = state->arguments[1];
		bpf_probe_read_user(&address, sizeof(address), (void *)header);
	}
	credit_peer(state, argument_of(state, subject->argument), address);
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

/* The second descriptor of a copy has a row without a call. */
static __always_inline void end_copy(struct task *state, int descriptor, long bytes)
{
	struct file *file = file_of(descriptor);
	struct activity *sums;
	word index;

	if (!file || bytes <= 0)
		return;
	index = activity_of(state, object_of_file(file, descriptor));
	sums = bpf_map_lookup_elem(&activities, &index);
	if (sums)
		ADD(sums->bytes_out, bytes);
}

static __always_inline void end_wait(struct task *state, word rule,
				     const volatile struct subject *subject, long result)
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

/* Find the object of a call that has returned, if it is another one than at its beginning. */
__noinline int end_other(struct task *state, long result)
{
	const volatile struct subject *subject;
	word call, rule, pid = 0;
	int pair = -1;

	if (!state)
		return 0;
	call = state->call;
	if (call >= CALLS)
		return 0;
	subject = &settings.subjects[call];
	rule = subject->rule;
	switch (rule) {
	case SUBJECT_OPEN:
	case SUBJECT_ACCEPT:
	case SUBJECT_CREATE:
		if (result >= 0)
			credit_file(state, result);
		else if (rule == SUBJECT_OPEN && state->object == KIND_PATH)
			credit_path(state, subject);
		return 0;
	case SUBJECT_PATH:
		/* It was not in memory. */
		if (state->object == KIND_PATH)
			credit_path(state, subject);
		return 0;
	case SUBJECT_CONNECT:
		credit_file(state, state->arguments[0]);
		if (is_connecting(object_at(state->object)))
			credit_peer(state, state->arguments[0], state->arguments[1]);
		return 0;
	case SUBJECT_LISTEN:
		credit_file(state, argument_of(state, subject->argument));
		return 0;
	case SUBJECT_MESSAGE:
		end_message(state, subject);
		return 0;
	case SUBJECT_PAIR:
		if (result >= 0 && !bpf_probe_read_user(&pair, sizeof(pair),
							(void *)argument_of(state, subject->argument)))
			credit_file(state, pair);
		return 0;
	case SUBJECT_CHILD:
		if (result > 0)
			credit_child(state, result);
		return 0;
	case SUBJECT_WAITID:
		if (!result)
			bpf_probe_read_user(&pid, sizeof(pid),
					    (void *)argument_of(state, subject->argument) +
						    (call < TABLE ? SI_PID : SI_PID_OF_32_BIT));
		credit_child(state, pid);
		return 0;
	case SUBJECT_COPY:
		end_copy(state, argument_of(state, subject->other), result);
		return 0;
	case SUBJECT_EPOLL:
	case SUBJECT_POLL:
	case SUBJECT_SELECT:
		end_wait(state, rule, subject, result);
		return 0;
	}
	return 0;
}

#define SAME_AT_END                                                                        \
	(1 << SUBJECT_NONE | 1 << SUBJECT_FILE | 1 << SUBJECT_WATCH | 1 << SUBJECT_FUTEX | \
	 1 << SUBJECT_SLEEP | 1 << SUBJECT_SIGNAL)

/* Count a call that has returned. */
static __always_inline void end_activity(struct task *state, const struct outcome *outcome,
					 long result)
{
	word call = state->call;

	if (call < CALLS && !(SAME_AT_END >> (settings.subjects[call].rule & 31) & 1))
		end_other(state, result);
	count_activity(state, outcome, result);
	if (outcome->waits)
		count_waits(state, outcome->duration, outcome->waiting, outcome->ready);
}

#endif
