"""Tests of reading the recordings of earlier versions."""

import base64
import zlib

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import WireError, encode, frame_of
from syswatch.codec.older_recordings import message_of_version_1
from syswatch.codec.recording import RecordingReader
from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.groups import GroupKey
from syswatch.model.messages import Ended, Started

# As the last syswatch wrote it that wrote version 1; compressed.
_VERSION_1 = (
    b"c-pm7OO6vU5cSLm0kZ<c0(Nr%He7>Cv>dypW5#VaE_XWFb)p%G6^alCh?I19J_F&mWRVMS1<pd*orGD;mX)i@<*N"
    b"5ym2re6_o9E{Kv*Z0NiSZXKVgi$xo&%0T!E2I?j0Afuttw&ZSJf9#G6)RQY!<qg|JyRn~PG;<}ifWJXex!y!Bisy"
    b"^#mpJ!S0d-5>U1$%R(~<wxUB4<9{VIN<XAGNvTTJYRK|Ej+7*EsTHAfOFR2$ueY)5`%1Aa^(pl*}qSwb@1?XU0Qc"
    b"_2)>G_wN2T&H%j(kt6Ffaaon}MQ{7ms4qaA#h2Ex)XX7Sj&{f8Vp>2~X6V7GFiu#=X>Y877#n?TM??ug)Fi;YVfa"
    b">;=D-ANqx$jeU@CpZ5ZBl28oD{jVN5`v-Zkp)e_~X2U-hYy>AxJ5>4`2BJ98U=!(qb5iYzs&*xTjEj$Tr%dPhbGV"
    b"mTi$|d7wj{Q-JJqVPs5>(zBlh@zL6rfpIq#O4=4Cayq7cDNN2Ck{@;}RzU!hpy$p<H%M{F{!Xq7OG<6`va)agVz&"
    b"1dgpXYgp(r-{aVK!ZGN+}P&W$Z6HTOZS*7t*QSlxDoI@(pcFI%mw+{2vK-4IvDYE>JalBzd#oC|CETo351J6^T1A"
    b"=-AojtmUapr5p~wSgS92?Nl2y1<;9-4V<(2oQ=)njURshUW`9X*o(|q%FtoeqPlx`ou3MD;O%D2rJ=i6HQd9;d=K"
    b"Mikq#d"
)
_SUMS = Sums(5, 1, 20, 0, 300, 400, 0, 2)
_DELTA = Delta(
    calls={"read": CallTally(5, 1, 700)},
    activity={ActivityKey(7, 8, 9, "read"): _SUMS},
    groups={GroupKey("web", "read"): _SUMS},
)


class VersionTests(SynchronousTestCase):
    """Version 1."""

    def test_version_1(self) -> None:
        """A recording of version 1 has the same messages."""
        reader = RecordingReader()

        messages = list(reader.receive_data(zlib.decompress(base64.b85decode(_VERSION_1))))

        reader.close()
        self.assertEqual([Started("ptrace"), _DELTA, Ended(exit_code=3)], messages)

    @given(
        st.sampled_from(["activity", "groups"]),
        st.recursive(
            st.none() | st.integers(-1, 1) | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        ),
    )
    def test_damaged(self, table: str, content: object) -> None:
        """Whatever is in place of the sums, the error says that the frame is damaged."""
        fields = {"activity": {}, "groups": {}} | {table: content}
        frame = frame_of(Delta, msgspec.msgpack.encode(fields))

        try:
            delta = message_of_version_1(frame)
        except WireError as error:
            self.assertIn("a damaged Delta frame", str(error))
        else:
            self.assertEqual(Delta(), delta)

    def test_not_a_map(self) -> None:
        """A delta that is no map, and other messages, are told apart."""
        frame = frame_of(Delta, msgspec.msgpack.encode([1]))

        self.assertRaises(WireError, message_of_version_1, frame)
        self.assertEqual(Ended(), message_of_version_1(encode(Ended())))
