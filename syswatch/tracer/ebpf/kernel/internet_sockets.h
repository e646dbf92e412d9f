/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Sockets of the Internet protocols.  All connections between one pair of hosts for one service are
 * one object.
 */
#ifndef SYSWATCH_INTERNET_SOCKETS_H
#define SYSWATCH_INTERNET_SOCKETS_H

#define MAPPED_IPV4 0xffff0000U

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

#endif
