/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The records of objects, and objects that are known by one number.
 */
#ifndef SYSWATCH_OBJECTS_H
#define SYSWATCH_OBJECTS_H

static __always_inline struct object *object_at(word index)
{
	return bpf_map_lookup_elem(&objects, &index);
}

/* Not an initializer: the compiler would store that beside the settings. */
static __always_inline void begin_key(struct object_key *key, word type)
{
	__builtin_memset(key, 0, sizeof(*key));
	barrier();
	key->type = type;
}

static __always_inline word known_object(struct object_key *key)
{
	word *known = bpf_map_lookup_elem(&object_index, key);

	return known ? *known : NO_OBJECT;
}

/* Return a new record with what is known of all objects; NO_OBJECT if all are in use. */
__noinline int begin_object(struct object_key *key, word kind, int descriptor)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct object *object;
	struct task *state;
	word index = 0;
	wide unused;

	if (!key)
		return NO_OBJECT;
	if (bpf_map_pop_elem(&vacant_objects, &index)) {
		if (totals.unused_objects >= OBJECTS)
			return NO_OBJECT;
		unused = ADD(totals.unused_objects, 1);
		if (unused >= OBJECTS)
			return NO_OBJECT;
		index = unused;
	}
	object = object_at(index);
	state = followed(task);
	if (!object || !state)
		return NO_OBJECT;
	object->key = *key;
	object->kind = kind;
	object->descriptor = descriptor;
	object->process = state->process;
	object->row = state->row;
	object->pid = pid_of(BPF_CORE_READ(task, group_leader));
	object->tid = pid_of(task);
	return index;
}

/* Publish an object that has been filled in; return it, or that of another thread that was faster. */
__noinline int finish_object(word index)
{
	struct object *object = object_at(index);

	if (!object)
		return NO_OBJECT;
	object->state = ALIVE;
	if (!bpf_map_update_elem(&object_index, &object->key, &index, BPF_NOEXIST))
		return index;
	/* Another thread was first, or memory is short. */
	object->state = FREE;
	bpf_map_push_elem(&vacant_objects, &index, BPF_ANY);
	return known_object(&object->key);
}

/* Return an object, or the one for all of its kind if there is no record for it. */
static __always_inline word or_all(word index, word kind)
{
	if (index != NO_OBJECT)
		return index;
	ADD(totals.crowded_objects, 1);
	return kind;
}

/* Return the object with a key that says everything about it. */
__noinline int plain_object(struct object_key *wanted, word kind)
{
	struct object_key key;
	struct object *object;
	word index;

	if (!wanted)
		return NO_OBJECT;
	/* Linux 6.1 takes no key from the stack of another function. */
	key = *wanted;
	index = known_object(&key);
	if (index != NO_OBJECT)
		return index;
	index = begin_object(&key, kind, -1);
	object = object_at(index);
	if (object && index != NO_OBJECT) {
		object->value = key.first;
		object->shared = key.third;
		index = finish_object(index);
	}
	return or_all(index, kind);
}

#endif
