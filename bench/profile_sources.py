"""What the programs of bench/profiles.py consist of, by the names of the files."""

FILES = {
    "web.py": """
import http.server, os, signal, sys, threading
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_POST(self):
        content = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(content)
    def log_message(self, *words):
        pass
class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *words):
        pass
server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
def stop(*_):
    threading.Thread(target=server.shutdown).start()
signal.signal(signal.SIGTERM, stop)
with open("pid", "w") as file:
    file.write(str(os.getpid()))
server.serve_forever()
""",
    "web.js": """
const fs = require('fs'), http = require('http'), zlib = require('zlib');
const server = http.createServer((request, response) => {
  if (request.method === 'POST') return void request.pipe(response);
  zlib.gzip('hello'.repeat(1000), (_, packed) => response.end(packed));
});
server.listen(process.env.FREE_PORT, '127.0.0.1', () => fs.writeFileSync('pid', `${process.pid}`));
process.on('SIGTERM', () => { server.closeAllConnections(); server.close(() => process.exit(0)); });
""",
    "Work.java": """
import com.sun.net.httpserver.HttpServer;
import java.net.*; import java.net.http.*; import java.nio.file.*; import java.util.*;
import java.util.concurrent.*; import java.util.stream.*;
public class Work {
  public static void main(String[] words) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    ExecutorService pool = Executors.newFixedThreadPool(4);
    server.setExecutor(pool);
    server.createContext("/", exchange -> {
      byte[] answer = "hello".repeat(100).getBytes();
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
      exchange.close();
    });
    server.start();
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    HttpClient client = HttpClient.newHttpClient();
    for (int i = 0; i < 5; i++)
      client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    List<byte[]> blocks = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      blocks.add(new byte[1 << 20]);
      if (i % 20 == 0) blocks.clear();
    }
    System.gc();
    Files.writeString(Path.of("written"), IntStream.range(0, 100000).parallel().boxed()
      .map(i -> Integer.toString(i * 7 % 1000)).sorted().collect(Collectors.joining(" ")));
    Process process = new ProcessBuilder("cat", "written").start();
    process.getInputStream().readAllBytes();
    if (process.waitFor() != 0) System.exit(1);
    server.stop(0);
    pool.shutdown();
    System.exit(0);
  }
}
""",
    "work.sql": """
PRAGMA journal_mode = WAL;
CREATE TABLE numbers (number INTEGER PRIMARY KEY, square INTEGER, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO numbers SELECT i, i * i, 'number ' || i FROM n;
CREATE INDEX by_name ON numbers (name);
SELECT sum(square), count(DISTINCT name) FROM numbers ORDER BY name;
UPDATE numbers SET name = upper(name) WHERE number % 3 = 0;
DELETE FROM numbers WHERE number % 7 = 0;
VACUUM;
PRAGMA integrity_check;
""",
    "script.sh": """
set -e
mkdir made
for i in $(seq 20); do
  x=$(echo "$i" | md5sum)
  echo "$x" > "made/$i"
done
cat <<< "$x" > /dev/null
for i in 1 2 3; do seq 1 20000 | grep 7 | sort -n | head -50 | wc -l > /dev/null; done
trap 'echo stopped > made/trapped' TERM
( sleep 0.05 ) &
kill -TERM $$
wait || true
find made -type f -print0 | xargs -0 -n5 cat | tr a-z A-Z | cut -c1-5 | sort | uniq -c > counted
[ -s made/trapped ]
sed -i s/a/b/ made/1
cp -r made copied
tar czf made/made.tgz counted
rm -r made/[0-9]*
""",
}
