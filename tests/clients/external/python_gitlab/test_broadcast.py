"""Broadcast messages."""

import gitlab

from support import URL, ServerTest, unique


class BroadcastMessages(ServerTest):
    def test_create_update_and_delete(self):
        text = unique("message")
        made = self.gl.broadcastmessages.create({"message": text, "target_access_levels": [30, 40]})
        self.assertTrue(made.active)
        made.theme = "red"
        made.target_path = "*/welcome"
        made.save()
        anybody = gitlab.Gitlab(URL)
        shown = anybody.broadcastmessages.get(made.id)
        self.assertEqual((shown.message, shown.theme, shown.target_path), (text, "red", "*/welcome"))
        self.assertEqual(shown.target_access_levels, [30, 40])
        self.assertIn(made.id, [one.id for one in anybody.broadcastmessages.list(iterator=True)])
        with self.refused(gitlab.GitlabCreateError, 403):
            self.client_of(self.add_user()).broadcastmessages.create({"message": "x"})
        with self.refused(gitlab.GitlabCreateError, 400):
            self.gl.broadcastmessages.create({"message": "x", "broadcast_type": "popup"})
        made.delete()
        with self.refused(gitlab.GitlabGetError, 404):
            anybody.broadcastmessages.get(made.id)
