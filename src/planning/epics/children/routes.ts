import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { atLeastOneOf, param, required } from '../../../platform/http/params.ts';
import { Epic, oneEpic } from '../schema.ts';
import * as service from './service.ts';

const tag = 'epics';
const oneChild = { ...oneEpic, child_epic_id: required(param.integer({ description: 'Global ID of the epic' })) };

/** Routes for child epics. */
export function childEpicRoutes(services: Services, gates: Gates): Route[] {
  const signedIn = gates.group('read_epic', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/epics/:epic_iid/epics',
      tag,
      summary: 'List child epics',
      gate: gates.group('read_epic'),
      params: oneEpic,
      responses: { 200: Type.Array(Epic) },
      handle: ({ caller, subject, params }) => service.listChildren(services, caller, subject, params.epic_iid),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/epics/:epic_iid/epics',
      tag,
      summary: 'Create a child epic',
      gate: gates.group('create_epic'),
      params: { ...oneEpic, title: required(param.string()), confidential: param.boolean() },
      responses: { 201: Epic },
      handle: ({ caller, subject, params }) => service.createChild(services, caller, subject, params.epic_iid, params),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/epics/:epic_iid/epics/:child_epic_id',
      tag,
      summary: 'Assign a child epic',
      gate: signedIn,
      params: oneChild,
      responses: { 201: Epic },
      handle: ({ caller, subject, params }) =>
        service.addChild(services, caller, subject, params.epic_iid, params.child_epic_id),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/epics/:epic_iid/epics/:child_epic_id',
      tag,
      summary: 'Reorder a child epic',
      gate: signedIn,
      params: { ...oneChild, move_before_id: param.integer(), move_after_id: param.integer() },
      rules: [atLeastOneOf('move_before_id', 'move_after_id')],
      responses: { 200: Type.Array(Epic) },
      handle: ({ caller, subject, params }) =>
        service.moveChild(services, caller, subject, params.epic_iid, params.child_epic_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/epics/:epic_iid/epics/:child_epic_id',
      tag,
      summary: 'Unassign a child epic',
      gate: signedIn,
      params: oneChild,
      responses: { 200: Epic },
      handle: ({ caller, subject, params }) =>
        service.removeChild(services, caller, subject, params.epic_iid, params.child_epic_id),
    }),
  ];
}
