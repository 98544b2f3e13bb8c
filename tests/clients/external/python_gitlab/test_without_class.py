"""Endpoints without a class in python-gitlab, called with plain requests as its users do."""

import gitlab

from support import ServerTest, png


class Integrations(ServerTest):
    def test_create_test_and_delete(self):
        group = self.add_group()
        project = self.add_filled_project({"a.txt": "a"}, namespace_id=group.id)
        letters = {"recipients": "list@example.com"}
        for place in (f"/projects/{project.id}", f"/groups/{group.id}"):
            one = f"{place}/integrations/emails-on-push"
            self.gl.http_put(one, post_data=letters)
            self.assertEqual(self.gl.http_get(one)["properties"]["recipients"], "list@example.com")
            self.assertEqual([each["slug"] for each in self.gl.http_list(f"{place}/integrations")], ["emails-on-push"])
            self.gl.http_post(f"{one}/test")
            self.gl.http_delete(one)
            with self.refused(gitlab.GitlabHttpError, 404):
                self.gl.http_get(one)
        with self.refused(gitlab.GitlabHttpError, 400):
            self.gl.http_put(f"/projects/{project.id}/integrations/jira", post_data={"url": "nowhere"})

    def test_deprecated_services_url(self):
        project = self.add_project()
        tracker = {"project_url": "https://bugs.example/app", "issues_url": "https://bugs.example/:id", "new_issue_url": "https://bugs.example/new"}
        one = f"/projects/{project.id}/services/redmine"
        self.gl.http_put(one, post_data=tracker)
        self.assertTrue(self.gl.http_get(one)["active"])
        self.assertEqual([each["slug"] for each in self.gl.http_list(f"/projects/{project.id}/services")], ["redmine"])
        self.gl.http_delete(one)


class ProjectAliases(ServerTest):
    def test_create_and_delete(self):
        project = self.add_project()
        name = f"alias-{project.id}"
        self.gl.http_post("/project_aliases", post_data={"project_id": project.id, "name": name})
        self.assertEqual(self.gl.http_get(f"/project_aliases/{name}")["project_id"], project.id)
        self.assertIn(name, [each["name"] for each in self.gl.http_list("/project_aliases", get_all=True)])
        with self.refused(gitlab.GitlabHttpError, 400):
            self.gl.http_post("/project_aliases", post_data={"project_id": project.id, "name": name})
        self.gl.http_delete(f"/project_aliases/{name}")


class WikiPages(ServerTest):
    def test_discussions(self):
        for owner in (self.add_project(), self.add_group()):
            page = owner.wikis.create({"title": "Home", "content": "Welcome"})
            notes = f"{owner.manager.path}/{owner.id}/wiki_pages/{page.wiki_page_meta_id}/notes"
            note = self.gl.http_post(notes, post_data={"body": "Well said"})
            one = f"{notes}/{note['id']}"
            self.gl.http_put(one, post_data={"body": "Very well said"})
            self.assertEqual(self.gl.http_get(one)["body"], "Very well said")
            self.assertEqual(len(self.gl.http_list(notes)), 1)
            self.gl.http_delete(one)
            self.assertEqual(self.gl.http_list(notes), [])


class Incidents(ServerTest):
    def test_metric_images(self):
        project = self.add_project()
        incident = project.issues.create({"title": "Down", "issue_type": "incident"})
        images = f"/projects/{project.id}/issues/{incident.iid}/metric_images"
        files = {"file": ("chart.png", png(), "image/png")}
        image = self.gl.http_post(images, files=files, post_data={"url": "https://charts.example/1"})
        one = f"{images}/{image['id']}"
        self.gl.http_put(one, post_data={"url_text": "Requests"})
        self.assertEqual([each["url_text"] for each in self.gl.http_list(images)], ["Requests"])
        self.gl.http_delete(one)


class GroupUploads(ServerTest):
    def test_upload_list_download_and_delete(self):
        uploads = f"/groups/{self.add_group().id}/uploads"
        for name in ("one.txt", "two.txt"):
            self.gl.http_post(uploads, files={"file": (name, b"text", "text/plain")})
        second, first = self.gl.http_list(uploads)
        self.assertEqual([first["filename"], second["filename"]], ["one.txt", "two.txt"])
        made = self.gl.http_post(uploads, files={"file": ("three.txt", b"three", "text/plain")})
        by_secret = uploads + made["url"].removeprefix("/uploads")
        for one in (f"{uploads}/{made['id']}", by_secret):
            self.assertEqual(self.gl.http_get(one, raw=True).content, b"three")
        self.gl.http_delete(by_secret)
        self.gl.http_delete(f"{uploads}/{first['id']}")
        self.assertEqual([each["id"] for each in self.gl.http_list(uploads)], [second["id"]])


class SshCertificates(ServerTest):
    authority = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ559Bc1XZjw8iPo6ZKKFwXmZcS6o5GkHFThRzwHu3P2"

    def test_create_and_delete(self):
        place = f"/groups/{self.add_group().id}/ssh_certificates"
        made = self.gl.http_post(place, post_data={"title": "Office", "key": self.authority})
        self.assertEqual([each["title"] for each in self.gl.http_list(place)], ["Office"])
        with self.refused(gitlab.GitlabHttpError, 400):
            self.gl.http_post(place, post_data={"title": "Office", "key": "no key"})
        self.gl.http_delete(f"{place}/{made['id']}")
        self.assertEqual(self.gl.http_list(place), [])


class SecretPushProtection(ServerTest):
    def test_rejects_commits_with_secrets(self):
        group = self.add_group()
        project = self.add_filled_project({"a.txt": "a"}, namespace_id=group.id)
        switched = self.gl.http_put(f"/groups/{group.id}/security_settings", post_data={"secret_push_protection_enabled": True})
        self.assertEqual(switched, {"secret_push_protection_enabled": True, "errors": []})
        one = f"/projects/{project.id}/security_settings"
        self.gl.http_put(one, post_data={"secret_push_protection_enabled": True})
        self.assertTrue(self.gl.http_get(one)["secret_push_protection_enabled"])
        secret = {"action": "create", "file_path": "b.txt", "content": "glpat-" + "x" * 20}
        with self.refused(gitlab.GitlabCreateError, 400):
            project.commits.create({"branch": "main", "commit_message": "Tell", "actions": [secret]})


class Subscriptions(ServerTest):
    def test_default_plan(self):
        group = self.add_group()
        self.assertEqual(self.gl.http_get(f"/namespaces/{group.id}/gitlab_subscription")["plan"]["code"], "default")


class Conflicts(ServerTest):
    def test_show_and_resolve(self):
        project = self.add_filled_project({"a.txt": "one\n"})
        for branch, start, text in (("topic", "main", "mine\n"), ("main", None, "theirs\n")):
            change = {"action": "update", "file_path": "a.txt", "content": text}
            more = {"start_branch": start} if start else {}
            project.commits.create({"branch": branch, "commit_message": text, "actions": [change], **more})
        request = project.mergerequests.create({"source_branch": "topic", "target_branch": "main", "title": "Mine"})
        place = f"/projects/{project.id}/merge_requests/{request.iid}"
        found = self.gl.http_get(f"{place}/conflicts")
        self.assertEqual([each["path"] for each in found["files"]], ["a.txt"])
        resolved = {
            "source_sha": found["source_sha"],
            "target_sha": found["target_sha"],
            "files": [{"path": "a.txt", "take": "source"}],
        }
        self.gl.http_post(f"{place}/resolve_conflicts", post_data=resolved)
        self.assertEqual(project.files.raw("a.txt", ref="topic"), b"mine\n")


class Around(ServerTest):
    def test_provisioned_and_saml_users(self):
        group = self.add_group()
        account = group.service_accounts.create({"name": "Robot"})
        self.assertEqual([each["id"] for each in self.gl.http_list(f"/groups/{group.id}/provisioned_users")], [account.id])
        self.assertEqual(self.gl.http_list(f"/groups/{group.id}/saml_users"), [])

    def test_incoming_email_addresses(self):
        project = self.add_project()
        before = self.gl.http_get(f"/projects/{project.id}/new_issue_address")["address"]
        self.assertIn("@mail.example", before)
        self.assertIn("token", str(self.gl.http_get("/user/incoming_email_token")))
        self.gl.http_post("/user/incoming_email_token/rotate")
        self.assertNotEqual(self.gl.http_get(f"/projects/{project.id}/new_issue_address")["address"], before)

    def test_last_commits_of_a_folder(self):
        project = self.add_filled_project({"a.txt": "a", "b.txt": "b"})
        told = self.gl.http_list(f"/projects/{project.id}/repository/tree/last_commits")
        self.assertEqual([each["name"] for each in told], ["a.txt", "b.txt"])
        self.assertNotEqual(told[0]["commit"]["id"], told[1]["commit"]["id"])

    def test_diff_stats(self):
        project = self.add_filled_project({"a.txt": "one\n"})
        change = {"action": "create", "file_path": "b.txt", "content": "two\nthree\n"}
        made = {"branch": "topic", "start_branch": "main", "commit_message": "More", "actions": [change]}
        commit = project.commits.create(made)
        request = project.mergerequests.create({"source_branch": "topic", "target_branch": "main", "title": "More"})
        place = f"/projects/{project.id}"
        for path in (
            f"{place}/merge_requests/{request.iid}/diff_stats",
            f"{place}/repository/commits/{commit.id}/diff_stats",
            f"{place}/repository/compare/diff_stats?from=main&to=topic",
        ):
            told = self.gl.http_list(path)
            self.assertEqual([(each["new_path"], each["additions"]) for each in told], [("b.txt", 2)])
        viewed = f"{place}/merge_requests/{request.iid}/viewed_files"
        self.gl.http_put(f"{viewed}/0123456789abcdef")
        self.assertEqual([each["version"] for each in self.gl.http_list(viewed)], ["0123456789abcdef"])
        self.gl.http_delete(f"{viewed}/0123456789abcdef")
        self.assertEqual(self.gl.http_list(viewed), [])
        said = self.gl.http_get(f"{place}/merge_requests/{request.iid}/default_messages")
        self.assertEqual(said["squash_commit_message"], "More")
        self.assertTrue(said["merge_commit_message"].startswith("Merge branch 'topic' into 'main'"))


class Analytics(ServerTest):
    def test_dora_metrics_and_group_activity(self):
        group = self.add_group()
        project = self.add_filled_project({"a.txt": "a"}, namespace_id=group.id)
        for place in (f"/projects/{project.id}", f"/groups/{group.id}"):
            told = self.gl.http_get(f"{place}/dora/metrics", query_data={"metric": "deployment_frequency", "interval": "all"})
            self.assertEqual(told, [{"date": None, "value": 0}])
        for what in ("issues_count", "merge_requests_count", "new_members_count"):
            told = self.gl.http_get(f"/analytics/group_activity/{what}", query_data={"group_path": group.full_path})
            self.assertEqual(list(told), [what])


class Namespaces(ServerTest):
    def test_compute_minutes(self):
        group = self.add_group()
        changed = self.gl.http_put(f"/namespaces/{group.id}", post_data={"shared_runners_minutes_limit": 400})
        self.assertEqual(changed["shared_runners_minutes_limit"], 400)
        with self.refused(gitlab.GitlabHttpError, 404):
            self.gl.http_put("/namespaces/999999", post_data={"shared_runners_minutes_limit": 400})
