"""Tests of the printing of calls, compared with strace."""
