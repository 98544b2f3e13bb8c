import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'freeze periods';

export function freezePeriodRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_freeze_period', { signedIn: true });
  const managing = gates.project('admin_freeze_period');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/freeze_periods',
      tag,
      summary: 'List freeze periods',
      gate: reading,
      params: schema.project,
      paginated: true,
      responses: { 200: Type.Array(schema.FreezePeriod) },
      handle: ({ subject, page }) => service.listPeriods(services, subject, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/freeze_periods/:freeze_period_id',
      tag,
      summary: 'Get a freeze period',
      gate: reading,
      params: schema.onePeriod,
      responses: { 200: schema.FreezePeriod },
      handle: ({ subject, params }) => service.getPeriod(services, subject, params.freeze_period_id),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/freeze_periods',
      tag,
      summary: 'Create a freeze period',
      gate: managing,
      params: schema.newPeriod,
      responses: { 201: schema.FreezePeriod },
      handle: ({ subject, params }) => service.createPeriod(services, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/freeze_periods/:freeze_period_id',
      tag,
      summary: 'Update a freeze period',
      gate: managing,
      params: schema.periodChange,
      responses: { 200: schema.FreezePeriod },
      handle: ({ subject, params }) => service.updatePeriod(services, subject, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/freeze_periods/:freeze_period_id',
      tag,
      summary: 'Delete a freeze period',
      gate: managing,
      params: schema.onePeriod,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deletePeriod(services, subject, params.freeze_period_id),
    }),
  ];
}
