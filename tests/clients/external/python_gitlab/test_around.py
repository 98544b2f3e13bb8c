"""Less common calls for groups, projects and the instance that no other test covers."""

import time

import gitlab

from support import ServerTest, client, png, unique
from test_people import ssh_key


class Hooks(ServerTest):
    def test_get_and_update_system_hooks(self):
        hook = self.gl.hooks.create({"url": "https://example.com/system"})
        self.assertEqual(self.gl.hooks.get(hook.id).url, "https://example.com/system")
        changed = self.gl.http_put(f"/hooks/{hook.id}", post_data={"url": "https://example.com/other"})
        self.assertEqual(changed["url"], "https://example.com/other")
        hook.delete()

    def test_url_variables_are_hidden(self):
        group = self.add_group()
        secret = {"url": "https://example.com/{X_Key}", "url_variables": [{"key": "X_Key", "value": "v"}]}
        of_group = group.hooks.create(secret)
        of_server = self.gl.hooks.create({"url": "https://example.com/hook"})
        for path in (f"/groups/{group.id}/hooks/{of_group.id}", f"/hooks/{of_server.id}"):
            for part in ("custom_headers", "url_variables"):
                self.gl.http_put(f"{path}/{part}/X_Other", post_data={"value": "hidden"})
                shown = self.gl.http_get(path)
                self.assertIn({"key": "X_Other"}, shown[part])
                self.assertNotIn("hidden", str(shown))
                self.gl.http_delete(f"{path}/{part}/X_Other")
        self.assertEqual([one.id for one in group.hooks.list()], [of_group.id])
        of_group.delete()
        of_server.delete()


class Appearance(ServerTest):
    def test_texts_and_images(self):
        look = self.gl.appearance.get()
        before = look.title
        look.title = unique("title")
        look.save()
        self.assertEqual(self.gl.appearance.get().title, look.title)
        # The client sends only these files in a form, and takes the others from the fields.
        logo = {"logo": ("logo.png", png(), "image/png")}
        self.gl.http_put("/application/appearance", post_data=dict(logo), files=logo)
        self.assertTrue(self.gl.appearance.get().logo.endswith("/appearance/logo/1/logo.png"))
        self.gl.appearance.update(new_data={"title": before, "logo": ""})
        self.assertIsNone(self.gl.appearance.get().logo)
        with self.refused(gitlab.GitlabGetError, 403):
            self.client_of(self.add_user()).appearance.get()


class Access(ServerTest):
    def test_requests_for_access_to_groups(self):
        group = self.add_group(visibility="public")
        first, second = self.add_user(), self.add_user()
        for user in (first, second):
            self.client_of(user).groups.get(group.id).accessrequests.create({})
        self.assertEqual({one.id for one in group.accessrequests.list()}, {first.id, second.id})
        group.accessrequests.list()[0].approve(access_level=20)
        self.assertEqual(len(group.accessrequests.list()), 1)
        group.accessrequests.list()[0].delete()
        self.assertEqual(group.accessrequests.list(), [])

    def test_invitations(self):
        for place in (self.add_group(), self.add_project()):
            email = f"{unique('guest')}@example.com"
            place.invitations.create({"email": email, "access_level": 10})
            path = f"{place.invitations.path}/{email}"
            self.assertEqual([one.invite_email for one in place.invitations.list()], [email])
            self.assertEqual(self.gl.http_put(path, post_data={"access_level": 20})["access_level"], 20)
            place.invitations.delete(email)
            self.assertEqual(place.invitations.list(), [])

    def test_tokens_managed_by_a_group(self):
        group, member = self.add_group(), self.add_user()
        group.members.create({"user_id": member.id, "access_level": 30})
        token = member.personal_access_tokens.create({"name": "theirs", "scopes": ["api"]})
        found = self.gl.http_list(f"/groups/{group.id}/manage/personal_access_tokens", get_all=True)
        self.assertIn(token.id, [one["id"] for one in found])
        self.assertEqual(self.gl.http_list(f"/groups/{group.id}/manage/resource_access_tokens", get_all=True), [])

    def test_group_revokes_and_rotates_credentials(self):
        group, member = self.add_group(), self.add_user()
        group.members.create({"user_id": member.id, "access_level": 30})
        manage = f"/groups/{group.id}/manage"
        personal = member.personal_access_tokens.create({"name": "theirs", "scopes": ["api"]})
        renewed = self.gl.http_post(f"{manage}/personal_access_tokens/{personal.id}/rotate")
        self.assertNotEqual(renewed["token"], personal.token)
        self.gl.http_delete(f"{manage}/personal_access_tokens/{renewed['id']}")
        date = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 20 * 86400))
        resource = group.access_tokens.create({"name": "bot", "scopes": ["api"], "access_level": 30, "expires_at": date})
        renewed = self.gl.http_post(f"{manage}/resource_access_tokens/{resource.id}/rotate")
        self.gl.http_delete(f"{manage}/resource_access_tokens/{renewed['id']}")
        key = member.keys.create({"title": "theirs", "key": ssh_key(unique("key"))})
        self.assertIn(key.id, [one["id"] for one in self.gl.http_list(f"{manage}/ssh_keys", get_all=True)])
        self.gl.http_delete(f"{manage}/ssh_keys/{key.id}")

    def test_identify_and_revoke_a_leaked_token(self):
        token = self.add_user().personal_access_tokens.create({"name": "lost", "scopes": ["api"]})
        self.assertEqual(self.gl.http_post("/admin/token", post_data={"token": token.token})["id"], token.id)
        self.gl.http_delete("/admin/token", post_data={"token": token.token})
        with self.refused(gitlab.exceptions.GitlabAuthenticationError, 401):
            client(token.token).auth()

    def test_billable_and_pending_members(self):
        group, member = self.add_group(), self.add_user()
        group.members.create({"user_id": member.id, "access_level": 30})
        self.assertIn(member.id, [one.id for one in group.billable_members.list()])
        (billable,) = group.billable_members.list(search=member.username)
        self.assertEqual([one.source_id for one in billable.memberships.list()], [group.id])
        self.assertEqual(self.gl.http_list(f"/groups/{group.id}/billable_members/{member.id}/indirect"), [])
        state = f"/groups/{group.id}/members/{member.id}/state"
        self.gl.http_put(state, post_data={"state": "awaiting"})
        (waiting,) = self.gl.http_list(f"/groups/{group.id}/pending_members")
        self.gl.http_put(f"/groups/{group.id}/members/{waiting['id']}/approve")
        self.gl.http_put(state, post_data={"state": "awaiting"})
        self.gl.http_post(f"/groups/{group.id}/members/approve_all")
        self.assertEqual(self.gl.http_list(f"/groups/{group.id}/pending_members"), [])
        billable.delete()
        self.assertNotIn(member.id, [one.id for one in group.members.list()])


class Details(ServerTest):
    def test_versions_of_wiki_pages(self):
        for place in (self.add_group(), self.add_project()):
            page = place.wikis.create({"title": "Home", "content": "one"})
            page.content = "two"
            page.save()
            self.assertEqual([one.slug for one in place.wikis.list()], ["Home"])
            versions = self.gl.http_list(f"{place.wikis.path}/Home/versions", get_all=True)
            self.assertEqual(len(versions), 2)

    def test_avatars(self):
        group = self.add_group()
        group.avatar = png()
        group.save()
        project = self.add_project()
        project.avatar = png()
        project.save()
        for place, kind in ((group, "groups"), (project, "projects")):
            answer = self.gl.http_get(f"/{kind}/{place.id}/avatar", raw=True)
            self.assertEqual(answer.content, png())
        self.assertIn("avatar_url", self.gl.http_get("/avatar", query_data={"email": f"{unique('who')}@example.com"}))
        mine = self.client_of(self.add_user())
        sent = mine.http_put("/user/avatar", files={"avatar": ("me.png", png(), "image/png")})
        self.assertTrue(sent["avatar_url"].endswith("/me.png"))

    def test_custom_attributes_one_by_one(self):
        for place in (self.add_group(), self.add_project()):
            place.customattributes.set("colour", "red")
            self.assertEqual(place.customattributes.get("colour").value, "red")
            self.assertEqual([one.key for one in place.customattributes.list()], ["colour"])

    def test_metadata_markdown_and_audit_events(self):
        self.assertIn("version", self.gl.http_get("/metadata"))
        self.assertIn("paths", self.gl.http_get("/openapi.json"))
        self.assertIn("<strong>", self.gl.markdown("**bold**"))
        event = self.gl.audit_events.list(get_all=False)[0]
        self.assertEqual(self.gl.audit_events.get(event.id).id, event.id)
        project = self.add_project()
        self.assertIn("fetches", self.gl.http_get(f"/projects/{project.id}/statistics"))
        self.assertTrue(self.gl.http_get(f"/projects/{project.id}/templates/licenses/mit")["content"])

    def test_deprecated_search_urls(self):
        word = unique("needle")
        group = self.add_group()
        project = self.add_project(namespace_id=group.id)
        project.issues.create({"title": word})
        for path in (f"/groups/{group.id}/-/search", f"/projects/{project.id}/-/search"):
            found = self.gl.http_list(path, query_data={"scope": "issues", "search": word}, get_all=True)
            self.assertEqual([one["title"] for one in found], [word])
