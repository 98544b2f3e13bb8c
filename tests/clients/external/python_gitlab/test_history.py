"""Details of commits: filters, dry runs, line comments, changelogs and submodules."""

import datetime

import gitlab

from support import ServerTest, unique


class History(ServerTest):
    def setUp(self):
        super().setUp()
        self.project = self.add_filled_project({"README.rst": "one\ntwo\nthree\n", "lib/a": "a\n"})

    def commit(self, message, *actions, **more):
        data = {"branch": "main", "commit_message": message, "actions": list(actions)}
        return self.project.commits.create(data | more)

    def titles(self, **query):
        return [one.title for one in self.project.commits.list(query_parameters=query)]

    def test_filters(self):
        first = self.project.commits.list()[-1]
        self.commit("Move\n\nReviewed-by: Bob", {"action": "move", "file_path": "lib/b", "previous_path": "lib/a"})
        self.commit("By Bob", allow_empty=True, author_name="Bob", author_email="bob@example.com")
        everything = ["By Bob", "Move", "Add lib/a", "Add README.rst"]
        self.assertEqual(self.titles(author="Bob"), ["By Bob"])
        self.assertEqual(self.titles(path="lib/b"), ["Move", "Add lib/a"])
        self.assertEqual(self.titles(path="lib/b", follow=False), ["Move"])
        self.assertEqual(self.titles(order="topo", first_parent=True), everything)
        self.assertEqual(self.titles(ref_name=f"{first.id}..main"), everything[:-1])
        now = datetime.datetime.now(datetime.timezone.utc)
        later, earlier = ((now + datetime.timedelta(days=days)).isoformat() for days in (1, -1))
        self.assertEqual(self.titles(since=earlier, until=later), everything)
        self.assertEqual(self.titles(until=earlier), [])
        (moved,) = self.project.commits.list(query_parameters={"path": "lib/b", "follow": False, "trailers": True})
        self.assertEqual((moved.trailers, moved.extended_trailers), ({"Reviewed-by": "Bob"}, {"Reviewed-by": ["Bob"]}))
        counted = self.project.commits.list(with_stats=True)
        self.assertEqual(counted[-1].stats, {"additions": 3, "deletions": 0, "total": 3})

    def test_start_sha_and_force(self):
        root = self.project.commits.list()[-1].id
        add = {"action": "create", "file_path": "new", "content": "x"}
        self.commit("From a commit", add, branch="other", start_sha=root)
        self.commit("Forced", add, branch="other", start_sha=root, force=True)
        self.assertEqual(self.titles(ref_name="other"), ["Forced", "Add README.rst"])
        fork = self.gl.projects.get(self.project.forks.create({"name": "theirs", "path": unique("theirs")}).id)
        self.wait_for(lambda: self.gl.projects.get(fork.id).import_status == "finished")
        fork.files.create({"file_path": "theirs", "branch": "main", "content": "x\n", "commit_message": "x"})
        self.commit("From another project", add, branch="third", start_branch="main", start_project=fork.id)
        self.assertEqual(self.project.files.raw("theirs", ref="third"), b"x\n")
        with self.refused(gitlab.GitlabCreateError, 400, "mutually exclusive"):
            self.commit("Both", add, branch="x", start_sha=root, start_branch="main")

    def test_dry_run_of_cherry_pick_and_revert(self):
        commit = self.project.commits.list()[0]
        self.project.branches.create({"branch": "before", "ref": commit.parent_ids[0]})
        self.assertEqual(commit.cherry_pick(branch="before", dry_run=True), {"dry_run": "success"})
        picked = commit.cherry_pick(branch="before", message="Picked")
        self.assertEqual(picked["message"], "Picked")
        self.assertEqual(commit.revert(branch="main", dry_run=True), {"dry_run": "success"})
        self.assertEqual(self.project.commits.list()[0].id, commit.id)

    def test_line_comments(self):
        commit = self.project.commits.list()[0]
        at = {"path": "lib/a", "line": 1, "line_type": "new"}
        comment = commit.comments.create({"note": "Why?"} | at)
        self.assertEqual((comment.path, comment.line, comment.line_type), ("lib/a", 1, "new"))
        self.assertEqual([one.line for one in commit.comments.list(iterator=True)], [1])
        (event,) = self.project.events.list(action="commented", target_type="note")
        self.assertEqual((event.note["body"], event.note["noteable_type"]), ("Why?", "Commit"))

    def test_statuses(self):
        commit = self.project.commits.list()[0]
        for state in ("pending", "running", "failed"):
            data = {"state": state, "name": "ci", "ref": "main", "description": state, "coverage": 12.5}
            status = commit.statuses.create(data | {"target_url": "https://example.com/ci"})
            self.assertEqual((status.status, status.ref), (state, "main"))
        commit.statuses.create({"state": "success", "context": "other"})
        self.assertEqual([one.name for one in commit.statuses.list(name="ci")], ["ci"])
        listed = commit.statuses.list(all=True, order_by="id", sort="desc")
        self.assertEqual({one.name for one in listed}, {"ci", "other"})
        self.assertEqual(self.project.commits.get(commit.id).last_pipeline["sha"], commit.id)
        with self.refused(gitlab.GitlabCreateError, 400, "Cannot transition status"):
            for _ in range(2):
                commit.statuses.create({"state": "running", "name": "third"})

    def test_refs_of_a_commit(self):
        commit = self.project.commits.list()[0]
        self.project.tags.create({"tag_name": "v1", "ref": "main"})
        self.assertEqual([one["name"] for one in commit.refs(type="tag")], ["v1"])
        self.assertEqual({one["type"] for one in commit.refs(type="all")}, {"branch", "tag"})
        self.assertEqual(commit.sequence(first_parent=True), {"count": 2})

    def test_blame(self):
        files = self.project.files
        (part,) = files.blame("README.rst", ref="main", **{"range[start]": 2, "range[end]": 3})
        self.assertEqual(part["lines"], ["two", "three"])
        # The client's `head` only supports the file itself.
        for what in ("blame", "raw"):
            path = f"/projects/{self.project.id}/repository/files/README.rst/{what}"
            self.assertEqual(self.gl.http_head(path, query_data={"ref": "main"})["X-Gitlab-Size"], "14")
        writers = self.project.repository_contributors(order_by="commits", sort="desc", iterator=True)
        self.assertEqual([one["commits"] for one in writers], [2])

    def test_streaming(self):
        for stream in (self.project.repository_archive, self.project.files.raw, self.project.repository_raw_blob):
            parts = []
            what = {
                self.project.repository_archive: {"format": "tar"},
                self.project.files.raw: {"file_path": "lib/a", "ref": "main"},
                self.project.repository_raw_blob: {"sha": self.project.repository_tree(path="lib")[0]["id"]},
            }[stream]
            stream(streamed=True, action=parts.append, chunk_size=1, **what)
            self.assertEqual(b"".join(parts), stream(**what))
            self.assertEqual(b"".join(stream(iterator=True, **what)), stream(**what))


class Changelogs(ServerTest):
    def test_generate_and_add(self):
        project = self.add_filled_project()
        project.tags.create({"tag_name": "v1.0.0", "ref": "main"})
        project.files.create(
            {"file_path": "new", "branch": "main", "content": "x", "commit_message": "Add new\n\nChangelog: added"}
        )
        # The client has no methods for this endpoint.
        path = f"/projects/{project.id}/repository/changelog"
        notes = self.gl.http_get(path, query_data={"version": "1.1.0"})["notes"]
        self.assertIn("### added (1 change)", notes)
        self.assertIn("Add new", notes)
        self.gl.http_post(path, post_data={"version": "1.1.0", "branch": "main", "message": "Add changelog"})
        self.assertIn(b"Add new", project.files.raw("CHANGELOG.md", ref="main"))
        with self.refused(gitlab.GitlabHttpError, 422):
            self.gl.http_get(path, query_data={"version": "1.1.0", "from": "no-such-ref"})


class Submodules(ServerTest):
    def test_update(self):
        inner = self.add_filled_project()
        target = inner.commits.list()[0].id
        outer = self.add_project()
        tree = self.work_tree(outer)
        tree.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
        modules = f'[submodule "lib"]\n\tpath = lib\n\turl = ../{inner.path}.git\n'
        blob = tree.git("hash-object", "-w", "--stdin", stdin=modules)
        tree.git("update-index", "--add", "--cacheinfo", f"100644,{blob},.gitmodules")
        tree.git("commit", "-q", "-m", "Add lib")
        tree.git("push", "-q", "origin", "main")
        moved = outer.update_submodule(submodule="lib", branch="main", commit_sha=target, commit_message="Move lib")
        self.assertEqual(moved["title"], "Move lib")
        entry = {one["path"]: one for one in outer.repository_tree()}["lib"]
        self.assertEqual((entry["type"], entry["id"]), ("commit", target))
        with self.refused(gitlab.GitlabUpdateError, 400, "Invalid submodule path"):
            outer.update_submodule(submodule="none", branch="main", commit_sha=target)
