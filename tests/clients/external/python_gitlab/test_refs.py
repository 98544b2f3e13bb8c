"""Branches, tags, protection, releases, deploy keys and deploy tokens."""

import datetime

import gitlab
from gitlab.const import AccessLevel

from support import ServerTest, unique
from test_people import fingerprint, ssh_key


class Refs(ServerTest):
    def setUp(self):
        super().setUp()
        self.project = self.add_filled_project()


class Branches(Refs):
    def test_create_get_and_delete(self):
        for name in ("my.branch.name", "feature/with-slash", "ü & more"):
            with self.subTest(name=name):
                if " " in name:
                    with self.refused(gitlab.GitlabCreateError, 400):
                        self.project.branches.create({"branch": name, "ref": "main"})
                    continue
                branch = self.project.branches.create({"branch": name, "ref": "main"})
                self.assertEqual(self.project.branches.get(name).name, branch.name)
                self.assertEqual([one.name for one in self.project.branches.list(search=name)], [name])
                branch.delete()
                with self.refused(gitlab.GitlabGetError, 404, "404 Branch Not Found"):
                    self.project.branches.get(name)

    def test_validation(self):
        with self.refused(gitlab.GitlabCreateError, 400, "Branch already exists"):
            self.project.branches.create({"branch": "main", "ref": "main"})
        with self.refused(gitlab.GitlabCreateError, 400, "invalid reference name 'none'"):
            self.project.branches.create({"branch": "x", "ref": "none"})
        with self.refused(gitlab.GitlabDeleteError, 404):
            self.project.branches.delete("none")

    def test_delete_merged(self):
        self.project.branches.create({"branch": "merged", "ref": "main"})
        self.project.delete_merged_branches()

    def test_search(self):
        for name in ("a-1", "a-2", "b-1"):
            self.project.branches.create({"branch": name, "ref": "main"})
        names = lambda **query: [one.name for one in self.project.branches.list(**query)]
        self.assertEqual(names(search="^a-"), ["a-1", "a-2"])
        self.assertEqual(names(search="-1$"), ["a-1", "b-1"])
        self.assertEqual(names(regex="^[ab]-1$"), ["a-1", "b-1"])
        self.assertEqual(names(per_page=2, page=2), ["b-1", "main"])
        walked = self.project.branches.list(iterator=True, per_page=1)
        self.assertEqual([one.name for one in walked], ["a-1", "a-2", "b-1", "main"])

    def test_deprecated_protection(self):
        # The client has removed these methods, but other clients still use the endpoints.
        branch = f"/projects/{self.project.id}/repository/branches/main"
        unprotected = self.gl.http_put(f"{branch}/unprotect")
        self.assertEqual((unprotected["name"], unprotected["protected"]), ("main", False))
        protected = self.gl.http_put(f"{branch}/protect", post_data={"developers_can_push": True})
        self.assertEqual((protected["protected"], protected["developers_can_push"]), (True, True))

    def test_protection(self):
        rule = self.project.protectedbranches.create({"name": "*-stable", "allow_force_push": False})
        self.assertEqual((rule.name, rule.allow_force_push), ("*-stable", False))
        self.assertIn(rule, self.project.protectedbranches.list())
        rule.allow_force_push = True
        rule.save()
        self.assertIs(self.project.protectedbranches.get("*-stable").allow_force_push, True)
        with self.refused(gitlab.GitlabCreateError, 409):
            self.project.protectedbranches.create({"name": "*-stable"})
        rule.delete()
        with self.refused(gitlab.GitlabGetError, 404):
            self.project.protectedbranches.get("*-stable")

    def test_protection_of_groups(self):
        group = self.add_group()
        rule = group.protectedbranches.create({"name": "*-stable", "allow_force_push": False})
        self.assertIn(rule, group.protectedbranches.list())
        rule.allow_force_push = True
        rule.save()
        self.assertIs(group.protectedbranches.get("*-stable").allow_force_push, True)
        rule.delete()

    def test_protection_is_enforced(self):
        user = self.add_user()
        self.project.members.create({"user_id": user.id, "access_level": AccessLevel.DEVELOPER})
        theirs = self.client_of(user).projects.get(self.project.id)
        data = {"file_path": "x", "content": "x", "commit_message": "x"}
        with self.refused(gitlab.GitlabCreateError, 403, "You are not allowed to push into this branch"):
            theirs.files.create(data | {"branch": "main"})
        theirs.files.create(data | {"branch": "mine", "start_branch": "main"})
        self.assertFalse(theirs.branches.get("main").can_push)
        self.assertTrue(theirs.branches.get("mine").can_push)


class Tags(Refs):
    def test_create_list_and_delete(self):
        light = self.project.tags.create({"tag_name": "v1.0", "ref": "main"})
        noted = self.project.tags.create({"tag_name": "v1.1", "ref": "main", "message": "Second"})
        self.assertEqual([one.name for one in self.project.tags.list(order_by="version")], ["v1.1", "v1.0"])
        self.assertEqual((light.message, noted.message), ("", "Second"))
        self.assertEqual(self.project.tags.get("v1.1").commit["id"], light.commit["id"])
        with self.refused(gitlab.GitlabCreateError, 400, "Tag v1.0 already exists"):
            self.project.tags.create({"tag_name": "v1.0", "ref": "main"})
        with self.refused(gitlab.GitlabCreateError, 400, "Target none is invalid"):
            self.project.tags.create({"tag_name": "v2", "ref": "none"})
        light.delete()
        with self.refused(gitlab.GitlabGetError, 404, "404 Tag Not Found"):
            self.project.tags.get("v1.0")

    def test_protection(self):
        rule = self.project.protectedtags.create({"name": "v*", "create_access_level": AccessLevel.MAINTAINER})
        self.assertEqual(self.project.protectedtags.get("v*").create_access_levels[0]["access_level"], 40)
        self.assertIn(rule, self.project.protectedtags.list())
        rule.delete()
        self.assertEqual(self.project.protectedtags.list(), [])


class Releases(Refs):
    def release(self, **more):
        data = {"name": "Demo", "tag_name": "v1.2.3", "description": "release notes", "ref": "main"}
        return self.project.releases.create(data | more)

    def test_create_update_and_delete(self):
        release = self.release()
        self.assertIn(release, self.project.releases.list())
        self.assertEqual((release.name, release.tag_name, release.description), ("Demo", "v1.2.3", "release notes"))
        release.description = "updated"
        release.save()
        self.assertEqual(self.project.releases.get("v1.2.3").description, "updated")
        with self.refused(gitlab.GitlabCreateError, 409, "Release already exists"):
            self.release()
        self.project.releases.delete("v1.2.3")
        self.assertEqual(self.project.releases.list(), [])
        self.project.tags.get("v1.2.3")

    def test_default_name(self):
        release = self.project.releases.create({"tag_name": "v2.3.4", "description": "x", "ref": "main"})
        self.assertEqual(release.name, "v2.3.4")

    def test_links(self):
        release = self.release()
        link = release.links.create({"url": "https://example.com", "name": "link_name"})
        found = self.project.releases.get("v1.2.3").assets["links"]
        self.assertEqual([(one["url"], one["name"]) for one in found], [("https://example.com", "link_name")])
        link.name = "other"
        link.save()
        self.assertEqual(release.links.get(link.id).name, "other")
        link.delete()
        self.assertEqual(release.links.list(), [])

    def test_latest_and_downloads(self):
        release = self.release()
        url = f"{self.gl.url}/{self.project.path_with_namespace}/-/raw/main/README.rst"
        release.links.create({"url": url, "name": "readme", "direct_asset_path": "/bin/readme", "link_type": "other"})
        base = f"/projects/{self.project.id}/releases"
        # The client has no methods for these endpoints.
        self.assertEqual(self.gl.http_get(f"{base}/permalink/latest")["tag_name"], "v1.2.3")
        for path in (f"{base}/v1.2.3/downloads/bin/readme", f"{base}/permalink/latest/downloads/bin/readme"):
            self.assertEqual(self.gl.http_get(path, raw=True).content, b"Initial content\n")
        self.gl.http_post(f"{base}/v1.2.3/evidence")
        self.wait_for(lambda: self.project.releases.get("v1.2.3").evidences)

    def test_of_a_group(self):
        group = self.add_group()
        project = self.add_filled_project(namespace_id=group.id)
        for tag in ("v1", "v2"):
            project.releases.create({"tag_name": tag, "ref": "main", "description": "x"})
        listed = self.gl.http_list(f"/groups/{group.id}/releases", iterator=True, per_page=1)
        self.assertEqual([one["tag_name"] for one in listed], ["v2", "v1"])

    def test_order(self):
        for tag in ("v1", "v2"):
            self.project.releases.create({"tag_name": tag, "ref": "main", "description": "x"})
        for order in ("released_at", "created_at"):
            names = [one.tag_name for one in self.project.releases.list(order_by=order, sort="asc")]
            self.assertEqual(names, ["v1", "v2"])
        with_html = self.project.releases.list(include_html_description=True)
        self.assertIn("x", with_html[0].description_html)

    def test_require_tag_or_ref(self):
        with self.refused(gitlab.GitlabCreateError, 422, "Ref is not specified"):
            self.project.releases.create({"tag_name": "nowhere", "description": "x"})


class DeployCredentials(Refs):
    def test_deploy_keys(self):
        text = ssh_key(unique("deploy"))
        key = self.project.keys.create({"title": "foo@bar", "key": text})
        self.assertIn(key, self.project.keys.list())
        other = self.add_project()
        other.keys.enable(key.id)
        self.assertIn(key, other.keys.list())
        other.keys.delete(key.id)
        self.assertEqual(other.keys.list(), [])
        found = self.gl.keys.get(fingerprint=fingerprint(text))
        self.assertEqual([one["project_id"] for one in found.deploy_keys_projects], [self.project.id])
        everywhere = self.gl.deploykeys.create({"title": "all", "key": ssh_key(unique("all"))})
        self.assertIn(everywhere, self.gl.deploykeys.list(get_all=True))

    def test_update_deploy_keys(self):
        key = self.project.keys.create({"title": "old", "key": ssh_key(unique("change")), "can_push": False})
        key.title, key.can_push = "new", True
        key.save()
        found = self.project.keys.get(key.id)
        self.assertEqual((found.title, found.can_push), ("new", True))
        self.gl.auth()
        mine = self.gl.http_list(f"/users/{self.gl.user.id}/project_deploy_keys", get_all=True)
        self.assertIn(key.id, [one["id"] for one in mine])
        key.delete()

    def test_deploy_tokens_of_projects(self):
        today = datetime.date.today().isoformat()
        data = {"name": "foo", "username": "bar", "expires_at": today, "scopes": ["read_registry"]}
        token = self.project.deploytokens.create(data)
        self.assertIn(token, self.project.deploytokens.list())
        self.assertLessEqual(set(self.project.deploytokens.list()), set(self.gl.deploytokens.list(get_all=True)))
        found = self.project.deploytokens.get(token.id)
        self.assertEqual(
            (found.name, found.expires_at, found.scopes, found.username),
            ("foo", f"{today}T00:00:00.000Z", ["read_registry"], "bar"),
        )
        token.delete()

    def test_deploy_tokens_of_groups(self):
        group = self.add_group()
        token = group.deploytokens.create({"name": "foo", "scopes": ["read_registry"]})
        self.assertEqual(group.deploytokens.get(token.id).scopes, ["read_registry"])
        self.assertLessEqual(set(group.deploytokens.list()), set(self.gl.deploytokens.list(get_all=True)))
        token.delete()


class PushRules(Refs):
    def assert_rules_are_kept(self, holder):
        rules = holder.pushrules.create({"deny_delete_tag": True, "commit_message_regex": "^Add"})
        self.assertEqual(rules.deny_delete_tag, True)
        with self.refused(gitlab.GitlabCreateError, 422):
            holder.pushrules.create({"deny_delete_tag": True})
        rules.max_file_size = 5
        rules.save()
        found = holder.pushrules.get()
        self.assertEqual((found.max_file_size, found.commit_message_regex), (5, "^Add"))

    def test_of_a_project(self):
        self.assert_rules_are_kept(self.project)
        data = {"file_path": "x", "branch": "main", "content": "x"}
        with self.refused(gitlab.GitlabCreateError, 400, "does not follow the pattern"):
            self.project.files.create(data | {"commit_message": "Remove x"})
        self.project.files.create(data | {"commit_message": "Add x"})
        # The response for a project is `null`, for which the client raises this error.
        self.assert_rules_go(self.project, gitlab.GitlabParsingError)

    def test_of_a_group(self):
        group = self.add_group()
        self.assert_rules_are_kept(group)
        # A group without a push rule answers 404.
        self.assert_rules_go(group, gitlab.GitlabGetError)

    def assert_rules_go(self, holder, error):
        holder.pushrules.delete()
        with self.assertRaises(error):
            holder.pushrules.get()
