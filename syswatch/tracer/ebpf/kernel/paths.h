/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * How often each path was opened, and how often that failed.
 */
#ifndef SYSWATCH_PATHS_H
#define SYSWATCH_PATHS_H

static __always_inline void count_path(const char *address, int failed)
{
	struct opens none = {}, *opens;
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
		opens = bpf_map_lookup_elem(&long_paths, path);
		if (!opens) {
			bpf_map_update_elem(&long_paths, path, &none, BPF_NOEXIST);
			opens = bpf_map_lookup_elem(&long_paths, path);
		}
	} else {
		opens = bpf_map_lookup_elem(&short_paths, path);
		if (!opens) {
			bpf_map_update_elem(&short_paths, path, &none, BPF_NOEXIST);
			opens = bpf_map_lookup_elem(&short_paths, path);
		}
	}
	if (!opens) {
		ADD(totals.uncounted_paths, 1);
		return;
	}
	ADD(opens->all, 1);
	if (failed)
		ADD(opens->failed, 1);
}

#endif
