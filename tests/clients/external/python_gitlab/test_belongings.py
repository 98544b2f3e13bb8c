"""Calls for users, groups and projects that the other tests do not cover."""

import datetime
import io

import gitlab

from support import ServerTest, client, unique


def in_a_month():
    return (datetime.date.today() + datetime.timedelta(days=30)).isoformat()


def is_there(export):
    try:
        return export.download() is not None
    except gitlab.GitlabGetError:
        return False


class People(ServerTest):
    def test_active_users_cannot_be_approved_or_rejected(self):
        path = f"/users/{self.add_user().id}"
        with self.refused(gitlab.GitlabHttpError, 409):
            self.gl.http_post(f"{path}/reject")
        with self.refused(gitlab.GitlabHttpError, 403):
            self.client_of(self.add_user()).http_post(f"{path}/approve")

    def test_preferences_counts_and_sessions(self):
        mine = self.client_of(self.add_user())
        shown = mine.http_get("/user/preferences")
        changed = mine.http_put(
            "/user/preferences",
            post_data={"view_diffs_file_by_file": True, "show_whitespace_in_diffs": False},
        )
        self.assertNotEqual(shown["view_diffs_file_by_file"], changed["view_diffs_file_by_file"])
        self.assertEqual(mine.http_get("/user_counts")["todos"], 0)
        self.assertEqual(mine.http_list("/user/sessions", get_all=True), [])
        mine.http_patch("/user/status", post_data={"message": "busy"})
        user = self.gl.users.get(mine.http_get("/user")["id"])
        self.assertEqual(user.status.get().message, "busy")
        self.assertEqual(self.gl.http_get(f"/users/{user.id}/associations_count")["groups_count"], 0)

    def test_emails(self):
        user = self.add_user()
        added = user.emails.create({"email": f"{unique('other')}@example.com", "skip_confirmation": True})
        self.assertEqual(user.emails.get(added.id).email, added.email)
        mine = self.client_of(user)
        mine.auth()
        self.assertEqual(mine.user.emails.get(added.id).email, added.email)

    def test_events_and_activities(self):
        user = self.add_user()
        mine = self.client_of(user)
        project = mine.projects.create({"name": unique("project"), "visibility": "public"})
        project.issues.create({"title": "Something"})
        self.gl.projects.get(project.id).star()
        self.assertEqual([one["user"]["username"] for one in self.gl.http_list(f"/projects/{project.id}/starrers", get_all=True)], ["root"])
        self.assertIn(project.id, [one.id for one in self.gl.users.get(1).starred_projects.list(get_all=True)])
        self.assertEqual([one.id for one in user.contributed_projects.list(get_all=True)], [project.id])
        today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        self.assertGreater(self.gl.http_get(f"/users/{user.username}/calendar")[today], 0)
        other = self.add_user()
        mine.users.get(other.id).follow()
        self.assertEqual([one.id for one in user.following_users.list(get_all=True)], [other.id])
        self.assertIn(user.username, [one["username"] for one in self.gl.http_list("/user/activities", get_all=True)])


class Tokens(ServerTest):
    def test_self_endpoints(self):
        user = self.add_user()
        made = user.personal_access_tokens.create({"name": "test", "scopes": ["api"]})
        own = client(made.token)
        found = own.http_get("/personal_access_tokens/self/associations")
        self.assertEqual((found["groups"], found["projects"]), ([], []))
        own.http_delete("/personal_access_tokens/self")
        with self.refused(gitlab.GitlabAuthenticationError, 401):
            own.auth()

    def test_create_own_token(self):
        mine = self.client_of(self.add_user())
        made = mine.http_post("/user/personal_access_tokens", post_data={"name": "n", "scopes": ["k8s_proxy"]})
        self.assertEqual(made["scopes"], ["k8s_proxy"])
        with self.refused(gitlab.GitlabHttpError, 400):
            mine.http_post("/user/personal_access_tokens", post_data={"name": "n", "scopes": ["api"]})

    def test_impersonation_tokens(self):
        user = self.add_user()
        made = user.impersonationtokens.create({"name": "as them", "scopes": ["api"], "expires_at": in_a_month()})
        self.assertEqual(user.impersonationtokens.get(made.id).name, "as them")

    def test_self_rotate_access_tokens(self):
        for place, kind in ((self.add_group(), "groups"), (self.add_project(), "projects")):
            made = place.access_tokens.create(
                {"name": "robot", "scopes": ["api", "self_rotate"], "access_level": 40, "expires_at": in_a_month()}
            )
            rotated = client(made.token).http_post(f"/{kind}/{place.id}/access_tokens/self/rotate")
            self.assertNotEqual(rotated["token"], made.token)
            with self.refused(gitlab.GitlabAuthenticationError, 401):
                client(made.token).http_get("/user")


class Members(ServerTest):
    def test_inherited_members(self):
        user, group = self.add_user(), self.add_group()
        group.members.create({"user_id": user.id, "access_level": 20})
        inner = self.add_group(parent_id=group.id)
        project = self.add_project(namespace_id=inner.id)
        for place in (inner, project):
            self.assertEqual(place.members_all.get(user.id).access_level, 20)
            with self.refused(gitlab.GitlabGetError, 404):
                place.members.get(user.id)
        member = project.members.create({"user_id": user.id, "access_level": 30})
        member.access_level = 40
        member.save()
        self.assertEqual(project.members.get(user.id).access_level, 40)

    def test_import_members(self):
        user, source, target = self.add_user(), self.add_project(), self.add_project()
        source.members.create({"user_id": user.id, "access_level": 30})
        self.gl.http_post(f"/projects/{target.id}/import_project_members/{source.id}")
        self.assertEqual(target.members.get(user.id).access_level, 30)

    def test_ban_from_groups(self):
        user, group = self.add_user(), self.add_group()
        group.members.create({"user_id": user.id, "access_level": 30})
        path = f"/groups/{group.id}/members"
        self.gl.http_post(f"{path}/{user.id}/ban")
        self.assertEqual([one["id"] for one in self.gl.http_list(f"{path}/banned", get_all=True)], [user.id])
        self.gl.http_delete(f"{path}/{user.id}/ban")
        self.assertEqual(self.gl.http_list(f"{path}/banned", get_all=True), [])

    def test_deny_access_request(self):
        project = self.add_project(visibility="public")
        user = self.add_user()
        self.client_of(user).projects.get(project.id).accessrequests.create({})
        project.accessrequests.delete(user.id)
        self.assertEqual(project.accessrequests.list(get_all=True), [])


class Places(ServerTest):
    def test_share(self):
        guest, host = self.add_group("guest"), self.add_group("host")
        project = self.add_project(namespace_id=host.id)
        host.share(guest.id, 30)
        project.share(guest.id, 30)
        paths = (
            (f"/groups/{guest.id}/groups/shared", host),
            (f"/groups/{host.id}/invited_groups", guest),
            (f"/projects/{project.id}/invited_groups", guest),
        )
        for path, other in paths:
            self.assertEqual([one["id"] for one in self.gl.http_list(path, get_all=True)], [other.id], path)
        shared = guest.shared_projects.list(get_all=True)
        self.assertEqual([one.id for one in shared], [project.id])
        other = self.add_group("other")
        found = self.gl.http_list(f"/projects/{project.id}/share_locations", query_data={"search": other.name}, get_all=True)
        self.assertEqual([one["id"] for one in found], [other.id])

    def test_transfer(self):
        home, away = self.add_group(), self.add_group("away")
        project = self.add_project()
        home.transfer_project(project.id)
        self.assertEqual(self.gl.projects.get(project.id).namespace["id"], home.id)
        for path in (f"/groups/{home.id}/transfer_locations", f"/projects/{project.id}/transfer_locations"):
            found = self.gl.http_list(path, query_data={"search": away.name}, get_all=True)
            self.assertEqual([one["id"] for one in found], [away.id], path)

    def test_archive(self):
        group = self.add_group()
        self.assertTrue(self.gl.http_post(f"/groups/{group.id}/archive")["archived"])
        self.assertFalse(self.gl.http_post(f"/groups/{group.id}/unarchive")["archived"])

    def test_group_events(self):
        group = self.add_group()
        project = self.add_project(namespace_id=group.id)
        project.issues.create({"title": "Something"})
        found = self.gl.http_list(f"/groups/{group.id}/events", get_all=True)
        self.assertIn("Something", [one["target_title"] for one in found])

    def test_create_for_another_user(self):
        user = self.add_user()
        made = user.projects.create({"name": unique("theirs")})
        self.assertEqual(self.gl.projects.get(made.id).namespace["path"], user.username)
        self.gl.http_get(f"/projects/{made.id}/pages_access")

    def test_topics(self):
        topic = self.gl.topics.create({"name": unique("topic"), "title": "A topic"})
        self.assertIn(topic.id, [one.id for one in self.gl.topics.list(get_all=True)])

    def test_badges(self):
        for place in (self.add_group(), self.add_project()):
            addresses = {"link_url": "https://example.com/%{project_path}", "image_url": "https://example.com/a.svg"}
            self.assertIn("rendered_link_url", place.badges.render(**addresses))
            badge = place.badges.create(addresses | {"name": "first"})
            badge.link_url = "https://example.com/other"
            badge.save()
            self.assertEqual(place.badges.get(badge.id).link_url, "https://example.com/other")
            self.assertEqual([one.id for one in place.badges.list(get_all=True)], [badge.id])
            badge.delete()

    def test_export_and_import(self):
        group = self.add_group()
        group.labels.create({"name": "kept", "color": "#ff0000"})
        self.add_group(parent_id=group.id, path="inner")
        export = group.exports.create()
        self.wait_for(lambda: is_there(export))
        path = unique("copy")
        self.gl.groups.import_group(io.BytesIO(export.download()), path, "Copy")
        copy = self.gl.groups.get(path)
        self.wait_for(lambda: copy.imports.get().import_status == "finished")
        self.assertEqual([label.name for label in copy.labels.list()], ["kept"])
        self.assertEqual([one.path for one in copy.subgroups.list()], ["inner"])

    def test_wiki_attachments(self):
        for place in (self.add_group(), self.add_project()):
            sent = place.wikis.create({"title": "Home", "content": "x"}).upload("a.txt", filedata=b"attached")
            self.assertEqual((sent["file_name"], sent["branch"]), ("a.txt", "main"))

    def test_code_owners(self):
        project = self.add_filled_project({"CODEOWNERS": "*.md @root\n", "a.md": "a"})
        found = self.gl.http_get(f"/projects/{project.id}/repository/files/a.md/code_owners", query_data={"ref": "main"})
        self.assertIn("root", str(found))


class Background(ServerTest):
    def test_dead_jobs(self):
        self.assertIsInstance(self.gl.http_list("/admin/dead_jobs", get_all=True), list)
        with self.refused(gitlab.GitlabHttpError, 404):
            self.gl.http_post("/admin/dead_jobs/999999/retry")
