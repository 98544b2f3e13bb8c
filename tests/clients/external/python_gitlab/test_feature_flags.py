"""Feature flags, user lists, and group packages."""

import gitlab

from support import ServerTest


class FeatureFlags(ServerTest):
    def test_create_update_and_delete(self):
        project = self.add_project()
        users = project.feature_flags_user_lists.create({"name": "Testers", "user_xids": "one,two"})
        users = project.feature_flags_user_lists.get(users.iid)
        users.name = "Early"
        users.save()
        self.assertEqual([one.name for one in project.feature_flags_user_lists.list()], ["Early"])
        strategy = {"name": "gitlabUserList", "user_list_id": users.id, "scopes": [{"environment_scope": "production"}]}
        flag = project.feature_flags.create({"name": "new_page", "version": "new_version_flag", "strategies": [strategy]})
        self.assertEqual(project.feature_flags.get("new_page").strategies[0]["user_list"]["name"], "Early")
        with self.refused(gitlab.exceptions.GitlabDeleteError, 409):
            users.delete()
        flag.active = False
        flag.save()
        self.assertEqual([one.name for one in project.feature_flags.list(scope="disabled")], ["new_page"])
        flag.delete()
        self.assertEqual(project.feature_flags.list(), [])
        users.delete()

    def test_client_api(self):
        project = self.add_project()
        everywhere = {"name": "default", "parameters": {}, "scopes": [{"environment_scope": "*"}]}
        project.feature_flags.create({"name": "dark", "version": "new_version_flag", "strategies": [everywhere]})
        path = f"/projects/{project.id}/feature_flags_client"
        token = self.gl.http_get(path)["instance_id"]
        base = f"/feature_flags/unleash/{project.id}"
        headers = {"UNLEASH-INSTANCEID": token, "UNLEASH-APPNAME": "production"}
        self.gl.http_request("get", base, extra_headers=headers)
        for features in ("features", "client/features"):
            answer = self.gl.http_request("get", f"{base}/{features}", extra_headers=headers).json()
            self.assertEqual([one["name"] for one in answer["features"]], ["dark"])
        for report in ("register", "metrics"):
            self.gl.http_request("post", f"{base}/client/{report}", post_data={}, extra_headers=headers)
        self.assertNotEqual(self.gl.http_put(f"{path}/reset_token")["instance_id"], token)
        with self.refused(gitlab.exceptions.GitlabAuthenticationError, 401):
            self.gl.http_request("get", f"{base}/features", extra_headers=headers)

    def test_group_packages(self):
        group = self.add_group()
        project = self.add_project(namespace_id=group.id)
        project.generic_packages.upload(
            package_name="tool", package_version="1.0", file_name="tool.txt", data=b"tool"
        )
        self.assertEqual([one.name for one in group.packages.list()], ["tool"])
