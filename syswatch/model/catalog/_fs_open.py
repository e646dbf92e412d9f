"""Calls that open files, look into directories and follow names."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "open",
        Category.FS,
        "Open a file, creating it if asked",
        "int open(const char *pathname, int flags, mode_t mode)",
        kinds=(Kind.PATH, Kind.OPEN_FLAGS, Kind.MODE),
        returns="a new descriptor, the lowest one free",
        errnos={
            "EACCES": "permission denied on the file or on a directory before it",
            "EEXIST": "the file is there already, and O_CREAT came with O_EXCL",
            "EISDIR": "a directory cannot be opened for writing",
            "ELOOP": "too many symbolic links, or one where none is allowed",
            "EMFILE": "the process has as many descriptors as its limit allows",
            "ENOENT": "the path, or a directory in it, does not exist",
        },
        advice="ENOENT in numbers is a search along a path of directories, and harmless when a "
        "success follows. EMFILE is a leak or a low limit; slow opens point at a network mount.",
    ),
    call(
        "openat",
        Category.FS,
        "Open a file, relative to a directory descriptor",
        "int openat(int dirfd, const char *pathname, int flags, mode_t mode)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.OPEN_FLAGS, Kind.MODE),
        returns="a new descriptor, the lowest one free",
        errnos={
            "EACCES": "permission denied on the file or on a directory before it",
            "EEXIST": "the file is there already, and O_CREAT came with O_EXCL",
            "EISDIR": "a directory cannot be opened for writing",
            "ELOOP": "too many symbolic links, or one where none is allowed",
            "EMFILE": "the process has as many descriptors as its limit allows",
            "ENFILE": "the machine has as many open files as its limit allows",
            "ENOENT": "the path, or a directory in it, does not exist",
            "ENOTDIR": "something before the last name is no directory",
        },
        advice="ENOENT in numbers is a loader or an interpreter searching its directories, and "
        "harmless when a success follows. EMFILE is a leak or a low limit; slow opens point at a "
        "network mount.",
    ),
    call(
        "openat2",
        Category.FS,
        "Open a file, with limits on how its path may be resolved",
        "int openat2(int dirfd, const char *pathname, const struct open_how *how, size_t size)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.OPEN_HOW_IN, Kind.SIZE),
        returns="a new descriptor",
        errnos={
            "EAGAIN": "a rename went on meanwhile, so that .. could not be trusted; try again",
            "EINVAL": "an unknown flag, or flags that do not go together",
            "ELOOP": "a symbolic link where the caller allows none",
            "ENOENT": "the path, or a directory in it, does not exist",
            "ENOSYS": "a kernel older than 5.6, or a sandbox that hides the call",
            "EXDEV": "the path would leave the directory that it must stay in",
        },
        advice="Container runtimes use it to stay inside a root. EXDEV and ELOOP are its safety "
        "net at work; look at who made that path.",
    ),
    call(
        "creat",
        Category.FS,
        "Create a file, or empty it, and open it for writing",
        "int creat(const char *pathname, mode_t mode)",
        kinds=(Kind.PATH, Kind.MODE),
        returns="a new descriptor",
        errnos={
            "EACCES": "permission denied on the file or its directory",
            "EISDIR": "the path is a directory",
            "ENOENT": "a directory in the path does not exist",
            "ENOSPC": "no room for a new name",
        },
        advice="An old spelling of open with O_CREAT, O_WRONLY and O_TRUNC.",
    ),
    call(
        "name_to_handle_at",
        Category.FS,
        "Get a handle for a file that outlives the descriptor",
        "int name_to_handle_at(int dirfd, const char *pathname, struct file_handle *handle, int "
        "*mount_id, int flags)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.POINTER, Kind.INT_OUT, Kind.AT_FLAGS),
        returns="0",
        errnos={
            "EOPNOTSUPP": "the file system has no handles",
            "EOVERFLOW": "the caller's room for the handle is too small",
        },
        advice="EOVERFLOW is how callers ask for the size, and EOPNOTSUPP is common on special "
        "file systems: both harmless.",
    ),
    call(
        "open_by_handle_at",
        Category.FS,
        "Open a file by a handle taken earlier",
        "int open_by_handle_at(int mount_fd, struct file_handle *handle, int flags)",
        kinds=(Kind.DIRFD, Kind.POINTER, Kind.OPEN_FLAGS),
        returns="a new descriptor",
        errnos={
            "EPERM": "the caller lacks the right to pass by directory permissions",
            "ESTALE": "the file of this handle no longer exists",
        },
        advice="Used by file servers and backup tools. ESTALE means that the file was deleted "
        "meanwhile.",
    ),
    call(
        "access",
        Category.FS,
        "Ask whether the real user may use a file",
        "int access(const char *pathname, int mode)",
        kinds=(Kind.PATH, Kind.ACCESS_MODE),
        returns="0 when allowed",
        errnos={
            "EACCES": "not allowed, or a directory before it may not be searched",
            "ENOENT": "the path does not exist",
            "ENOTDIR": "something before the last name is no directory",
            "EROFS": "write access was asked for on a read-only file system",
        },
        advice="A question, so failures are answers. /etc/ld.so.preload with ENOENT shows up in "
        "nearly every program start.",
    ),
    call(
        "faccessat",
        Category.FS,
        "Ask whether the real user may use a file, relative to a directory",
        "int faccessat(int dirfd, const char *pathname, int mode)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.ACCESS_MODE),
        returns="0 when allowed",
        errnos={
            "EACCES": "not allowed, or a directory before it may not be searched",
            "ENOENT": "the path does not exist",
            "EROFS": "write access was asked for on a read-only file system",
        },
        advice="A question, so failures are answers.",
    ),
    call(
        "faccessat2",
        Category.FS,
        "Do as faccessat, with flags",
        "int faccessat2(int dirfd, const char *pathname, int mode, int flags)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.ACCESS_MODE, Kind.AT_FLAGS),
        returns="0 when allowed",
        errnos={
            "EACCES": "not allowed, or a directory before it may not be searched",
            "ENOENT": "the path does not exist",
            "ENOSYS": "a kernel older than 5.8",
            "EPERM": "write access to a file marked immutable, or an old sandbox in the way",
        },
        advice="A question, so failures are answers. EPERM on every path is an outdated seccomp "
        "profile of a container runtime.",
    ),
    call(
        "readlink",
        Category.FS,
        "Read where a symbolic link points",
        "ssize_t readlink(const char *pathname, char *buf, size_t bufsiz)",
        kinds=(Kind.PATH, Kind.BUFFER_OUT, Kind.SIZE),
        returns="bytes written; no NUL is added",
        errnos={
            "EACCES": "a directory before it may not be searched",
            "EINVAL": "the file is no symbolic link",
            "ENOENT": "the path does not exist",
        },
        advice="EINVAL in numbers is a program working out the true path of a file, name by name: "
        "harmless.",
    ),
    call(
        "readlinkat",
        Category.FS,
        "Read where a symbolic link points, relative to a directory",
        "ssize_t readlinkat(int dirfd, const char *pathname, char *buf, size_t bufsiz)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.BUFFER_OUT, Kind.SIZE),
        returns="bytes written; no NUL is added",
        errnos={
            "EACCES": "a directory before it may not be searched",
            "EINVAL": "the file is no symbolic link",
            "ENOENT": "the path does not exist",
        },
        advice="EINVAL in numbers is a program working out the true path of a file: harmless.",
    ),
    call(
        "getdents64",
        Category.FS,
        "Read entries of an open directory",
        "ssize_t getdents64(int fd, void *dirp, size_t count)",
        kinds=(Kind.FD, Kind.DIRENTS_OUT, Kind.SIZE),
        returns="bytes of entries; 0 at the end",
        errnos={
            "EINVAL": "the room given is too small for one entry",
            "ENOENT": "the directory has been deleted",
            "ENOTDIR": "the descriptor is no directory",
        },
        advice="Two calls for each directory are normal. Long ones are huge directories or "
        "network mounts.",
    ),
    call(
        "getdents",
        Category.FS,
        "Read entries of an open directory, by the old interface",
        "int getdents(unsigned int fd, struct linux_dirent *dirp, unsigned int count)",
        kinds=(Kind.FD, Kind.POINTER, Kind.UINT),
        returns="bytes of entries; 0 at the end",
        errnos={
            "EINVAL": "the room given is too small for one entry",
            "ENOTDIR": "the descriptor is no directory",
        },
        advice="As getdents64; only old programs use it.",
    ),
    call(
        "getcwd",
        Category.FS,
        "Get the path of the working directory",
        "long getcwd(char *buf, size_t size)",
        kinds=(Kind.PATH_OUT, Kind.SIZE),
        returns="length of the path, its NUL included",
        errnos={
            "ENOENT": "the working directory has been deleted",
            "ERANGE": "the room given is too small",
        },
        advice="ENOENT means that the program still sits in a directory that somebody removed, "
        "often after a deployment.",
    ),
    call(
        "chdir",
        Category.FS,
        "Change the working directory",
        "int chdir(const char *path)",
        kinds=(Kind.PATH,),
        returns="0",
        errnos={
            "EACCES": "a directory in the path may not be searched",
            "ENOENT": "the directory does not exist",
            "ENOTDIR": "the path is no directory",
        },
        advice="A failure at start-up mostly breaks everything that uses relative paths "
        "afterwards.",
    ),
    call(
        "fchdir",
        Category.FS,
        "Change the working directory to an open one",
        "int fchdir(int fd)",
        kinds=(Kind.FD,),
        returns="0",
        errnos={
            "EACCES": "the directory may not be searched",
            "EBADF": "no such open descriptor",
            "ENOTDIR": "the descriptor is no directory",
        },
        advice="Tools that walk directory trees use it in great numbers; it is cheap.",
    ),
    call(
        "chroot",
        Category.FS,
        "Change what the process sees as the root directory",
        "int chroot(const char *path)",
        kinds=(Kind.PATH,),
        returns="0",
        errnos={
            "ENOENT": "the directory does not exist",
            "EPERM": "the caller lacks CAP_SYS_CHROOT",
        },
        advice="Seen when a daemon locks itself in. EPERM means that it started without the "
        "privilege.",
    ),
    call(
        "inotify_init1",
        Category.FS,
        "Create a queue for changes of files",
        "int inotify_init1(int flags)",
        kinds=(Kind.INOTIFY_FLAGS,),
        returns="a descriptor to read events from",
        errnos={"EMFILE": "the user's limit on queues, or the limit on descriptors, is reached"},
        advice="EMFILE mostly means fs.inotify.max_user_instances, not descriptors: many "
        "containers of one user share it.",
    ),
    call(
        "inotify_init",
        Category.FS,
        "Create a queue for changes of files, by the old interface",
        "int inotify_init(void)",
        returns="a descriptor to read events from",
        errnos={"EMFILE": "the user's limit on queues, or the limit on descriptors, is reached"},
        advice="As inotify_init1, without flags.",
    ),
    call(
        "inotify_add_watch",
        Category.FS,
        "Watch a file or a directory for changes",
        "int inotify_add_watch(int fd, const char *pathname, uint32_t mask)",
        kinds=(Kind.FD, Kind.PATH, Kind.INOTIFY_MASK),
        returns="a number for the watch",
        errnos={
            "EACCES": "the file may not be read",
            "ENOENT": "the path does not exist",
            "ENOSPC": "the user's limit on watches is reached",
        },
        advice="ENOSPC has nothing to do with the disk: raise fs.inotify.max_user_watches.",
    ),
    call(
        "inotify_rm_watch",
        Category.FS,
        "Drop a watch",
        "int inotify_rm_watch(int fd, int wd)",
        kinds=(Kind.FD, Kind.INT),
        returns="0",
        errnos={
            "EBADF": "no such open descriptor",
            "EINVAL": "no such watch, often because its file was deleted",
        },
        advice="EINVAL after a deletion is harmless, the kernel dropped the watch by itself.",
    ),
    call(
        "fanotify_init",
        Category.FS,
        "Create a group that sees, or decides, what happens to files",
        "int fanotify_init(unsigned int flags, unsigned int event_f_flags)",
        kinds=(Kind.HEX, Kind.OPEN_FLAGS),
        returns="a descriptor to read events from",
        errnos={
            "EINVAL": "flags that this kernel does not take",
            "EMFILE": "the limit on groups, or on descriptors, is reached",
            "EPERM": "the flags need CAP_SYS_ADMIN",
        },
        advice="The mark of virus scanners and audit agents. One that decides can slow down every "
        "open on the machine.",
    ),
    call(
        "fanotify_mark",
        Category.FS,
        "Choose which files or mounts a group looks at",
        "int fanotify_mark(int fanotify_fd, unsigned int flags, uint64_t mask, int dirfd, const "
        "char *pathname)",
        kinds=(Kind.FD, Kind.HEX, Kind.HEX, Kind.DIRFD, Kind.PATH),
        returns="0",
        errnos={
            "EINVAL": "flags or a mask that this kernel does not take",
            "ENOENT": "the path does not exist, or the mark to drop does not",
            "ENOSPC": "the limit on marks is reached",
        },
        advice="Done at start-up and when something is mounted.",
    ),
)
