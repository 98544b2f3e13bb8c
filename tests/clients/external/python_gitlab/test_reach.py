"""Requests of the server to others: webhook deliveries, mirrors and LDAP."""

import http.server
import json
import os
import threading
import unittest

import gitlab

from support import TOKEN, URL, ServerTest, unique

DIRECTORY = os.environ.get("HEARTH_TEST_DIRECTORY")


class Receiver(http.server.ThreadingHTTPServer):
    """Records all requests."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Taking)
        self.received = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def at(self, path):
        return [one for one in self.received if one["path"] == path]


class _Taking(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append({"path": self.path, "headers": self.headers, "body": json.loads(body)})
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class NearTest(ServerTest):
    """A test in which the server may send requests to this machine."""

    def setUp(self):
        super().setUp()
        names = ("allow_local_requests_from_web_hooks_and_services", "allow_local_requests_from_system_hooks")
        before = self.gl.settings.get()
        self.addCleanup(self.gl.settings.update, new_data={name: getattr(before, name) for name in names})
        self.gl.settings.update(new_data={name: True for name in names})


class Hooks(NearTest):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.server_close)
        self.addCleanup(self.receiver.shutdown)

    def test_trigger_and_resend_project_and_group_hooks(self):
        group = self.add_group()
        project = self.add_filled_project({"a.txt": "a"}, namespace_id=group.id)
        for place in (project, group):
            path = f"/{place.id}-{{part}}"
            hook = place.hooks.create(
                {
                    "url": self.receiver.url + path,
                    "url_variables": [{"key": "part", "value": "hidden"}],
                    "custom_headers": [{"key": "X-Mine", "value": "whispered"}],
                    "token": "secret",
                    "push_events": True,
                }
            )
            sent_to = f"/{place.id}-hidden"
            self.assertIn(hook.id, [one.id for one in place.hooks.list(get_all=True)])
            place.hooks.get(hook.id).test("push_events")
            self.assertEqual(len(self.receiver.at(sent_to)), 1)
            first = self.receiver.at(sent_to)[0]
            self.assertEqual(first["body"]["object_kind"], "push")
            self.assertEqual((first["headers"]["X-Mine"], first["headers"]["X-Gitlab-Token"]), ("whispered", "secret"))
            events = self.gl.http_list(f"{place.hooks.path}/{hook.id}/events", get_all=True)
            for word in ("hidden", "whispered", "secret"):
                self.assertNotIn(word, json.dumps(events))
            self.gl.http_post(f"{place.hooks.path}/{hook.id}/events/{events[0]['id']}/resend")
            self.assertEqual(len(self.receiver.at(sent_to)), 2)
            with self.refused(gitlab.GitlabHookTestError, 400):
                place.hooks.get(hook.id).test("no_such_events")
            hook.delete()

    def test_trigger_system_hooks(self):
        path = f"/{unique('system')}"
        hook = self.gl.hooks.create({"url": self.receiver.url + path})
        self.gl.http_post(f"/hooks/{hook.id}")
        self.wait_for(lambda: self.receiver.at(path))
        hook.delete()
        self.assertNotIn(hook.id, [one.id for one in self.gl.hooks.list(get_all=True)])


class Mirrors(NearTest):
    def address_of(self, project):
        return URL.replace("://", f"://root:{TOKEN}@") + f"/{project.path_with_namespace}.git"

    def test_push_mirror(self):
        project, target = self.add_filled_project(), self.add_project()
        mirror = project.remote_mirrors.create({"url": self.address_of(target), "enabled": True})
        mirror.keep_divergent_refs = True
        mirror.save()
        shown = self.gl.http_get(f"/projects/{project.id}/remote_mirrors/{mirror.id}")
        self.assertTrue(shown["keep_divergent_refs"])
        listed = project.remote_mirrors.list(get_all=True)
        self.assertEqual([one.id for one in listed], [mirror.id])
        self.assertNotIn(TOKEN, str(listed[0].attributes))
        mirror.sync()
        self.wait_for(lambda: [one.name for one in target.branches.list(get_all=True)] == ["main"])
        mirror.delete()
        by_key = project.remote_mirrors.create(
            {"url": "ssh://git@127.0.0.1/a.git", "auth_method": "ssh_public_key", "enabled": False}
        )
        key = self.gl.http_get(f"/projects/{project.id}/remote_mirrors/{by_key.id}/public_key")
        self.assertTrue(key["public_key"].startswith("ssh-"))

    def test_pull_mirror(self):
        source, project = self.add_filled_project(), self.add_project()
        project.pull_mirror.create({"url": self.address_of(source), "enabled": True})
        self.assertNotIn(TOKEN, str(project.pull_mirror.get().attributes))
        project.pull_mirror.start()
        self.wait_for(lambda: [one.name for one in project.branches.list(get_all=True)] == ["main"])
        path = f"/projects/{project.id}/mirror/pull"
        self.gl.http_put(path, post_data={"url": "ssh://git@127.0.0.1/a.git", "auth_method": "ssh_public_key"})
        self.assertTrue(self.gl.http_get(f"{path}/public_key")["public_key"].startswith("ssh-"))


@unittest.skipUnless(DIRECTORY, "no directory was started")
class Directory(ServerTest):
    """The LDAP server has the users ann and ben in the group Devs. Their passwords are `secret of` and the name."""

    def sign_in(self, name):
        """Signs in with git; an LDAP user gets an account at the first sign-in."""
        project = self.add_filled_project(visibility="internal")
        tree = self.work_tree(project)
        address = URL.replace("://", f"://{name}:{f'secret of {name}'.replace(' ', '%20')}@")
        tree.git("ls-remote", f"{address}/{project.path_with_namespace}.git")
        return self.gl.users.list(username=name)[0]

    def levels(self, group):
        return {one.username: one.access_level for one in group.members.list(get_all=True)}

    def sync(self, group, wanted):
        group.ldap_sync()
        self.wait_for(lambda: self.levels(group) == wanted)

    def test_group_links_synchronize_members(self):
        ann, ben = self.sign_in("ann"), self.sign_in("ben")
        self.assertEqual({one["provider"] for one in self.gl.users.get(ann.id).identities}, {"ldapmain"})
        group, owner = self.add_group(), self.add_user("owner")
        group.members.create({"user_id": owner.id, "access_level": 50})
        owners = {"root": 50, owner.username: 50}
        link = group.ldap_group_links.create({"provider": "ldapmain", "cn": "Devs", "group_access": 30})
        self.sync(group, owners | {"ann": 30, "ben": 30})
        with self.refused(gitlab.GitlabDeleteError, 403):
            self.client_of(owner).groups.get(group.id).members.delete(ben.id)
        self.gl.http_post(f"/groups/{group.id}/members/{ann.id}/override")
        member = group.members.get(ann.id)
        member.access_level = 20
        member.save()
        self.sync(group, owners | {"ann": 20, "ben": 30})
        self.gl.http_delete(f"/groups/{group.id}/members/{ann.id}/override")
        self.sync(group, owners | {"ann": 30, "ben": 30})
        link.delete()
        for path in ("Devs", "ldapmain/Devs"):
            group.ldap_group_links.create({"provider": "ldapmain", "cn": "Devs", "group_access": 30})
            self.gl.http_delete(f"/groups/{group.id}/ldap_group_links/{path}")

    def test_list_groups(self):
        self.assertEqual([one.cn for one in self.gl.ldapgroups.list(search="dev")], ["Devs"])
        self.assertEqual([one.cn for one in self.gl.ldapgroups.list(provider="ldapmain")], ["Devs"])
        with self.refused(gitlab.GitlabListError, 404):
            self.gl.ldapgroups.list(provider="ldapother")
