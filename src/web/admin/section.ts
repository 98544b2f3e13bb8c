import { type Links, layoutInSection } from '../account/section.ts';
import type { Section } from '../forms/collection.ts';
import { pageNotFound } from '../namespaces/project.ts';
import { adminAccessLevel } from '../namespaces/roles.ts';

/** Navigation of the admin area. */
export const adminLinks: Links = [
  ['Overview', '/admin'],
  ['Users', '/admin/users'],
  ['Groups', '/admin/groups'],
  ['Projects', '/admin/projects'],
  ['Runners', '/admin/runners'],
  ['Background jobs', '/admin/background_jobs'],
  ['CI/CD variables', '/admin/variables'],
  ['System hooks', '/admin/hooks'],
  ['Applications', '/admin/applications'],
  ['Audit events', '/admin/audit_events'],
  ['Custom roles', '/admin/member_roles'],
  ['Topics', '/admin/topics'],
  ['Broadcast messages', '/admin/broadcast_messages'],
  ['Appearance', '/admin/appearance'],
  ['Limits', '/admin/plan_limits'],
  ['Settings', '/admin/application_settings'],
];

/** The admin area. Its pages respond with 404 to other users. */
export const adminSection: Section = (page) => ({
  ...page,
  show(visit) {
    if (!visit.user?.admin) throw pageNotFound();
    return page.show({
      visit,
      api: '',
      home: visit.base,
      role: adminAccessLevel,
      markdown: undefined,
      show: (shown) => layoutInSection(visit, 'Administration', adminLinks, shown),
    });
  },
});
