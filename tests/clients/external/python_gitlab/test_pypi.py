"""PyPI packages published by twine and installed by pip."""

import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

from support import ServerTest

WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def wheel(folder, name, version, python=">=3"):
    """Writes a wheel with one module by hand, so that building it needs no package index."""
    module = name.lower().replace(".", "_")
    info = f"{module}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Python: {python}\n"
    files = {
        f"{module}.py": f"version = '{version}'\n",
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": WHEEL,
    }
    record = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(path, text)
    path = os.path.join(folder, f"{module}-{version}-py3-none-any.whl")
    with open(path, "wb") as file:
        file.write(content.getvalue())
    return path


@unittest.skipUnless(importlib.util.find_spec("twine"), "twine is not installed")
class Pypi(ServerTest):
    def run_module(self, *args):
        # Settings of the machine might refer to other indexes.
        env = {**{k: v for k, v in os.environ.items() if not k.startswith("PIP_")}, "PIP_CONFIG_FILE": os.devnull}
        return subprocess.run([sys.executable, "-m", *args], capture_output=True, text=True, env=env, check=False)

    def must(self, *args):
        done = self.run_module(*args)
        self.assertEqual(done.returncode, 0, f"{args}: {done.stdout}{done.stderr}")
        return done.stdout

    def twine(self, address, *args):
        return self.run_module(
            *("twine", "upload", "--non-interactive", "--disable-progress-bar", "--verbose", "--repository-url", address),
            *("-u", "__token__", "-p", self.gl.private_token, *args),
        )

    def test_publish_and_install(self):
        group = self.gl.groups.create({"name": "Snakes", "path": f"snakes-{os.getpid()}-{id(self)}"})
        project = self.gl.projects.create({"name": "python", "namespace_id": group.id})
        api = f"{self.gl.url}/api/v4"
        address = f"{api}/projects/{project.id}/packages/pypi"
        with tempfile.TemporaryDirectory() as folder:
            first = wheel(folder, "Hearth.Greeting", "1.0")
            for path in [first, wheel(folder, "Hearth.Greeting", "1.1"), wheel(folder, "Hearth.Greeting", "2.0", "<3")]:
                done = self.twine(address, path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            again = self.twine(address, first)
            self.assertNotEqual(again.returncode, 0)
            self.assertIn("already been taken", again.stdout + again.stderr)
            login = f"://__token__:{self.gl.private_token}@"
            places = [address, f"{api}/groups/{group.id}/-/packages/pypi"]
            for number, place in enumerate(places):
                target = os.path.join(folder, f"site-{number}")
                index = f"{place}/simple".replace("://", login)
                self.must("pip", "install", "--no-cache-dir", "-q", "--target", target, "--index-url", index, "hearth-greeting")
                with open(os.path.join(target, "hearth_greeting.py"), encoding="utf8") as file:
                    # Version 2.0 requires another Python.
                    self.assertEqual(file.read(), "version = '1.1'\n")
            packages = project.packages.list(package_type="pypi", get_all=True)
            self.assertEqual([each.version for each in packages], ["1.0", "1.1", "2.0"])
