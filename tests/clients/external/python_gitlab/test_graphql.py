"""GraphQL, if python-gitlab was installed with support for it (`pip install 'python-gitlab[graphql]'`)."""

import importlib.util
import unittest

import gitlab

from support import TOKEN, URL, ServerTest


@unittest.skipUnless(importlib.util.find_spec("gql"), "python-gitlab[graphql] is not installed")
class GraphQL(ServerTest):
    def ask(self, query, token=TOKEN):
        with gitlab.GraphQL(URL, token=token) as gl:
            return gl.execute(query)

    def test_current_user(self):
        self.assertEqual(self.ask("{ currentUser { username } }")["currentUser"]["username"], "root")

    def test_a_project_and_its_issues(self):
        project = self.add_project()
        issue = project.issues.create({"title": "Broken"})
        path = project.path_with_namespace
        found = self.ask(f'{{ project(fullPath: "{path}") {{ id issues {{ nodes {{ iid title }} }} }} }}')
        self.assertEqual(
            found["project"],
            {
                "id": f"gid://gitlab/Project/{project.id}",
                "issues": {"nodes": [{"iid": str(issue.iid), "title": "Broken"}]},
            },
        )

    def test_a_note(self):
        issue = self.add_project().issues.create({"title": "Broken"})
        target = f"gid://gitlab/Issue/{issue.id}"
        made = self.ask(
            f'mutation {{ createNote(input: {{ noteableId: "{target}", body: "Seen" }}) {{ errors note {{ body }} }} }}'
        )
        self.assertEqual(made["createNote"], {"errors": [], "note": {"body": "Seen"}})
        self.assertEqual([note.body for note in issue.notes.list(get_all=True)], ["Seen"])

    def test_errors(self):
        from gql.transport.exceptions import TransportQueryError

        with self.assertRaisesRegex(TransportQueryError, "Invalid token"):
            self.ask("{ currentUser { username } }", token="glpat-wrong")
        with self.assertRaisesRegex(TransportQueryError, "Field 'nonsense' doesn't exist on type 'Query'"):
            self.ask("{ nonsense }")
