import { framed, type Links } from '../account/section.ts';
import type { Section } from '../forms/collection.ts';
import { missing } from '../namespaces/project.ts';
import { highest } from '../namespaces/roles.ts';

/** Navigation of the admin area. */
export const instance: Links = [
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
    if (!visit.user?.admin) throw missing();
    return page.show({
      visit,
      api: '',
      home: visit.base,
      role: highest,
      markdown: undefined,
      show: (shown) => framed(visit, 'Administration', instance, shown),
    });
  },
});
