"""Catch signals, block them, and wait for them."""

import os
import select
import signal
import time

signal.signal(signal.SIGUSR1, lambda *_: None)
signal.signal(signal.SIGALRM, lambda *_: None)
os.kill(os.getpid(), signal.SIGUSR1)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGTERM, signal.SIGRTMIN])
os.kill(os.getpid(), signal.SIGUSR2)
signal.sigpending()
signal.sigwaitinfo([signal.SIGUSR2])
signal.sigtimedwait([signal.SIGUSR2], 0.001)
# On a busy machine the first one may come before the pause.
signal.setitimer(signal.ITIMER_REAL, 0.005, 1)
signal.pause()
signal.setitimer(signal.ITIMER_REAL, 0.005, 100)
time.sleep(0.02)
reading, writing = os.pipe()
select.select([reading], [writing], [], 1)
select.select([reading], [], [], 0)
poller = select.poll()
poller.register(reading, select.POLLIN)
poller.register(writing, select.POLLOUT)
poller.poll(1)
epoll = select.epoll()
epoll.register(writing, select.EPOLLOUT)
epoll.poll(1)
epoll.modify(writing, select.EPOLLIN | select.EPOLLET)
epoll.poll(0)
os.eventfd(3, os.EFD_CLOEXEC)
