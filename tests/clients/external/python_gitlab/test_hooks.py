"""Webhooks, search, wikis, instance settings and audit events."""

import os

import gitlab

from support import ServerTest, unique


class Hooks(ServerTest):
    def test_of_projects_groups_and_the_instance(self):
        project, group = self.add_project(), self.add_group()
        for manager in (project.hooks, group.hooks):
            hook = manager.create({"url": "https://example.com/hook", "push_events": True, "token": "secret"})
            hook.issues_events = True
            hook.save()
            found = manager.get(hook.id)
            self.assertTrue(found.issues_events)
            self.assertNotIn("secret", str(found.attributes))
            self.assertEqual(list(self.gl.http_list(f"{manager.path}/{hook.id}/events")), [])
            hook.delete()
        hook = self.gl.hooks.create({"url": "https://example.com/system"})
        self.assertIn(hook.id, [one.id for one in self.gl.hooks.list()])
        hook.delete()
        with self.refused(gitlab.GitlabCreateError, 422):
            project.hooks.create({"url": "ftp://example.com"})


    def test_trigger_and_event_log(self):
        project = self.add_filled_project({"a.txt": "a"})
        with self.refused(gitlab.GitlabCreateError, 422, "Invalid url given"):
            project.hooks.create({"url": f"{self.gl.url}/-/health"})
        hook = project.hooks.create({"url": "https://receiver.invalid/hook", "push_events": True})
        # The receiver does not exist.
        with self.refused(gitlab.GitlabHttpError, 422):
            self.gl.http_post(f"{project.hooks.path}/{hook.id}/test/push_events")
        with self.refused(gitlab.GitlabHttpError, 422, "Ensure the project has releases."):
            self.gl.http_post(f"{project.hooks.path}/{hook.id}/test/releases_events")
        for part in ("custom_headers", "url_variables"):
            path = f"{project.hooks.path}/{hook.id}/{part}/X_Key"
            self.gl.http_put(path, post_data={"value": "hidden"})
            self.assertNotIn("hidden", str(project.hooks.get(hook.id).attributes))
            self.gl.http_delete(path)
        hook.delete()


class Chats(ServerTest):
    def test_create_update_and_delete(self):
        project = self.add_project()
        self.assertIn("slack", project.integrations.available())
        with self.refused(gitlab.GitlabGetError, 404):
            project.integrations.get("slack")
        project.integrations.update("slack", {"webhook": "https://chat.example/hush", "push_events": False})
        slack = project.integrations.get("slack")
        self.assertTrue(slack.active)
        self.assertFalse(slack.push_events)
        slack.webhook = "https://chat.example/other"
        slack.channel = "#all"
        slack.save()
        self.assertEqual(project.integrations.get("slack").properties["channel"], "#all")
        self.assertEqual([each.slug for each in project.integrations.list(get_all=True)], ["slack"])
        slack.delete()
        self.assertEqual(project.integrations.list(get_all=True), [])


class Search(ServerTest):
    def test_respects_visibility(self):
        word = unique("needle")
        group = self.add_group(visibility="public")
        project = self.add_filled_project(
            {"hay.txt": f"hay\n{word}\n"}, visibility="private", namespace_id=group.id, name=word
        )
        issue = project.issues.create({"title": word})
        issue.notes.create({"body": f"about {word}"})
        project.milestones.create({"title": word})
        project.wikis.create({"title": "Home", "content": f"about {word}"})
        scope = gitlab.const.SearchScope
        outsider = self.client_of(self.add_user())
        for kind in (scope.PROJECTS, scope.ISSUES, scope.MILESTONES):
            self.assertEqual(len(self.gl.search(kind, word)), 1, kind)
            self.assertEqual(len(group.search(kind, word)), 1, kind)
            self.assertEqual(outsider.search(kind, word), [], kind)
            self.assertEqual(outsider.groups.get(group.id).search(kind, word), [], kind)
        for kind in ("merge_requests", "snippet_titles"):
            self.assertEqual(self.gl.search(kind, word), [], kind)
        for kind in ("issues", "milestones", "notes", "wiki_blobs", "blobs"):
            self.assertEqual(len(project.search(kind, word)), 1, kind)
        self.assertEqual([one["path"] for one in project.search("blobs", f"{word} extension:txt")], ["hay.txt"])
        self.assertEqual(project.search("blobs", f"{word} extension:rb"), [])
        for kind in ("commits", "merge_requests"):
            self.assertEqual(project.search(kind, word), [], kind)
        self.assertTrue(self.gl.search("users", "root"))
        for place in (self.gl, group):
            self.assertEqual([one["path"] for one in place.search("blobs", word)], ["hay.txt"])
        self.assertEqual(outsider.search("blobs", word), [])
        with self.refused(gitlab.GitlabSearchError, 400):
            self.gl.search("haystacks", word)


class Directory(ServerTest):
    def test_group_links(self):
        group = self.add_group()
        with self.refused(gitlab.GitlabListError, 404):
            group.ldap_group_links.list()
        link = {"provider": "ldapmain", "cn": "Devs", "group_access": 30}
        group.ldap_group_links.create(link)
        group.ldap_group_links.create({"provider": "ldapother", "filter": "(a=b)", "group_access": 40})
        found = [(one.provider, one.cn, one.filter, one.group_access) for one in group.ldap_group_links.list()]
        self.assertEqual(found, [("ldapmain", "Devs", None, 30), ("ldapother", None, "(a=b)", 40)])
        with self.refused(gitlab.GitlabCreateError, 409):
            group.ldap_group_links.create(link)
        group.ldap_group_links.delete(provider="ldapmain", cn="Devs")
        self.assertEqual(len(group.ldap_group_links.list()), 1)
        if os.environ.get("HEARTH_TEST_DIRECTORY"):
            return
        # Without an LDAP server there is nothing to synchronize.
        with self.refused(gitlab.GitlabCreateError, 404):
            group.ldap_sync()
        with self.refused(gitlab.GitlabListError, 404):
            self.gl.ldapgroups.list()

    def test_saml_group_links(self):
        group = self.add_group()
        link = {"saml_group_name": "Devs", "access_level": 30}
        self.assertEqual(group.saml_group_links.create(link).name, "Devs")
        self.assertEqual([one.name for one in group.saml_group_links.list()], ["Devs"])
        self.assertEqual(group.saml_group_links.get("Devs").access_level, 30)
        group.saml_group_links.delete("Devs")
        with self.refused(gitlab.GitlabGetError, 404):
            group.saml_group_links.get("Devs")


class Instance(ServerTest):
    def test_settings_and_limits(self):
        settings = self.gl.settings.get()
        settings.default_projects_limit = 99_999
        settings.save()
        self.assertEqual(self.gl.settings.get().default_projects_limit, 99_999)
        settings.default_projects_limit = 100_000
        settings.save()
        limits = self.gl.http_get("/application/plan_limits")
        self.assertIn("ci_pipeline_schedules", limits)
        changed = self.gl.http_put("/application/plan_limits", post_data={"plan_name": "default", "ci_pipeline_schedules": 12})
        self.assertEqual(changed["ci_pipeline_schedules"], 12)
        with self.refused(gitlab.GitlabHttpError, 403):
            self.client_of(self.add_user()).http_get("/application/plan_limits")

    def test_templates(self):
        for manager, name in (
            (self.gl.gitignores, "Node"),
            (self.gl.licenses, "mit"),
            (self.gl.gitlabciymls, None),
            (self.gl.dockerfiles, None),
        ):
            listed = manager.list(get_all=False)
            self.assertTrue(listed)
            self.assertTrue(manager.get(name or listed[0].key).content)
        project = self.add_project()
        self.assertTrue(self.gl.http_list(f"/projects/{project.id}/templates/licenses", get_all=False))


class Wikis(ServerTest):
    def test_pages(self):
        project = self.add_project()
        page = project.wikis.create({"title": "Home", "content": "# Hello"})
        page.content = "# Hello again"
        page.save()
        self.assertEqual(project.wikis.get(page.slug).content, "# Hello again")
        self.assertEqual([one.slug for one in project.wikis.list()], [page.slug])
        page.delete()
        group = self.add_group()
        page = group.wikis.create({"title": "Home", "content": "Of the group"})
        self.assertEqual(group.wikis.get(page.slug).content, "Of the group")
        page.delete()


class Records(ServerTest):
    def test_audit_events_and_statistics(self):
        project = self.add_project()
        user = self.add_user()
        project.members.create({"user_id": user.id, "access_level": 30})
        listed = project.audit_events.list()
        self.assertEqual(project.audit_events.get(listed[0].id).entity_id, project.id)
        group = self.add_group()
        group.members.create({"user_id": user.id, "access_level": 30})
        listed = group.audit_events.list()
        self.assertEqual(group.audit_events.get(listed[0].id).entity_type, "Group")
        self.assertTrue(self.gl.audit_events.list(get_all=False))
        self.assertGreater(int(str(self.gl.statistics.get().projects).replace(",", "")), 0)


class Errors(ServerTest):
    def test_client_keys(self):
        project = self.add_project()
        path = f"/projects/{project.id}/error_tracking/settings"
        self.gl.http_put(path, post_data={"active": True, "integrated": True})
        keys = f"/projects/{project.id}/error_tracking/client_keys"
        key = self.gl.http_post(keys)
        self.assertIn("@", key["sentry_dsn"])
        self.assertIn(key["id"], [one["id"] for one in self.gl.http_list(keys)])
        self.gl.http_delete(f"{keys}/{key['id']}")
