"""Clients of a running server and helpers to create test data."""

import itertools
import os
import shutil
import struct
import subprocess
import tempfile
import time
import unittest
import urllib.parse
import warnings
import zlib

import gitlab

URL = os.environ["HEARTH_TEST_URL"]
TOKEN = os.environ["HEARTH_TEST_TOKEN"]
PASSWORD = "E4596f8be406Bc3a14a4ccdb1df80587"

_numbers = itertools.count(1)


def unique(stem):
    """A name that is unique across test runs."""
    return f"{stem}-{os.getpid()}-{next(_numbers)}"


def client(token=TOKEN, **options):
    return gitlab.Gitlab(URL, private_token=token, **options)


def png():
    """An image of a single grey pixel."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"\x00\x80")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


class ServerTest(unittest.TestCase):
    """A test with an administrator's client as `self.gl`. Warnings of the client are failures."""

    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("error", UserWarning)
        self.gl = client()

    def add_user(self, stem="user", **more):
        name = unique(stem)
        data = {
            "username": name,
            "name": name,
            "email": f"{name}@example.com",
            "password": PASSWORD,
            "skip_confirmation": True,
        }
        return self.gl.users.create(data | more)

    def client_of(self, user, scopes=("api",)):
        token = user.personal_access_tokens.create({"name": "test", "scopes": list(scopes)})
        return client(token.token)

    def add_group(self, stem="group", **more):
        name = unique(stem)
        return self.gl.groups.create({"name": name, "path": name} | more)

    def add_project(self, stem="project", **more):
        return self.gl.projects.create({"name": unique(stem)} | more)

    def add_filled_project(self, files=None, **more):
        """A project whose branch `main` has one commit per file."""
        project = self.add_project(initialize_with_readme=False, **more)
        for path, content in (files or {"README.rst": "Initial content\n"}).items():
            project.files.create(
                {"file_path": path, "branch": "main", "content": content, "commit_message": f"Add {path}"}
            )
        project.refresh()
        return project

    def wait_for(self, condition):
        """Polls until the condition is true, for work in the background."""
        for _ in range(600):
            if condition():
                return
            time.sleep(0.05)
        self.fail("it did not happen")

    def work_tree(self, project):
        """A work tree of stock git whose remote `origin` is the project."""
        tree = WorkTree()
        self.addCleanup(shutil.rmtree, tree.folder)
        address = urllib.parse.urlsplit(URL)
        origin = f"{address.scheme}://root:{TOKEN}@{address.netloc}/{project.path_with_namespace}.git"
        tree.git("remote", "add", "origin", origin)
        return tree

    def refused(self, kind, status, text=""):
        """Expects the client to raise this kind of error for a response with this status."""
        return _Refused(self, kind, status, text)


class WorkTree:
    """Stock git, isolated from the settings of the machine."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="hearth-python-")
        self.git("init", "-q", "-b", "main")

    def git(self, *args, stdin=""):
        names = ("GIT_AUTHOR_", "GIT_COMMITTER_")
        person = {name + "NAME": "Ann" for name in names} | {name + "EMAIL": "ann@example.com" for name in names}
        closed = {"HOME": self.folder, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
        env = {"PATH": os.environ["PATH"]} | closed | person
        ran = subprocess.run(
            ["git", *args], cwd=self.folder, env=env, input=stdin, text=True, capture_output=True, check=False
        )
        if ran.returncode != 0:
            raise AssertionError(f"git {' '.join(args)}: {ran.stderr}")
        return ran.stdout.strip()


class _Refused:
    def __init__(self, test, kind, status, text):
        self.test, self.kind, self.status, self.text = test, kind, status, text

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.test.assertIsNotNone(error, f"{self.kind.__name__} was not raised")
        if not isinstance(error, self.kind):
            return False
        self.test.assertEqual(error.response_code, self.status, str(error))
        self.test.assertIn(self.text, str(error.error_message))
        return True
