/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Sockets.  All connections between one pair of hosts for one service are one object.
 */
#ifndef SYSWATCH_SOCKETS_H
#define SYSWATCH_SOCKETS_H

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17
#define TCP_LISTEN 10
#define MAPPED_IPV4 0xffff0000U
#define UNIX_PATH 108

struct endpoint {
	byte address[16];  /* IPv4 in the first four bytes */
	word port;
	word is_ipv6;
};

struct connection {
	struct object_key key;
	struct endpoint local;
	struct endpoint remote;
	wide number;       /* of the inode */
	wide sock;
	word family;
	word protocol;
	word state;
	word side;
	word kind;
	int descriptor;
};

/* Not on the stack, which is limited for all functions that call each other together. */
SCRATCH(connections, struct connection);

static __always_inline struct connection *the_connection(void)
{
	word zero = 0;

	return bpf_map_lookup_elem(&connections, &zero);
}

static __always_inline word swap(unsigned short port)
{
	return __builtin_bswap16(port);
}

/* An IPv4 address within IPv6 is shown, and compared, as what it is. */
static __always_inline void simplify(struct endpoint *end)
{
	word *parts = (word *)end->address;

	if (!end->is_ipv6 || parts[0] || parts[1] || parts[2] != MAPPED_IPV4)
		return;
	parts[0] = parts[3];
	parts[2] = parts[3] = 0;
	end->is_ipv6 = 0;
}

static __always_inline int is_clients(word port)
{
	return port >= settings.first_port && port <= settings.last_port;
}

/* Which side began a connection: as its beginning was seen, or else as the ports say. */
static __always_inline word side_of(struct connection *connection)
{
	wide number = connection->number;
	word *known = bpf_map_lookup_elem(&sides, &number);
	int local = is_clients(connection->local.port), remote = is_clients(connection->remote.port);

	if (known)
		return *known;
	if (local == remote)
		return SIDE_UNKNOWN;
	return local ? SIDE_CLIENT : SIDE_SERVER;
}

__noinline int read_connection(struct connection *connection)
{
	struct sock *sock;
	struct inet_sock *inet;

	if (!connection)
		return 0;
	sock = (void *)connection->sock;
	inet = (void *)sock;
	connection->state = BPF_CORE_READ(sock, __sk_common.skc_state);
	connection->remote.port = swap(BPF_CORE_READ(sock, __sk_common.skc_dport));
	connection->local.port = BPF_CORE_READ(sock, __sk_common.skc_num);
	if (!connection->local.port)
		connection->local.port = swap(BPF_CORE_READ(inet, inet_sport));
	if (connection->family == AF_INET6) {
		connection->local.is_ipv6 = connection->remote.is_ipv6 = 1;
		BPF_CORE_READ_INTO(&connection->local.address, sock, __sk_common.skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO(&connection->remote.address, sock, __sk_common.skc_v6_daddr);
		simplify(&connection->local);
		simplify(&connection->remote);
	} else {
		BPF_CORE_READ_INTO((word *)&connection->local.address, sock, __sk_common.skc_rcv_saddr);
		BPF_CORE_READ_INTO((word *)&connection->remote.address, sock, __sk_common.skc_daddr);
	}
	if (connection->protocol == IPPROTO_TCP && connection->state == TCP_LISTEN)
		connection->side = SIDE_LISTENING;
	else if (!connection->remote.port)
		connection->side = SIDE_UNCONNECTED;
	else
		connection->side = side_of(connection);
	return 0;
}

/* Return the object of a connection, which has a name such as the model requires. */
__noinline int object_of_connection(void)
{
	struct connection *connection = the_connection();
	struct object_key *key;
	struct endpoint *end;
	struct object *object;
	word index, side, port;

	if (!connection)
		return NO_OBJECT;
	key = &connection->key;
	begin_key(key, BY_PEER);
	side = connection->side;
	end = side == SIDE_LISTENING || side == SIDE_UNCONNECTED ? &connection->local :
								   &connection->remote;
	port = side == SIDE_CLIENT || side == SIDE_UNKNOWN ? connection->remote.port :
							     connection->local.port;
	key->detail = connection->protocol << 8 | side << 4 | end->is_ipv6;
	key->first = *(wide *)&end->address[0];
	key->second = *(wide *)&end->address[8];
	key->third = (wide)port << 32 | (side == SIDE_UNKNOWN ? connection->local.port : 0);
	index = known_object(key);
	if (index != NO_OBJECT)
		return index;
	index = begin_object(key, connection->kind, connection->descriptor);
	object = object_at(index);
	if (object && index != NO_OBJECT) {
		object->mode = S_IFSOCK;
		object->number = connection->number;
		object->side = side;
		object->family = end->is_ipv6 ? AF_INET6 : AF_INET;
		object->protocol = connection->protocol;
		object->socket_state = connection->state;
		__builtin_memcpy(object->local, connection->local.address, 16);
		__builtin_memcpy(object->remote, connection->remote.address, 16);
		object->local_port = connection->local.port;
		object->remote_port = connection->remote.port;
		object->link.mode = 0;
		index = finish_object(index);
	}
	return or_all(index, connection->kind);
}

/* --- Unix sockets --- */

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

/* --- any file --- */

static __always_inline word kind_of_protocol(word protocol)
{
	return protocol == IPPROTO_TCP ? KIND_TCP : protocol == IPPROTO_UDP ? KIND_UDP : KIND_SOCKET;
}

/* Prepare to read the connection of a socket. */
static __always_inline struct connection *begin_connection(struct file *file, int descriptor)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct sock *sock = BPF_CORE_READ(socket, sk);
	struct connection *connection = the_connection();

	if (!connection)
		return 0;
	__builtin_memset(connection, 0, sizeof(*connection));
	connection->descriptor = descriptor;
	connection->sock = (wide)sock;
	connection->number = BPF_CORE_READ(file, f_inode, i_ino);
	connection->family = BPF_CORE_READ(sock, __sk_common.skc_family);
	connection->protocol = BPF_CORE_READ(sock, sk_protocol);
	connection->kind = kind_of_protocol(connection->protocol);
	return connection;
}

static __always_inline int is_internet(struct connection *connection)
{
	return connection->family == AF_INET || connection->family == AF_INET6;
}

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
