"""Groups, projects, namespaces, topics and members."""

import datetime
import io

import gitlab
from gitlab.const import AccessLevel

from support import ServerTest, client, png, unique


class Groups(ServerTest):
    def test_subgroups_and_search(self):
        outer, other = self.add_group("outer"), self.add_group("other")
        inner = self.add_group("inner", parent_id=outer.id)
        self.assertEqual(inner.parent_id, outer.id)
        self.assertEqual(inner.full_path, f"{outer.path}/{inner.path}")
        self.assertEqual([one.id for one in outer.subgroups.list()], [inner.id])
        self.assertEqual([one.id for one in outer.descendant_groups.list()], [inner.id])
        self.assertEqual({one.id for one in self.gl.groups.list(search=outer.path)}, {outer.id, inner.id})
        rest = self.gl.groups.list(skip_groups=[inner.id, other.id], get_all=True)
        self.assertIn(outer, rest)
        self.assertFalse({inner, other} & set(rest))
        self.assertEqual(self.gl.groups.get(inner.full_path).id, inner.id)

    def test_taken_and_bad_paths(self):
        group = self.add_group()
        with self.refused(gitlab.GitlabCreateError, 400, "has already been taken"):
            self.gl.groups.create({"name": unique("x"), "path": group.path})
        with self.refused(gitlab.GitlabCreateError, 400):
            self.gl.groups.create({"name": "x", "path": "no spaces please"})
        with self.refused(gitlab.GitlabGetError, 404, "404 Group Not Found"):
            self.gl.groups.get("no/such/group")

    def test_members(self):
        group, owner, guest = self.add_group(), self.add_user("owner"), self.add_user("guest")
        group.members.create({"user_id": owner.id, "access_level": AccessLevel.OWNER})
        group.members.create({"user_id": guest.id, "access_level": AccessLevel.GUEST})
        with self.refused(gitlab.GitlabCreateError, 409, "Member already exists"):
            group.members.create({"user_id": guest.id, "access_level": AccessLevel.GUEST})
        self.assertEqual(len(group.members.list()), 3)
        self.assertEqual([one.id for one in group.members.list(user_ids=[owner.id, 99_999_999])], [owner.id])
        group.members.delete(owner.id)
        member = group.members.get(guest.id)
        member.access_level = AccessLevel.OWNER
        member.save()
        self.assertEqual(group.members.get(guest.id).access_level, AccessLevel.OWNER)
        inner = self.add_group(parent_id=group.id)
        self.assertIn(guest.id, [one.id for one in inner.members_all.list()])
        self.assertNotIn(guest.id, [one.id for one in inner.members.list()])
        with self.refused(gitlab.GitlabGetError, 404, "404 Not found"):
            group.members.get(owner.id)

    def test_share(self):
        group, first, second = self.add_group(), self.add_group(), self.add_group()
        group.share(first.id, AccessLevel.DEVELOPER)
        group.share(second.id, AccessLevel.MAINTAINER)
        self.assertEqual(len(self.gl.groups.get(group.id).shared_with_groups), 2)
        group.unshare(first.id)
        self.assertEqual(len(self.gl.groups.get(group.id).shared_with_groups), 1)

    def test_avatar_and_custom_attributes(self):
        group = self.add_group()
        group.avatar = io.BytesIO(png())
        group.save()
        self.assertIsNotNone(self.gl.groups.get(group.id).avatar_url)
        group.avatar = ""
        group.save()
        self.assertIsNone(self.gl.groups.get(group.id).avatar_url)
        value = unique("value")
        attribute = group.customattributes.set("key", value)
        self.assertEqual(self.gl.groups.list(custom_attributes={"key": value}), [group])
        attribute.delete()
        self.assertEqual(group.customattributes.list(), [])

    def test_transfer(self):
        group, home = self.add_group(), self.add_group()
        group.transfer(home.id)
        self.assertEqual(self.gl.groups.get(group.id).parent_id, home.id)
        group.transfer()
        moved = self.gl.groups.get(group.id)
        self.assertEqual(moved.path, moved.full_path)

    def test_projects_of_subgroups(self):
        outer = self.add_group()
        inner = self.add_group(parent_id=outer.id)
        near = self.add_project(namespace_id=outer.id)
        far = self.add_project(namespace_id=inner.id)
        self.assertEqual(far.namespace["parent_id"], outer.id)
        self.assertEqual([one.id for one in outer.projects.list()], [near.id])
        deep = outer.projects.list(include_subgroups=True)
        self.assertEqual({one.id for one in deep}, {near.id, far.id})
        self.assertEqual({one.id for one in far.groups.list()}, {outer.id, inner.id})

    def test_keyset_pagination(self):
        for _ in range(3):
            self.add_group()
        walked = self.gl.groups.list(iterator=True, pagination="keyset", order_by="name", sort="asc", per_page=2)
        self.assertEqual({one.id for one in walked}, {one.id for one in self.gl.groups.list(get_all=True)})

    def test_delete_and_restore(self):
        group = self.add_group()
        group.delete()
        self.assertIsNotNone(self.gl.groups.get(group.id).marked_for_deletion_on)
        group.restore()
        self.assertIsNone(self.gl.groups.get(group.id).marked_for_deletion_on)

    def test_access_tokens(self):
        group = self.add_group()
        self.assert_token_rotates(group.access_tokens, AccessLevel.DEVELOPER)

    def assert_token_rotates(self, tokens, level):
        soon = (datetime.date.today() + datetime.timedelta(days=9)).isoformat()
        data = {"name": "robot", "scopes": ["api"], "access_level": level, "expires_at": soon}
        token = tokens.create(data)
        robot = client(token.token)
        robot.auth()
        self.assertIn("bot", robot.user.username)
        self.assertEqual([one.id for one in tokens.list()], [token.id])
        rotated = tokens.get(token.id).rotate()
        client(rotated["token"]).auth()
        with self.refused(gitlab.GitlabAuthenticationError, 401):
            robot.auth()
        tokens.delete(rotated["id"])
        with self.refused(gitlab.GitlabAuthenticationError, 401):
            client(rotated["token"]).auth()
        with self.refused(gitlab.GitlabCreateError, 400, "expires_at is missing"):
            tokens.create({"name": "robot", "scopes": ["api"], "access_level": level})


class Projects(ServerTest):
    def test_create_list_and_get(self):
        project = self.add_project()
        self.assertIn(project, self.gl.projects.list(search=project.name))
        self.assertEqual(self.gl.projects.get(project.path_with_namespace).id, project.id)
        self.assertIn(project, self.gl.projects.list(owned=True, get_all=True))
        everything = self.gl.projects.list(get_all=True)
        self.assertEqual(len(everything), len(list(self.gl.projects.list(iterator=True))))
        pages = [self.gl.projects.list(per_page=1, page=page) for page in (1, 2)]
        self.assertEqual([len(page) for page in pages], [1, 1])
        self.assertNotEqual(pages[0][0].id, pages[1][0].id)

    def test_head(self):
        project = self.add_project()
        self.assertTrue(int(self.gl.projects.head()["x-total"]) > 0)
        self.assertEqual(self.gl.projects.head(project.id)["content-type"], "application/json")

    def test_keyset_pagination(self):
        for _ in range(5):
            self.add_project()
        walked = list(
            self.gl.projects.list(iterator=True, pagination="keyset", order_by="id", sort="asc", per_page=2)
        )
        ids = [one.id for one in walked]
        self.assertEqual(ids, sorted(ids))
        self.assertEqual(set(ids), {one.id for one in self.gl.projects.list(get_all=True)})
        listing = self.gl.projects.list(iterator=True, pagination="keyset", order_by="id", per_page=2)
        self.assertIsNone(listing.total)

    def test_validation(self):
        project = self.add_project()
        with self.refused(gitlab.GitlabCreateError, 400, "has already been taken"):
            self.gl.projects.create({"name": project.name})
        with self.refused(gitlab.GitlabCreateError, 400):
            self.gl.projects.create({})
        with self.refused(gitlab.GitlabGetError, 404, "404 Project Not Found"):
            self.gl.projects.get("no/such")
        stranger = self.client_of(self.add_user())
        with self.refused(gitlab.GitlabGetError, 404, "404 Project Not Found"):
            stranger.projects.get(project.id)

    def test_lazy_objects_with_a_path(self):
        project = self.add_project()
        lazy = self.gl.projects.get(project.path_with_namespace, lazy=True)
        lazy.description = "A new description"
        lazy.save()
        self.assertEqual((lazy.id, lazy.description), (project.id, "A new description"))
        lazy = self.gl.projects.get(project.path_with_namespace, lazy=True)
        lazy.refresh()
        self.assertEqual(lazy.id, project.id)
        self.gl.projects.get(project.path_with_namespace, lazy=True).delete()

    def test_members(self):
        project, user = self.add_project(), self.add_user()
        member = project.members.create({"user_id": user.id, "access_level": AccessLevel.DEVELOPER})
        self.assertIn(member, project.members.list())
        self.assertEqual(member.access_level, 30)
        self.assertIn(user.id, [one.id for one in project.members_all.list()])
        self.assertIn(user.id, [one.id for one in project.users.list()])
        member.delete()
        self.assertNotIn(member, project.members.list())

    def test_avatar_stars_and_custom_attributes(self):
        project = self.add_project()
        project.avatar = io.BytesIO(png())
        project.save()
        self.assertIsNotNone(self.gl.projects.get(project.id).avatar_url)
        project.avatar = ""
        project.save()
        self.assertIsNone(self.gl.projects.get(project.id).avatar_url)
        project.star()
        self.assertEqual(project.star_count, 1)
        project.unstar()
        self.assertEqual(project.star_count, 0)
        value = unique("value")
        attribute = project.customattributes.set("key", value)
        self.assertEqual(self.gl.projects.list(custom_attributes={"key": value}), [project])
        attribute.delete()

    def test_upload(self):
        uploaded = self.add_project().upload("test.txt", "testing contents")
        self.assertEqual(uploaded["alt"], "test.txt")
        self.assertRegex(uploaded["url"], r"^/uploads/\w+/test\.txt$")
        self.assertEqual(uploaded["markdown"], f"[test.txt]({uploaded['url']})")

    def test_forks(self):
        project, user = self.add_project(visibility="public"), self.add_user()
        fork = project.forks.create({"namespace": user.username})
        self.assertEqual(self.gl.projects.get(fork.id).forked_from_project["id"], project.id)
        self.assertEqual([one.id for one in project.forks.list()], [fork.id])
        project.housekeeping()

    def test_archive_transfer_share_and_restore(self):
        project, group = self.add_project(), self.add_group()
        project.archive()
        self.assertTrue(self.gl.projects.get(project.id).archived)
        project.unarchive()
        project.share(group.id, AccessLevel.DEVELOPER)
        self.assertEqual(len(self.gl.projects.get(project.id).shared_with_groups), 1)
        project.unshare(group.id)
        project.transfer(group.id)
        self.assertEqual(self.gl.projects.get(project.id).namespace["path"], group.full_path)
        project.transfer("root")
        self.assertEqual(self.gl.projects.get(project.id).namespace["path"], "root")
        project.delete()
        self.assertIsNotNone(self.gl.projects.get(project.id).marked_for_deletion_on)
        project.restore()
        self.assertEqual(self.gl.projects.get(project.id).path, project.path)

    def test_storage_and_languages(self):
        project = self.add_project()
        self.assertEqual(project.storage.get().repository_storage, "default")
        self.assertEqual(project.languages(), {})

    def test_access_tokens(self):
        Groups.assert_token_rotates(self, self.add_project().access_tokens, AccessLevel.MAINTAINER)

    def test_access_requests_and_invitations(self):
        project = self.add_project(visibility="public")
        user = self.add_user()
        self.client_of(user).projects.get(project.id).accessrequests.create({})
        (request,) = project.accessrequests.list()
        request.approve(AccessLevel.DEVELOPER)
        self.assertEqual(project.members.get(user.id).access_level, AccessLevel.DEVELOPER)
        email = f"{unique('invited')}@example.com"
        project.invitations.create({"email": email, "access_level": AccessLevel.DEVELOPER})
        self.assertEqual([one.invite_email for one in project.invitations.list()], [email])
        project.invitations.delete(email)


class NamespacesAndTopics(ServerTest):
    def test_namespaces(self):
        self.assertTrue(self.gl.namespaces.list(get_all=True))
        self.assertEqual(self.gl.namespaces.list(search="root")[0].kind, "user")
        self.assertEqual(self.gl.namespaces.get("root").kind, "user")
        self.assertTrue(self.gl.namespaces.exists("root").exists)

    def test_topics(self):
        names = unique("topic"), unique("topic")
        first, second = (self.gl.topics.create({"name": name, "title": name}) for name in names)
        first.description = "My Updated Topic"
        first.save()
        self.assertEqual(self.gl.topics.get(first.id).description, "My Updated Topic")
        first.avatar = io.BytesIO(png())
        first.save()
        self.assertIsNotNone(self.gl.topics.get(first.id).avatar_url)
        first.avatar = ""
        first.save()
        self.assertIsNone(self.gl.topics.get(first.id).avatar_url)
        self.assertEqual(self.gl.topics.merge(first.id, second.id)["id"], second.id)
        second.delete()
