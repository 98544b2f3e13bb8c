"""Authentication, users and their states, e-mail addresses, keys and attributes."""

import base64
import datetime
import hashlib
import io

import gitlab
import requests
from gitlab.const import AccessLevel

from support import PASSWORD, ServerTest, client, png, unique

def ssh_key(seed):
    """A public key without a known private key."""
    point = hashlib.sha256(seed.encode()).digest()
    blob = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + point
    return f"ssh-ed25519 {base64.b64encode(blob).decode()} {seed}"


def fingerprint(key):
    sha = hashlib.sha256(base64.b64decode(key.split()[1])).digest()
    return "SHA256:" + base64.b64encode(sha).decode().rstrip("=")


class SigningIn(ServerTest):
    def test_current_user(self):
        self.gl.auth()
        self.assertEqual(self.gl.user.username, "root")
        self.assertTrue(self.gl.user.is_admin)

    def test_bearer_token(self):
        gl = gitlab.Gitlab(self.gl.url, oauth_token=self.gl.private_token)
        gl.auth()
        self.assertEqual(gl.user.username, "root")

    def test_version(self):
        version, revision = self.gl.version()
        self.assertRegex(version, r"^1[78]\.\d+\.\d+")
        self.assertNotEqual(revision, "unknown")

    def test_unknown_token_raises_authentication_error(self):
        gl = client("glpat-nosuchtokenatallxx")
        with self.refused(gitlab.GitlabAuthenticationError, 401, "401 Unauthorized"):
            gl.auth()
        with self.refused(gitlab.GitlabAuthenticationError, 401):
            gl.projects.list(get_all=False)

    def test_scopes_are_enforced(self):
        reader = self.client_of(self.add_user(), ["read_api"])
        reader.auth()
        with self.refused(gitlab.GitlabCreateError, 403, "insufficient_scope"):
            reader.projects.create({"name": unique("no")})

    def test_sudo(self):
        user = self.add_user()
        project = self.gl.projects.create({"name": unique("sudo")}, sudo=user.id)
        self.assertEqual(project.owner["id"], user.id)
        owned = self.gl.projects.list(owned=True, get_all=True)
        self.assertNotIn(project, owned)
        with self.refused(gitlab.GitlabHttpError, 404, "404 User with ID or username 'nobody-at-all' Not Found"):
            self.gl.http_get("/user", sudo="nobody-at-all")


class Users(ServerTest):
    def test_create_with_avatar_and_find(self):
        name = unique("pictured")
        data = {"username": name, "name": name, "email": f"{name}@example.com", "password": PASSWORD}
        user = self.gl.users.create(data | {"avatar": io.BytesIO(png())})
        found = self.gl.users.list(username=name)[0]
        self.assertEqual((found.id, found.email), (user.id, user.email))
        self.assertEqual(requests.get(user.avatar_url, timeout=10).content, png())

    def test_taken_names_raise_conflict(self):
        user = self.add_user()
        data = {"username": user.username, "name": "x", "email": f"{unique('x')}@example.com", "password": PASSWORD}
        with self.refused(gitlab.GitlabCreateError, 409, "Username has already been taken"):
            self.gl.users.create(data)
        data = {"username": unique("x"), "name": "x", "email": user.email, "password": PASSWORD}
        with self.refused(gitlab.GitlabCreateError, 409, "Email has already been taken"):
            self.gl.users.create(data)
        with self.refused(gitlab.GitlabCreateError, 400):
            self.gl.users.create({"username": unique("x"), "name": "x", "email": "nonsense", "password": PASSWORD})

    def test_missing_user_raises_get_error(self):
        with self.refused(gitlab.GitlabGetError, 404, "404 User Not Found"):
            self.gl.users.get(99_999_999)

    def test_block_and_unblock(self):
        user = self.add_user()
        self.assertIs(user.block(), True)
        self.assertIn(user, self.gl.users.list(blocked=True, get_all=True))
        self.assertIsNone(user.block())
        self.assertIs(user.unblock(), True)
        self.assertNotIn(user, self.gl.users.list(blocked=True, get_all=True))
        self.assertIs(user.unblock(), False)

    def test_ban_and_deactivate(self):
        user = self.add_user()
        for do, state, undo in (("ban", "banned", "unban"), ("deactivate", "deactivated", "activate")):
            getattr(user, do)()
            self.assertEqual(self.gl.users.get(user.id).state, state)
            getattr(user, undo)()
            self.assertEqual(self.gl.users.get(user.id).state, "active")

    def test_blocked_user_is_rejected(self):
        user = self.add_user()
        gl = self.client_of(user)
        user.block()
        with self.refused(gitlab.GitlabHttpError, 403, "Your account has been blocked"):
            gl.http_get("/user")

    def test_update_and_search(self):
        user = self.add_user("seek")
        user.bio = "This is the user bio"
        user.save()
        self.assertEqual(self.gl.users.get(user.id).bio, "This is the user bio")
        self.assertEqual([one.id for one in self.gl.users.list(search=user.username)], [user.id])
        self.assertEqual(self.gl.users.list(search="asdfasdf"), [])
        self.assertEqual(user.projects.list(), [])

    def test_delete(self):
        user = self.add_user()
        user.delete()

    def test_follow(self):
        user = self.add_user()
        user.follow()
        self.assertEqual([one.username for one in user.followers_users.list()], ["root"])
        user.unfollow()
        self.assertEqual(user.followers_users.list(), [])

    def test_identities(self):
        user = self.add_user()
        user.provider = "test_provider"
        user.extern_uid = unique("uid")
        user.save()
        self.assertIn("test_provider", [one["provider"] for one in user.identities])
        user.identityproviders.delete("test_provider")

    def test_keyset_pagination(self):
        for _ in range(3):
            self.add_user("page")
        walked = self.gl.users.list(iterator=True, pagination="keyset", order_by="id", sort="asc", per_page=2)
        ids = [one.id for one in walked]
        self.assertEqual(ids, sorted(set(ids)))
        self.assertEqual(set(ids), {one.id for one in self.gl.users.list(get_all=True)})

    def test_memberships(self):
        user, group = self.add_user(), self.add_group()
        group.members.create({"user_id": user.id, "access_level": AccessLevel.OWNER})
        (membership,) = user.memberships.list()
        self.assertEqual((membership.source_type, membership.access_level), ("Namespace", AccessLevel.OWNER))
        self.assertEqual(user.memberships.list(type="Project"), [])
        self.assertEqual(len(user.memberships.list(type="Namespace")), 1)
        with self.refused(gitlab.GitlabListError, 400, "type does not have a valid value"):
            user.memberships.list(type="Invalid")
        with self.refused(gitlab.GitlabListError, 403, "403 Forbidden"):
            user.memberships.list(sudo=user.username)


class UserResources(ServerTest):
    def setUp(self):
        super().setUp()
        self.user = self.add_user()

    def test_emails(self):
        address = self.user.emails.create({"email": f"{unique('second')}@example.com", "skip_confirmation": True})
        self.assertIn(address, self.user.emails.list())
        address.delete()
        self.gl.auth()
        mail = self.gl.user.emails.create({"email": f"{unique('mine')}@example.com"})
        self.assertIn(mail, self.gl.user.emails.list())
        mail.delete()

    def test_status(self):
        self.gl.auth()
        status = self.gl.user.status.get()
        status.message, status.emoji = "Testing", "thumbsup"
        status.save()
        seen = self.gl.user.status.get()
        self.assertEqual((seen.message, seen.emoji), ("Testing", "thumbsup"))

    def test_support_pin(self):
        made = self.gl.http_post("/user/support_pin")
        self.assertEqual(self.gl.http_get("/user/support_pin"), made)
        self.gl.auth()
        theirs = f"/users/{self.gl.user.id}/support_pin"
        self.assertEqual(self.gl.http_get(theirs), made)
        self.gl.http_post(f"{theirs}/revoke")
        with self.refused(gitlab.GitlabHttpError, 404, "Support PIN not found or expired"):
            self.gl.http_get(theirs)

    def test_ssh_keys(self):
        text = ssh_key(unique("key"))
        key = self.user.keys.create({"title": "laptop", "key": text})
        self.assertIn(key, self.user.keys.list())
        self.assertEqual(self.user.keys.get(key.id).key, key.key)
        self.assertEqual(self.gl.keys.get(key.id).title, "laptop")
        self.assertEqual(self.gl.keys.get(fingerprint=fingerprint(text)).id, key.id)
        with self.refused(gitlab.GitlabCreateError, 400, "has already been taken"):
            self.user.keys.create({"title": "again", "key": text})
        with self.refused(gitlab.GitlabCreateError, 400):
            self.user.keys.create({"title": "nonsense", "key": "ssh-rsa AAAA"})
        key.delete()
        own = self.client_of(self.user)
        own.auth()
        key = own.user.keys.create({"title": "own", "key": text})
        self.assertEqual([one.title for one in own.user.keys.list()], ["own"])
        self.assertEqual(own.user.keys.get(key.id).title, "own")
        key.delete()

    def test_custom_attributes(self):
        self.assertEqual(self.user.customattributes.list(), [])
        value = unique("value")
        attribute = self.user.customattributes.set("key", value)
        self.assertEqual((attribute.key, attribute.value), ("key", value))
        self.assertEqual(self.gl.users.list(custom_attributes={"key": value}), [self.user])
        self.user.customattributes.set("key", "other")
        self.assertEqual(self.user.customattributes.get("key").value, "other")
        attribute.delete()
        with self.refused(gitlab.GitlabGetError, 404):
            self.user.customattributes.get("key")

    def test_impersonation_tokens(self):
        soon = (datetime.date.today() + datetime.timedelta(days=4)).isoformat()
        data = {"name": "as them", "scopes": ["api", "read_user"], "expires_at": soon}
        token = self.user.impersonationtokens.create(data)
        self.assertIn(token, self.user.impersonationtokens.list(state="active"))
        them = client(token.token)
        them.auth()
        self.assertEqual(them.user.username, self.user.username)
        token.delete()
        self.assertEqual(self.user.impersonationtokens.list(state="active"), [])
        with self.refused(gitlab.GitlabAuthenticationError, 401):
            them.auth()

    def test_personal_access_tokens(self):
        token = self.user.personal_access_tokens.create({"name": "mine", "scopes": ["api"]})
        found = self.gl.personal_access_tokens.list(user_id=self.user.id)
        self.assertEqual([one.name for one in found], ["mine"])
        own = client(token.token)
        self.assertEqual(own.personal_access_tokens.get("self").id, token.id)
        rotated = own.personal_access_tokens.get("self").rotate(self_rotate=True)
        self.assertNotEqual(rotated["token"], token.token)
        with self.refused(gitlab.GitlabAuthenticationError, 401):
            own.auth()
        renewed = self.gl.personal_access_tokens.get(rotated["id"])
        again = renewed.rotate()
        client(again["token"]).auth()
        self.gl.personal_access_tokens.delete(again["id"])
        with self.refused(gitlab.GitlabAuthenticationError, 401):
            client(again["token"]).auth()
