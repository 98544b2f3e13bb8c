"""Custom roles of the instance and of groups."""

import gitlab

from support import ServerTest, unique


class MemberRoles(ServerTest):
    def setUp(self):
        super().setUp()
        self.group = self.add_group(visibility="private")
        self.project = self.add_filled_project({"README.md": "Hello"}, namespace_id=self.group.id)

    def test_of_the_instance_and_of_groups(self):
        for manager in (self.gl.member_roles, self.group.member_roles):
            wish = {"name": unique("role"), "base_access_level": 10, "description": "Reads", "read_code": True}
            role = manager.create(wish)
            self.assertEqual(role.name, wish["name"])
            self.assertTrue(role.read_code)
            self.assertFalse(role.admin_runners)
            self.assertIn(role.id, [each.id for each in manager.list(all=True)])
            with self.refused(gitlab.GitlabCreateError, 400):
                manager.create(wish)
            manager.delete(role.id)
            self.assertNotIn(role.id, [each.id for each in manager.list(all=True)])
            with self.refused(gitlab.GitlabDeleteError, 404):
                manager.delete(role.id)

    def test_of_members(self):
        role = self.group.member_roles.create({"name": unique("role"), "base_access_level": 10, "read_code": True})
        user = self.add_user()
        mine = self.client_of(user).projects
        for place in (self.group, self.project):
            member = place.members.create({"user_id": user.id, "access_level": 10, "member_role_id": role.id})
            self.assertEqual(member.member_role["id"], role.id)
            self.assertEqual(mine.get(self.project.id).files.get("README.md", "main").file_path, "README.md")
            with self.refused(gitlab.GitlabDeleteError, 400):
                self.group.member_roles.delete(role.id)
            member.access_level = 10
            member.save()
            with self.refused(gitlab.GitlabGetError, 403):
                mine.get(self.project.id).files.get("README.md", "main")
            member.delete()
        self.group.member_roles.delete(role.id)

    def test_assignable(self):
        role = self.group.member_roles.create({"name": unique("role"), "base_access_level": 10, "read_code": True})
        for place in (f"/groups/{self.group.id}", f"/projects/{self.project.id}"):
            found = self.gl.http_list(f"{place}/assignable_member_roles", get_all=True)
            self.assertIn(role.id, [each["id"] for each in found])
