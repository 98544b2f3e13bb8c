import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { repositoryGate } from '../repository/public.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';
import { zoneOf } from './template/strftime.ts';

const tag = 'repositories';

const zoneIn = ({ date }: Readonly<Record<string, unknown>>) => (typeof date === 'string' ? zoneOf(date) : 0);

/** `/projects/:id/repository/changelog`. */
export function changelogRoutes(services: Services, gates: Gates): Route[] {
  const gate = repositoryGate(gates, 'read_code');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/changelog',
      tag,
      summary: 'Generate changelog data',
      gate,
      params: schema.query,
      rules: [schema.validVersion],
      jobToken: true,
      responses: { 200: schema.Changelog },
      handle: async (call) => {
        const query = { ...call.params, zone: zoneIn(call.sent) };
        return { notes: await service.getChangelog(services, call, query) };
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/changelog',
      tag,
      summary: 'Add changelog data to a changelog file',
      gate,
      params: schema.addition,
      rules: [schema.validVersion],
      responses: { 200: Type.Integer() },
      handle: async (call) => {
        await service.addChangelog(services, call, { ...call.params, zone: zoneIn(call.sent) });
        return 200;
      },
    }),
  ];
}
