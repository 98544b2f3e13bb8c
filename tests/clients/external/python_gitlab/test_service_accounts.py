"""Service accounts of groups, projects and the instance."""

import datetime

import gitlab

from support import ServerTest, client, unique


def wish():
    expires = datetime.date.today() + datetime.timedelta(days=30)
    return {"name": "deploys", "scopes": ["api"], "expires_at": expires.isoformat()}


class ServiceAccounts(ServerTest):
    def setUp(self):
        super().setUp()
        self.group = self.gl.groups.create({"name": unique("g"), "path": unique("g")})
        self.project = self.gl.projects.create({"name": unique("p"), "namespace_id": self.group.id})

    def test_of_groups_and_projects(self):
        for place in (self.group, self.project):
            account = place.service_accounts.create({"name": "Robot", "username": unique("robot")})
            self.assertEqual([each.id for each in place.service_accounts.list()], [account.id])
            shown = self.gl.http_get(f"{place.manager.path}/{place.id}/service_accounts/{account.id}")
            self.assertEqual(shown["name"], "Robot")
            account.name = "Walle"
            account.save()
            self.assertEqual(place.service_accounts.list()[0].name, "Walle")

            token = account.access_tokens.create(wish())
            robot = client(token.token)
            robot.auth()
            self.assertEqual(robot.user.id, account.id)
            self.assertTrue(robot.user.bot)
            token.rotate()
            with self.refused(gitlab.GitlabAuthenticationError, 401):
                robot.auth()
            (left,) = account.access_tokens.list(state="active")
            left.delete()
            self.assertEqual(account.access_tokens.list(state="active"), [])
            account.delete()
            self.assertEqual(place.service_accounts.list(), [])

    def test_of_the_instance(self):
        account = self.gl.service_accounts.create({"username": unique("everywhere")})
        self.gl.service_accounts.update(account.id, {"name": "Everywhere"})
        names = [each.name for each in self.gl.service_accounts.list(order_by="id", sort="desc")]
        self.assertEqual(names[0], "Everywhere")
        self.project.members.create({"user_id": account.id, "access_level": 30})

    def test_taken_names_are_rejected(self):
        with self.refused(gitlab.GitlabCreateError, 400, "has already been taken"):
            self.group.service_accounts.create({"username": "root"})
