"""OAuth applications."""

import gitlab
import requests

from support import PASSWORD, ServerTest

WISH = {"name": "App", "redirect_uri": "https://app.example/callback", "scopes": "api"}


class Applications(ServerTest):
    def test_of_the_instance(self):
        made = self.gl.applications.create(WISH)
        self.assertTrue(made.secret.startswith("gloas-"))
        self.assertIn(made.id, [each.id for each in self.gl.applications.list(get_all=True)])
        renewed = self.gl.http_post(f"/applications/{made.id}/renew-secret")
        self.assertNotEqual(renewed["secret"], made.secret)
        made.delete()
        self.assertNotIn(made.id, [each.id for each in self.gl.applications.list(get_all=True)])
        with self.refused(gitlab.GitlabCreateError, 400, "is forbidden by the server"):
            self.gl.applications.create({**WISH, "redirect_uri": "javascript:alert(1)"})

    def test_authorize_and_revoke(self):
        user = self.add_user()
        mine = self.client_of(user)
        made = mine.http_post("/user/applications", post_data=WISH)
        made = mine.http_post(f"/user/applications/{made['id']}/renew-secret")
        self.assertEqual([each["id"] for each in mine.http_list("/user/applications")], [made["id"]])
        answer = requests.post(
            f"{self.gl.url}/oauth/token",
            data={
                "grant_type": "password",
                "username": user.username,
                "password": PASSWORD,
                "client_id": made["application_id"],
                "client_secret": made["secret"],
            },
            timeout=30,
        ).json()
        program = gitlab.Gitlab(self.gl.url, oauth_token=answer["access_token"])
        program.auth()
        self.assertEqual(program.user.id, user.id)
        (acting,) = mine.http_list("/user/authorized_applications")
        self.assertEqual(acting["application_name"], "App")
        mine.http_delete(f"/user/authorized_applications/{made['id']}")
        with self.refused(gitlab.GitlabAuthenticationError, 401):
            program.auth()
        mine.http_delete(f"/user/applications/{made['id']}")
