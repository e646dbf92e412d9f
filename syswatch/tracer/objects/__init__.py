"""
The objects of system calls: what a descriptor, an address or a PID stands for.

`describe` is the one place that makes the names of objects, so that all tracers and logs give an
object the same name.  `addresses` parses socket addresses, `sockets` finds those of a socket that
exists already, `ends` the processes at the ends of pipes and Unix sockets.  `hosts` has the names
of services and hosts, which `answers` adds from what the target receives of name servers, with
`received` and `dns`.  `descriptors` has the descriptor tables, `effects` what each call changes in
them, and `targets` which argument of a call is its object.
"""
