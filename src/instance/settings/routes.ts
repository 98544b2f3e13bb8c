import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { atLeastOneOf } from '../../platform/http/params.ts';
import { ApplicationSetting, change, names } from './schema.ts';
import { changeSettings, getSettings } from './service.ts';
import { unknownNames } from './unknown-names.ts';

const tag = 'application settings';

export function settingRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/application/settings',
      tag,
      summary: 'Get the application settings',
      gate: gates.admin,
      params: {},
      responses: { 200: ApplicationSetting },
      handle: () => getSettings(services),
    }),
    route({
      method: 'PUT',
      path: '/application/settings',
      tag,
      summary: 'Update the application settings',
      gate: gates.admin,
      params: change,
      rules: [atLeastOneOf(...names)],
      responses: { 200: ApplicationSetting },
      handle: ({ subject, params, request, reply }) => {
        const unknown = unknownNames(request);
        if (unknown.length > 0) {
          reply.header('x-ignored-parameters', unknown.join(', '));
          request.log.warn({ unknown }, 'the request contained unknown settings');
        }
        return changeSettings(services, subject, params);
      },
    }),
  ];
}
