"""Forks, uploads, repository size, statistics and maintenance."""

import io
import tarfile

import gitlab

from support import ServerTest


class Forks(ServerTest):
    def test_create_unlink_and_link(self):
        project, user = self.add_filled_project(visibility="public"), self.add_user()
        fork = project.forks.create({"namespace_path": user.username, "name": "Mine", "path": "mine"})
        self.assertEqual(fork.path_with_namespace, f"{user.username}/mine")
        fork = self.gl.projects.get(fork.id)
        self.assertEqual([one.id for one in project.forks.list(owned=False)], [fork.id])
        fork.delete_fork_relation()
        self.assertFalse(hasattr(self.gl.projects.get(fork.id), "forked_from_project"))
        self.assertEqual(project.forks.list(), [])
        fork.create_fork_relation(project.id)
        self.assertEqual(self.gl.projects.get(fork.id).forked_from_project["id"], project.id)

    def test_compare_with_upstream(self):
        project, user = self.add_filled_project(visibility="public"), self.add_user()
        fork = self.gl.projects.get(project.forks.create({"namespace": user.username}).id)
        self.wait_for(lambda: self.gl.projects.get(fork.id).import_status == "finished")
        fork.files.create({"file_path": "mine", "branch": "main", "content": "x\n", "commit_message": "Add mine"})
        compared = fork.repository_compare("main", "main", from_project_id=project.id)
        self.assertEqual([one["new_path"] for one in compared["diffs"]], ["mine"])


class Uploads(ServerTest):
    def test_list_download_and_delete(self):
        project = self.add_project()
        path = f"/projects/{project.id}/uploads"
        by_id, by_secret = (project.upload(name, "contents")["url"].split("/")[2:] for name in ("a.txt", "b.txt"))
        # The client only supports uploading.
        listed = {one["filename"]: one["id"] for one in self.gl.http_list(path)}
        self.assertEqual(set(listed), {"a.txt", "b.txt"})
        for address in (f"{path}/{listed['a.txt']}", f"{path}/{'/'.join(by_id)}"):
            self.assertEqual(self.gl.http_get(address, raw=True).content, b"contents")
        self.gl.http_delete(f"{path}/{listed['a.txt']}")
        self.gl.http_delete(f"{path}/{'/'.join(by_secret)}")
        self.assertEqual(self.gl.http_list(path), [])


class Repairs(ServerTest):
    def setUp(self):
        super().setUp()
        self.project = self.add_filled_project({"main.py": "print('hello')\n"})

    def test_snapshot(self):
        names = tarfile.open(fileobj=io.BytesIO(self.project.snapshot())).getnames()
        self.assertTrue({"HEAD", "objects", "refs"} <= {name.split("/")[-1] for name in names} | set(names), names)
        streamed = []
        self.project.snapshot(streamed=True, action=streamed.append)
        self.assertTrue(tarfile.is_tarfile(io.BytesIO(b"".join(streamed))))

    def test_housekeeping(self):
        self.project.housekeeping(task="eager")
        with self.refused(gitlab.GitlabHousekeepingError, 409, "already triggered housekeeping"):
            self.project.housekeeping()

    def test_sizes_and_languages(self):
        self.gl.http_post(f"/projects/{self.project.id}/repository_size")
        measured = self.gl.projects.get(self.project.id, statistics=True).statistics
        self.assertGreater(measured["repository_size"], 0)
        self.assertEqual(measured["commit_count"], 1)
        self.wait_for(self.project.languages)
        self.assertEqual(self.project.languages(), {"Python": 100.0})

    def test_fetch_statistics(self):
        tree = self.work_tree(self.project)
        tree.git("fetch", "-q", "origin")
        self.wait_for(lambda: self.project.additionalstatistics.get().fetches["total"] == 1)

    def test_health(self):
        path = f"/projects/{self.project.id}/repository/health"
        with self.refused(gitlab.GitlabHttpError, 404):
            self.gl.http_get(path)
        report = self.gl.http_get(path, query_data={"generate": True})
        self.assertGreater(report["size"], 0)
        self.assertEqual(report["references"]["reference_backend"], "REFERENCE_BACKEND_FILES")
