"""
The patterns of `--redact secrets`.

They match arguments as they are shown: quoted, with C escapes, and possibly cut.  So a value
ends before a quote, an escape is one character, and a token that is cut may be shorter than a
whole one.  The group named `secret` is masked, or the whole match if there is no such group.

Matching takes linear time: each repetition is bounded, or nothing that could fail follows it.
"""

from .classes import frozen

# The start of a word; after an escape such as \\n, too, whose letter is not part of the word.
_BEGIN = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtvf0-7])|(?<=\\[0-7]{2})|(?<=\\[0-7]{3}))"
# The end of a text that was cut: anything may have followed.
_CUT = r'(?="\.\.\.)'
# A character within quotes.
_QUOTED = r'(?:[^"\\]|\\.)'
# A character within quotes, in a text that has escaped quotes of its own.
_INNER = r'(?:[^"\\]|\\\\(?:\\.|[^\\"])|\\[^"\\])'
# A word of a command line or a shell script.
_WORD = r"""(?:'[^'"]*'?|\\"[^"\\]*|(?:[^\s"'\\&;]|\\[^"nrt])+)"""
# A character of a line, such as a header.
_LINE = r'(?:[^"\\\r\n]|\\[^rn])'
# The gap between two words of a command line or a list of arguments.
_GAP = r'(?:\s{1,8}|", ")'
# Anything between the name of a program and its option.
_OPTIONS = rf"(?:{_GAP}[^|;]{{0,300}}?)?{_GAP}"
# The start of a program's name: the `zip` in `a.zip` is not one.
_PROGRAM = r"(?<![\w.-])"
# The start of a value that may have quotes of its own.
_QUOTE = r"""(?:\\"|')?"""

# Names of secrets in any case, and names only in capitals, as of variables.
_ANY_CASE = (
    r"(?i:pass(?:word|wd|phrase)|secret|token|credentials?"
    r"|(?:api|access|account|private|secret|signing|encryption|master)[_-]?key)"
)
_NAMES = ("pass", "secret", "token", "credential", "key", "_pwd=", "_auth=")
# GPG_KEY holds a fingerprint in the container images of Python.
_NAMED = (
    rf"(?:{_ANY_CASE}|(?i:secret_key_base)|(?<=[_?&,])(?i:pass)"
    r"|(?<!PUBLIC)(?<!GPG)_KEY|_PASS|_PWD|_AUTH)"
)
# Names of options: --pass of curl, -storepass of keytool, --requirepass of Redis.
_OPTION = rf"(?:{_ANY_CASE}|(?i:bearer|(?:(?<![a-z])|auth|key|require|store)pass|(?<![a-z])pw))"
# Not a value: another option, and where openssl finds a pass phrase.
_NO_VALUE = r"(?!-|(?:pass|env|file|fd):|stdin\b)"


def _token(prefix: str, characters: str, least: int) -> str:
    """Return the pattern of a token with a known prefix."""
    whole, part = f"{characters}{{{least},}}", f"{characters}{{0,{least - 1}}}{_CUT}"
    return rf"{_BEGIN}(?:{prefix})(?:{whole}|{part})"


@frozen
class Pattern:
    """A kind of secret; texts without any of the marks, in lower case, cannot hold it."""

    name: str
    reason: str
    marks: tuple[str, ...]
    expression: str


SECRETS = (
    Pattern(
        "private-key",
        "PEM, as of OpenSSL, OpenSSH and PGP",
        ("-----begin",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r'(?P<secret>(?:(?!-----END)(?:[^"\\]|\\[^"]))+)',
    ),
    Pattern(
        "age-key",
        "the private key of age",
        ("age-secret-key-",),
        _token("AGE-SECRET-KEY-1", "[A-Z0-9]", 50),
    ),
    Pattern(
        "authorization",
        "the HTTP header with credentials",
        ("authorization",),
        rf"""{_BEGIN}(?i:authorization)(?:\\?["'])?\s{{0,4}}[:=]\s{{0,8}}(?:\\?["'])?(?P<secret>"""
        rf"(?i:digest|aws4-hmac-sha256|hawk|oauth)\s{_LINE}*"
        r"""|(?:[A-Za-z][\w-]{0,31}\s{1,4})?[^\s"'\\,;]+)""",
    ),
    Pattern(
        "bearer",
        "OAuth 2.0 (RFC 6750); a word without digits is prose",
        ("bearer",),
        _BEGIN + r"(?i:bearer)\s{1,4}(?P<secret>(?=[\w.~+/-]{0,64}[0-9])[\w.~+/-]{8,}=*)",
    ),
    Pattern(
        "cookie",
        "session cookies",
        ("cookie:",),
        rf"{_BEGIN}(?i:(?:set-)?cookie):\s{{0,4}}"
        rf"(?P<secret>[\w!#$%&*+.^`|~-]{{1,128}}(?:={_LINE}*|{_CUT}))",
    ),
    Pattern(
        "header",
        "headers such as X-Api-Key and PRIVATE-TOKEN",
        ("key:", "token:", "secret:"),
        rf"{_BEGIN}(?i:(?:x-(?:[a-z]{{1,24}}-){{0,3}}|private-|api-?)(?:key|token|secret)):\s{{0,4}}"
        rf"(?P<secret>{_LINE}+)",
    ),
    Pattern(
        "jwt",
        "JSON Web Tokens: the Base64 of a JSON object, and a dot",
        ("eyj",),
        rf"{_BEGIN}eyJ[\w-]{{8,1024}}(?:\.[\w.-]*|{_CUT})",
    ),
    Pattern(
        "aws-key-id",
        "access keys of AWS, permanent and temporary",
        ("akia", "asia", "abia", "acca"),
        _token("AKIA|ASIA|ABIA|ACCA", "[A-Z0-9]", 16),
    ),
    Pattern(
        "aws-secret",
        "the file ~/.aws/credentials, which has spaces around =",
        ("aws_",),
        rf"(?i:aws_(?:secret_access_key|session_token))\s{{0,4}}[=:]\s{{0,4}}(?P<secret>{_WORD})",
    ),
    Pattern("google", "API keys", ("aiza",), _token("AIza", r"[\w-]", 35)),
    Pattern("google-oauth", "access tokens", ("ya29.",), _token(r"ya29\.", r"[\w.-]", 20)),
    Pattern("google-client", "client secrets", ("gocspx-",), _token("GOCSPX-", r"[\w-]", 24)),
    Pattern(
        "azure-signature",
        "signed URLs of Azure storage",
        ("sig=",),
        r"[?&]sig=(?P<secret>[\w%+/=-]{16,})",
    ),
    Pattern(
        "azure-client",
        "client secrets, which have 8Q~ near their start",
        ("q~",),
        _BEGIN + r"[\w~.-]{3}[0-9]Q~[\w~.-]{20,}",
    ),
    Pattern(
        "github",
        "tokens of users, apps and actions",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        _token("gh[pousr]_|github_pat_", r"\w", 20),
    ),
    Pattern(
        "gitlab",
        "tokens of users, runners, deployments and others",
        ("gl",),
        _token("gl(?:pat|ptt|dt|rt|ft|soat|cbt|imt|agent|oas|ffct)-", r"[\w.-]", 20),
    ),
    Pattern(
        "slack",
        "tokens, and URLs of incoming webhooks",
        ("xox", "xapp-", "hooks.slack.com"),
        _token(r"xox[abeoprs]-|xapp-|hooks\.slack\.com/(?:services|workflows)/", r"[\w/-]", 10),
    ),
    Pattern(
        "stripe",
        "secret and restricted keys; publishable ones are not secret",
        ("k_live_", "k_test_", "whsec_"),
        _token("[rs]k_(?:live|test)_|whsec_", "[A-Za-z0-9+/=]", 16),
    ),
    Pattern(
        "other-tokens",
        "npm, PyPI, Docker, Hugging Face, Vault, DigitalOcean, SendGrid",
        ("npm_", "pypi-", "dckr_pat_", "hf_", "hvs.", "hvb.", "_v1_", "sg."),
        _token(
            r"npm_|pypi-AgE|dckr_pat_|hf_|hv[bs]\.|do[opr]_v1_|SG\.(?=[\w-]{22}\.)",
            r"[\w.-]",
            20,
        ),
    ),
    Pattern(
        "ai-keys",
        "OpenAI and Anthropic",
        ("sk-",),
        _BEGIN + r"(?<!-)sk-(?=[\w-]{0,64}[0-9])[\w-]{20,}",
    ),
    Pattern(
        "password-hash",
        "crypt(3), as in /etc/shadow",
        ("$",),
        r"\$(?:1|5|6|7|y|gy|2[abxy]|argon2(?:id|i|d))\$[\w./$=,+-]{16,}",
    ),
    Pattern(
        "url-password",
        "the password between a colon and an @; what takes a URL for a path makes // to /",
        (":/",),
        r':/{1,3}[^\s/:@"\\]{0,128}:(?P<secret>[^\s/@"\\]{1,256})(?:@|' + _CUT + ")",
    ),
    Pattern(
        "url-token",
        "a token in place of the user name",
        (":/",),
        r':/{1,3}(?P<secret>[^\s/:@"\\]{20,256})@',
    ),
    Pattern(
        "login",
        "user:password@host; Docker images and package names have no such host",
        ("@",),
        r"(?<![\w:/@.+-])(?!(?:mailto|sips?|xmpp|acct|npm|pkg|git|ssh):)[A-Za-z_][\w.-]{0,63}:"
        r'(?P<secret>[^\s:/@"\\]{1,128})@'
        r"(?=localhost\b|\d{1,3}(?:\.\d{1,3}){3}\b|(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}\b)",
    ),
    Pattern(
        "variable",
        "an argument or environment variable with the name of a secret",
        _NAMES,
        rf'(?:"|\A)[\w.-]{{0,64}}?{_NAMED}=(?P<secret>(?!\Z){_QUOTED}+)',
    ),
    Pattern(
        "assignment",
        "the same within a script, a query or a configuration",
        _NAMES,
        rf"{_NAMED}=(?P<secret>{_WORD})",
    ),
    Pattern(
        "field",
        "JSON, and YAML with quotes",
        _NAMES,
        rf"""{_ANY_CASE}(?:(?:\\?["'])?:\s{{0,4}}\\"(?P<secret>{_INNER}+)"""
        rf"""|":\s{{0,4}}"(?P<secret_plain>{_QUOTED}+)|'?:\s{{0,4}}'(?P<secret_single>[^'"]+))""",
    ),
    Pattern(
        "yaml-field",
        "a line of a configuration",
        _NAMES,
        rf"""(?:\A|"|\\n)[\s-]{{0,32}}[\w.-]{{0,64}}?{_ANY_CASE}:\s{{1,8}}(?P<secret>{_WORD})""",
    ),
    Pattern(
        "sql",
        "statements that set a password",
        ("password", "identified"),
        r"(?:(?:PASSWORD|(?i:(?:with|encrypted|login)\s{1,4}password))\s{1,4}"
        r"|(?i:password)\s{0,4}=\s{0,4}"
        r"|(?i:identified\s{1,4}(?:with\s{1,4}\w{1,40}\s{1,4})?by)\s{1,4})"
        r"""(?:'|\\")(?P<secret>[^'"\\]+)""",
    ),
    Pattern(
        "option",
        "an option with its value in the next word",
        (*_NAMES, "bearer", "-pw", ".pw"),
        rf"(?:(?<![\w-])|(?<=\\[nrt]))--?(?!-|no-)[\w.-]{{0,32}}?{_OPTION}"
        rf'(?:", "(?P<secret>{_NO_VALUE}{_QUOTED}+)'
        rf"|\s{{1,8}}(?P<secret_word>{_NO_VALUE}{_WORD}))",
    ),
    Pattern(
        "setting",
        "what `aws configure set` and `npm config set` store",
        ("aws_", ":_auth", ":_password"),
        rf"\bset{_GAP}(?:[\w.-]{{0,64}}?aws_(?i:secret_access_key|session_token)"
        rf'|[^\s"\\]{{0,256}}?:_(?:auth|authToken|password)){_GAP}(?P<secret>{_WORD})',
    ),
    Pattern(
        "short-option",
        "-p and similar options of programs that take a password there",
        (
            *("sshpass", "mysql", "mariadb", "mycli", "redis-cli", "7z", "login", "mongo", "twine"),
            *("useradd", "usermod", "zip", "sqlcmd", "ipmitool", "ldap", "openssl", "snmp"),
        ),
        rf"{_PROGRAM}(?:(?:sshpass{_OPTIONS}-p|ldap[a-z]{{1,16}}{_OPTIONS}-w)(?:{_GAP})?"
        rf"|(?:(?:mysql|mariadb|mycli)[\w-]{{0,16}}|7z[ar]?){_OPTIONS}-p"
        rf"|(?:login|mongo[a-z]{{0,16}}|twine|useradd|usermod){_OPTIONS}-p{_GAP}"
        rf"|(?:zip|unzip|sqlcmd|ipmitool){_OPTIONS}-P{_GAP}"
        rf"|redis-cli{_OPTIONS}(?:-a|(?i:auth)){_GAP}|openssl{_GAP}enc{_OPTIONS}-[kK]{_GAP}"
        rf"|snmp[a-z]{{1,16}}{_OPTIONS}-c{_GAP})(?P<secret>(?!-){_WORD})",
    ),
    Pattern(
        "user-option",
        "user:password of clients of HTTP and etcd, user%password of Samba, user,password of lftp",
        ("curl", "wget", "http", "etcdctl", "smb", "rpcclient", "lftp"),
        rf"{_PROGRAM}(?:(?:curl{_OPTIONS}(?:-[A-Za-z#]{{0,8}}[uU]|--(?:proxy-)?user)"
        rf"|(?:wget|etcdctl){_OPTIONS}--user|https?{_OPTIONS}(?:-a|--auth))(?:{_GAP}|=)?{_QUOTE}"
        rf"""[^\s:"'\\]{{1,64}}:|(?:smb[a-z]{{1,16}}|rpcclient){_OPTIONS}(?:-U|--user)(?:{_GAP}|=)?"""
        rf"""{_QUOTE}[^\s%"'\\]{{1,64}}%|lftp{_OPTIONS}-u{_GAP}{_QUOTE}[^\s,"'\\]{{1,64}},)"""
        rf"(?P<secret>{_WORD})",
    ),
    Pattern(
        "cookie-option",
        "-b name=value of curl; without an equals sign it is a file",
        ("curl",),
        rf"{_PROGRAM}curl{_OPTIONS}(?:-[A-Za-z#]{{0,8}}b|--cookie)(?:{_GAP}|=)?{_QUOTE}"
        rf"""(?P<secret>[^\s="'\\]{{1,64}}={_WORD})""",
    ),
    Pattern(
        "openssl",
        "pass phrases as arguments",
        ("pass:",),
        rf"-pass(?:in|out)?{_GAP}pass:(?P<secret>{_WORD})",
    ),
)
