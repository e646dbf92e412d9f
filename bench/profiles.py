#!/usr/bin/env python3
"""
Prove seccomp profiles on real programs: that they refuse nothing, and refuse what is injected.

    python bench/profiles.py [--runs N] [--recorded N] [--exact] [--tiny] [PROGRAM...]

Each program is traced some times, and `syswatch profile` writes its profile.  Then it runs under
this profile: in crun, where a supervisor counts what the kernel refuses, and a tenth as often in
crun, runc and bubblewrap with the profile as it is written.  Any refusal and any failure is named.

Before one more run, calls are made that the program does not make.  `syswatch profile check` is to
name each of them from a recording without a profile, and the kernel to refuse it with the profile.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import common
import profile_injections
from diff_programs import make_surroundings
from profile_programs import PROGRAMS, make_files
from profile_proof import Proof, Totals, TracingError, surroundings
from profile_runtimes import AS_WRITTEN, COUNTING, Runtime, usable

RUNS, RECORDED = 100, 5
# How many of the runs each runtime does with the profile as it is written.
SHARE = 10
TINY = ("python server", "bash")


def main() -> None:
    """Prove the profiles of the programs that are asked for."""
    parser = common.parser("Prove seccomp profiles on real programs.")
    parser.add_argument("--runs", type=int, default=RUNS, help="runs with refusals counted")
    parser.add_argument("--recorded", type=int, default=RECORDED, help="runs for the profile")
    parser.add_argument("--exact", action="store_true", help="permit only what was seen")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="by default, all")
    options = parser.parse_args()
    if options.tiny:
        options.runs, options.recorded = 2, 1
        options.programs = options.programs or TINY
    with tempfile.TemporaryDirectory(prefix="syswatch-bench-") as place:
        folder = Path(place).resolve() / "work"
        folder.mkdir()
        _prove(folder, options)


def _prove(folder: Path, options: argparse.Namespace) -> None:
    programs = [
        each
        for each in PROGRAMS
        if each.name in (options.programs or [each.name for each in PROGRAMS])
        and each.program.is_installed
    ]
    runtimes = [each for each in (COUNTING, *AS_WRITTEN) if usable(each, folder)]
    if not runtimes:
        common.leave_out("everything", "nothing on this machine can enforce a profile")
        return
    make_surroundings(folder, [each.program for each in programs])
    make_files(folder, programs)
    with_injections = common.has("gcc", "injected calls")
    if with_injections:
        profile_injections.build(folder)
    totals = Totals()
    with surroundings(folder) as environment:
        for confined in programs:
            proof = Proof(folder, environment, confined, totals)
            try:
                _prove_one(proof, runtimes, options, with_injections=with_injections)
            except TracingError as error:
                totals.untraced += 1
                print(f"  {confined.name}: {error}", flush=True)
    totals.judge(len(programs))


def _prove_one(
    proof: Proof,
    runtimes: Sequence[Runtime],
    options: argparse.Namespace,
    *,
    with_injections: bool,
) -> None:
    """Trace a program, and run it under its profile."""
    formats = {each.format for each in runtimes}
    level = ("--exact",) if options.exact else ()
    profiles = proof.profiles(options.recorded, formats, level)
    for runtime in runtimes:
        number = options.runs if runtime == COUNTING else -(-options.runs // SHARE)
        proof.run(runtime, profiles[runtime.format], number)
    if with_injections:
        proof.inject(runtimes, profiles)
    print(f"  {proof.confined.name}: {proof.summary}", flush=True)


if __name__ == "__main__":
    main()
