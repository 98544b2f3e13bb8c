"""Less common planning calls, with the client's classes or, where it has none, with plain requests."""

import gitlab
from gitlab.v4.objects import GroupEpicAwardEmojiManager

from support import ServerTest
from test_planning import PlanningTest


class EpicsAround(PlanningTest):
    def setUp(self):
        super().setUp()
        self.epic = self.group.epics.create({"title": "Epic", "labels": "far"})
        self.other = self.group.epics.create({"title": "Other"})
        self.at = f"/groups/{self.group.id}/epics/{self.epic.iid}"

    def test_discussions(self):
        at = f"/groups/{self.group.id}/epics/{self.epic.id}/discussions"
        thread = self.gl.http_post(at, post_data={"body": "a thread"})
        one = f"{at}/{thread['id']}"
        reply = self.gl.http_post(f"{one}/notes", post_data={"body": "a reply"})
        self.assertEqual(self.gl.http_get(f"{one}/notes/{reply['id']}")["body"], "a reply")
        self.gl.http_put(f"{one}/notes/{reply['id']}", post_data={"body": "another"})
        self.assertEqual([note["body"] for note in self.gl.http_list(f"{one}/notes")], ["a thread", "another"])
        self.gl.http_put(one, post_data={"resolved": True})
        self.gl.http_delete(f"{one}/notes/{reply['id']}")
        self.assertEqual(len(self.gl.http_get(one)["notes"]), 1)
        self.assertEqual([each["id"] for each in self.gl.http_list(at)][-1], thread["id"])
        self.assertEqual(self.epic.notes.list(activity_filter="only_comments")[0].body, "a thread")

    def test_award_emoji(self):
        awards = GroupEpicAwardEmojiManager(self.gl, parent=self.epic)
        note = self.epic.notes.create({"body": "liked"})
        # The URLs of epic notes contain the epic's ID, those of award emoji its IID.
        path = f"{self.at}/notes/{note.id}/award_emoji"
        award = awards.create({"name": "thumbsup"})
        self.assertEqual(awards.get(award.id).name, "thumbsup")
        self.assertEqual([one.name for one in awards.list()], ["thumbsup"])
        awards.delete(award.id)
        award = self.gl.http_post(path, post_data={"name": "tada"})
        self.assertEqual(self.gl.http_get(f"{path}/{award['id']}")["name"], "tada")
        self.assertEqual(len(self.gl.http_list(path)), 1)
        counted = self.gl.http_list(f"{self.at}/notes/award_emoji", query_data={"note_ids[]": [note.id]})
        self.assertEqual([(one["note_id"], one["name"], one["count"]) for one in counted], [(note.id, "tada", 1)])
        self.gl.http_delete(f"{path}/{award['id']}")
        self.assertEqual(self.gl.http_list(path), [])

    def test_children_and_links(self):
        child = self.gl.http_post(f"{self.at}/epics", post_data={"title": "Child"})
        self.gl.http_post(f"{self.at}/epics/{self.other.id}")
        self.gl.http_put(f"{self.at}/epics/{self.other.id}", post_data={"move_before_id": child["id"]})
        self.assertEqual({one["title"] for one in self.gl.http_list(f"{self.at}/epics")}, {"Child", "Other"})
        self.gl.http_delete(f"{self.at}/epics/{self.other.id}")
        self.assertEqual([one["title"] for one in self.gl.http_list(f"{self.at}/epics")], ["Child"])
        related = f"{self.at}/related_epics"
        data = {"target_group_id": self.group.id, "target_epic_iid": self.other.iid}
        link = self.gl.http_post(related, post_data=data)
        [found] = self.gl.http_list(related)
        self.assertEqual(found["id"], self.other.id)
        self.assertEqual(len(self.gl.http_list(f"/groups/{self.group.id}/related_epic_links")), 1)
        self.gl.http_delete(f"{related}/{link['id']}")
        self.assertEqual(self.gl.http_list(related), [])
        self.assertEqual(self.gl.http_post(f"{self.at}/todo")["target"]["id"], self.epic.id)

    def test_resource_events(self):
        event = self.epic.resourcelabelevents.list()[0]
        self.assertEqual(self.epic.resourcelabelevents.get(event.id).label["name"], "far")
        self.epic.state_event = "close"
        self.epic.save()
        at = f"/groups/{self.group.id}/epics/{self.epic.id}/resource_state_events"
        [closed] = self.gl.http_list(at)
        self.assertEqual(self.gl.http_get(f"{at}/{closed['id']}")["state"], "closed")

    def test_epic_boards(self):
        label = self.group.labels.get("far")
        at = f"/groups/{self.group.id}/epic_boards"
        board = self.gl.http_post(at, post_data={"name": "Far"})
        one = f"{at}/{board['id']}"
        self.gl.http_put(one, post_data={"name": "Farther"})
        made = self.gl.http_post(f"{one}/lists", post_data={"label_id": label.id})
        self.gl.http_put(f"{one}/lists/{made['id']}", post_data={"position": 0})
        self.assertEqual(self.gl.http_get(f"{one}/lists/{made['id']}")["label"]["name"], "far")
        self.assertIn(made["id"], [each["id"] for each in self.gl.http_list(f"{one}/lists")])
        self.gl.http_delete(f"{one}/lists/{made['id']}")
        self.assertEqual(self.gl.http_get(one)["name"], "Farther")
        self.assertEqual(len(self.gl.http_list(at)), 1)
        self.gl.http_delete(one)
        self.assertEqual(self.gl.http_list(at), [])


class IssuesAround(PlanningTest):
    def test_resource_events(self):
        issue = self.issue
        issue.weight = 2
        issue.milestone_id = self.project.milestones.create({"title": "m"}).id
        issue.save()
        path = f"/groups/{self.group.id}/iteration_cadences"
        data = {"title": "weekly", "start_date": "2026-01-05", "duration_in_weeks": 1, "iterations_in_advance": 1}
        cadence = self.gl.http_post(path, post_data=data)
        iteration = self.group.iterations.list(get_all=False)[0]
        issue.notes.create({"body": f"/iteration *iteration:{iteration.id}"})
        for events in (
            issue.resourcelabelevents,
            issue.resourcemilestoneevents,
            issue.resource_weight_events,
            issue.resource_iteration_events,
        ):
            [event] = events.list()
            self.assertEqual(events.get(event.id).id, event.id)
        self.assertEqual([one["id"] for one in self.gl.http_list(path)], [cadence["id"]])
        self.gl.http_delete(f"{path}/{cadence['id']}")
        self.assertEqual(self.gl.http_list(path), [])

    def test_clone_discuss_and_render(self):
        issue, at = self.issue, f"/projects/{self.project.id}/issues/{self.issue.iid}"
        self.assertEqual(self.gl.issues.get(issue.id).iid, issue.iid)
        self.assertEqual(self.gl.http_get(f"{at}/time_stats")["time_estimate"], 0)
        thread = issue.discussions.create({"body": "a thread"})
        self.assertEqual([one.body for one in thread.notes.list()], ["a thread"])
        self.gl.http_put(f"{at}/discussions/{thread.id}", post_data={"resolved": True})
        self.assertEqual([one.body for one in issue.notes.list(activity_filter="only_comments")], ["a thread"])
        copy = self.gl.http_post(f"{at}/clone", post_data={"to_project_id": self.project.id, "with_notes": True})
        self.assertEqual(copy["title"], "First")
        issue.links.create({"target_project_id": self.project.id, "target_issue_iid": copy["iid"]})
        [link] = issue.links.list()
        shown = self.gl.http_get(f"{at}/links/{link.issue_link_id}")
        self.assertEqual(shown["target_issue"]["id"], copy["id"])
        note = thread.notes.list()[0]
        note_ids = {"note_ids[]": [note.id]}
        self.assertEqual(self.gl.http_list(f"{at}/notes/award_emoji", query_data=note_ids), [])
        html = self.gl.markdown(f"see #{copy['iid']}", gfm=True, project=self.project.path_with_namespace)
        self.assertIn(f"/-/issues/{copy['iid']}", html)


class LabelsAndMilestonesAround(PlanningTest):
    def test_by_name(self):
        for place in (self.group, self.project):
            place.labels.create({"name": "named", "color": "#112233"})
            path = f"/{'groups' if place is self.group else 'projects'}/{place.id}/labels"
            self.gl.http_put(f"{path}/named", post_data={"new_name": "other"})
            self.gl.http_delete(path, query_data={"name": "other"})
            self.assertNotIn("other", [one.name for one in place.labels.list(include_ancestor_groups=False)])
        self.project.labels.create({"name": "up", "color": "#112233"})
        self.gl.http_put(f"/projects/{self.project.id}/labels/promote", post_data={"name": "up"})
        self.assertEqual(self.group.labels.get("up").name, "up")

    def test_counts(self):
        [label] = [one for one in self.project.labels.list(with_counts=True) if one.name == "bug"]
        self.assertEqual((label.open_issues_count, label.closed_issues_count), (1, 0))
        self.issue.state_event = "close"
        self.issue.save()
        [label] = [one for one in self.project.labels.list(with_counts=True) if one.name == "bug"]
        self.assertEqual((label.open_issues_count, label.closed_issues_count), (0, 1))

    def test_burndown_events(self):
        for place, name in ((self.group, "groups"), (self.project, "projects")):
            milestone = place.milestones.create({"title": "m"})
            path = f"/{name}/{place.id}/milestones/{milestone.id}/burndown_events"
            self.assertEqual(self.gl.http_list(path), [])
            milestone.delete()
            with self.refused(gitlab.GitlabGetError, 404):
                place.milestones.get(milestone.id)


class SnippetsAround(ServerTest):
    def test_files(self):
        project = self.add_project()
        data = {"title": "s", "files": [{"file_path": "a.py", "content": "print()"}], "visibility": "private"}
        for snippets, path in ((self.gl.snippets, "/snippets"), (project.snippets, f"/projects/{project.id}/snippets")):
            snippet = snippets.create(data)
            answer = self.gl.http_get(f"{path}/{snippet.id}/files/main/a.py/raw", raw=True)
            self.assertEqual(answer.text, "print()")
        thread = snippet.discussions.create({"body": "a thread"})
        self.assertEqual([one.body for one in thread.notes.list()], ["a thread"])
        self.assertEqual([one.body for one in snippet.notes.list()], ["a thread"])

    def test_commit_comments(self):
        project = self.add_filled_project()
        commit = project.commits.list(get_all=False)[0]
        commit.comments.create({"note": "fine"})
        self.assertEqual([one.note for one in commit.comments.list()], ["fine"])
