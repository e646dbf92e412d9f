"""Calls that read attributes of files and of file systems."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "stat",
        Category.FS,
        "Read the attributes of a file, following symbolic links",
        "int stat(const char *pathname, struct stat *statbuf)",
        kinds=(Kind.PATH, Kind.STAT_OUT),
        returns="0",
        errnos={
            "EACCES": "a directory before it may not be searched",
            "ENOENT": "the path does not exist",
            "ENOTDIR": "something before the last name is no directory",
        },
        advice="ENOENT is an answer: programs look for optional files this way. Slow ones point "
        "at a network mount that hangs.",
    ),
    call(
        "fstat",
        Category.FS,
        "Read the attributes of an open file",
        "int fstat(int fd, struct stat *statbuf)",
        kinds=(Kind.FD, Kind.STAT_OUT),
        returns="0",
        errnos={"EBADF": "no such open descriptor"},
        advice="One after each open is the C library choosing a buffer size. Only a network mount "
        "can make it slow.",
    ),
    call(
        "lstat",
        Category.FS,
        "Read the attributes of a file, or of the symbolic link itself",
        "int lstat(const char *pathname, struct stat *statbuf)",
        kinds=(Kind.PATH, Kind.STAT_OUT),
        returns="0",
        errnos={
            "EACCES": "a directory before it may not be searched",
            "ENOENT": "the path does not exist",
        },
        advice="Great numbers are a walk over a directory tree, or a program working out true "
        "paths.",
    ),
    call(
        "newfstatat",
        Category.FS,
        "Read the attributes of a file, relative to a directory",
        "int newfstatat(int dirfd, const char *pathname, struct stat *statbuf, int flags)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.STAT_OUT, Kind.AT_FLAGS),
        returns="0",
        errnos={
            "EACCES": "a directory before it may not be searched",
            "EBADF": "the directory descriptor is not open",
            "ENOENT": "the path does not exist",
            "ENOTDIR": "something before the last name is no directory",
        },
        advice="What programs call stat. ENOENT is mostly a search for optional files, and "
        "harmless.",
    ),
    call(
        "statx",
        Category.FS,
        "Read chosen attributes of a file, birth time and mount included",
        "int statx(int dirfd, const char *pathname, int flags, unsigned int mask, struct statx "
        "*statxbuf)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.AT_FLAGS, Kind.STATX_MASK, Kind.STATX_OUT),
        returns="0",
        errnos={
            "EACCES": "a directory before it may not be searched",
            "EFAULT": "a null path or buffer, which is how some libraries probe for the call",
            "ENOENT": "the path does not exist",
            "ENOSYS": "a kernel older than 4.11, or a sandbox that hides the call",
        },
        advice="ENOENT is an answer, and EFAULT with null pointers is a probe; both harmless.",
    ),
    call(
        "statfs",
        Category.FS,
        "Read type, size and free space of the file system under a path",
        "int statfs(const char *path, struct statfs *buf)",
        kinds=(Kind.PATH, Kind.STATFS_OUT),
        returns="0",
        errnos={
            "EACCES": "a directory before it may not be searched",
            "ENOENT": "the path does not exist",
            "ENOSYS": "the file system cannot tell",
        },
        advice="A hanging one is the classic sign of a dead network mount; df hangs on it as well.",
    ),
    call(
        "fstatfs",
        Category.FS,
        "Read type, size and free space of the file system of an open file",
        "int fstatfs(int fd, struct statfs *buf)",
        kinds=(Kind.FD, Kind.STATFS_OUT),
        returns="0",
        errnos={
            "EBADF": "no such open descriptor",
            "EIO": "the file system could not be read",
        },
        advice="Slow only on network mounts.",
    ),
    call(
        "getxattr",
        Category.FS,
        "Read an extended attribute of a file",
        "ssize_t getxattr(const char *path, const char *name, void *value, size_t size)",
        kinds=(Kind.PATH, Kind.STRING, Kind.BUFFER_OUT, Kind.SIZE),
        returns="length of the value, also when size is 0 and nothing is copied",
        errnos={
            "ENODATA": "the file has no such attribute",
            "EOPNOTSUPP": "the file system has no extended attributes",
            "ERANGE": "the room given is too small",
        },
        advice="ENODATA and EOPNOTSUPP are plain answers; ls alone makes many of them.",
    ),
    call(
        "lgetxattr",
        Category.FS,
        "Read an extended attribute of a file, or of the symbolic link itself",
        "ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size)",
        kinds=(Kind.PATH, Kind.STRING, Kind.BUFFER_OUT, Kind.SIZE),
        returns="length of the value, also when size is 0 and nothing is copied",
        errnos={
            "ENODATA": "the file has no such attribute",
            "EOPNOTSUPP": "the file system has no extended attributes",
            "ERANGE": "the room given is too small",
        },
        advice="ENODATA and EOPNOTSUPP are plain answers.",
    ),
    call(
        "fgetxattr",
        Category.FS,
        "Read an extended attribute of an open file",
        "ssize_t fgetxattr(int fd, const char *name, void *value, size_t size)",
        kinds=(Kind.FD, Kind.STRING, Kind.BUFFER_OUT, Kind.SIZE),
        returns="length of the value, also when size is 0 and nothing is copied",
        errnos={
            "ENODATA": "the file has no such attribute",
            "EOPNOTSUPP": "the file system has no extended attributes",
            "ERANGE": "the room given is too small",
        },
        advice="ENODATA and EOPNOTSUPP are plain answers.",
    ),
    call(
        "setxattr",
        Category.FS,
        "Set an extended attribute of a file",
        "int setxattr(const char *path, const char *name, const void *value, size_t size, int "
        "flags)",
        kinds=(Kind.PATH, Kind.STRING, Kind.BUFFER_IN, Kind.SIZE, Kind.XATTR_FLAGS),
        returns="0",
        errnos={
            "EEXIST": "the attribute exists, and XATTR_CREATE was given",
            "ENODATA": "the attribute does not exist, and XATTR_REPLACE was given",
            "ENOSPC": "no room for attributes on this file",
            "EOPNOTSUPP": "the file system has no such attributes",
            "EPERM": "the file is immutable, or the name space of the attribute needs privilege",
        },
        advice="EOPNOTSUPP while copying is a loss of attributes only, and most tools go on.",
    ),
    call(
        "lsetxattr",
        Category.FS,
        "Set an extended attribute of a file, or of the symbolic link itself",
        "int lsetxattr(const char *path, const char *name, const void *value, size_t size, int "
        "flags)",
        kinds=(Kind.PATH, Kind.STRING, Kind.BUFFER_IN, Kind.SIZE, Kind.XATTR_FLAGS),
        returns="0",
        errnos={
            "EOPNOTSUPP": "the file system has no such attributes",
            "EPERM": "the file is immutable, or the name space of the attribute needs privilege",
        },
        advice="Container tools use it to unpack images; EPERM there means that file capabilities "
        "or labels could not be kept.",
    ),
    call(
        "fsetxattr",
        Category.FS,
        "Set an extended attribute of an open file",
        "int fsetxattr(int fd, const char *name, const void *value, size_t size, int flags)",
        kinds=(Kind.FD, Kind.STRING, Kind.BUFFER_IN, Kind.SIZE, Kind.XATTR_FLAGS),
        returns="0",
        errnos={
            "EOPNOTSUPP": "the file system has no such attributes",
            "EPERM": "the file is immutable, or the name space of the attribute needs privilege",
        },
        advice="EOPNOTSUPP while copying is a loss of attributes only.",
    ),
    call(
        "listxattr",
        Category.FS,
        "List the names of a file's extended attributes",
        "ssize_t listxattr(const char *path, char *list, size_t size)",
        kinds=(Kind.PATH, Kind.BUFFER_OUT, Kind.SIZE),
        returns="length of the list of names, each ended by a NUL",
        errnos={
            "EOPNOTSUPP": "the file system has no extended attributes",
            "ERANGE": "the room given is too small",
        },
        advice="Mostly called with size 0 first to learn the length.",
    ),
    call(
        "llistxattr",
        Category.FS,
        "List the extended attributes of a file, or of the symbolic link itself",
        "ssize_t llistxattr(const char *path, char *list, size_t size)",
        kinds=(Kind.PATH, Kind.BUFFER_OUT, Kind.SIZE),
        returns="length of the list of names, each ended by a NUL",
        errnos={
            "EOPNOTSUPP": "the file system has no extended attributes",
            "ERANGE": "the room given is too small",
        },
        advice="Seen in copies and backups that keep attributes.",
    ),
    call(
        "flistxattr",
        Category.FS,
        "List the extended attributes of an open file",
        "ssize_t flistxattr(int fd, char *list, size_t size)",
        kinds=(Kind.FD, Kind.BUFFER_OUT, Kind.SIZE),
        returns="length of the list of names, each ended by a NUL",
        errnos={
            "EOPNOTSUPP": "the file system has no extended attributes",
            "ERANGE": "the room given is too small",
        },
        advice="Seen in copies and backups that keep attributes.",
    ),
    call(
        "removexattr",
        Category.FS,
        "Remove an extended attribute of a file",
        "int removexattr(const char *path, const char *name)",
        kinds=(Kind.PATH, Kind.STRING),
        returns="0",
        errnos={
            "ENODATA": "the file has no such attribute",
            "EOPNOTSUPP": "the file system has no extended attributes",
        },
        advice="ENODATA is harmless: there was nothing to remove.",
    ),
    call(
        "fremovexattr",
        Category.FS,
        "Remove an extended attribute of an open file",
        "int fremovexattr(int fd, const char *name)",
        kinds=(Kind.FD, Kind.STRING),
        returns="0",
        errnos={
            "ENODATA": "the file has no such attribute",
            "EOPNOTSUPP": "the file system has no extended attributes",
        },
        advice="ENODATA is harmless: there was nothing to remove.",
    ),
)
