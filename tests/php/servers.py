"""Starts an owner, PHP-FPM and PHP processes in a directory of their own, and ends them. Python's standard library only."""

import glob
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import fastcgi

COPPICED = os.environ.get("COPPICED", "coppiced")
EXTENSION = os.environ.get("COPPICE_EXTENSION", "coppice.so")
HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = os.path.join(HERE, "pages")


def php_fpm():
    """The php-fpm of the version of `php` on the path, or None."""
    php = shutil.which("php")
    if php is None:
        return None
    version = subprocess.run([php, "-n", "-r", "echo PHP_MAJOR_VERSION, '.', PHP_MINOR_VERSION;"], capture_output=True, text=True).stdout
    for name in ("php-fpm" + version, "php-fpm"):
        found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        if found:
            return found
    return None


def _wait_for(path, process, log):
    for _ in range(3000):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(path)
                return
            except OSError:
                pass
        if process.poll() is not None:
            break
        time.sleep(0.01)
    with open(log, errors="replace") as text:
        raise RuntimeError("it did not start: " + text.read())


class Owner:
    def __init__(self, *arguments):
        self.directory = tempfile.mkdtemp(prefix="coppice-test-")
        self.socket = os.path.join(self.directory, "owner")
        log = os.path.join(self.directory, "owner.log")
        with open(log, "w") as output:
            self.process = subprocess.Popen([COPPICED, "--socket", self.socket, *arguments], stdout=output, stderr=output)
        _wait_for(self.socket, self.process, log)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


class Fpm:
    """PHP-FPM with `children` children and nothing loaded but the extension; `settings` are php.ini's."""

    def __init__(self, children, dsn, settings=(), valgrind=False):
        self.directory = tempfile.mkdtemp(prefix="coppice-test-")
        self.socket = os.path.join(self.directory, "fpm")
        self.log = os.path.join(self.directory, "fpm.log")
        self.valgrind = valgrind
        os.mkdir(os.path.join(self.directory, "sessions"))
        root = os.geteuid() == 0
        with open(os.path.join(self.directory, "fpm.conf"), "w") as conf:
            conf.write(f"[global]\nerror_log = {self.log}\ndaemonize = no\n[www]\nlisten = {self.socket}\n"
                       f"pm = static\npm.max_children = {children}\ncatch_workers_output = yes\nclear_env = no\n"
                       "security.limit_extensions =\n" + ("user = root\ngroup = root\n" if root else ""))
        command = [php_fpm(), "-F", "-n", "-y", os.path.join(self.directory, "fpm.conf")] + (["-R"] if root else [])
        for setting in ("extension=" + EXTENSION, "coppice.dsn=" + dsn, "session.save_path=" + os.path.join(self.directory, "sessions"),
                        "html_errors=0", "display_errors=1", "max_execution_time=0", *settings):
            command += ["-d", setting]
        environment = dict(os.environ)
        if valgrind:
            command = ["valgrind", "-q", "--trace-children=yes", "--log-file=" + os.path.join(self.directory, "memcheck.%p"), *command,
                       "-d", "pcre.jit=0"]
            environment["USE_ZEND_ALLOC"] = "0"
        else:
            # Each block of some size a mapping of its own: touching one that was freed ends the child.
            environment["GLIBC_TUNABLES"] = "glibc.malloc.mmap_threshold=4096:glibc.malloc.mmap_max=1000000:glibc.malloc.top_pad=0:glibc.malloc.trim_threshold=0"
        with open(os.path.join(self.directory, "output"), "w") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
        _wait_for(self.socket, self.process, os.path.join(self.directory, "output"))
        while len(self.children()) < children and self.process.poll() is None:
            time.sleep(0.01)

    def get(self, page, query="", **more):
        return fastcgi.request(self.socket, os.path.join(PAGES, page), query, timeout=300, **more)

    def children(self):
        """Process ids, as the kernel has them."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as children:
            return sorted(int(pid) for pid in children.read().split())

    def stop(self):
        """Ends it; what its log says of children that died, and what memcheck found, as texts."""
        self.process.send_signal(signal.SIGQUIT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        found = []
        with open(self.log, errors="replace") as log:
            found += [line for line in log if "exited on signal" in line or "with code 1" in line or "with code 2" in line]
        for name in glob.glob(os.path.join(self.directory, "memcheck.*")):
            with open(name, errors="replace") as log:
                text = log.read()
                if text:
                    found.append(text[:4000])
        shutil.rmtree(self.directory, ignore_errors=True)
        return found


class PhpProcesses(unittest.TestCase):
    """An owner, words of shared memory (words.php) that its PHP processes share, and a file for the faults they find."""

    WORDS = 64

    def setUp(self):
        self.owner = Owner("--max-memory", "64M")
        self.addCleanup(self.owner.stop)
        self.words = str(random.randrange(1, 1 << 31))
        self.faults = os.path.join(self.owner.directory, "faults")
        open(self.faults, "w").close()
        self.with_words(f", {self.WORDS}", "")
        self.addCleanup(self.with_words, "", "$words->delete();")

    def with_words(self, size, code):
        self.php("-r", f"require '{HERE}/words.php'; $words = new Words((int) $argv[1]{size}); {code}", "--", self.words).communicate()

    def php(self, *arguments, output=subprocess.PIPE):
        settings = ["extension=shmop", "extension=" + EXTENSION, 'coppice.dsn="unix://' + self.owner.socket + '?timeout=60"', "display_errors=stderr"]
        command = ["php", "-n"] + [part for setting in settings for part in ("-d", setting)]
        return subprocess.Popen(command + list(arguments), stdout=output, stderr=subprocess.STDOUT, text=True, env=dict(os.environ, TEST_FAULTS=self.faults))
