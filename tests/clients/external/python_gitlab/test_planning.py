"""Issues, epics, boards, milestones, iterations, snippets, to-do items and notes."""

import datetime

import gitlab

from support import ServerTest

LATER = (datetime.date.today() + datetime.timedelta(days=30)).isoformat()


class PlanningTest(ServerTest):
    """A group with a project that has an issue."""

    def setUp(self):
        super().setUp()
        self.group = self.add_group()
        self.project = self.add_project(namespace_id=self.group.id)
        self.issue = self.project.issues.create({"title": "First", "labels": "bug", "description": "- [x] a\n- [ ] b"})


class Issues(PlanningTest):
    def test_update(self):
        issue = self.issue
        issue.title = "Renamed"
        issue.add_labels = ["ui"]
        issue.weight = 3
        issue.due_date = LATER
        issue.save()
        shown = self.project.issues.get(issue.iid)
        self.assertEqual((shown.title, shown.labels, shown.weight, shown.due_date), ("Renamed", ["bug", "ui"], 3, LATER))
        self.assertEqual(shown.task_completion_status, {"count": 2, "completed_count": 1})
        shown.state_event = "close"
        shown.save()
        self.assertEqual(self.project.issues.get(issue.iid).state, "closed")
        self.assertEqual([one.state for one in issue.resourcestateevents.list()], ["closed"])
        self.assertEqual(issue.resourcestateevents.get(issue.resourcestateevents.list()[0].id).state, "closed")
        self.assertEqual([one.action for one in issue.resourcelabelevents.list()], ["add", "add"])
        self.assertEqual([one.weight for one in issue.resource_weight_events.list()], [3])
        issue.delete()
        with self.refused(gitlab.GitlabGetError, 404, "404 Not found"):
            self.project.issues.get(issue.iid)

    def test_list(self):
        for issues in (self.project.issues, self.group.issues):
            self.assertEqual([one.title for one in issues.list(labels=["bug"], state="opened")], ["First"])
            self.assertEqual(issues.list(labels=["none of these"]), [])
            self.assertEqual([one.title for one in issues.list(search="first", order_by="updated_at")], ["First"])
        self.assertIn("First", [one.title for one in self.gl.issues.list(scope="all", iterator=True)])
        for statistics in (self.project.issues_statistics, self.group.issues_statistics):
            self.assertEqual(statistics.get().statistics["counts"], {"all": 1, "closed": 0, "opened": 1})
        self.assertGreaterEqual(self.gl.issues_statistics.get(scope="all").statistics["counts"]["all"], 1)
        with self.refused(gitlab.GitlabListError, 400, "mutually exclusive"):
            self.project.issues.list(milestone="a", milestone_id="Any")

    def test_subscription_and_time_tracking(self):
        issue = self.issue
        issue.unsubscribe()
        self.assertIs(issue.subscribed, False)
        issue.subscribe()
        self.assertIs(issue.subscribed, True)
        self.assertEqual([one["username"] for one in issue.participants()], ["root"])
        issue.time_estimate("3h30m")
        self.assertEqual(issue.add_spent_time("1h")["human_total_time_spent"], "1h")
        self.assertEqual(self.project.issues.get(issue.iid).time_stats()["human_time_estimate"], "3h 30m")
        self.assertEqual(issue.reset_spent_time()["total_time_spent"], 0)
        self.assertEqual(issue.reset_time_estimate()["time_estimate"], 0)
        self.assertEqual((issue.related_merge_requests(), issue.closed_by()), ([], []))
        self.assertIs(issue.user_agent_detail()["akismet_submitted"], False)

    def test_link_move_and_reorder(self):
        other = self.project.issues.create({"title": "Second"})
        data = {"target_project_id": self.project.id, "target_issue_iid": other.iid, "link_type": "blocks"}
        link, _ = self.issue.links.create(data)
        self.assertEqual(link.iid, self.issue.iid)
        self.assertEqual([(one.iid, one.link_type) for one in self.issue.links.list()], [(other.iid, "blocks")])
        self.issue.links.delete(self.issue.links.list()[0].issue_link_id)
        self.assertEqual(self.issue.links.list(), [])
        self.issue.reorder(move_after_id=other.id)
        there = self.add_project()
        self.issue.move(there.id)
        self.assertEqual([one.title for one in there.issues.list()], ["First"])
        self.assertEqual(self.project.issues.get(self.issue.iid).state, "closed")

    def test_todos(self):
        todo = self.issue.todo()
        found = [one for one in self.gl.todos.list(iterator=True) if one.target["id"] == self.issue.id]
        self.assertEqual([one.action_name for one in found], ["marked"])
        found[0].mark_as_done()
        self.assertIsNone(todo)
        self.issue.todo()
        self.gl.todos.mark_all_as_done()
        self.assertEqual(self.gl.todos.list(state="pending"), [])


class Notes(PlanningTest):
    def check(self, notes, discussions=None):
        note = notes.create({"body": "said"})
        self.assertEqual(notes.get(note.id).body, "said")
        note.body = "said again"
        note.save()
        self.assertEqual(notes.get(note.id).body, "said again")
        if discussions is None:
            note.delete()
            return
        thread = discussions.create({"body": "a thread"})
        thread.notes.create({"body": "a reply"})
        self.assertEqual([one["body"] for one in discussions.get(thread.id).attributes["notes"]], ["a thread", "a reply"])
        reply = thread.notes.get(discussions.get(thread.id).attributes["notes"][1]["id"])
        reply.body = "another reply"
        reply.save()
        reply.delete()
        self.assertGreaterEqual(len(discussions.list()), 2)
        note.delete()
        with self.refused(gitlab.GitlabGetError, 404):
            notes.get(note.id)

    def check_awards(self, awards):
        award = awards.create({"name": "thumbsup"})
        self.assertEqual(awards.get(award.id).name, "thumbsup")
        self.assertEqual([one.name for one in awards.list()], ["thumbsup"])
        award.delete()
        self.assertEqual(awards.list(), [])

    def test_on_issues(self):
        self.check(self.issue.notes, self.issue.discussions)
        self.check_awards(self.issue.awardemojis)
        self.check_awards(self.issue.notes.create({"body": "liked"}).awardemojis)
        self.issue.notes.create({"body": "/close"})
        self.assertEqual(self.project.issues.get(self.issue.iid).state, "closed")

    def test_on_snippets(self):
        files = [{"file_path": "a", "content": "b"}]
        snippet = self.project.snippets.create({"title": "s", "files": files, "visibility": "private"})
        self.check(snippet.notes, snippet.discussions)
        self.check_awards(snippet.awardemojis)
        self.check_awards(snippet.notes.create({"body": "liked"}).awardemojis)

    def test_on_epics(self):
        epic = self.group.epics.create({"title": "Epic"})
        self.check(epic.notes)


class Epics(PlanningTest):
    def test_update_and_epic_issues(self):
        epic = self.group.epics.create({"title": "Epic", "labels": "far"})
        epic.title = "Renamed"
        epic.save()
        shown = self.group.epics.get(epic.iid)
        self.assertEqual((shown.title, shown.labels), ("Renamed", ["far"]))
        self.assertEqual([one.title for one in self.group.epics.list(search="Renamed")], ["Renamed"])
        self.assertEqual([one.action for one in epic.resourcelabelevents.list()], ["add"])
        held = epic.issues.create({"issue_id": self.issue.id})
        self.assertEqual([one.id for one in epic.issues.list()], [self.issue.id])
        other = self.project.issues.create({"title": "Second"})
        second = epic.issues.create({"issue_id": other.id})
        self.gl.http_put(
            f"/groups/{self.group.id}/epics/{epic.iid}/issues/{second.epic_issue_id}",
            post_data={"move_after_id": held.epic_issue_id},
        )
        self.assertEqual([one.id for one in epic.issues.list()], [other.id, self.issue.id])
        held.delete()
        self.assertEqual([one.id for one in epic.issues.list()], [other.id])
        epic.delete()
        with self.refused(gitlab.GitlabGetError, 404):
            self.group.epics.get(epic.iid)


class Boards(PlanningTest):
    def test_of_projects_and_groups(self):
        for place in (self.project, self.group):
            label = place.labels.create({"name": "column", "color": "#112233"})
            board = place.boards.create({"name": "Plan"})
            board.name = "Plans"
            board.save()
            self.assertEqual(place.boards.get(board.id).name, "Plans")
            self.assertIn(board.id, [one.id for one in place.boards.list()])
            column = board.lists.create({"label_id": label.id})
            self.assertEqual(board.lists.get(column.id).label["name"], "column")
            column.position = 0
            column.save()
            self.assertIn(column.id, [one.id for one in board.lists.list()])
            column.delete()
            board.delete()
            label.delete()


class Milestones(PlanningTest):
    def test_of_projects_and_groups(self):
        for title, place in (("near", self.project), ("far", self.group)):
            milestone = place.milestones.create({"title": title, "due_date": LATER})
            self.issue.milestone_id = milestone.id
            self.issue.save()
            self.assertEqual([one.id for one in milestone.issues()], [self.issue.id])
            self.assertEqual(list(milestone.merge_requests()), [])
            milestone.state_event = "close"
            milestone.save()
            self.assertEqual(place.milestones.get(milestone.id).state, "closed")
            self.assertEqual([one.id for one in place.milestones.list(state="closed")], [milestone.id])
        actions = [one.action for one in self.issue.resourcemilestoneevents.list()]
        self.assertEqual(actions, ["add", "remove", "add"])
        rising = self.project.milestones.create({"title": "rising"})
        rising.promote()
        self.assertIn("rising", [one.title for one in self.group.milestones.list()])
        place.milestones.delete(milestone.id)


class Iterations(PlanningTest):
    def test_of_projects_and_groups(self):
        cadence = {"title": "weekly", "start_date": datetime.date.today().isoformat(), "duration_in_weeks": 1}
        path = f"/groups/{self.group.id}/iteration_cadences"
        self.gl.http_post(path, post_data=cadence | {"iterations_in_advance": 2})
        found = self.group.iterations.list()
        self.assertEqual([one.id for one in self.project.iterations.list(include_ancestors=True)], [one.id for one in found])
        self.issue.notes.create({"body": f"Soon.\n/iteration *iteration:{found[0].id}"})
        self.assertEqual([one.action for one in self.issue.resource_iteration_events.list()], ["add"])


class Snippets(ServerTest):
    def test_of_users_and_projects(self):
        project = self.add_project()
        data = {"title": "s", "files": [{"file_path": "a.py", "content": "print()"}], "visibility": "private"}
        for snippets in (self.gl.snippets, project.snippets):
            snippet = snippets.create(data)
            self.assertEqual(snippet.content(), b"print()")
            snippet.title = "renamed"
            snippet.files = [{"file_path": "a.py", "action": "update", "content": "pass"}]
            snippet.save()
            self.assertEqual(snippets.get(snippet.id).title, "renamed")
            self.assertEqual(snippet.content(), b"pass")
            self.assertIs(snippet.user_agent_detail()["akismet_submitted"], False)
            self.assertIn(snippet.id, [one.id for one in snippets.list(iterator=True)])
            snippet.delete()
            with self.refused(gitlab.GitlabGetError, 404):
                snippets.get(snippet.id)
        self.gl.snippets.list_public(iterator=True)
        self.gl.snippets.list_all(iterator=True)


class Notifications(PlanningTest):
    def test_levels(self):
        for place in (self.gl, self.group, self.project):
            settings = place.notificationsettings.get()
            settings.level = "watch"
            settings.save()
            self.assertEqual(place.notificationsettings.get().level, "watch")
            settings.level = "participating" if place is self.gl else "global"
            settings.save()

    def test_events(self):
        self.issue.notes.create({"body": "said"})
        kinds = [(one.action_name, one.target_type) for one in self.project.events.list()]
        self.assertEqual(kinds[:2], [("commented on", "Note"), ("opened", "Issue")])
