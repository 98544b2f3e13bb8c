import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { atLeastOneOf } from '../../platform/http/params.ts';
import { ApplicationAppearance, change, names } from './schema.ts';
import { getAppearance, updateAppearance } from './service.ts';

const tag = 'appearance';

export function appearanceRoutes(services: Services, { admin }: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/application/appearance',
      tag,
      summary: 'Get the appearance',
      gate: admin,
      params: {},
      responses: { 200: ApplicationAppearance },
      handle: () => getAppearance(services),
    }),
    route({
      method: 'PUT',
      path: '/application/appearance',
      tag,
      summary: 'Update the appearance',
      gate: admin,
      params: change,
      rules: [atLeastOneOf(...names)],
      responses: { 200: ApplicationAppearance },
      handle: ({ subject, params }) => updateAppearance(services, subject, params),
    }),
  ];
}
