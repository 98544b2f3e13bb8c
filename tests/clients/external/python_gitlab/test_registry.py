"""The container registry and its protection rules."""

import hashlib
import json
import time
import urllib.parse

import gitlab
import requests

from support import TOKEN, URL, ServerTest

IMAGE = "application/vnd.oci.image.manifest.v1+json"


def push(name, *tags):
    """Pushes an image with one layer under some tags like a container client."""
    scope = urllib.parse.quote(f"repository:{name}:pull,push")
    granted = requests.get(f"{URL}/jwt/auth?service=container_registry&scope={scope}", auth=("root", TOKEN))
    sent = {"authorization": f"Bearer {granted.json()['token']}"}

    def blob(data):
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        requests.post(f"{URL}/v2/{name}/blobs/uploads/?digest={digest}", data=data, headers=sent).raise_for_status()
        return {"digest": digest, "size": len(data)}

    manifest = {
        "schemaVersion": 2,
        "mediaType": IMAGE,
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **blob(b"{}")},
        "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar", **blob(b"layer")}],
    }
    for tag in tags:
        place = f"{URL}/v2/{name}/manifests/{tag}"
        requests.put(place, data=json.dumps(manifest), headers={**sent, "content-type": IMAGE}).raise_for_status()


class Registry(ServerTest):
    def test_list_and_delete_images(self):
        group = self.add_group()
        project = self.add_project(namespace_id=group.id)
        push(f"{project.path_with_namespace}/app", "v1", "v2", "dev-1")
        (repository,) = project.repositories.list(tags_count=True)
        self.assertEqual((repository.name, repository.tags_count), ("app", 3))
        self.assertEqual(self.gl.registry_repositories.get(repository.id).path, repository.path)
        self.assertEqual([one.id for one in group.registry_repositories.list()], [repository.id])
        self.assertEqual(sorted(tag.name for tag in repository.tags.list()), ["dev-1", "v1", "v2"])
        self.assertEqual(repository.tags.get("v1").total_size, 7)
        repository.tags.delete("v1")
        with self.refused(gitlab.GitlabGetError, 404):
            repository.tags.get("v1")
        repository.tags.delete_in_bulk(name_regex_delete="dev-.*")
        until = time.monotonic() + 30
        while len(repository.tags.list()) > 1 and time.monotonic() < until:
            time.sleep(0.1)
        self.assertEqual([tag.name for tag in repository.tags.list()], ["v2"])
        repository.delete()

    def test_repository_protection_rules(self):
        project = self.add_project()
        wanted = {"repository_path_pattern": f"{project.path_with_namespace}/prod*"}
        rule = project.registry_protection_repository_rules.create({**wanted, "minimum_access_level_for_push": "maintainer"})
        rule.minimum_access_level_for_push = "owner"
        rule.save()
        found = project.registry_protection_repository_rules.list()
        self.assertEqual([one.minimum_access_level_for_push for one in found], ["owner"])
        project.registry_protection_repository_rules.delete(rule.id)
        self.assertEqual(project.registry_protection_repository_rules.list(), [])

    def test_package_protection_rules(self):
        project = self.add_project()
        wanted = {"package_name_pattern": "core-*", "package_type": "generic"}
        rule = project.package_protection_rules.create({**wanted, "minimum_access_level_for_push": "maintainer"})
        rule.minimum_access_level_for_push = "owner"
        rule.save()
        found = project.package_protection_rules.list()
        self.assertEqual([one.minimum_access_level_for_push for one in found], ["owner"])
        project.package_protection_rules.delete(rule.id)
        self.assertEqual(project.package_protection_rules.list(), [])
