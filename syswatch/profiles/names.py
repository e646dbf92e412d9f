"""Names of address families and namespaces, as systemd and people know them."""

from collections.abc import Mapping
from typing import Final

# There are more, which few programs use.
FAMILIES: Final[Mapping[str, int]] = {
    "AF_UNIX": 1,
    "AF_INET": 2,
    "AF_AX25": 3,
    "AF_IPX": 4,
    "AF_APPLETALK": 5,
    "AF_X25": 9,
    "AF_INET6": 10,
    "AF_KEY": 15,
    "AF_NETLINK": 16,
    "AF_PACKET": 17,
    "AF_RDS": 21,
    "AF_PPPOX": 24,
    "AF_CAN": 29,
    "AF_TIPC": 30,
    "AF_BLUETOOTH": 31,
    "AF_ALG": 38,
    "AF_NFC": 39,
    "AF_VSOCK": 40,
    "AF_QIPCRTR": 42,
    "AF_SMC": 43,
    "AF_XDP": 44,
}
NAMESPACES: Final[Mapping[str, int]] = {
    "cgroup": 0x0200_0000,
    "ipc": 0x0800_0000,
    "mnt": 0x0002_0000,
    "net": 0x4000_0000,
    "pid": 0x2000_0000,
    "user": 0x1000_0000,
    "uts": 0x0400_0000,
}
