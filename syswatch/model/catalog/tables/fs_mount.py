"""Calls that mount file systems and arrange the tree they form."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "mount",
        Category.FS,
        "Attach a file system, or change or move a mount",
        "int mount(const char *source, const char *target, const char *filesystemtype, unsigned "
        "long mountflags, const void *data)",
        kinds=(Kind.PATH, Kind.PATH, Kind.STRING, Kind.MOUNT_FLAGS, Kind.POINTER),
        returns="0",
        errnos={
            "EBUSY": "the source is mounted already, or the target is busy",
            "EINVAL": "no valid file system on the source, or flags that do not fit",
            "ENODEV": "the kernel does not know the type of file system",
            "ENOENT": "the target does not exist",
            "EPERM": "the caller lacks CAP_SYS_ADMIN",
        },
        advice="Slow ones replay a journal or wait for a file server. EPERM is usual inside "
        "containers.",
    ),
    call(
        "umount2",
        Category.FS,
        "Detach a file system",
        "int umount2(const char *target, int flags)",
        kinds=(Kind.PATH, Kind.UMOUNT_FLAGS),
        returns="0",
        errnos={
            "EBUSY": "a file or a directory there is in use",
            "EINVAL": "the target is not a mount point",
            "EPERM": "the caller lacks CAP_SYS_ADMIN",
        },
        advice="Writes back all dirty data first, and takes as long as that does. For EBUSY, look "
        "with fuser or lsof.",
    ),
    call(
        "pivot_root",
        Category.FS,
        "Swap the root mount for another one",
        "int pivot_root(const char *new_root, const char *put_old)",
        kinds=(Kind.PATH, Kind.PATH),
        returns="0",
        errnos={
            "EBUSY": "a path is on the current root mount",
            "EINVAL": "the new root is not a mount point, or a mount is shared",
            "EPERM": "the caller lacks CAP_SYS_ADMIN",
        },
        advice="How a container gets its root; it fails at start-up or never. EINVAL is expected "
        "on a machine that runs from an initramfs.",
    ),
    call(
        "open_tree",
        Category.FS,
        "Get a descriptor for a mount, or for a copy of it",
        "int open_tree(int dirfd, const char *pathname, unsigned int flags)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.OPEN_TREE_FLAGS),
        returns="a descriptor for the mount",
        errnos={
            "EINVAL": "an unknown flag",
            "ENOENT": "the path does not exist",
            "ENOSYS": "a kernel older than 5.2",
            "EPERM": "copying a mount needs CAP_SYS_ADMIN",
        },
        advice="Part of the newer way to mount; callers fall back to mount on ENOSYS.",
    ),
    call(
        "move_mount",
        Category.FS,
        "Attach a mount to the tree",
        "int move_mount(int from_dirfd, const char *from_pathname, int to_dirfd, const char "
        "*to_pathname, unsigned int flags)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.DIRFD, Kind.PATH, Kind.MOVE_MOUNT_FLAGS),
        returns="0",
        errnos={
            "EINVAL": "a place or a mount that cannot be used this way",
            "ENOENT": "a path does not exist",
            "EPERM": "the caller lacks CAP_SYS_ADMIN",
        },
        advice="Part of the newer way to mount.",
    ),
    call(
        "fsopen",
        Category.FS,
        "Start to configure a new file system instance",
        "int fsopen(const char *fsname, unsigned int flags)",
        kinds=(Kind.STRING, Kind.FSOPEN_FLAGS),
        returns="a descriptor for the configuration",
        errnos={
            "ENODEV": "the kernel does not know the type of file system",
            "ENOSYS": "a kernel older than 5.2",
            "EPERM": "the caller lacks CAP_SYS_ADMIN",
        },
        advice="Part of the newer way to mount; callers fall back to mount on ENOSYS.",
    ),
    call(
        "fsconfig",
        Category.FS,
        "Set one option of a file system, or create it",
        "int fsconfig(int fs_fd, unsigned int cmd, const char *key, const void *value, int aux)",
        kinds=(Kind.FD, Kind.FSCONFIG_COMMAND, Kind.STRING, Kind.OPAQUE_IN, Kind.INT),
        returns="0",
        errnos={
            "EBUSY": "the instance cannot be changed in its present state",
            "EINVAL": "an option that the file system does not take",
            "EPERM": "the caller lacks the privilege to create it",
        },
        advice="The step that creates the instance reads the device, and takes that long.",
    ),
    call(
        "fsmount",
        Category.FS,
        "Make a mount of a configured file system",
        "int fsmount(int fs_fd, unsigned int flags, unsigned int attr_flags)",
        kinds=(Kind.FD, Kind.FSMOUNT_FLAGS, Kind.MOUNT_ATTRIBUTES),
        returns="a descriptor for the mount",
        errnos={
            "EBUSY": "the configuration is not in the state to be mounted",
            "EINVAL": "an unknown flag",
            "EPERM": "the caller lacks CAP_SYS_ADMIN",
        },
        advice="Part of the newer way to mount.",
    ),
    call(
        "mount_setattr",
        Category.FS,
        "Change attributes of a mount, or of a whole tree of them",
        "int mount_setattr(int dirfd, const char *pathname, unsigned int flags, struct mount_attr "
        "*attr, size_t size)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.AT_FLAGS, Kind.MOUNT_ATTR_IN, Kind.SIZE),
        returns="0",
        errnos={
            "EBUSY": "read-only was requested while files are open for writing",
            "EINVAL": "attributes that do not fit, or a path that is not a mount",
            "ENOSYS": "a kernel older than 5.12",
            "EPERM": "an attribute is locked, or the privilege is lacking",
        },
        advice="Container tools use it for read-only trees and mapped owners.",
    ),
    call(
        "quotactl",
        Category.FS,
        "Read or change disk quotas",
        "int quotactl(int op, const char *special, int id, void *addr)",
        kinds=(Kind.HEX, Kind.PATH, Kind.UID, Kind.POINTER),
        returns="0",
        errnos={
            "ENOSYS": "the kernel has no quotas",
            "EPERM": "the caller lacks the privilege for this user",
            "ESRCH": "no quota is set, or quotas are off on that file system",
        },
        advice="ESRCH and ENOSYS mean that there are no quotas.",
    ),
    call(
        "swapon",
        Category.FS,
        "Start swapping to a file or a device",
        "int swapon(const char *path, int swapflags)",
        kinds=(Kind.PATH, Kind.SWAP_FLAGS),
        returns="0",
        errnos={
            "EBUSY": "it is in use for swapping already",
            "EINVAL": "not a swap area, or a file system that cannot hold one",
            "EPERM": "the caller lacks CAP_SYS_ADMIN, or there are too many swap areas",
        },
        advice="Rare: administration at work.",
    ),
    call(
        "swapoff",
        Category.FS,
        "Stop swapping to a file or a device",
        "int swapoff(const char *path)",
        kinds=(Kind.PATH,),
        returns="0",
        errnos={
            "EINVAL": "it is not used for swapping",
            "ENOMEM": "not enough memory to take the pages back",
            "EPERM": "the caller lacks CAP_SYS_ADMIN",
        },
        advice="Reads back every page that is swapped out, so minutes are possible.",
    ),
)
