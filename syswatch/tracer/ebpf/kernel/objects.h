/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Objects: files, paths and whatever else is found by one number.
 */
#ifndef SYSWATCH_OBJECTS_H
#define SYSWATCH_OBJECTS_H

#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define S_IFREG 0100000
#define S_IFBLK 0060000
#define S_IFDIR 0040000
#define S_IFCHR 0020000
#define S_IFIFO 0010000
#define ANONYMOUS_FILES 0x09041934
#define MEMORY_FILES 0x01021994

/* The first eight bytes of a name, as a number. */
#define NAME8(a, b, c, d, e, f, g, h)                                              \
	((wide)(a) | (wide)(b) << 8 | (wide)(c) << 16 | (wide)(d) << 24 | (wide)(e) << 32 | \
	 (wide)(f) << 40 | (wide)(g) << 48 | (wide)(h) << 56)

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
	object->pid = pid_of(task->group_leader);
	object->tid = pid_of(task);
	return index;
}

/* Let others find an object that has been filled in. */
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

/* The object that stands for all of a kind, if there is no other. */
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

/* --- files --- */

static __always_inline wide name_in(struct file *file)
{
	wide name = 0;

	bpf_probe_read_kernel(&name, sizeof(name), BPF_CORE_READ(file, f_path.dentry, d_name.name));
	return name;
}

static __always_inline word kind_of_anonymous(wide name)
{
	if (name == NAME8('[', 'e', 'v', 'e', 'n', 't', 'f', 'd'))
		return KIND_EVENTFD;
	if (name == NAME8('[', 'e', 'v', 'e', 'n', 't', 'p', 'o'))
		return KIND_EPOLL;
	if (name == NAME8('[', 't', 'i', 'm', 'e', 'r', 'f', 'd'))
		return KIND_TIMERFD;
	if (name == NAME8('[', 's', 'i', 'g', 'n', 'a', 'l', 'f'))
		return KIND_SIGNALFD;
	if (name == NAME8('i', 'n', 'o', 't', 'i', 'f', 'y', 0))
		return KIND_INOTIFY;
	if (name == NAME8('[', 'i', 'o', '_', 'u', 'r', 'i', 'n'))
		return KIND_IO_URING;
	return KIND_DESCRIPTOR;
}

static __always_inline word kind_of_device(word number)
{
	word major = number >> 20;

	return major == 4 || major == 5 || (major >= 136 && major < 144) ? KIND_TTY : KIND_DEVICE;
}

static __always_inline word kind_of_file(struct file *file, struct inode *inode, wide file_system)
{
	wide memory_file = NAME8('m', 'e', 'm', 'f', 'd', ':', 0, 0);

	if (file_system == ANONYMOUS_FILES)
		return kind_of_anonymous(name_in(file));
	switch (BPF_CORE_READ(inode, i_mode) & S_IFMT) {
	case S_IFREG:
		if (file_system == MEMORY_FILES &&
		    (name_in(file) & ((1ULL << 48) - 1)) == memory_file &&
		    BPF_CORE_READ(file, f_path.dentry) == BPF_CORE_READ(file, f_path.dentry, d_parent))
			return KIND_MEMFD;
		return KIND_FILE;
	case S_IFDIR:
		return KIND_DIRECTORY;
	case S_IFCHR:
		return kind_of_device(BPF_CORE_READ(inode, i_rdev));
	case S_IFBLK:
		return KIND_DEVICE;
	case S_IFIFO:
		return KIND_PIPE;
	case S_IFSOCK:
		return KIND_SOCKET;
	}
	return KIND_DESCRIPTOR;
}

/* Anonymous files have one inode together.  A pointer may be used again for another file, but the
 * call that creates it is seen: `renew`. */
static __always_inline void key_of_file(struct file *file, struct inode *inode, wide file_system,
					struct object_key *key)
{
	if (file_system == ANONYMOUS_FILES) {
		begin_key(key, BY_POINTER);
		key->first = (wide)file;
		return;
	}
	begin_key(key, BY_INODE);
	key->detail = BPF_CORE_READ(inode, i_generation);
	key->first = BPF_CORE_READ(inode, i_ino);
	key->second = BPF_CORE_READ(inode, i_sb, s_dev);
}

static __always_inline void fill_file(struct object *object, struct file *file, int descriptor)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	object->number = BPF_CORE_READ(inode, i_ino);
	object->file_system = BPF_CORE_READ(inode, i_sb, s_magic);
	object->device = BPF_CORE_READ(inode, i_sb, s_dev);
	object->special = BPF_CORE_READ(inode, i_rdev);
	object->mode = BPF_CORE_READ(inode, i_mode);
	object->generation = BPF_CORE_READ(inode, i_generation);
	object->link.descriptor = descriptor;
	object->link.state = object->link.length = 0;
	read_inode(inode, path_of(file), &object->link);
}

/* Forget an anonymous file that had the same address. */
static __always_inline void renew(int descriptor)
{
	struct file *file = file_of(descriptor);
	struct object_key key;

	begin_key(&key, BY_POINTER);
	key.first = (wide)file;
	if (file && !bpf_map_delete_elem(&object_index, &key))
		ADD(totals.generation, 1);
}

/* --- paths --- */

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
	length = bpf_probe_read_user_str(text, LONG_PATH, (void *)path->address);
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
