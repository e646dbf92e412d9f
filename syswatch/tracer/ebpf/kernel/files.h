/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The files of descriptors.
 */
#ifndef SYSWATCH_FILES_H
#define SYSWATCH_FILES_H

/* Since Linux 6.2.  Older kernels refuse programs with this call, so those that they load are without. */
extern void *bpf_rdonly_cast(const void *address, word type) __ksym __weak;

/* What is loaded from directly, which takes a fraction of the time of a helper. */
#define LOADABLE(type, address) \
	((struct type *)bpf_rdonly_cast((void *)(address), bpf_core_type_id_kernel(struct type)))

/* What the verifier knows to be a pointer can't be hashed, so a pointer is loaded as a number. */
static __always_inline wide load_number(wide address)
{
	return LOADABLE(timespec64, address)->tv_sec;
}

/* The file of a descriptor; 0 if there is none. */
static __always_inline wide load_file(struct task_struct *task, int descriptor)
{
	struct fdtable *table = LOADABLE(task_struct, task)->files->fdt;

	if (descriptor < 0 || (word)descriptor >= table->max_fds)
		return 0;
	return load_number((wide)(table->fd + descriptor));
}

/* The same without a cast.  Not static, so that it is verified once in each program: where a pointer
 * is loaded from a task, the verifier searches the types of the kernel, which takes milliseconds. */
__noinline wide find_file(int descriptor)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct fdtable *table = task->files->fdt;
	wide file = 0;

	if (descriptor < 0 || (word)descriptor >= table->max_fds)
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), table->fd + descriptor);
	return file;
}

static __always_inline struct file *file_of(int descriptor)
{
	return (struct file *)find_file(descriptor);
}

static __always_inline struct identity identity_of(struct inode *inode)
{
	struct identity identity = {
		.number = BPF_CORE_READ(inode, i_ino),
		.device = BPF_CORE_READ(inode, i_sb, s_dev),
	};

	return identity;
}

/* On the way from a file to the root, and how much of the path has been stored. */
struct climb {
	struct dentry *dentry;
	struct mount *mount;
	word at;
	word padding;
};

/* Store one component, or leave a mount; return whether it was the last one.  Not static, as all
 * functions with loops or called in loops: the kernel verifies it once, not at every call. */
__noinline int climb(struct climb *climb, struct link *link)
{
	struct dentry *dentry, *parent;
	struct mount *mount, *below;
	word at;
	long length;

	if (!climb || !link)
		return 1;
	dentry = climb->dentry;
	mount = climb->mount;
	if (dentry == BPF_CORE_READ(mount, mnt.mnt_root)) {
		below = BPF_CORE_READ(mount, mnt_parent);
		if (below == mount) {
			link->state |= LINK_WHOLE;
			return 1;
		}
		climb->dentry = BPF_CORE_READ(mount, mnt_mountpoint);
		climb->mount = below;
		return 0;
	}
	parent = BPF_CORE_READ(dentry, d_parent);
	at = climb->at;
	if (at > LINK - NAME)
		return 1;
	length = bpf_probe_read_kernel_str(&link->text[at], NAME, BPF_CORE_READ(dentry, d_name.name));
	if (length <= 0 || length >= NAME)
		return 1;
	climb->at = at + length;
	if (dentry == parent) {
		link->state |= LINK_NOWHERE;
		return 1;
	}
	climb->dentry = parent;
	return 0;
}

/* Store the components of a path, the last one first; d_path() may not be called here. */
__noinline int read_parts(wide address, struct link *link)
{
	struct path *path = (void *)address;
	struct climb position = {};
	struct dentry *dentry;
	word step;

	if (!link)
		return 0;
	dentry = BPF_CORE_READ(path, dentry);
	position.dentry = dentry;
	position.mount = (void *)BPF_CORE_READ(path, mnt) - bpf_core_field_offset(struct mount, mnt);
	if (!BPF_CORE_READ(dentry, d_hash.pprev) && dentry != BPF_CORE_READ(dentry, d_parent))
		link->state |= LINK_DELETED;
	for (step = 0; step < DEPTH; step++)
		if (climb(&position, link))
			break;
	link->length = position.at;
	return 0;
}

static __always_inline void read_inode(struct inode *inode, struct path *path, struct link *link)
{
	link->mode = BPF_CORE_READ(inode, i_mode);
	link->number = BPF_CORE_READ(inode, i_ino);
	link->file_system = BPF_CORE_READ(inode, i_sb, s_magic);
	read_parts((wide)path, link);
}

static __always_inline struct path *path_of(struct file *file)
{
	return (void *)file + bpf_core_field_offset(struct file, f_path);
}

__noinline int read_link(int descriptor, struct link *link)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct path *path;
	struct inode *inode;
	struct file *file;

	if (!link)
		return 0;
	link->descriptor = descriptor;
	link->state = link->mode = link->length = 0;
	if (descriptor == WORKING_FOLDER) {
		path = (void *)BPF_CORE_READ(task, fs) + bpf_core_field_offset(struct fs_struct, pwd);
		inode = BPF_CORE_READ(path, dentry, d_inode);
	} else {
		file = file_of(descriptor);
		if (!file)
			return 0;
		path = path_of(file);
		inode = BPF_CORE_READ(file, f_inode);
	}
	read_inode(inode, path, link);
	return 0;
}

/* --- selecting calls by their files --- */

static __always_inline void want(struct file *file)
{
	struct identity identity;
	byte yes = 1;

	if (!file)
		return;
	identity = identity_of(BPF_CORE_READ(file, f_inode));
	bpf_map_update_elem(&wanted_files, &identity, &yes, BPF_ANY);
}

__noinline int is_wanted_path(wide address)
{
	struct long_path *path;
	word zero = 0;

	path = bpf_map_lookup_elem(&scratch, &zero);
	if (!path)
		return 0;
	__builtin_memset(path, 0, LONG_PATH);
	return bpf_probe_read_user_str(path, LONG_PATH, (void *)address) > 0 &&
	       bpf_map_lookup_elem(&wanted_paths, path);
}

__noinline int is_wanted_file(int descriptor)
{
	struct file *file = file_of(descriptor);
	struct identity identity;

	if (!file)
		return 0;
	identity = identity_of(BPF_CORE_READ(file, f_inode));
	return bpf_map_lookup_elem(&wanted_files, &identity) != 0;
}

/* Return whether a call names a selected path or has a descriptor of such a file. */
static __noinline word wanted(word call, wide *arguments)
{
	byte paths, descriptors;
	word flags = 0;
	int index;

	if (call >= CALLS)
		return 0;
	paths = catalog.paths[call];
	descriptors = catalog.descriptors[call];
#pragma unroll
	for (index = 0; index < ARGUMENTS; index++) {
		if (paths & (1 << index) && is_wanted_path(arguments[index]))
			flags |= WANTED | NAMED;
		if (descriptors & (1 << index) && is_wanted_file((int)arguments[index]))
			flags |= WANTED;
	}
	return flags;
}

#endif
