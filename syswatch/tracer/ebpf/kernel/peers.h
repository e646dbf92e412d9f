/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Sockets that get their peer by a call: connect, accept, or a message with an address.
 */
#ifndef SYSWATCH_PEERS_H
#define SYSWATCH_PEERS_H

static __always_inline void remember_side(int descriptor, word side)
{
	struct file *file = file_of(descriptor);
	wide number;

	if (!file)
		return;
	number = BPF_CORE_READ(file, f_inode, i_ino);
	bpf_map_update_elem(&sides, &number, &side, BPF_ANY);
}

/* The address that a program passes to the kernel, or gets from it. */
struct socket_address {
	unsigned short family;
	unsigned short port;
	byte rest[24];
};

/* Credit a call to the peer whose address is in the memory of the program. */
__noinline int credit_peer(struct task *state, int descriptor, wide address)
{
	struct file *file = file_of(descriptor);
	struct connection *connection;
	struct socket_address given = {};

	if (!state || !file || !address)
		return 0;
	connection = begin_connection(file, descriptor);
	if (!connection || !is_internet(connection))
		return 0;
	/* An address of IPv4 is shorter. */
	if (bpf_probe_read_user(&given, sizeof(given), (void *)address) &&
	    bpf_probe_read_user(&given, 16, (void *)address))
		return 0;
	if (given.family != AF_INET && given.family != AF_INET6)
		return 0;
	read_connection(connection);
	connection->remote.port = swap(given.port);
	/* Only a server has a port of its own and clients with any. */
	connection->side = connection->kind == KIND_UDP && is_clients(connection->remote.port) &&
					   !is_clients(connection->local.port) ?
				   SIDE_SERVER : SIDE_CLIENT;
	connection->remote.is_ipv6 = given.family == AF_INET6;
	if (connection->remote.is_ipv6)
		__builtin_memcpy(connection->remote.address, given.rest + 4, 16);
	else
		__builtin_memcpy(connection->remote.address, given.rest, 4);
	simplify(&connection->remote);
	credit(state, object_of_connection());
	return 0;
}

static __always_inline void end_message(struct task *state, const struct subject *subject)
{
	wide address = 0, header;

	if (!is_connecting(object_at(state->object)))
		return;
	if (subject->other != NO_ARGUMENT) {
		address = argument_of(state, subject->other);
	} else if (state->call < TABLE) {
		header = state->arguments[1];
		bpf_probe_read_user(&address, sizeof(address), (void *)header);
	}
	credit_peer(state, argument_of(state, subject->argument), address);
}

#endif
