import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { atLeastOneOf } from '../../../platform/http/params.ts';
import { projectParam } from '../schema.ts';
import { GroupSecuritySettings, groupSecurityChange, SecuritySettings, securityChange } from './schema.ts';
import { changeGroupSecurity, changeSecurity, presentSecurity } from './service.ts';

const tag = 'projects';

/** Security settings of a project, and of all projects of a group. */
export function securityRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/security_settings',
      tag,
      summary: 'Get the security settings of a project',
      gate: gates.project('read_security_settings'),
      params: projectParam,
      responses: { 200: SecuritySettings },
      handle: ({ subject }) => presentSecurity(subject.project),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/security_settings',
      tag,
      summary: 'Update the security settings of a project',
      gate: gates.project('admin_project'),
      params: securityChange,
      rules: [atLeastOneOf('secret_push_protection_enabled', 'pre_receive_secret_detection_enabled')],
      responses: { 200: SecuritySettings },
      handle: ({ caller, subject, params }) => changeSecurity(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/security_settings',
      tag: 'groups',
      summary: 'Update the security settings of the projects in a group',
      gate: gates.group('admin_security_settings'),
      params: groupSecurityChange,
      responses: { 200: GroupSecuritySettings },
      handle: ({ caller, subject, params }) =>
        changeGroupSecurity(
          services,
          caller,
          subject,
          params.secret_push_protection_enabled,
          params.projects_to_exclude ?? [],
        ),
    }),
  ];
}
