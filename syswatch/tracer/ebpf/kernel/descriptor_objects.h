/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The object of the file that a descriptor refers to.
 */
#ifndef SYSWATCH_DESCRIPTOR_OBJECTS_H
#define SYSWATCH_DESCRIPTOR_OBJECTS_H

/* Return the object of a socket; those of other families are known by their inode. */
__noinline int object_of_socket(wide address, int descriptor)
{
	struct connection *connection = begin_connection((void *)address, descriptor);

	if (!connection)
		return NO_OBJECT;
	if (is_internet(connection)) {
		read_connection(connection);
		return object_of_connection();
	}
	if (connection->family == AF_UNIX)
		return object_of_unix();
	return NO_OBJECT;
}

/* Inlined, because the depth of calls is limited, and the size of their stack. */
static __always_inline word object_of_file(struct file *file, int descriptor)
{
	word index;

	if ((BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) == S_IFSOCK) {
		index = object_of_socket((wide)file, descriptor);
		if (index != NO_OBJECT)
			return index;
	}
	return object_of_inode((wide)file, descriptor);
}

#endif
