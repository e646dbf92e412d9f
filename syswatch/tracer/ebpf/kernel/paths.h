/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * How often each path was opened, and how often that failed.
 */
#ifndef SYSWATCH_PATHS_H
#define SYSWATCH_PATHS_H

/* A function of its own, because its variables would be on the stack of all calls. */
__noinline int count_path(wide address, int failed)
{
	struct opens none = {}, *opens;
	struct long_path *path;
	word zero = 0;
	long length;

	path = bpf_map_lookup_elem(&scratch, &zero);
	if (!path)
		return 0;
	__builtin_memset(path, 0, SHORT_PATH);
	length = bpf_probe_read_user_str(path, SHORT_PATH, (void *)address);
	if (length < 0)
		return 0;
	if (length == SHORT_PATH) {
		__builtin_memset(path, 0, LONG_PATH);
		bpf_probe_read_user_str(path, LONG_PATH, (void *)address);
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
		return 0;
	}
	ADD(opens->all, 1);
	if (failed)
		ADD(opens->failed, 1);
	return 0;
}

#endif
