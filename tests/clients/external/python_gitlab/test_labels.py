"""Labels, and pagination of long lists."""

import warnings

import gitlab

from support import ServerTest, unique


class Labels(ServerTest):
    def test_of_projects(self):
        project = self.add_project()
        label = project.labels.create({"name": "label", "color": "#778899"})
        self.assertIn(label, project.labels.list())
        self.assertEqual(project.labels.get("label"), project.labels.list()[0])
        self.assert_renamed(project.labels, label)

    def test_of_groups(self):
        group = self.add_group()
        group.labels.create({"name": "foo", "description": "bar", "color": "#112233"})
        label = group.labels.get("foo")
        label.description = "baz"
        label.save()
        self.assertEqual(group.labels.get("foo").description, "baz")
        self.assert_renamed(group.labels, label)

    def assert_renamed(self, labels, label):
        name = "Label:that requires:encoding/ü?"
        label.new_name = name
        label.save()
        self.assertEqual(label.name, name)
        label = labels.get(name)
        label.subscribe()
        self.assertIs(label.subscribed, True)
        label.unsubscribe()
        self.assertIs(label.subscribed, False)
        label.delete()
        with self.refused(gitlab.GitlabGetError, 404, "404 Label Not Found"):
            labels.get(name)

    def test_promote(self):
        group = self.add_group()
        label = self.add_project(namespace_id=group.id).labels.create({"name": "rise", "color": "#112233"})
        label.promote()
        self.assertIn("rise", [one.name for one in group.labels.list()])

    def test_validation(self):
        project = self.add_project()
        project.labels.create({"name": "one", "color": "red"})
        with self.refused(gitlab.GitlabCreateError, 409, "Label already exists"):
            project.labels.create({"name": "one", "color": "red"})
        with self.refused(gitlab.GitlabCreateError, 400, "must be a valid color code"):
            project.labels.create({"name": "two", "color": "#nope"})
        with self.refused(gitlab.GitlabDeleteError, 404):
            project.labels.delete("none")
        with self.refused(gitlab.GitlabHttpError, 400, "color is missing"):
            self.gl.http_post(f"/projects/{project.id}/labels", post_data={"name": "x"})


class LongLists(ServerTest):
    def test_pagination(self):
        project = self.add_project()
        names = {f"label {number:03}" for number in range(250)}
        for name in sorted(names):
            project.labels.create({"name": name, "color": "#112233"})
        self.assertEqual({one.name for one in project.labels.list(get_all=True)}, names)
        self.assertEqual({one.name for one in project.labels.list(get_all=True, per_page=100)}, names)
        walk = project.labels.list(iterator=True, per_page=100)
        self.assertEqual(
            (walk.current_page, walk.prev_page, walk.next_page, walk.per_page, walk.total, walk.total_pages),
            (1, None, 2, 100, 250, 3),
        )
        self.assertEqual([one.name for one in walk], sorted(names))
        self.assertEqual(len(project.labels.list(page=3, per_page=100)), 50)
        self.assertEqual(project.labels.list(page=4, per_page=100), [])
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.assertEqual(len(project.labels.list()), 20)
        self.assertIn("Calling a `list()` method without specifying", str(said[0].message))
        self.assertIn("20 of 250 items", str(said[0].message))
