/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The objects of paths that are given to a call, by a hash of their text.
 */
#ifndef SYSWATCH_PATH_OBJECTS_H
#define SYSWATCH_PATH_OBJECTS_H

#define HASH_FACTOR 0x9e3779b97f4a7c15ULL

static __always_inline wide mix(wide hash, wide value)
{
	hash = (hash ^ value) * HASH_FACTOR;
	return hash ^ hash >> 29;
}

struct hashing {
	wide hash;
	word at;
	word length;
};

/* Not on the stack, which is limited for all functions that call each other together. */
SCRATCH(hashings, struct hashing);

/* Add one number to a hash; return whether the end was reached. */
__noinline int hash_next(struct long_path *path, struct hashing *hashing)
{
	wide value;
	word at, rest;

	if (!path || !hashing)
		return 1;
	at = hashing->at;
	if (at >= hashing->length || at > LONG_PATH - sizeof(wide))
		return 1;
	value = *(wide *)&path->text[at];
	rest = hashing->length - at;
	if (rest < sizeof(wide))
		value &= (1ULL << (8 * rest)) - 1;
	hashing->hash = mix(hashing->hash, value);
	hashing->at = at + sizeof(wide);
	return 0;
}

/* For the division of loops see `TURN`. */
__noinline int hash_more(struct long_path *path, struct hashing *hashing)
{
	word turn;

	for (turn = 0; turn < TURN; turn++)
		if (hash_next(path, hashing))
			return 1;
	return 0;
}

/* The hash of a text; two texts with the same one are not expected. */
static __always_inline wide hash_of(struct long_path *path, word length)
{
	struct hashing *hashing;
	word turn, zero = 0;

	hashing = bpf_map_lookup_elem(&hashings, &zero);
	if (!hashing)
		return 0;
	hashing->hash = hashing->length = length;
	hashing->at = 0;
	for (turn = 0; turn < LONG_PATH / sizeof(wide) / TURN; turn++)
		if (hash_more(path, hashing))
			break;
	return hashing->hash;
}

static __always_inline void copy_text(struct object *object, struct long_path *path, word length)
{
	object->text_cut = length > LINK;
	if (length > LINK)
		length = LINK;
	barrier_var(length);
	if (length <= LINK)
		bpf_probe_read_kernel(object->text, length, path->text);
	object->text_length = length;
}

/* The path of a call, relative to a directory. */
struct relative {
	wide address;
	wide in_kernel; /* whether that is an address of the kernel */
	wide hash;
	wide number;    /* of the directory */
	wide device;    /* and one; 0 if the path is absolute */
	word length;
	int directory;
};

/* Read a path and what it is relative to; return whether there is one. */
__noinline int read_path(struct relative *path)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct long_path *text;
	struct inode *inode;
	struct file *file;
	word zero = 0;
	long length;

	text = bpf_map_lookup_elem(&scratch, &zero);
	if (!path || !text)
		return 0;
	length = path->in_kernel ?
			 bpf_probe_read_kernel_str(text, LONG_PATH, (void *)path->address) :
			 bpf_probe_read_user_str(text, LONG_PATH, (void *)path->address);
	if (length <= 1)
		return 0;
	path->length = length - 1;
	path->hash = hash_of(text, path->length);
	path->number = path->device = 0;
	if (text->text[0] == '/')
		return 1;
	if (path->directory == WORKING_FOLDER) {
		inode = BPF_CORE_READ(task, fs, pwd.dentry, d_inode);
	} else {
		file = file_of(path->directory);
		if (!file)
			return 1;
		inode = BPF_CORE_READ(file, f_inode);
	}
	path->number = BPF_CORE_READ(inode, i_ino);
	path->device = 1ULL + BPF_CORE_READ(inode, i_sb, s_dev);
	return 1;
}

/* Return the object of a path that has just been read. */
__noinline int object_of_path(struct relative *path)
{
	struct object_key key;
	struct long_path *text;
	struct object *object;
	word zero = 0, index;

	text = bpf_map_lookup_elem(&scratch, &zero);
	if (!path || !text)
		return NO_OBJECT;
	begin_key(&key, BY_PATH);
	key.first = path->hash;
	key.second = path->number;
	key.third = path->device;
	index = known_object(&key);
	if (index != NO_OBJECT)
		return index;
	index = begin_object(&key, KIND_PATH, -1);
	object = object_at(index);
	if (object && index != NO_OBJECT) {
		copy_text(object, text, path->length);
		object->link.mode = 0;
		if (path->device)
			read_link(path->directory, &object->link);
		index = finish_object(index);
	}
	return or_all(index, KIND_PATH);
}

#endif
