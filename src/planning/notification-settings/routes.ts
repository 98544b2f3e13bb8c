import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'notification settings';

export function notificationSettingRoutes(services: Services, gates: Gates): Route[] {
  const inProject = gates.project('read_project', { signedIn: true });
  const inGroup = gates.group('read_group', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/notification_settings',
      tag,
      summary: 'Get global notification settings',
      gate: gates.signedIn,
      params: {},
      responses: { 200: schema.GlobalNotificationSetting },
      handle: ({ caller }) => service.getGlobal(services, caller),
    }),
    route({
      method: 'PUT',
      path: '/notification_settings',
      tag,
      summary: 'Update global notification settings',
      gate: gates.signedIn,
      params: schema.globalChange,
      rules: schema.globalRules,
      responses: { 200: schema.GlobalNotificationSetting },
      handle: ({ caller, params }) => service.updateGlobal(services, caller, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/notification_settings',
      tag,
      summary: 'Get notification settings of a group',
      gate: inGroup,
      params: schema.place,
      responses: { 200: schema.NotificationSetting },
      handle: ({ caller, subject }) => service.getForProjectOrGroup(services, caller, subject),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/notification_settings',
      tag,
      summary: 'Update notification settings of a group',
      gate: inGroup,
      params: schema.placeChange,
      rules: schema.placeRules,
      responses: { 200: schema.NotificationSetting },
      handle: ({ caller, subject, params }) => service.updateForProjectOrGroup(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/notification_settings',
      tag,
      summary: 'Get notification settings of a project',
      gate: inProject,
      params: schema.place,
      responses: { 200: schema.NotificationSetting },
      handle: ({ caller, subject }) => service.getForProjectOrGroup(services, caller, subject),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/notification_settings',
      tag,
      summary: 'Update notification settings of a project',
      gate: inProject,
      params: schema.placeChange,
      rules: schema.placeRules,
      responses: { 200: schema.NotificationSetting },
      handle: ({ caller, subject, params }) => service.updateForProjectOrGroup(services, caller, subject, params),
    }),
  ];
}
