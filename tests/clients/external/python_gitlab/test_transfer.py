"""Direct transfer of groups and projects, with this server as its own source."""

import time

import gitlab

from support import TOKEN, URL, ServerTest, unique


class DirectTransfer(ServerTest):
    def setUp(self):
        super().setUp()
        settings = self.gl.settings.get()
        settings.bulk_import_enabled = True
        settings.allow_local_requests_from_web_hooks_and_services = True
        settings.save()

    def wanted(self, path, slug):
        return {
            "configuration": {"url": URL, "access_token": TOKEN},
            "entities": [
                {
                    "source_type": "group_entity",
                    "source_full_path": path,
                    "destination_slug": slug,
                    "destination_namespace": "",
                }
            ],
        }

    def test_transfer_group(self):
        group = self.gl.groups.create({"name": unique("g"), "path": unique("g")})
        group.labels.create({"name": "bug", "color": "#ff0000"})
        self.gl.projects.create({"name": "inside", "namespace_id": group.id, "initialize_with_readme": True})
        slug = unique("brought")
        transfer = self.gl.bulk_imports.create(self.wanted(group.full_path, slug))
        self.assertEqual(transfer.status, "created")
        for _ in range(600):
            transfer.refresh()
            if transfer.status not in ("created", "started"):
                break
            time.sleep(0.1)
        self.assertEqual(transfer.status, "finished")
        entities = transfer.entities.list(get_all=True)
        self.assertEqual([each.entity_type for each in entities], ["group", "project"])
        self.assertEqual(transfer.entities.get(entities[0].id).destination_slug, slug)
        self.assertIn(entities[1].id, [each.id for each in self.gl.bulk_import_entities.list(get_all=True)])
        brought = self.gl.groups.get(slug)
        self.assertEqual([label.name for label in brought.labels.list(get_all=True)], ["bug"])
        self.assertEqual([each.path for each in brought.projects.list(get_all=True)], ["inside"])
        self.assertIn(transfer.id, [each.id for each in self.gl.bulk_imports.list(get_all=True)])

    def test_missing_source(self):
        with self.assertRaises(gitlab.GitlabCreateError) as refused:
            self.gl.bulk_imports.create(self.wanted("no/such/group", unique("never")))
        self.assertEqual(refused.exception.response_code, 422)

    def test_group_relations(self):
        group = self.gl.groups.create({"name": unique("g"), "path": unique("g")})
        self.gl.http_post(f"/groups/{group.id}/export_relations")
        names = [state["relation"] for state in self.gl.http_list(f"/groups/{group.id}/export_relations/status")]
        self.assertIn("epics", names)
