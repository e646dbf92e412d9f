/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What is read of a socket to find its object.
 */
#ifndef SYSWATCH_SOCKETS_H
#define SYSWATCH_SOCKETS_H

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17
#define TCP_LISTEN 10

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

#endif
