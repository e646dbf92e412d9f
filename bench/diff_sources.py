"""What the programs of bench/diff.py consist of and work on, by the names of the files."""

FILES = {
    "threads.py": """
import queue, threading, time
waiting, done = queue.Queue(), []
def work():
    while (number := waiting.get()) is not None:
        with open("/etc/hostname") as file:
            file.read()
        done.append(sum(range(number)))
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for number in range(200):
    waiting.put(number * 50)
for _ in threads:
    waiting.put(None)
for thread in threads:
    thread.join()
time.sleep(0.01)
""",
    "echo.py": """
import asyncio
async def serve(reader, writer):
    while line := await reader.readline():
        writer.write(line)
        await writer.drain()
    writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async def ask():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(10):
            writer.write(b"x" * 100 + bytes([10]))
            await reader.readline()
            await asyncio.sleep(0.001)
        writer.close()
        await writer.wait_closed()
    await asyncio.gather(*(ask() for _ in range(5)))
    server.close()
asyncio.run(main())
""",
    "temporary.py": """
import os, subprocess, tempfile, uuid
with tempfile.TemporaryDirectory() as folder:
    for _ in range(5):
        with open(os.path.join(folder, f"{uuid.uuid4()}.txt"), "w") as file:
            file.write("hello")
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        file.write(b"x" * 1000)
    subprocess.run(["cat", f"/proc/{os.getpid()}/stat", "/proc/self/status"], stdout=-3)
""",
    "workers.py": """
import multiprocessing
def work(number):
    return sum(range(number))
if __name__ == "__main__":
    with multiprocessing.Pool(3) as pool:
        pool.map(work, range(100))
""",
    "server.py": """
import http.server, threading, urllib.request
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
for _ in range(5):
    urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/numbers").read()
server.shutdown()
""",
    "database.py": """
import sqlite3
with sqlite3.connect("new.db") as database:
    database.execute("create table numbers (number)")
    database.executemany("insert into numbers values (?)", [(n,) for n in range(1000)])
print(database.execute("select sum(number) from numbers").fetchall())
""",
    "sync.py": """
import os, sys
file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
for _ in range(25):
    os.write(file, b"z" * 4096)
    os.fsync(file)
""",
    "threads.c": """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static void *work(void *nothing) {
    for (int i = 0; i < 3000; i++) {
        char *block = malloc(100 + i * 37 % 200000);
        memset(block, 1, 100);
        pthread_mutex_lock(&lock);
        total += block[3];
        pthread_mutex_unlock(&lock);
        free(block);
    }
    return nothing;
}
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    return total <= 0;
}
""",
    "goroutines.go": """
package main
import ("os"; "sync")
func main() {
    var group sync.WaitGroup
    for i := 0; i < 20; i++ {
        group.Add(1)
        go func() { defer group.Done(); os.ReadFile("/etc/passwd") }()
    }
    group.Wait()
}
""",
    "server.js": """
const fs = require('fs'), http = require('http');
const server = http.createServer((_, response) => response.end('hello'.repeat(1000)));
server.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}/`;
  for (let i = 0; i < 5; i++) await fetch(url).then(response => response.text());
  fs.readFile('/etc/passwd', () => process.exit(0));
});
""",
    "Makefile": """
OBJECTS = main.o f1.o f2.o f3.o f4.o
program: $(OBJECTS)
\tgcc -o $@ $(OBJECTS)
%.o: %.c
\tgcc -c -o $@ $<
""",
    "nginx.conf": """
worker_processes 2; error_log nginx.d/error.log; pid nginx.d/pid;
events { worker_connections 64; }
http {
  access_log nginx.d/access.log; client_body_temp_path nginx.d/b; proxy_temp_path nginx.d/p;
  fastcgi_temp_path nginx.d/f; uwsgi_temp_path nginx.d/u; scgi_temp_path nginx.d/s;
  server { listen 127.0.0.1:PORT; root .; }
}
""",
}
