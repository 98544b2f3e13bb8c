"""CI/CD: pipelines, jobs, schedules, triggers, variables, runners and environments."""

import gitlab

from support import ServerTest, unique

CONFIGURATION = """
build:
  script: [make]
  environment: staging
  artifacts: {paths: [out]}
test:
  stage: deploy
  script: [make test]
  when: manual
"""


class CiTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.project = self.add_filled_project({".gitlab-ci.yml": CONFIGURATION})


class Pipelines(CiTest):
    def test_run_on_demand(self):
        self.wait_for(lambda: self.project.pipelines.list())
        pipeline = self.project.pipelines.create({"ref": "main", "variables": [{"key": "A", "value": "1"}]})
        self.assertEqual([one.key for one in pipeline.variables.list()], ["A"])
        jobs = {one.name: one for one in pipeline.jobs.list()}
        self.assertEqual(set(jobs), {"build", "test"})
        self.wait_for(lambda: self.project.jobs.get(jobs["build"].id).status == "pending")
        self.assertEqual(pipeline.bridges.list(), [])
        self.assertEqual(pipeline.test_report.get().total_count, 0)
        job = self.project.jobs.get(jobs["build"].id)
        job.cancel()
        self.wait_for(lambda: self.project.jobs.get(job.id).status == "canceled")
        job.retry()
        self.assertEqual(job.trace(), b"")
        pipeline.cancel()
        pipeline.retry()
        self.assertEqual(self.project.pipelines.latest(ref="main").id, pipeline.id)
        statuses = self.project.commits.get(pipeline.sha).statuses.list(iterator=True)
        self.assertIn("build", [one.name for one in statuses])
        pipeline.delete()
        with self.refused(gitlab.GitlabGetError, 404):
            self.project.pipelines.get(pipeline.id)
        with self.refused(gitlab.GitlabCreateError, 400, "Reference not found"):
            self.project.pipelines.create({"ref": "nowhere"})

    def test_run_on_schedule_and_by_trigger(self):
        schedule = self.project.pipelineschedules.create(
            {"description": "nightly", "ref": "main", "cron": "0 1 * * *"}
        )
        schedule.variables.create({"key": "B", "value": "2"})
        schedule.cron = "0 2 * * *"
        schedule.save()
        schedule.play()
        self.wait_for(lambda: [one.source for one in self.project.pipelines.list(source="schedule")])
        # `play` has replaced the schedule's attributes with its response.
        schedule = self.project.pipelineschedules.list()[0]
        schedule.take_ownership()
        schedule.delete()
        trigger = self.project.triggers.create({"description": "from elsewhere"})
        self.assertEqual(self.project.trigger_pipeline("main", trigger.token, {"C": "3"}).source, "trigger")
        trigger.delete()

    def test_lint(self):
        self.assertTrue(self.project.ci_lint.get().valid)
        wrong = self.project.ci_lint.create({"content": "build: {script: 1, nonsense: 2}"})
        self.assertFalse(wrong.valid)
        with self.assertRaises(gitlab.exceptions.GitlabCiLintError):
            self.project.ci_lint.validate({"content": "build: {}"})


class Settings(CiTest):
    def test_variables(self):
        group = self.add_group()
        for manager in (self.project.variables, group.variables, self.gl.variables):
            key = unique("KEY").replace("-", "_")
            variable = manager.create({"key": key, "value": "one"})
            variable.value = "two"
            variable.save()
            self.assertEqual(manager.get(key).value, "two")
            self.assertIn(key, [one.key for one in manager.list(iterator=True)])
            variable.delete()
            with self.refused(gitlab.GitlabGetError, 404):
                manager.get(key)

    def test_runners(self):
        self.gl.auth()
        made = self.gl.user.runners.create(
            {"runner_type": "project_type", "project_id": self.project.id, "tag_list": "shell"}
        )
        self.assertTrue(made.token.startswith("glrt-"))
        runner = self.gl.runners.get(made.id)
        runner.description = "Of this test"
        runner.paused = True
        runner.save()
        self.assertEqual([one.id for one in self.project.runners.list(type="project_type")], [made.id])
        self.assertIn(made.id, [one.id for one in self.gl.runners_all.list(iterator=True)])
        self.assertEqual(runner.jobs.list(), [])
        other = self.add_project()
        other.runners.create({"runner_id": made.id})
        other.runners.delete(made.id)
        self.assertTrue(self.gl.runners.verify(made.token) is None)
        runner.delete()

    def test_environments(self):
        environment = self.project.environments.create({"name": "production", "external_url": "https://example.com"})
        environment.external_url = "https://example.org"
        environment.save()
        sha = self.project.commits.list()[0].id
        deployment = self.project.deployments.create(
            {"environment": "production", "sha": sha, "ref": "main", "tag": False, "status": "running"}
        )
        deployment.status = "success"
        deployment.save()
        self.assertEqual([one.id for one in self.project.deployments.list(environment="production")], [deployment.id])
        environment.stop()
        environment.delete()

    def test_protected_environments(self):
        rules = {"approval_rules": [{"access_level": 40}]}
        made = self.project.protected_environments.create(
            {"name": "staging", "deploy_access_levels": [{"access_level": 40}], **rules}
        )
        self.assertEqual(made.deploy_access_levels[0]["access_level_description"], "Maintainers")
        self.assertEqual([one.name for one in self.project.protected_environments.list()], ["staging"])
        path = f"/projects/{self.project.id}/protected_environments/staging"
        self.assertEqual(self.gl.http_put(path, post_data={"required_approval_count": 1})["required_approval_count"], 1)
        pipeline = self.project.pipelines.create({"ref": "main"})
        job = self.project.jobs.get(next(one.id for one in pipeline.jobs.list() if one.name == "build"))
        self.wait_for(lambda: self.project.jobs.get(job.id).status == "manual")
        waiting = next(
            one for one in self.project.deployments.list(status="blocked") if one.deployable["id"] == job.id
        )
        deployment = self.project.deployments.get(waiting.id)
        self.assertEqual(deployment.pending_approval_count, 1)
        with self.refused(gitlab.GitlabJobPlayError, 400, "Unplayable Job"):
            job.play()
        self.assertEqual(deployment.approval("approved", comment="fine")["status"], "approved")
        job.play()
        self.assertEqual(self.project.jobs.get(job.id).status, "pending")
        self.project.protected_environments.get("staging").delete()
        with self.refused(gitlab.GitlabGetError, 404):
            self.project.protected_environments.get("staging")
        group = f"/groups/{self.add_group().id}/protected_environments"
        self.gl.http_post(group, post_data={"name": "production", "deploy_access_levels": [{"access_level": 40}]})
        self.assertEqual(self.gl.http_get(f"{group}/production")["name"], "production")
        self.assertEqual(len(self.gl.http_list(group, get_all=True)), 1)
        self.gl.http_put(f"{group}/production", post_data={"required_approval_count": 1})
        self.gl.http_delete(f"{group}/production")

    def test_job_token_scope(self):
        scope = self.project.job_token_scope.get()
        self.assertTrue(scope.inbound_enabled)
        other = self.add_project()
        scope.allowlist.create({"target_project_id": other.id})
        self.assertIn(other.id, [one.id for one in scope.allowlist.list()])
        scope.allowlist.delete(other.id)

    def test_resource_groups_and_secure_files(self):
        self.assertEqual(self.project.resource_groups.list(), [])
        file = self.project.secure_files.create({"name": "key.p12", "file": b"secret"})
        self.assertEqual(file.download(), b"secret")
        file.delete()
