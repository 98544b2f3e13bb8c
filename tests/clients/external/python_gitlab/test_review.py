"""Merge requests from creation to merge: discussions, approvals, versions and permissions."""

import gitlab

from support import ServerTest


class ReviewTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.project = self.add_filled_project({"a.txt": "one\ntwo\nthree\n"})

    def branch(self, name="feature", content="one\n2\nthree\n"):
        self.project.branches.create({"branch": name, "ref": "main"})
        change = {"action": "update", "file_path": "a.txt", "content": content}
        self.project.commits.create({"branch": name, "commit_message": f"Change a on {name}", "actions": [change]})

    def open(self, name="feature", **more):
        self.branch(name)
        data = {"source_branch": name, "target_branch": "main", "title": f"Bring {name}"}
        return self.project.mergerequests.create(data | more)


class MergeRequests(ReviewTest):
    def test_create_and_merge(self):
        issue = self.project.issues.create({"title": "Two is a word"})
        label = self.project.labels.create({"name": "fix", "color": "#ff0000"})
        request = self.open(description=f"Closes #{issue.iid}", labels=[label.name])
        self.assertEqual((request.state, request.labels), ("opened", ["fix"]))
        with self.refused(gitlab.GitlabCreateError, 409, "Another open merge request"):
            self.project.mergerequests.create(
                {"source_branch": "feature", "target_branch": "main", "title": "Again"}
            )
        self.assertEqual([one.iid for one in self.project.mergerequests.list(state="opened")], [request.iid])
        mine = self.gl.mergerequests.list(scope="created_by_me", source_branch="feature", iterator=True)
        self.assertIn(request.id, [one.id for one in mine])
        self.assertEqual([one.title for one in request.commits()], ["Change a on feature"])
        self.assertEqual(request.changes()["changes"][0]["new_path"], "a.txt")
        (version,) = request.diffs.list()
        self.assertIn("-two\n+2", request.diffs.get(version.id).diffs[0]["diff"])
        self.assertEqual([one.iid for one in request.closes_issues()], [issue.iid])
        self.assertEqual([one["username"] for one in request.participants()], ["root"])
        self.assertEqual(request.pipelines.list(), [])
        request.title = "Bring it"
        request.save()
        request.unsubscribe()
        request.subscribe()
        request.todo()
        request.time_estimate("1h")
        request.add_spent_time("30m")
        fresh = self.project.mergerequests.get(request.iid)
        self.assertEqual(fresh.time_stats()["human_total_time_spent"], "30m")
        self.wait_for(lambda: self.project.mergerequests.get(request.iid).detailed_merge_status == "mergeable")
        with self.refused(gitlab.GitlabMRClosedError, 409, "SHA does not match"):
            request.merge(sha="1" * 40)
        request.merge(should_remove_source_branch=True, merge_commit_message="Land it")
        self.assertEqual(request.state, "merged")
        self.assertEqual(self.project.files.raw("a.txt", ref="main"), b"one\n2\nthree\n")
        self.wait_for(lambda: self.project.issues.get(issue.iid).state == "closed")
        with self.refused(gitlab.GitlabMRClosedError, 405):
            request.merge()

    def test_rebase_close_and_delete(self):
        request = self.open()
        self.project.files.create(
            {"file_path": "b.txt", "branch": "main", "content": "b", "commit_message": "Go on"}
        )
        self.assertTrue(request.rebase()["rebase_in_progress"])
        self.wait_for(
            lambda: self.project.repository_compare("main", "feature")["commits"][0]["parent_ids"]
            == [self.project.branches.get("main").commit["id"]]
        )
        request.state_event = "close"
        request.save()
        self.assertEqual(request.state, "closed")
        request.delete()
        with self.refused(gitlab.GitlabGetError, 404):
            self.project.mergerequests.get(request.iid)


class Review(ReviewTest):
    def test_diff_discussions(self):
        request = self.open()
        refs = self.project.mergerequests.get(request.iid).diff_refs
        position = {"position_type": "text", "new_path": "a.txt", "old_path": "a.txt", "new_line": 2} | {
            name: refs[name] for name in ("base_sha", "start_sha", "head_sha")
        }
        discussion = request.discussions.create({"body": "Why a digit?", "position": position})
        self.assertEqual(discussion.attributes["notes"][0]["type"], "DiffNote")
        reply = discussion.notes.create({"body": "It is shorter"})
        reply.body = "It is *much* shorter"
        reply.save()
        discussion.resolved = True
        discussion.save()
        self.assertTrue(request.discussions.get(discussion.id).attributes["notes"][0]["resolved"])
        reply.delete()
        note = request.notes.create({"body": "Fine"})
        note.awardemojis.create({"name": "thumbsup"})
        self.assertEqual([one.name for one in note.awardemojis.list()], ["thumbsup"])
        request.awardemojis.create({"name": "heart"})
        note.delete()
        draft = request.draft_notes.create({"note": "A thought"})
        self.assertEqual([one.note for one in request.draft_notes.list()], ["A thought"])
        draft.note = "A second thought"
        draft.save()
        draft.publish()
        request.draft_notes.create({"note": "And one more"})
        request.draft_notes.bulk_publish()
        bodies = [one.body for one in request.notes.list(iterator=True)]
        self.assertIn("A second thought", bodies)
        self.assertIn("And one more", bodies)

    def test_approval(self):
        request = self.open()
        reviewer = self.add_user("reviewer")
        self.project.members.create({"user_id": reviewer.id, "access_level": gitlab.const.AccessLevel.DEVELOPER})
        theirs = self.client_of(reviewer).projects.get(self.project.id).mergerequests.get(request.iid)
        theirs.approve()
        self.assertEqual([one["user"]["id"] for one in request.approvals.get().approved_by], [reviewer.id])
        theirs.unapprove()
        self.assertEqual(request.approvals.get().approved_by, [])
        approvals = request.approvals.get()
        approvals.approvals_required = 1
        approvals.save()
        self.assertEqual(request.approvals.get().approvals_left, 1)
        rule = self.project.approvalrules.create({"name": "Two", "approvals_required": 1, "user_ids": [reviewer.id]})
        self.assertEqual([one.name for one in self.project.approvalrules.list()], ["Two"])
        rule.delete()

    def test_resource_events(self):
        request = self.open()
        request.labels = ["one"]
        request.save()
        request.state_event = "close"
        request.save()
        self.assertEqual([one.action for one in request.resourcelabelevents.list()], ["add"])
        self.assertEqual([one.state for one in request.resourcestateevents.list()], ["closed"])


class CommitDiscussions(ReviewTest):
    def test_threads(self):
        commit = self.project.commits.list()[0]
        discussion = commit.discussions.create({"body": "Look here"})
        note = discussion.notes.create({"body": "Where?"})
        note.body = "Where, please?"
        note.save()
        self.assertEqual(
            [one["body"] for one in commit.discussions.get(discussion.id).attributes["notes"]],
            ["Look here", "Where, please?"],
        )
        self.assertEqual([one.id for one in commit.discussions.list()], [discussion.id])
        path = f"/projects/{self.project.id}/repository/commits/{commit.id}/discussions/{discussion.id}/notes"
        self.assertEqual(self.gl.http_get(f"{path}/{note.id}")["body"], "Where, please?")
        self.assertEqual(len(self.gl.http_list(path)), 2)
        note.delete()
