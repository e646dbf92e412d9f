"""Tests of masking: what is masked, what is not, and in linear time."""

import re
from collections.abc import Iterator
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from twisted.trial.unittest import TestCase

from syswatch.base.redaction import MASK, PRESET, Redactor
from syswatch.base.secrets import SECRETS
from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Formatter
from tests.tracer.decode.injected_calls import ARENA, ArenaMemory, Case

_GITHUB = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
# Texts of each kind, as they are shown; what must be masked is between the two bars.
_SECRET: dict[str, tuple[str, ...]] = {
    "private-key": (
        r"-----BEGIN RSA PRIVATE KEY-----|\nMIIEow\nIBAAK\n|-----END RSA PRIVATE KEY-----\nrest",
        r'"-----BEGIN OPENSSH PRIVATE KEY-----|\nb3Blbn|"..., 1700',
        r'"{\"pem\": \"-----BEGIN PRIVATE KEY-----|\\nMIIE\\n|-----END PRIVATE KEY-----\\n\"}"',
    ),
    "age-key": (f"|AGE-SECRET-KEY-1{'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L' * 2}|",),
    "authorization": (
        r'"GET / HTTP/1.1\r\nAuthorization: |Basic dXNlcjpwYXNz|\r\nHost: x\r\n"',
        "curl -H Authorization: |Bearer s3cr3t| https://web/x",
        r'"authorization: |Digest username=\"me\", response=\"6629fae4\"|\r\n"',
        r"proxy-authorization: |Basic dXNlcjpwYXNz|",
    ),
    "bearer": ('"send Bearer |abc123.def-456| to"',),
    "cookie": (
        r'"Cookie: |session=abc; theme=dark|\r\nAccept: */*\r\n"',
        r'"\r\nset-cookie: |id=1; HttpOnly|\r\n"',
    ),
    "header": (r'"X-Api-Key: |abc def|\r\n"', "PRIVATE-TOKEN: |abc|", "X-Auth-Token: |abc|"),
    "jwt": ("sent |eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_g| there",),
    "aws-key-id": ("|AKIAIOSFODNN7EXAMPLE|", r'"\0|ASIAIOSFODNN7EXAMPLE|\n"'),
    "aws-secret": (r"aws_secret_access_key = |wJalrXUtnFEMI/K7MDENG|\nregion = eu",),
    "google": (f"|AIza{'Sy0' * 12}|",),
    "google-oauth": (f"|ya29.{'a0_' * 8}|",),
    "google-client": (f"|GOCSPX-{'a0_' * 9}|",),
    "azure-signature": ("https://a.net/c?sv=1&sig=|abcd%2Fefghijklmnopqrst%3D|&se=2",),
    "azure-client": ("|abc8Q~defghijklmnopqrstuvwxyz0123|",),
    "github": (f"|{_GITHUB}|", f"|github_pat_{'11A_' * 9}|", '"|ghp_01|"..., 40'),
    "gitlab": ("|glpat-0123456789abcdefghij|", "|glrt-0123456789abcdefghij|"),
    "slack": (
        "|xoxb-123456789012-abcdefghij|",
        "https://|hooks.slack.com/services/T0000/B0000/XXXX|",
    ),
    "stripe": ("|sk_live_0123456789abcdefghij|", "|rk_test_0123456789abcdefghij|"),
    "other-tokens": (f"|npm_{'a0B1' * 9}|", f"|hvs.{'a0B1' * 9}|"),
    "ai-keys": ("|sk-proj-0123456789abcdefghij|",),
    "password-hash": ("root:|$6$saltsalt$abcdefghijklmnopqrstuvwxyz|:19000:",),
    "url-password": (
        "postgres://me:|hunter2|@db/x",
        "redis://:|hunter2|@[::1]:6379",
        "http:/me:|x|@web",
    ),
    "url-token": ("https://|0123456789abcdefghij|@git.example/x",),
    "login": ("me:|hunter2|@db.example.com", "me:|hunter2|@localhost", "me:|hunter2|@10.0.0.1"),
    "variable": (
        '["env", "AWS_SECRET_ACCESS_KEY=|wJalr bPx|", "DB_PASS=|correct horse|", "PATH=/bin"]',
        '["psql", "--password=|a b|", "x"]',
    ),
    "assignment": (
        "sh -c PGPASSWORD=|hunter2| psql",
        r'"grant_type=x&client_secret=|abc|&scope=y"',
        "Endpoint=sb://x/;SharedAccessKey=|abc==|;EntityPath=x",
        "make TOKEN=|'a b'| all",
        "mount -t cifs -o user=me,pass=|hunter2| //web/share /mnt",
        "env SECRET_KEY_BASE=|abc| rails server",
    ),
    "field": (
        r'"{\"user\":\"me\",\"password\": \"|hun\\\"ter2|\",\"x\":1}", 40',
        '{"user": "me", "api_key": "|hunter2|"}',
        "{'secret': '|hunter2|'}",
    ),
    "yaml-field": (r'"user: me\n  db_password: |hunter2|\n  host: x"',),
    "sql": (
        "CREATE ROLE me LOGIN PASSWORD '|hunter2|' CREATEDB",
        r"alter user me with password \"|hunter2|\"",
        "SET PASSWORD = '|hunter2|'",
        "create user me identified with sha256_password by '|hunter2|'",
    ),
    "option": (
        '["mysql", "--password", "|very long|", "-h", "x"]',
        "vault login --client-token |abc| --x",
        '["tool", "-password", "|a b|", "x"]',
        "tool --clientSecret |abc|",
        "tool --db.password |abc|",
        "keytool -storepass |abc| -list",
        '["curl", "--pass", "|abc|", "--key", "file"]',
        '["curl", "--oauth2-bearer", "|abc|", "https://web/"]',
    ),
    "setting": (
        '["aws", "configure", "set", "aws_secret_access_key", "|abc|"]',
        "npm config set //registry.example/:_authToken |abc|",
    ),
    "short-option": (
        "mysql -u root -p|hunter2| db",
        '["mysqldump", "-u", "root", "-p|hunter2|", "db"]',
        "sshpass -p |hunter2| ssh web",
        '["redis-cli", "-h", "x", "-a", "|hunter2|", "ping"]',
        '["redis-cli", "-h", "x", "AUTH", "|hunter2|"]',
        '["docker", "login", "-u", "me", "-p", "|hunter2|", "web"]',
        "mongosh -u me -p |hunter2| db",
        "7z x -p|hunter2| a.7z",
        '["/usr/bin/unzip", "-P", "|hunter2|", "a.zip"]',
        "ldapsearch -x -D cn=admin -w |hunter2|",
        "openssl enc -aes-256-cbc -k |hunter2| -in a",
        "useradd -p |hunter2| me",
        "snmpwalk -v2c -c |hunter2| web",
    ),
    "user-option": (
        "curl -s -u me:|hunter2| http://web/",
        '["curl", "-sSu", "me:|hunter2|", "https://web/"]',
        '["curl", "-U", "me:|hunter2|", "https://web/"]',
        '["curl", "--proxy-user", "me:|hunter2|", "https://web/"]',
        r'["sh", "-c", "curl -u \"me:|hunter2|\" https://web/"]',
        "http -a me:|hunter2| web",
        "etcdctl --user root:|hunter2| get x",
        "smbclient //web/share -U me%|hunter2|",
        "lftp -u me,|hunter2| web",
    ),
    "cookie-option": (
        '["curl", "-b", "|session=abc|", "https://web/"]',
        "curl -s --cookie |session=abc| https://web/",
    ),
    "openssl": ("openssl rsa -passin pass:|hunter2| -in key",),
}
# Texts that only look like secrets.
_PLAIN = (
    'AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC',
    '["env", "PWD=/home/x", "OLDPWD=/x", "SSH_ASKPASS=/usr/bin/x", "PUBLIC_KEY=abc", "KEYS=1"]',
    "GPG_TTY=/dev/tty XAUTHORITY=/home/x/.Xauthority COLORTERM=truecolor",
    "sort --key=2 --field-separator=: /etc/group",
    "docker pull nginx:1.25@sha256:0123456789abcdef",
    "docker run -u 1000:1000 nginx",
    "git clone git@github.com:org/repo.git && git clone ssh://git@github.com/org/repo",
    "npm install alias@npm:string-width@4.2.0 npm:width@types.example.com",
    "mailto:me@example.com",
    "bearer of bad news, WWW-Authenticate: Bearer realm=web, Bearer authentication",
    "--max-tokens=5 --token-file /x --password-file=/y --tokenizer z",
    "psql --no-password dbname",
    '["openssl", "rsa", "-passin", "env:PASS", "-pass", "file:/x", "-pubin"]',
    "GPG_KEY=E3FF2839C048B25C084DEBE9B26995E310250568",
    "tool --bypass all --compass north --primary-key id -key x --opwise y",
    "wget a.zip -P /tmp && docker run -p 8080:80 nginx && psql -p 5432 -w && login -- me",
    '["curl", "-b", "cookies.txt", "-u", "me", "-o", "a:b", "https://web/"]',
    '["grep", "-r", "password", "src dir"] select password from users where name = "me"',
    "git config set user.name me && mysql -u root -p --port 3306",
    "ssh -o PasswordAuthentication=no web",
    '{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("1.2.3.4")}',
    "3, {st_mode=S_IFREG|0644, st_size=12, ...}, AT_EMPTY_PATH",
    "mkdir -p /x/y && mysqldump --port 3306",
    '1, "Password: ", 10',
    "task-0123456789-abcdefghijklmnop1234 sk-institut-fuer-wirtschaft",
    "/usr/lib/python3/secrets.py /run/secrets/token /etc/ssl/private/key.pem",
    "http://localhost:8080/@x?next=http://web",
    "-----BEGIN CERTIFICATE----- -----BEGIN PUBLIC KEY-----",
    "pk_live_0123456789abcdefghij is publishable",
    "$1 $5.00 $HOME",
    "COOKIE_DOMAIN=web cookie: yummy, is it not?",
    "eyJ is how Base64 of an object begins",
)


class SecretTests(TestCase):
    """The patterns of `--redact secrets`."""

    def test_masked(self) -> None:
        """Secrets of each kind are masked, and the text around them is shown."""
        redact = Redactor([PRESET])
        for texts in _SECRET.values():
            for text in texts:
                before, secret, after = text.split("|", 2)
                shown = redact(before + secret + after)
                self.assertEqual(f"{before}{MASK}", shown[: len(before) + len(MASK)])
                self.assertEqual(
                    re.sub(r"\|[^|]*\|", MASK, f"|{secret}|{after}"), shown[len(before) :]
                )

    def test_masked_alone(self) -> None:
        """Each kind has a reason, and matches its texts by itself."""
        self.assertEqual([pattern.name for pattern in SECRETS], list(_SECRET))
        for pattern in SECRETS:
            self.assertTrue(pattern.reason)
            for text in _SECRET[pattern.name]:
                plain = text.replace("|", "")
                self.assertRegex(plain, re.compile(pattern.expression, re.DOTALL))
                self.assertTrue(any(mark in plain.lower() for mark in pattern.marks), text)

    def test_twice(self) -> None:
        """Masking a text again does not change it."""
        redact = Redactor([PRESET])
        for texts in _SECRET.values():
            for text in texts:
                once = redact(text.replace("|", ""))
                self.assertEqual(once, redact(once))

    def test_plain(self) -> None:
        """Text without secrets is shown."""
        redact = Redactor([PRESET])
        for text in _PLAIN:
            self.assertEqual(text, redact(text))

    def test_with_own(self) -> None:
        """The preset can be combined with other patterns."""
        redact = Redactor(["ann", PRESET, r"\d{4}"])
        self.assertEqual("[redacted] TOKEN=[redacted] [redacted]", redact("ann TOKEN=x 1234"))
        self.assertEqual("ann 1234", Redactor([PRESET])("ann 1234"))

    def test_cut(self) -> None:
        """Wherever a text is cut, not even the start of a secret is shown."""
        for known in (64, 4096):
            for text in (_GITHUB, f"TOKEN={_GITHUB}", f"https://me:{_GITHUB[4:]}@web/", _JWT):
                for ahead in range(33):
                    self.assertNotIn(_GITHUB[4:7], self.shown("-" * ahead + text, known))

    def shown(self, text: str, known: int) -> str:
        """Return a write as shown by a tracer that knows a part of the text."""
        case = Case("write", (1, ARENA, len(text)), text.encode()[:known])
        formatter = Formatter(TraceOptions(redact=(PRESET,)), "x86_64")
        return formatter.format("write", case.args, 1, False, ArenaMemory(case))  # noqa: FBT003


_JWT = f"eyJ012{_GITHUB[10:]}.eyJzdWIi{'x' * 2000}.abc"


class LinearTests(TestCase):
    """The time of the search, whatever the text."""

    def test_patterns(self) -> None:
        """Unbounded repetitions are not nested, and nothing that can fail follows them."""
        for pattern in SECRETS:
            for is_last, repeated in _unbounded(_parser.parse(pattern.expression), is_last=True):
                self.assertTrue(is_last, pattern.name)
                self.assertEqual([], list(_repeats(repeated)), pattern.name)

    def test_hostile(self) -> None:
        """Long texts with many near matches are searched to the end."""
        redact = Redactor([PRESET])
        for text in (
            "-eyJ0",
            "mysql ",
            "--a-",
            "://a:",
            "Cookie: a",
            '\\"',
            "a:b@c.",
            "TOKEN",
            "a=",
        ):
            redact(text * (1 << 16 - len(text).bit_length()))


def _unbounded(sequence: Any, *, is_last: bool) -> Iterator[tuple[bool, Any]]:
    """Yield unbounded repetitions, and whether the pattern ends with them."""
    items = list(sequence)
    for index, (operator, value) in enumerate(items):
        ends = is_last and all(_may_be_empty(item) for item in items[index + 1 :])
        if operator in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            if value[1] is _constants.MAXREPEAT:
                yield ends, value[2]
            else:
                yield from _unbounded(value[2], is_last=ends and value[1] == 1)
        elif operator is _constants.SUBPATTERN:
            yield from _unbounded(value[3], is_last=ends)
        elif operator is _constants.BRANCH:
            for branch in value[1]:
                yield from _unbounded(branch, is_last=ends)
        elif operator in (_constants.ASSERT, _constants.ASSERT_NOT):
            yield from _unbounded(value[1], is_last=False)


def _may_be_empty(item: Any) -> bool:
    operator, value = item
    return operator is _constants.MAX_REPEAT and value[0] == 0


def _repeats(sequence: Any) -> Iterator[Any]:
    """Yield all repetitions."""
    for operator, value in sequence:
        if operator in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            yield value
        elif operator is _constants.SUBPATTERN:
            yield from _repeats(value[3])
        elif operator is _constants.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch)
