"""Calls that create, remove and rename names in directories."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "mkdir",
        Category.FS,
        "Create a directory",
        "int mkdir(const char *pathname, mode_t mode)",
        kinds=(Kind.PATH, Kind.MODE),
        returns="0",
        errnos={
            "EACCES": "the parent directory may not be written",
            "EEXIST": "the name is taken",
            "ENOENT": "the parent directory does not exist",
            "ENOSPC": "no room for a new directory",
            "EROFS": "the file system is read-only",
        },
        advice="EEXIST is what mkdir -p lives on, and harmless.",
    ),
    call(
        "mkdirat",
        Category.FS,
        "Create a directory, relative to a directory",
        "int mkdirat(int dirfd, const char *pathname, mode_t mode)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.MODE),
        returns="0",
        errnos={
            "EACCES": "the parent directory may not be written",
            "EEXIST": "the name is taken",
            "ENOENT": "the parent directory does not exist",
            "ENOSPC": "no room for a new directory",
        },
        advice="EEXIST is what mkdir -p lives on, and harmless.",
    ),
    call(
        "rmdir",
        Category.FS,
        "Remove an empty directory",
        "int rmdir(const char *pathname)",
        kinds=(Kind.PATH,),
        returns="0",
        errnos={
            "EBUSY": "the directory is in use, mostly as a mount point",
            "ENOENT": "the directory does not exist",
            "ENOTEMPTY": "the directory has entries",
        },
        advice="ENOTEMPTY in a clean-up that goes upwards is the sign to stop, and harmless.",
    ),
    call(
        "unlink",
        Category.FS,
        "Remove a name of a file",
        "int unlink(const char *pathname)",
        kinds=(Kind.PATH,),
        returns="0",
        errnos={
            "EACCES": "the directory may not be written",
            "EISDIR": "the path is a directory",
            "ENOENT": "the name does not exist",
            "EPERM": "the file is immutable, or belongs to another in a sticky directory",
        },
        advice="ENOENT from a clean-up that plays safe is harmless. Slow ones free a big file, or "
        "wait for a busy directory.",
    ),
    call(
        "unlinkat",
        Category.FS,
        "Remove a name of a file or an empty directory, relative to a directory",
        "int unlinkat(int dirfd, const char *pathname, int flags)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.UNLINK_FLAGS),
        returns="0",
        errnos={
            "EACCES": "the directory may not be written",
            "EISDIR": "the path is a directory, and AT_REMOVEDIR was not given",
            "ENOENT": "the name does not exist",
            "ENOTEMPTY": "the directory has entries",
            "EPERM": "the file is immutable, or belongs to another in a sticky directory",
        },
        advice="ENOENT from a clean-up that plays safe is harmless; rm -r makes these by the "
        "thousand.",
    ),
    call(
        "rename",
        Category.FS,
        "Rename a file, replacing what has the new name in one step",
        "int rename(const char *oldpath, const char *newpath)",
        kinds=(Kind.PATH, Kind.PATH),
        returns="0",
        errnos={
            "EACCES": "one of the directories may not be written",
            "ENOENT": "the old name, or the new directory, does not exist",
            "ENOTEMPTY": "the new name is a directory with entries",
            "EXDEV": "the names are on different mounts",
        },
        advice="The last step of a safe save. EXDEV makes mv copy instead; slow ones wait for the "
        "journal.",
    ),
    call(
        "renameat",
        Category.FS,
        "Rename a file, relative to two directories",
        "int renameat(int olddirfd, const char *oldpath, int newdirfd, const char *newpath)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.DIRFD, Kind.PATH),
        returns="0",
        errnos={
            "EACCES": "one of the directories may not be written",
            "ENOENT": "the old name, or the new directory, does not exist",
            "EXDEV": "the names are on different mounts",
        },
        advice="As rename.",
    ),
    call(
        "renameat2",
        Category.FS,
        "Rename a file, or swap two, with flags",
        "int renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath, "
        "unsigned int flags)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.DIRFD, Kind.PATH, Kind.RENAME_FLAGS),
        returns="0",
        errnos={
            "EEXIST": "the new name is taken, and RENAME_NOREPLACE was given",
            "EINVAL": "flags that do not go together, or that the file system lacks",
            "ENOENT": "the old name, or the new directory, does not exist",
            "EXDEV": "the names are on different mounts",
        },
        advice="EINVAL makes callers fall back to plain rename; EEXIST is an answer.",
    ),
    call(
        "link",
        Category.FS,
        "Give a file another name",
        "int link(const char *oldpath, const char *newpath)",
        kinds=(Kind.PATH, Kind.PATH),
        returns="0",
        errnos={
            "EEXIST": "the new name is taken",
            "EMLINK": "the file has as many names as it can have",
            "EPERM": "directories cannot be linked, or hard links of others' files are restricted",
            "EXDEV": "the names are on different mounts",
        },
        advice="EEXIST is how some programs take a lock. EXDEV and EPERM make copy tools copy "
        "instead.",
    ),
    call(
        "linkat",
        Category.FS,
        "Give a file another name, relative to two directories",
        "int linkat(int olddirfd, const char *oldpath, int newdirfd, const char *newpath, int "
        "flags)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.DIRFD, Kind.PATH, Kind.AT_FLAGS),
        returns="0",
        errnos={
            "EEXIST": "the new name is taken",
            "ENOENT": "the old name does not exist, or an unnamed file may not be given one",
            "EPERM": "directories cannot be linked, or hard links of others' files are restricted",
            "EXDEV": "the names are on different mounts",
        },
        advice="As link; it also gives a name to a file opened with O_TMPFILE.",
    ),
    call(
        "symlink",
        Category.FS,
        "Create a symbolic link",
        "int symlink(const char *target, const char *linkpath)",
        kinds=(Kind.PATH, Kind.PATH),
        returns="0",
        errnos={
            "EACCES": "the directory may not be written",
            "EEXIST": "the name of the link is taken",
            "ENOENT": "the directory of the link does not exist",
        },
        advice="The target is not checked, so a dangling link is no error here. EEXIST may be a "
        "lock that somebody holds.",
    ),
    call(
        "symlinkat",
        Category.FS,
        "Create a symbolic link, relative to a directory",
        "int symlinkat(const char *target, int newdirfd, const char *linkpath)",
        kinds=(Kind.PATH, Kind.DIRFD, Kind.PATH),
        returns="0",
        errnos={
            "EACCES": "the directory may not be written",
            "EEXIST": "the name of the link is taken",
            "ENOENT": "the directory of the link does not exist",
        },
        advice="As symlink.",
    ),
    call(
        "mknod",
        Category.FS,
        "Create a device node, a named pipe or a socket file",
        "int mknod(const char *pathname, mode_t mode, dev_t dev)",
        kinds=(Kind.PATH, Kind.FILE_MODE, Kind.DEVICE),
        returns="0",
        errnos={
            "EEXIST": "the name is taken",
            "EPERM": "device nodes need CAP_MKNOD, or the file system has none",
        },
        advice="EPERM is usual inside containers.",
    ),
    call(
        "mknodat",
        Category.FS,
        "Create a device node or a named pipe, relative to a directory",
        "int mknodat(int dirfd, const char *pathname, mode_t mode, dev_t dev)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.FILE_MODE, Kind.DEVICE),
        returns="0",
        errnos={
            "EEXIST": "the name is taken",
            "EPERM": "device nodes need CAP_MKNOD, or the file system has none",
        },
        advice="EPERM is usual inside containers.",
    ),
)
