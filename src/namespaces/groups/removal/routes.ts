import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { checkUnmodified } from '../../../platform/http/responses/precondition.ts';
import { Message } from '../../../platform/http/schema.ts';
import { GroupDetail } from '../detail/schema.ts';
import { owner } from '../schema.ts';
import { deletion } from './schema.ts';
import { deleteGroup, restoreGroup } from './service.ts';

const tag = 'groups';

export function removalRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/groups/:id',
      tag,
      summary: 'Delete a group',
      gate: gates.group('remove_group'),
      params: deletion,
      responses: { 202: Message },
      handle: ({ caller, subject, params, request }) => {
        checkUnmodified(request, subject.group.updated_at);
        return deleteGroup(services, caller, subject, params);
      },
    }),
    route({
      method: 'POST',
      path: '/groups/:id/restore',
      tag,
      summary: 'Restore a group marked for deletion',
      gate: gates.group('remove_group'),
      params: owner,
      responses: { 201: GroupDetail },
      handle: ({ caller, subject }) => restoreGroup(services, caller, subject),
    }),
  ];
}
