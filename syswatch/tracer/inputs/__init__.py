"""
Reads the inputs of `stats`: logs of strace and recordings, from files, pipes and gzip.

`InputReader` does the job.  It opens each input as an `InputFile` and makes a `DeltaSource` of it,
a `LogSource` or a `RecordingSource`.  Sources add deltas to one `Sink`, which sends them to the
service.  Another kind of input is another class with the method `read_into`.
"""
