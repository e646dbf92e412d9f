"""Tests of patterns for paths, peers, programs and calls."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.checking import patterns

_Rows = tuple[tuple[str, list[str], list[str]], ...]
# A pattern, names that it matches, and names that it does not match.
_PATHS: _Rows = (
    ("/etc/shadow", ["/etc/shadow"], ["/etc/shadow-", "/x/etc/shadow", "/etc"]),
    ("/etc/*", ["/etc/shadow"], ["/etc", "/etc/ssl/cert"]),
    ("/home/*/.ssh/", ["/home/a/.ssh", "/home/a/.ssh/id", "/home/a/.ssh/x/y"], ["/home/a/.sshx"]),
    ("/home/**", ["/home/a", "/home/a/b"], ["/home"]),
    ("**/*.pem", ["/a/b.pem", "/b.pem", "b.pem"], ["/b.pem/c"]),
    ("/a?[0-9]", ["/ab1"], ["/ab", "/a/1"]),
    ("/a[!0-9]", ["/ab"], ["/a1"]),
    ("/usr/bin/[", ["/usr/bin/["], ["/usr/bin/x"]),
    ("/a\tb", ["/a\\tb"], ["/a b"]),
    ("/", ["/", "/a"], ["a"]),
)
_PEERS: _Rows = (
    ("10.0.0.0/8", ["10.1.2.3:80", "10.1.2.3 -> :80"], ["11.0.0.1:10", "localhost:80"]),
    ("10.0.0.1", ["10.0.0.1:80", "10.0.0.1"], ["10.0.0.11:80"]),
    ("10.0.0.0/8:443", ["10.1.2.3:443"], ["10.1.2.3:80", "1.1.1.1:443", "10.1.2.3 -> :443"]),
    ("*:25", ["10.0.0.1:25", "mail:25", "[::1]:25"], ["10.0.0.1:2525", "1.1.1.1 -> :25"]),
    ("*", ["10.0.0.1:25", "mail", "[::1]:25"], ["socket 6 of sh (4711)", "/run/x.sock"]),
    ("*.example.org:443", ["www.example.org:443"], ["example.org:443", "www.example.org:80"]),
    ("::1", ["[::1]:80", "::1"], ["[::2]:80", "0.0.0.1:80"]),
    ("[2001:db8::/32]:80", ["[2001:db8::5]:80"], ["[2001:db9::5]:80", "[2001:db8::5]:81"]),
    ("/run/*.sock", ["/run/x.sock"], ["/run/a/x.sock", "x.sock:1"]),
)
_PROGRAMS: _Rows = (
    ("curl", ["/usr/bin/curl", "curl"], ["/usr/bin/curlx", "/curl/x"]),
    ("python3*", ["/usr/bin/python3.11"], ["/usr/bin/python2"]),
    ("/usr/bin/curl", ["/usr/bin/curl"], ["/bin/curl"]),
    ("*", ["/usr/bin/[", "sh"], []),
    ("a[*?[]", ["a*", "a?", "/a["], ["ab"]),
)


class PatternTests(SynchronousTestCase):
    """What patterns match."""

    def test_matches(self) -> None:
        """Each pattern matches some names, and does not match others."""
        makers = (
            (patterns.of_paths, _PATHS),
            (patterns.of_peers, _PEERS),
            (patterns.of_programs, _PROGRAMS),
        )
        for make, rows in makers:
            for text, names, others in rows:
                pattern = make(text)
                self.assertEqual(names, [name for name in names if pattern.matches(name)], text)
                self.assertEqual([], [name for name in others if pattern.matches(name)], text)

    def test_ends(self) -> None:
        """A path of which only the end is known may match, unless that end is another one."""
        for text, ends, others in (
            ("/etc/shadow", ["shadow", "etc/shadow"], ["x", "x/shadow", "a/etc/shadow"]),
            ("/home/*/.ssh", [".ssh", "a/.ssh"], ["a", "a/b", "/home/a/.ssh/x"]),
            ("/home/", ["a", "a/b"], []),
            ("/home/**", ["a", "a/b"], []),
            ("/srv/**/key", ["key", "a/key"], ["a"]),
            ("/srv/[a/b]", ["a", "x"], []),
        ):
            may_end = patterns.of_paths(text).may_end
            self.assertEqual(ends, [end for end in ends if may_end(end)], text)
            self.assertEqual([], [end for end in others if may_end(end)], text)

    def test_home(self) -> None:
        """A tilde is the home directory."""
        self.assertTrue(patterns.of_paths("~/.ssh/").matches(f"{Path.home()}/.ssh/id"))

    def test_calls(self) -> None:
        """Calls are matched by name and class, those of the 32-bit interface as well."""
        self.assertTrue(patterns.of_calls("%net").matches("connect"))
        self.assertFalse(patterns.of_calls("%net").matches("openat"))
        self.assertTrue(patterns.of_calls("openat").matches("openat@i386"))
        self.assertTrue(patterns.of_calls("all").matches("anything"))

    def test_mistakes(self) -> None:
        """What cannot match is refused."""
        for make, text in (
            (patterns.of_paths, "etc/shadow"),
            (patterns.of_peers, "10.0.0.0/33"),
            (patterns.of_peers, "300.0.0.1"),
            (patterns.of_peers, "host:70000"),
            (patterns.of_programs, ""),
            (patterns.of_calls, "opnat"),
        ):
            with self.assertRaises(patterns.PatternError, msg=text):
                make(text)
