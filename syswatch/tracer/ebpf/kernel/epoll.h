/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Which file an event of epoll is about: it only contains data that the program has chosen.
 *
 * What is registered during the trace is remembered by its data; what was registered before is
 * looked up once, in the tree of the kernel.
 */
#ifndef SYSWATCH_EPOLL_H
#define SYSWATCH_EPOLL_H

#define EPOLL_CTL_DEL 2
#define MOST_VISITS 2048 /* a multiple of TURN */
#define MOST_WAITING 64  /* a power of two; twice the height of any tree that is searched */

struct tree {
	wide data;
	word count;          /* of nodes that are not visited yet */
	int descriptor;      /* what was found, or -1 */
	wide file;
	struct rb_node *nodes[MOST_WAITING];
};

SCRATCH(trees, struct tree);

static __always_inline struct tree *the_tree(void)
{
	word zero = 0;

	return bpf_map_lookup_elem(&trees, &zero);
}

/* The offset of the data in an event of epoll, which x86 packs. */
static __always_inline word data_at(void)
{
	struct pt_regs *registers = 0;

	return bpf_core_field_exists(registers->orig_ax) ? 4 : 8;
}

/* By a mask, which Linux 6.1 tracks even where it loses a comparison. */
static __always_inline struct rb_node **node_at(struct tree *tree, word at)
{
	barrier_var(at);
	at &= MOST_WAITING - 1;
	barrier_var(at);
	return &tree->nodes[at & (MOST_WAITING - 1)];
}

static __always_inline void visit_later(struct tree *tree, struct rb_node *node)
{
	if (node)
		*node_at(tree, tree->count++) = node;
}

/* Visit some nodes; return whether there is nothing more to do. */
__noinline int visit_next(void)
{
	struct tree *tree = the_tree();
	struct rb_node *node;
	struct epitem *item;

	if (!tree || !tree->count || tree->count > MOST_WAITING)
		return 1;
	node = *node_at(tree, --tree->count);
	item = (void *)node - bpf_core_field_offset(struct epitem, rbn);
	if (BPF_CORE_READ(item, event.data) == tree->data) {
		tree->descriptor = BPF_CORE_READ(item, ffd.fd);
		tree->file = (wide)BPF_CORE_READ(item, ffd.file);
		return 1;
	}
	visit_later(tree, BPF_CORE_READ(node, rb_left));
	visit_later(tree, BPF_CORE_READ(node, rb_right));
	return 0;
}

__noinline int visit_more(void)
{
	word turn;

	for (turn = 0; turn < TURN; turn++)
		if (visit_next())
			return 1;
	return 0;
}

/* Remember the file that was registered with some data; none, too, so that the search is not repeated.
 * The tree may change during the search: then the descriptor has another file than what was found. */
__noinline int find_watch(wide address, wide data)
{
	struct watch_key key = {};
	struct tree *tree = the_tree();
	struct file *file = (void *)address;
	struct eventpoll *epoll = BPF_CORE_READ(file, private_data);
	struct watch watch = {};
	word turn;

	if (!tree)
		return 0;
	tree->data = data;
	tree->count = tree->file = 0;
	tree->descriptor = -1;
	visit_later(tree, BPF_CORE_READ(epoll, rbr.rb_root.rb_node));
	for (turn = 0; turn < MOST_VISITS / TURN; turn++)
		if (visit_more())
			break;
	watch.descriptor = tree->descriptor;
	watch.file = (wide)file_of(tree->descriptor);
	if (watch.file != tree->file)
		watch.file = 0;
	key.epoll = address;
	key.data = data;
	bpf_map_update_elem(&watches, &key, &watch, BPF_NOEXIST);
	return 0;
}

#endif
