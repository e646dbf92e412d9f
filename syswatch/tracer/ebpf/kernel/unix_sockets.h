/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Unix sockets.
 */
#ifndef SYSWATCH_UNIX_SOCKETS_H
#define SYSWATCH_UNIX_SOCKETS_H

#define UNIX_PATH 108

/* Read the path of a socket; return its length. */
static __always_inline word read_unix_path(struct unix_sock *sock, struct long_path *path)
{
	struct unix_address *address = BPF_CORE_READ(sock, addr);
	int length;

	if (!address)
		return 0;
	length = BPF_CORE_READ(address, len) - (int)sizeof(short);
	barrier_var(length);
	if (length <= 0 || length > UNIX_PATH)
		return 0;
	bpf_probe_read_kernel(path->text, length,
			      (void *)address + bpf_core_field_offset(struct unix_address, name) +
				      sizeof(short));
	return length;
}

/* A Unix socket is known by its path or that of its peer, or else by its inode. */
__noinline int object_of_unix(void)
{
	struct connection *connection = the_connection();
	struct unix_sock *own, *peer;
	struct sock *sock, *other;
	struct object_key *key;
	struct long_path *path;
	struct object *object;
	word zero = 0, index, length, state, side = SIDE_UNKNOWN;

	path = bpf_map_lookup_elem(&scratch, &zero);
	if (!path || !connection)
		return KIND_UNIX;
	key = &connection->key;
	sock = (void *)connection->sock;
	own = (void *)sock;
	other = BPF_CORE_READ(own, peer);
	peer = (void *)other;
	state = BPF_CORE_READ(sock, __sk_common.skc_state);
	length = read_unix_path(own, path);
	if (length) {
		side = state == TCP_LISTEN ? SIDE_LISTENING : peer ? SIDE_SERVER : SIDE_UNCONNECTED;
	} else if (peer) {
		length = read_unix_path(peer, path);
		side = length ? SIDE_CLIENT : SIDE_UNKNOWN;
	} else {
		side = SIDE_UNCONNECTED;
	}
	begin_key(key, length ? BY_NAME : BY_INODE);
	key->first = length ? hash_of(path, length) : connection->number;
	key->third = side;
	index = known_object(key);
	if (index != NO_OBJECT)
		return index;
	index = begin_object(key, KIND_UNIX, connection->descriptor);
	object = object_at(index);
	if (object && index != NO_OBJECT) {
		object->mode = S_IFSOCK;
		object->number = connection->number;
		object->family = AF_UNIX;
		object->side = side;
		object->socket_type = BPF_CORE_READ(sock, sk_type);
		object->socket_state = state;
		object->peer_pid = number_of(BPF_CORE_READ(sock, sk_peer_pid));
		object->peer_number = peer ? BPF_CORE_READ(other, sk_socket, file, f_inode, i_ino) : 0;
		object->link.mode = 0;
		copy_text(object, path, length);
		index = finish_object(index);
	}
	return or_all(index, KIND_UNIX);
}

#endif
