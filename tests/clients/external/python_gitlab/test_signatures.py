"""GPG keys and signature verification."""

import gitlab

import signed
from support import ServerTest


class Signatures(ServerTest):
    def setUp(self):
        super().setUp()
        self.user = self.add_user("signer")

    def test_gpg_keys_of_the_caller(self):
        own = self.client_of(self.user)
        own.auth()
        self.assert_keys_are_kept(own.user.gpgkeys)

    def test_gpg_keys_of_a_user(self):
        self.assert_keys_are_kept(self.user.gpgkeys)

    def assert_keys_are_kept(self, keys):
        with self.refused(gitlab.GitlabCreateError, 400, "is invalid"):
            keys.create({"key": "no key"})
        for how in ("deleted", "revoked"):
            self.addCleanup(lambda: [one.delete() for one in self.user.gpgkeys.list()])
            key = keys.create({"key": signed.PGP_KEY})
            self.assertEqual([one.id for one in keys.list()], [key.id])
            self.assertEqual(keys.get(key.id).key.strip(), signed.PGP_KEY.strip())
            if how == "deleted":
                key.delete()
            else:
                # The client has no method for this endpoint.
                keys.gitlab.http_post(f"{keys.path}/{key.id}/revoke")
            self.assertEqual(keys.list(), [])

    def test_of_a_commit_and_a_tag(self):
        self.user.gpgkeys.create({"key": signed.PGP_KEY})
        key = self.user.keys.create({"title": "signing", "key": signed.SSH_KEY})
        self.addCleanup(key.delete)
        self.addCleanup(lambda: [one.delete() for one in self.user.gpgkeys.list()])
        project = self.add_project()
        tree = self.work_tree(project)
        tree.git("hash-object", "-t", "tree", "-w", "--stdin")
        commit = tree.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=signed.COMMIT)
        self.assertEqual(commit, signed.COMMIT_ID)
        tree.git("update-ref", "refs/heads/main", commit)
        tag = tree.git("hash-object", "-t", "tag", "-w", "--stdin", stdin=signed.TAG)
        tree.git("update-ref", "refs/tags/signed", tag)
        tree.git("push", "-q", "origin", "main", "signed")

        of_commit = project.commits.get(commit).signature()
        self.assertEqual((of_commit["signature_type"], of_commit["commit_source"]), ("SSH", "gitaly"))
        self.assertEqual((of_commit["verification_status"], of_commit["key"]["id"]), ("other_user", key.id))
        # The client has no method for it.
        of_tag = self.gl.http_get(f"/projects/{project.id}/repository/tags/signed/signature")
        self.assertEqual((of_tag["signature_type"], of_tag["gpg_key_primary_keyid"]), ("PGP", signed.FINGERPRINT[-16:]))
        self.assertEqual(of_tag["gpg_key_user_email"], "signer@signatures.example.com")
