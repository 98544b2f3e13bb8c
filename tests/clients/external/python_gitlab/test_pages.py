"""GitLab Pages and custom domains."""

import gitlab

from support import ServerTest


class Pages(ServerTest):
    def test_get_update_and_unpublish(self):
        project = self.add_project()
        pages = project.pages.get()
        self.assertEqual((pages.deployments, pages.is_unique_domain_enabled), ([], True))
        project.pages.update(new_data={"pages_unique_domain_enabled": False})
        pages = project.pages.get()
        self.assertFalse(pages.is_unique_domain_enabled)
        self.assertTrue(pages.url.endswith(f".pages.localhost:{pages.url.split(':')[-1].split('/')[0]}/{project.path}"), pages.url)
        project.pages.delete()

    def test_domains(self):
        project = self.add_project()
        made = project.pagesdomains.create({"domain": f"site-{project.id}.example.com"})
        self.assertFalse(made.verified)
        self.assertEqual([one.domain for one in project.pagesdomains.list()], [made.domain])
        self.assertIn(made.domain, [one.domain for one in self.gl.pagesdomains.list(get_all=True)])
        found = project.pagesdomains.get(made.domain)
        found.auto_ssl_enabled = True
        found.save()
        self.assertTrue(project.pagesdomains.get(made.domain).auto_ssl_enabled)
        with self.refused(gitlab.GitlabCreateError, 400):
            project.pagesdomains.create({"domain": made.domain})
        found.delete()
        with self.refused(gitlab.GitlabGetError, 404):
            project.pagesdomains.get(made.domain)
