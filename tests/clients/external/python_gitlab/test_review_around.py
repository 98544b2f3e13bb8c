"""Approval rules, dependencies, resource events, suggestions, merge trains and auto-merge of merge requests."""

import time

import gitlab

from test_review import ReviewTest


class Approval(ReviewTest):
    def test_rules_of_projects_and_groups(self):
        group = self.add_group()
        setting = f"/groups/{group.id}/merge_request_approval_setting"
        self.assertTrue(self.gl.http_get(setting)["allow_author_approval"]["value"])
        self.assertFalse(self.gl.http_put(setting, post_data={"allow_author_approval": False})["allow_author_approval"]["value"])
        rule = group.approval_rules.create({"name": "All", "approvals_required": 1})
        rule.approvals_required = 2
        rule.save()
        self.assertEqual([one.approvals_required for one in group.approval_rules.list()], [2])
        self.assertEqual(group.approval_rules.get(rule.id).name, rule.name)

        approvals = self.project.approvals.get()
        approvals.reset_approvals_on_push = False
        approvals.save()
        self.assertFalse(self.project.approvals.get().reset_approvals_on_push)
        setting = f"/projects/{self.project.id}/merge_request_approval_setting"
        self.assertTrue(self.gl.http_get(setting)["retain_approvals_on_push"]["value"])
        self.gl.http_put(setting, post_data={"retain_approvals_on_push": False})
        rule = self.project.approvalrules.create({"name": "One", "approvals_required": 1})
        rule = self.project.approvalrules.get(rule.id)
        rule.name = "Some"
        rule.save()
        older = f"/projects/{self.project.id}/approval_settings"
        named = {"name": "Older", "approvals_required": 0, "user_ids": [self.gl.http_get("/user")["id"]]}
        made = self.gl.http_post(f"{older}/rules", post_data=named)
        self.gl.http_put(f"{older}/rules/{made['id']}", post_data={"name": "Oldest"})
        self.assertEqual([one["name"] for one in self.gl.http_get(older)["rules"]], ["Some", "Oldest"])
        self.gl.http_delete(f"{older}/rules/{made['id']}")

    def test_external_status_checks(self):
        check = self.project.external_status_checks.create({"name": "QA", "external_url": "https://qa.example.com"})
        check.name = "Quality"
        check.save()
        self.assertEqual([one.name for one in self.project.external_status_checks.list()], ["Quality"])
        request = self.open()
        self.assertEqual([one.status for one in request.status_checks.list()], ["pending"])
        said = {"sha": request.sha, "external_status_check_id": check.id, "status": "failed"}
        path = f"/projects/{self.project.id}/merge_requests/{request.iid}"
        self.gl.http_post(f"{path}/status_check_responses", post_data=said)
        self.assertEqual([one.status for one in request.status_checks.list()], ["failed"])
        self.gl.http_post(f"{path}/status_checks/{check.id}/retry")
        self.assertEqual([one.status for one in request.status_checks.list()], ["pending"])
        check.delete()

    def test_rules_of_merge_requests(self):
        request = self.open()
        rule = request.approval_rules.create({"name": "Own", "approvals_required": 1})
        rule = request.approval_rules.get(rule.id)
        rule.approvals_required = 2
        rule.save()
        self.assertEqual([one.approvals_required for one in request.approval_rules.list()], [2])
        self.assertFalse(request.approval_state.get().rules[0]["approved"])
        path = f"/projects/{self.project.id}/merge_requests/{request.iid}/approval_settings"
        self.assertTrue(self.gl.http_get(path)["approval_rules_overwritten"])
        rule.delete()
        token = self.project.access_tokens.create(
            {"name": "bot", "scopes": ["api"], "access_level": 40, "expires_at": self.in_days(20)}
        )
        bot = gitlab.Gitlab(self.gl.url, private_token=token.token)
        request.approve()
        self.assertTrue(bot.projects.get(self.project.id).mergerequests.get(request.iid).reset_approvals())
        self.assertEqual(request.approvals.get().approved_by, [])

    @staticmethod
    def in_days(days):
        return time.strftime("%Y-%m-%d", time.gmtime(time.time() + days * 86400))


class Surroundings(ReviewTest):
    def path(self, request, rest):
        return f"/projects/{self.project.id}/merge_requests/{request.iid}/{rest}"

    def test_dependencies_and_context_commits(self):
        first, second = self.open("first"), self.open("second")
        blocks = self.path(second, "blocks")
        block = self.gl.http_post(blocks, post_data={"blocking_merge_request_id": first.id})
        self.assertEqual([one["id"] for one in self.gl.http_list(blocks)], [block["id"]])
        self.assertEqual(self.gl.http_get(f"{blocks}/{block['id']}")["project_id"], self.project.id)
        self.assertEqual(len(self.gl.http_list(self.path(first, "blockees"))), 1)
        self.gl.http_delete(f"{blocks}/{block['id']}")
        context = self.path(first, "context_commits")
        sha = self.project.branches.get("main").commit["id"]
        self.gl.http_post(context, post_data={"commits": [sha]})
        self.assertEqual([one["id"] for one in self.gl.http_list(context)], [sha])
        self.gl.http_delete(context, query_data={"commits[]": [sha]})

    def test_diffs_and_merge_ref(self):
        request = self.open()
        (diff,) = self.gl.http_list(self.path(request, "diffs"))
        self.assertEqual(diff["new_path"], "a.txt")
        self.assertIn(b"diff --git a/a.txt b/a.txt", self.gl.http_get(self.path(request, "raw_diffs"), raw=True).content)
        merged = request.merge_ref()["commit_id"]
        self.assertEqual(self.gl.http_put(self.path(request, "merge_ref"))["commit_id"], merged)

    def test_merge_trains(self):
        config = "test: { script: [make], rules: [{ if: '$CI_MERGE_REQUEST_EVENT_TYPE == \"merge_train\"' }] }\n"
        self.project.files.create(
            {"file_path": ".gitlab-ci.yml", "branch": "main", "content": config, "commit_message": "Configure"}
        )
        self.project.merge_pipelines_enabled = True
        self.project.merge_trains_enabled = True
        self.project.save()
        request = self.open()
        one = f"/projects/{self.project.id}/merge_trains/merge_requests/{request.iid}"
        (car,) = self.gl.http_post(one, post_data={"sha": request.sha})
        self.assertEqual(car["merge_request"]["iid"], request.iid)
        self.assertEqual([each.id for each in self.project.merge_trains.list(scope="active")], [car["id"]])
        self.assertEqual(len(self.gl.http_list(f"/projects/{self.project.id}/merge_trains/main")), 1)
        self.assertEqual(self.gl.http_get(one)["id"], car["id"])
        request.cancel_merge_when_pipeline_succeeds()
        self.assertEqual(self.project.merge_trains.list(), [])

    def test_events_reactions_and_time_tracking(self):
        milestone = self.project.milestones.create({"title": "1.0"})
        reviewer = self.add_user("reviewer")
        self.project.members.create({"user_id": reviewer.id, "access_level": gitlab.const.AccessLevel.DEVELOPER})
        request = self.open(reviewer_ids=[reviewer.id])
        request.labels = ["one"]
        request.milestone_id = milestone.id
        request.save()
        request.state_event = "close"
        request.save()
        for events in (request.resourcelabelevents, request.resourcemilestoneevents, request.resourcestateevents):
            (event,) = events.list()
            self.assertEqual(events.get(event.id).id, event.id)
        self.assertEqual([one.iid for one in milestone.merge_requests()], [request.iid])
        self.assertEqual([one.user["id"] for one in request.reviewer_details.list()], [reviewer.id])
        award = request.awardemojis.create({"name": "heart"})
        self.assertEqual([one.id for one in request.awardemojis.list()], [award.id])
        request.awardemojis.get(award.id).delete()
        note = request.notes.create({"body": "Said"})
        note = request.notes.get(note.id)
        note.body = "Said again"
        note.save()
        award = note.awardemojis.create({"name": "heart"})
        note.awardemojis.get(award.id).delete()
        self.assertEqual(self.gl.http_list(self.path(request, "notes/award_emoji"), {"note_ids": note.id}), [])
        request.time_estimate("1h")
        request.add_spent_time("30m")
        request.reset_time_estimate()
        request.reset_spent_time()
        self.assertEqual(self.gl.http_get(self.path(request, "time_stats"))["total_time_spent"], 0)

    def test_lists_by_group_milestone_and_issue(self):
        group = self.add_group()
        milestone = group.milestones.create({"title": "Shared"})
        self.project = self.add_filled_project({"a.txt": "one\ntwo\nthree\n"}, namespace_id=group.id)
        issue = self.project.issues.create({"title": "Two is a word"})
        request = self.open(description=f"Closes #{issue.iid}", milestone_id=milestone.id)
        self.assertEqual([one.id for one in group.mergerequests.list()], [request.id])
        self.assertEqual([one.id for one in milestone.merge_requests()], [request.id])
        self.assertEqual([one.id for one in request.related_issues()], [issue.id])
        self.wait_for(lambda: [one["id"] for one in issue.related_merge_requests()] == [request.id])
        environment = self.project.environments.create({"name": "live"})
        head = self.project.branches.get("main").commit["id"]
        deployment = self.project.deployments.create(
            {"environment": environment.name, "sha": head, "ref": "main", "tag": False, "status": "success"}
        )
        self.assertEqual(deployment.mergerequests.list(), [])


class Threads(ReviewTest):
    def suggest(self, request, line, text):
        refs = self.project.mergerequests.get(request.iid).diff_refs
        position = {"position_type": "text", "new_path": "a.txt", "old_path": "a.txt", "new_line": line} | refs
        body = f"```suggestion:-0+0\n{text}\n```"
        return request.discussions.create({"body": body, "position": position}).attributes["notes"][0]

    def test_suggestions(self):
        self.branch(content="1\n2\n3\n")
        data = {"source_branch": "feature", "target_branch": "main", "title": "Digits"}
        request = self.project.mergerequests.create(data)
        one, two, three = (self.suggest(request, line, text) for line, text in ((1, "I"), (2, "II"), (3, "III")))
        number = lambda note: note["suggestions"][0]["id"]
        self.assertTrue(self.gl.http_put(f"/suggestions/{number(one)}/apply")["applied"])
        applied = self.gl.http_put("/suggestions/batch_apply", post_data={"ids": [number(two), number(three)]})
        self.assertEqual([each["applied"] for each in applied], [True, True])
        self.assertEqual(self.project.files.raw("a.txt", ref="feature"), b"I\nII\nIII\n")

    def test_notes(self):
        request = self.open()
        thread = request.discussions.create({"body": "Why?"})
        self.assertEqual([one.id for one in request.discussions.list()], [thread.id])
        (note,) = self.gl.http_list(f"{request.discussions.path}/{thread.id}/notes")
        self.assertEqual(thread.notes.get(note["id"]).body, "Why?")
        draft = request.draft_notes.create({"note": "Not yet"})
        self.assertEqual(request.draft_notes.get(draft.id).note, "Not yet")
        draft.delete()
        self.assertEqual(request.draft_notes.list(), [])


class Automatic(ReviewTest):
    def test_merge_when_pipeline_succeeds(self):
        config = "build: { script: [make], rules: [{ if: $CI_MERGE_REQUEST_IID }] }"
        self.project.files.create(
            {"file_path": ".gitlab-ci.yml", "branch": "main", "content": config, "commit_message": "Build"}
        )
        request = self.open()
        self.assertEqual(request.pipelines.create().status in ("created", "pending"), True)
        self.wait_for(lambda: self.project.mergerequests.get(request.iid).detailed_merge_status == "mergeable")
        request.merge(merge_when_pipeline_succeeds=True)
        self.assertTrue(request.merge_when_pipeline_succeeds)
        self.assertEqual(request.cancel_merge_when_pipeline_succeeds(), {"status": "success"})
