"""Webhooks, search, wikis, audit events: what hangs on everything else."""

import gitlab

from support import ServerTest, unique


class Hooks(ServerTest):
    def test_of_projects_groups_and_the_server(self):
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


class Search(ServerTest):
    def test_finds_what_the_caller_may_see(self):
        word = unique("needle")
        project = self.add_filled_project({"hay.txt": f"hay\n{word}\n"}, visibility="private")
        project.issues.create({"title": word})
        project.milestones.create({"title": word})
        scope = gitlab.const.SearchScope
        self.assertEqual([one["title"] for one in self.gl.search(scope.ISSUES, word)], [word])
        self.assertEqual([one["path"] for one in project.search("blobs", word)], ["hay.txt"])
        self.assertEqual([one["title"] for one in project.search(scope.MILESTONES, word)], [word])
        outsider = self.client_of(self.add_user())
        for kind in ("projects", "issues", "milestones"):
            self.assertEqual(outsider.search(kind, word), [])


class Wikis(ServerTest):
    def test_pages(self):
        project = self.add_project()
        page = project.wikis.create({"title": "Home", "content": "# Hello"})
        page.content = "# Hello again"
        page.save()
        self.assertEqual(project.wikis.get(page.slug).content, "# Hello again")
        self.assertEqual([one.slug for one in project.wikis.list()], [page.slug])
        page.delete()


class Records(ServerTest):
    def test_audit_events_and_statistics(self):
        project = self.add_project()
        user = self.add_user()
        project.members.create({"user_id": user.id, "access_level": 30})
        self.assertTrue(project.audit_events.list())
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
