"""Files, commits, trees, archives and comparisons."""

import base64
import io
import tarfile
import zipfile

import gitlab

from support import ServerTest


class Files(ServerTest):
    def setUp(self):
        super().setUp()
        self.project = self.add_filled_project()

    def test_create_update_and_delete(self):
        files = self.project.files
        data = {"file_path": "docs/a file.md", "branch": "main", "content": "one", "commit_message": "Add"}
        self.assertEqual(files.create(data).file_path, "docs/a file.md")
        file = files.get(file_path="docs/a file.md", ref="main")
        self.assertEqual((file.file_name, file.decode()), ("a file.md", b"one"))
        file.content = "two\n"
        file.save(branch="main", commit_message="Change")
        file = files.get(file_path="docs/a file.md", ref="main")
        self.assertEqual(file.decode(), b"two\n")
        file.content = base64.b64encode(b"\x00\xff").decode()
        file.save(branch="main", commit_message="Change to bytes", encoding="base64")
        self.assertEqual(files.raw(file_path="docs/a file.md", ref="main"), b"\x00\xff")
        file.delete(branch="main", commit_message="Remove")
        with self.refused(gitlab.GitlabGetError, 404, "404 File Not Found"):
            files.get(file_path="docs/a file.md", ref="main")

    def test_raw_head_and_blame(self):
        files = self.project.files
        self.assertEqual(files.raw(file_path="README.rst"), b"Initial content\n")
        self.assertEqual(files.raw(file_path="README.rst", ref="main"), b"Initial content\n")
        head = files.head("README.rst", ref="main")
        self.assertEqual(head["X-Gitlab-File-Path"], "README.rst")
        self.assertEqual(head["X-Gitlab-Size"], "16")
        (part,) = files.blame(file_path="README.rst", ref="main")
        self.assertEqual(part["lines"], ["Initial content"])
        self.assertEqual(part["commit"]["message"], "Add README.rst")
        streamed = []
        files.raw(file_path="README.rst", ref="main", streamed=True, action=streamed.append)
        self.assertEqual(b"".join(streamed), b"Initial content\n")

    def test_validation(self):
        files = self.project.files
        again = {"file_path": "README.rst", "branch": "main", "content": "x", "commit_message": "x"}
        with self.refused(gitlab.GitlabCreateError, 400, "A file with this name already exists"):
            files.create(again)
        with self.refused(gitlab.GitlabGetError, 404):
            files.get(file_path="README.rst", ref="no-such-branch")
        with self.refused(gitlab.GitlabDeleteError, 400, "A file with this name doesn't exist"):
            files.delete(file_path="none", branch="main", commit_message="x")
        stale = self.project.commits.list()[0].id
        files.update("README.rst", {"branch": "main", "content": "newer", "commit_message": "x"})
        data = {"branch": "main", "content": "stale", "commit_message": "x", "last_commit_id": stale}
        with self.refused(gitlab.GitlabUpdateError, 400, "changed"):
            files.update("README.rst", data)
        with self.refused(gitlab.GitlabCreateError, 400):
            files.create(again | {"file_path": "../../etc/passwd"})

    def test_tree_and_blobs(self):
        self.project.files.create(
            {"file_path": "lib/deep/x", "branch": "main", "content": "x", "commit_message": "Add x"}
        )
        tree = self.project.repository_tree()
        self.assertEqual([(one["name"], one["type"]) for one in tree], [("lib", "tree"), ("README.rst", "blob")])
        paths = [one["path"] for one in self.project.repository_tree(recursive=True)]
        self.assertEqual(paths, ["lib", "lib/deep", "README.rst", "lib/deep/x"])
        walked = self.project.repository_tree(recursive=True, iterator=True, pagination="keyset", per_page=2)
        self.assertEqual([one["path"] for one in walked], paths)
        inside = self.project.repository_tree(path="lib", ref="main")
        self.assertEqual([one["path"] for one in inside], ["lib/deep"])
        blob = tree[1]["id"]
        self.assertEqual(self.project.repository_raw_blob(blob), b"Initial content\n")
        self.assertEqual(base64.b64decode(self.project.repository_blob(blob)["content"]), b"Initial content\n")
        with self.refused(gitlab.GitlabGetError, 404, "404 invalid revision or path Not Found"):
            self.project.repository_tree(path="no/such")


class Archives(ServerTest):
    def setUp(self):
        super().setUp()
        self.project = self.add_filled_project({"README.rst": "Initial content\n", "lib/a": "a", "lib/b": "b"})

    def test_are_reproducible(self):
        first = self.project.repository_archive()
        self.assertEqual(first, self.project.repository_archive("main"))
        names = tarfile.open(fileobj=io.BytesIO(first)).getnames()
        top = names[0]
        self.assertTrue(top.startswith(f"{self.project.path}-main-"), top)
        self.assertIn(f"{top}/lib/a", names)

    def test_formats(self):
        for form in ("tbz", "tbz2", "tb2", "bz2", "tar", "tar.gz", "tar.bz2", "zip"):
            with self.subTest(form=form):
                archive = io.BytesIO(self.project.repository_archive(format=form))
                self.assertTrue(zipfile.is_zipfile(archive) if form == "zip" else tarfile.is_tarfile(archive))

    def test_path(self):
        archive = self.project.repository_archive(path="lib")
        names = tarfile.open(fileobj=io.BytesIO(archive)).getnames()
        self.assertEqual({name.split("/", 1)[1] for name in names if "/" in name}, {"lib", "lib/a", "lib/b"})


class Commits(ServerTest):
    def setUp(self):
        super().setUp()
        self.project = self.add_filled_project({"README.rst": "Initial content\n", "old": "old\n"})

    def commit(self, message, *actions, **more):
        return self.project.commits.create(
            {"branch": "main", "commit_message": message, "actions": list(actions)} | more
        )

    def test_all_actions(self):
        self.commit(
            "Several at once",
            {"action": "create", "file_path": "new", "content": "new"},
            {"action": "create", "file_path": "bytes", "content": "AP8=", "encoding": "base64"},
            {"action": "update", "file_path": "README.rst", "content": "Changed\n"},
            {"action": "move", "file_path": "moved", "previous_path": "old"},
        )
        commit = self.commit(
            "More",
            {"action": "delete", "file_path": "new"},
            {"action": "chmod", "file_path": "README.rst", "execute_filemode": True},
        )
        tree = {one["path"]: one["mode"] for one in self.project.repository_tree()}
        self.assertEqual(tree, {"README.rst": "100755", "bytes": "100644", "moved": "100644"})
        self.assertEqual(self.project.files.raw("bytes", ref="main"), b"\x00\xff")
        found = self.project.commits.get(commit.id)
        self.assertEqual((found.title, found.message), ("More", "More"))
        self.assertEqual(found.stats, {"additions": 0, "deletions": 1, "total": 1})

    def test_list_diff_and_refs(self):
        commit = self.commit("blah blah blah", {"action": "create", "file_path": "blah", "content": "blah"})
        listed = self.project.commits.list()
        self.assertEqual([one.title for one in listed], ["blah blah blah", "Add old", "Add README.rst"])
        self.assertIn("@@", listed[0].diff()[0]["diff"])
        self.assertEqual([one["name"] for one in commit.refs()], ["main"])
        self.assertEqual(commit.merge_requests(), [])
        # The client uses a parameter named `path` itself.
        touched = self.project.commits.list(query_parameters={"path": "old"})
        self.assertEqual([one.title for one in touched], ["Add old"])
        second = self.project.commits.list(ref_name="main", per_page=1, page=2)
        self.assertEqual([one.title for one in second], ["Add old"])
        self.assertEqual(commit.sequence()["count"], 3)

    def test_new_branch(self):
        new = {"action": "create", "file_path": "new-file", "content": "new content"}
        commit = self.commit("On another", new, branch="new-branch", start_branch="main")
        self.assertNotIn(commit, self.project.commits.list(get_all=True))
        self.assertIn(commit, self.project.commits.list(get_all=True, query_parameters={"all": True}))
        self.assertEqual(self.project.branches.get("new-branch").commit["id"], commit.id)

    def test_validation(self):
        with self.refused(gitlab.GitlabCreateError, 400, "A file with this name doesn't exist"):
            self.commit("x", {"action": "delete", "file_path": "none"})
        with self.refused(gitlab.GitlabCreateError, 400, "actions[0][action] must be one of: create, update, move, delete, chmod"):
            self.commit("x", {"action": "bogus", "file_path": "none"})
        with self.refused(gitlab.GitlabCreateError, 400):
            self.commit("x", branch="other", start_branch="none")
        with self.refused(gitlab.GitlabGetError, 404, "404 Commit Not Found"):
            self.project.commits.get("0" * 40)

    def test_server_signature(self):
        made = self.project.commits.list()[0].signature()
        self.assertEqual((made["signature_type"], made["verification_status"]), ("SSH", "verified_system"))
        # The client has no method for this endpoint.
        (known,) = self.gl.http_get("/web_commits/public_key")
        self.assertTrue(known["public_key"].startswith("ssh-ed25519 "))

    def test_statuses(self):
        commit = self.project.commits.list()[0]
        status = commit.statuses.create({"state": "success", "name": "lint", "target_url": "https://example.com/1"})
        self.assertIn(status, commit.statuses.list())
        self.assertEqual((status.name, status.status, status.sha), ("lint", "success", commit.id))

    def test_comments(self):
        commit = self.project.commits.list()[0]
        commit.comments.create({"note": "This is a commit comment"})
        self.assertEqual([one.note for one in commit.comments.list()], ["This is a commit comment"])

    def test_cherry_pick(self):
        commit = self.project.commits.list()[0]
        self.project.branches.create({"branch": "test", "ref": commit.parent_ids[0]})
        picked = commit.cherry_pick(branch="test")
        expected = f"{commit.message}\n\n(cherry picked from commit {commit.id})"
        self.assertTrue(picked["message"].startswith(expected), picked["message"])
        with self.refused(gitlab.GitlabCherryPickError, 400):
            commit.cherry_pick(branch="test")

    def test_revert(self):
        commit = self.project.commits.list()[0]
        reverted = commit.revert(branch="main")
        self.assertEqual(reverted["message"], f'Revert "{commit.message}"\n\nThis reverts commit {commit.id}')
        with self.refused(gitlab.GitlabRevertError, 400):
            commit.revert(branch="main")


class Comparing(ServerTest):
    def setUp(self):
        super().setUp()
        self.project = self.add_filled_project()
        self.base = self.project.commits.list()[0].id
        for branch in ("left", "right"):
            self.project.commits.create(
                {
                    "branch": branch,
                    "start_branch": "main",
                    "commit_message": f"Add {branch}",
                    "actions": [{"action": "create", "file_path": branch, "content": f"{branch}\n"}],
                }
            )

    def test_compare(self):
        result = self.project.repository_compare("left", "right")
        self.assertEqual([one["title"] for one in result["commits"]], ["Add right"])
        self.assertEqual([one["new_path"] for one in result["diffs"]], ["right"])
        straight = self.project.repository_compare("left", "right", straight=True)
        self.assertEqual({one["new_path"] for one in straight["diffs"]}, {"left", "right"})
        with self.refused(gitlab.GitlabGetError, 404):
            self.project.repository_compare("left", "none")

    def test_merge_base(self):
        self.assertEqual(self.project.repository_merge_base(["left", "right"])["id"], self.base)
        with self.refused(gitlab.GitlabGetError, 400, "Provide at least 2 refs"):
            self.project.repository_merge_base(["left"])

    def test_contributors(self):
        (one,) = self.project.repository_contributors()
        self.assertEqual((one["name"], one["commits"]), ("Administrator", 1))

    def test_events(self):
        events = self.project.events.list()
        pushed = [event for event in events if event.action_name.startswith("pushed")]
        self.assertEqual({event.push_data["ref"] for event in pushed}, {"main", "left", "right"})
        self.assertIn(events[0].id, [event.id for event in self.gl.events.list(scope="all", get_all=True)])
        self.gl.auth()
        theirs = self.gl.users.get(self.gl.user.id).events.list(get_all=True)
        self.assertIn(events[0].id, [event.id for event in theirs])
