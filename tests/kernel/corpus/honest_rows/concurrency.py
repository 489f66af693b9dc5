"""Awaited code, threads, processes, pools, sqlite, a local server."""

from __future__ import annotations

from .. import Row, honest

ROWS: list[Row] = [
    honest(
        "top-level await",
        """
        import asyncio

        async def gather(n):
            async def one(i):
                await asyncio.sleep(0.001)
                return i * i
            return await asyncio.gather(*map(one, range(n)))

        first = await gather(3)
        """,
        "assert first == [0, 1, 4]\nassert await gather(4) == [0, 1, 4, 9]",
    ),
    honest(
        "an asynchronous generator",
        """
        import asyncio

        async def ticks(n):
            for i in range(n):
                await asyncio.sleep(0)
                yield i
        """,
        "assert [t async for t in ticks(3)] == [0, 1, 2]",
        """
        async def test_ticks():
            seen = []
            async for t in ticks(2):
                seen.append(t)
            assert seen == [0, 1]
        """,
    ),
    honest(
        "an asynchronous context manager",
        """
        import contextlib

        @contextlib.asynccontextmanager
        async def session(log):
            log.append('open')
            try:
                yield 'token'
            finally:
                log.append('closed')
        """,
        """
        log = []
        async with session(log) as token:
            assert token == 'token' and log == ['open']
        assert log == ['open', 'closed']
        """,
    ),
    honest(
        "threads with a lock",
        """
        import threading

        def count(threads, times):
            total, lock = [0], threading.Lock()

            def work():
                for _ in range(times):
                    with lock:
                        total[0] += 1

            started = [threading.Thread(target=work) for _ in range(threads)]
            for thread in started:
                thread.start()
            for thread in started:
                thread.join()
            return total[0]
        """,
        "assert count(4, 50) == 200",
    ),
    honest(
        "a pool of threads",
        "from concurrent.futures import ThreadPoolExecutor\n\ndef lengths(words):\n"
        "    with ThreadPoolExecutor(3) as pool:\n        return list(pool.map(len, words))",
        "assert lengths(['a', 'bb', '']) == [1, 2, 0]",
    ),
    honest(
        "a pool that stays",
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\n"
        "def later(f, *args): return pool.submit(f, *args)",
        "assert later(pow, 2, 5).result(timeout=5) == 32\nassert later(lambda: 'x').result(timeout=5) == 'x'",
    ),
    honest(
        "multiprocessing",
        """
        import multiprocessing

        def cube(x): return x ** 3

        def cubes(values):
            with multiprocessing.get_context('fork').Pool(2) as pool:
                return pool.map(cube, values)
        """,
        "assert cubes([1, 2, 3]) == [1, 8, 27]",
    ),
    honest(
        "a process and a queue",
        """
        import multiprocessing as mp

        def ask(question):
            context = mp.get_context('fork')
            queue = context.Queue()
            process = context.Process(target=lambda: queue.put(question[::-1]))
            process.start()
            answer = queue.get(timeout=10)
            process.join()
            return answer
        """,
        "assert ask('abc') == 'cba'",
    ),
    honest(
        "a subprocess",
        """
        import subprocess, sys

        def run(code):
            done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
            return done.returncode, done.stdout.strip()
        """,
        "assert run('print(6 * 7)') == (0, '42')\nassert run('raise SystemExit(3)')[0] == 3",
    ),
    honest(
        "256 threads",
        """
        import threading

        def many(n):
            gate, seen = threading.Event(), []
            started = [threading.Thread(target=lambda i=i: (gate.wait(), seen.append(i))) for i in range(n)]
            for thread in started:
                thread.start()
            gate.set()
            for thread in started:
                thread.join()
            return sorted(seen)
        """,
        "assert many(256) == list(range(256))",
    ),
    honest(
        "sqlite in a file",
        """
        import sqlite3

        def store(path, rows):
            with sqlite3.connect(path) as db:
                db.execute("create table if not exists people (name text primary key, age int)")
                db.executemany("insert or replace into people values (?, ?)", rows)
            db.close()
        """,
        """
        import sqlite3
        store("p.db", [("Ada", 36), ("Alan", 41)])
        store("p.db", [("Ada", 37)])
        with sqlite3.connect("p.db") as db:
            found = db.execute("select name, age from people order by name")
            assert found.fetchall() == [("Ada", 37), ("Alan", 41)]
        """,
    ),
    honest(
        "a local server and its client",
        """
        import http.server, threading, urllib.request

        class Echo(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = self.path[::-1].encode()
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *args): pass

        def get(path):
            server = http.server.HTTPServer(("127.0.0.1", 0), Echo)
            threading.Thread(target=server.handle_request, daemon=True).start()
            with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}{path}", timeout=5) as reply:
                return reply.read().decode()
        """,
        "assert get('/abc') == 'cba/'",
    ),
]
