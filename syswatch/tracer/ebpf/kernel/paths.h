/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * How often each path is opened.
 */
#ifndef SYSWATCH_PATHS_H
#define SYSWATCH_PATHS_H

static __always_inline void count_path(const char *address)
{
	wide none = 0, *count;
	struct long_path *path;
	word zero = 0;
	long length;

	path = bpf_map_lookup_elem(&scratch, &zero);
	if (!path)
		return;
	__builtin_memset(path, 0, SHORT_PATH);
	length = bpf_probe_read_user_str(path, SHORT_PATH, address);
	if (length < 0)
		return;
	if (length == SHORT_PATH) {
		__builtin_memset(path, 0, LONG_PATH);
		bpf_probe_read_user_str(path, LONG_PATH, address);
		count = bpf_map_lookup_elem(&long_paths, path);
		if (!count) {
			bpf_map_update_elem(&long_paths, path, &none, BPF_NOEXIST);
			count = bpf_map_lookup_elem(&long_paths, path);
		}
	} else {
		count = bpf_map_lookup_elem(&short_paths, path);
		if (!count) {
			bpf_map_update_elem(&short_paths, path, &none, BPF_NOEXIST);
			count = bpf_map_lookup_elem(&short_paths, path);
		}
	}
	if (count)
		ADD(*count, 1);
	else
		ADD(totals.uncounted_paths, 1);
}

#endif
