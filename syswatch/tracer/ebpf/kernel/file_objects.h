/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The objects of files, pipes and devices: by inode, or by address if there is none.
 */
#ifndef SYSWATCH_FILE_OBJECTS_H
#define SYSWATCH_FILE_OBJECTS_H

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

/* Anonymous files have one inode together.  A pointer may be used again for another file.  If that is
 * of the same type, the call that creates it is seen: `renew`.  Those of other calls, such as maps of
 * bpf, differ by their operations. */
static __always_inline void key_of_anonymous(struct file *file, struct object_key *key)
{
	begin_key(key, BY_POINTER);
	key->first = (wide)file;
	key->second = (wide)BPF_CORE_READ(file, f_op);
}

static __always_inline void key_of_file(struct file *file, struct inode *inode, wide file_system,
					struct object_key *key)
{
	if (file_system == ANONYMOUS_FILES) {
		key_of_anonymous(file, key);
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

	if (!file)
		return;
	key_of_anonymous(file, &key);
	if (!bpf_map_delete_elem(&object_index, &key))
		ADD(totals.generation, 1);
}

/* Return the object of a file that is known by its inode, or by its address. */
__noinline int object_of_inode(wide address, int descriptor)
{
	struct file *file = (void *)address;
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	wide file_system = BPF_CORE_READ(inode, i_sb, s_magic);
	struct object_key key;
	struct object *object;
	word index, kind;

	key_of_file(file, inode, file_system, &key);
	index = known_object(&key);
	if (index != NO_OBJECT)
		return index;
	kind = kind_of_file(file, inode, file_system);
	index = begin_object(&key, kind, descriptor);
	object = object_at(index);
	if (object && index != NO_OBJECT) {
		fill_file(object, file, descriptor);
		index = finish_object(index);
	}
	return or_all(index, kind);
}

#endif
