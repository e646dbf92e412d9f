/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The needed parts of kernel types.  The offsets of fields in the running kernel are found when the
 * program is loaded.
 */
#ifndef SYSWATCH_TYPES_H
#define SYSWATCH_TYPES_H

#define KERNEL __attribute__((preserve_access_index))
#define PF_EXITING 4
#define SIGNAL_GROUP_EXIT 4
#define TS_COMPAT 2
#define TIF_32BIT 22
#define MAX_ERRNO 4095
#define ENOSYS 38
#define SIGNALS 64
#define SIGKILL 9
#define SIGKILL_BIT (1 << (SIGKILL - 1))

struct upid {
	int nr;
} KERNEL;

struct pid {
	unsigned int level;
	struct upid numbers[1];
} KERNEL;

typedef struct {
	int counter;
} KERNEL atomic_t;

typedef struct {
	unsigned long sig[1];
} KERNEL sigset_t;

struct sigpending {
	sigset_t signal;
} KERNEL;

struct signal_struct {
	atomic_t live;
	struct sigpending shared_pending;
	int group_exit_code;
	unsigned int flags;
} KERNEL;

/* Each type is searched for among all of the kernel, which takes most of a millisecond, so one has the
 * fields of all architectures: those of x86 first, then those of arm64. */
struct thread_info {
	unsigned int status;
	unsigned long flags;
} KERNEL;

struct pt_regs {
	unsigned long r10, r9, r8, dx, si, di, bx, cx, bp, orig_ax;
	wide regs[31];
	wide orig_x0;
	int syscallno;
	unsigned long sp; /* of both */
} KERNEL;

/* --- files --- */

struct super_block {
	unsigned int s_dev;
	unsigned long s_magic;
} KERNEL;

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	unsigned int i_rdev;
	unsigned int i_generation;
} KERNEL;

struct qstr {
	const unsigned char *name;
} KERNEL;

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
} KERNEL;

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
} KERNEL;

struct vfsmount {
	struct dentry *mnt_root;
} KERNEL;

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
} KERNEL;

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
} KERNEL;

struct file {
	struct inode *f_inode;
	void *f_op;
	struct path f_path;
	void *private_data;
} KERNEL;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} KERNEL;

struct files_struct {
	struct fdtable *fdt;
} KERNEL;

struct fs_struct {
	struct path pwd;
} KERNEL;

/* Any type that begins with a number of 64 bits. */
struct timespec64 {
	long long tv_sec;
} KERNEL;

/* --- sockets --- */

struct in6_addr {
	byte bytes[16];
} KERNEL;

struct sock_common {
	unsigned int skc_daddr;
	unsigned int skc_rcv_saddr;
	unsigned short skc_dport;
	unsigned short skc_num;
	unsigned short skc_family;
	unsigned char skc_state;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
} KERNEL;

struct sock {
	struct sock_common __sk_common;
	unsigned short sk_type;
	unsigned short sk_protocol;
	struct socket *sk_socket;
	struct pid *sk_peer_pid;
} KERNEL;

struct socket {
	struct file *file;
	struct sock *sk;
} KERNEL;

struct inet_sock {
	unsigned short inet_sport;
} KERNEL;

struct sockaddr_un {
	unsigned short sun_family;
} KERNEL;

struct unix_address {
	int len;
	struct sockaddr_un name[0];
} KERNEL;

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
} KERNEL;

/* --- epoll --- */

struct rb_node {
	struct rb_node *rb_left;
	struct rb_node *rb_right;
} KERNEL;

struct rb_root {
	struct rb_node *rb_node;
} KERNEL;

struct rb_root_cached {
	struct rb_root rb_root;
} KERNEL;

struct eventpoll {
	struct rb_root_cached rbr;
} KERNEL;

struct epoll_filefd {
	struct file *file;
	int fd;
} KERNEL;

struct epoll_event {
	wide data;
} KERNEL;

struct epitem {
	struct rb_node rbn;
	struct epoll_filefd ffd;
	struct epoll_event event;
} KERNEL;

/* --- tasks --- */

/* Empty in a kernel that does not measure it. */
struct sched_info {
	wide run_delay;
	wide last_queued;
} KERNEL;

enum bpf_func_id___from_5_15 {
	BPF_FUNC_task_pt_regs___from_5_15 = 175,
};

struct mm_struct {
	unsigned long arg_start;
	unsigned long arg_end;
} KERNEL;

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	int on_cpu;
	unsigned long nvcsw;
	struct sched_info sched_info;
	wide start_time;
	int tgid;
	int exit_code;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	char comm[COMM];
	struct fs_struct *fs;
	struct files_struct *files;
	struct mm_struct *mm;
	struct signal_struct *signal;
	sigset_t blocked;
	struct sigpending pending;
	struct css_set *cgroups;
	struct bpf_local_storage *bpf_storage; /* not in all kernels */
} KERNEL;

struct bpf_local_storage_map {
	unsigned short cache_idx;
} KERNEL;

struct bpf_local_storage_data {
	struct bpf_local_storage_map *smap;
	byte data[0];
} KERNEL;

struct bpf_local_storage {
	struct bpf_local_storage_data *cache[1];
} KERNEL;

/* The program that a task is about to execute. */
struct linux_binprm {
	const char *filename;
} KERNEL;

/* The same in all kernels. */
struct bpf_iter__task {
	void *meta;
	struct task_struct *task;
};

#endif
