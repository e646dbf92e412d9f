"""Tests of calls that are formatted from their registers."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.recording.lines.raw_text import RawTexts

_ALL_ONES = (1 << 64) - 1


class RawTextTests(SynchronousTestCase):
    """Numbers and flags are decoded, addresses are printed."""

    def test_texts(self) -> None:
        """Each call is formatted as strace does if it cannot read the memory."""
        texts = RawTexts()
        for name, arguments, result, expected in (
            ("close", (3,), 0, ("3", "0")),
            ("read", (3, 0x7FF000, 512), 512, ("3, 0x7ff000, 512", "512")),
            ("read", (3, 0x7FF000, 512), 0, ('3, "", 512', "0")),
            (
                "openat",
                (0xFFFFFF9C, 0x7FF000, 0o2000000),
                -2,
                (
                    "AT_FDCWD, 0x7ff000, O_RDONLY|O_CLOEXEC",
                    "-1 ENOENT (No such file or directory)",
                ),
            ),
            (
                "mmap",
                (0, 4096, 3, 0x22, _ALL_ONES, 0),
                0x7F0000000000,
                (
                    "NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0",
                    "0x7f0000000000",
                ),
            ),
        ):
            registers = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
            for _ in range(2):  # The second time, the text is known.
                self.assertEqual(
                    expected, texts.of(name, "x86_64", registers, result, failed=result < 0)
                )

    def test_bounded(self) -> None:
        """Any number of different calls can be formatted."""
        texts = RawTexts()
        for size in range(30_000):
            registers = (1, 0x1000, size, 0, 0, 0)
            expected = f"1, 0x1000, {size}", str(size)
            if size:  # The text of an empty write is "".
                found = texts.of("write", "x86_64", registers, size, failed=False)
                self.assertEqual(expected, found)
        self.assertLessEqual(len(texts._texts), 20_000)
