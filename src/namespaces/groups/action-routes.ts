import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { readableGroup, readableProject } from '../../access/subjects.ts';
import { BadRequest, NotFound } from '../../platform/http/errors.ts';
import { rubyDump } from '../../platform/http/ruby-dump.ts';
import { moveInto } from '../projects/public.ts';
import { archiveGroup } from './archive.ts';
import { detailOf } from './detail.ts';
import * as params from './params.ts';
import { restoreGroup } from './removal.ts';
import { GroupDetail } from './schema.ts';
import { shareGroup, unshareGroup } from './shares.ts';
import { transferGroup } from './transfer.ts';

const tag = 'groups';

/** What is done to a group besides changing its fields. */
export function actionRoutes(services: Services, gates: Gates): Route[] {
  return [...moving(services, gates), ...sharing(services, gates)];
}

function moving(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/groups/:id/restore',
      tag,
      summary: 'Restore a group that is marked for deletion',
      gate: gates.group('remove_group'),
      params: params.owner,
      answers: { 201: GroupDetail },
      handle: ({ caller, subject }) => restoreGroup(services, caller, subject),
    }),
    ...[true, false].map((archive) =>
      route({
        method: 'POST',
        path: `/groups/:id/${archive ? 'archive' : 'unarchive'}`,
        tag,
        summary: archive ? 'Make a group and everything in it read-only' : 'Make an archived group writable again',
        gate: gates.group('archive_group'),
        params: params.archiving,
        answers: { 200: GroupDetail },
        handle: ({ caller, subject, params: { with_projects } }) =>
          archiveGroup(services, caller, subject, archive, with_projects),
      }),
    ),
    route({
      method: 'POST',
      path: '/groups/:id/transfer',
      tag,
      summary: 'Move a group below another one, or to the top',
      gate: gates.group('transfer_group'),
      params: params.transfer,
      answers: { 201: GroupDetail },
      handle: ({ caller, subject, params: { group_id } }) => transferGroup(services, caller, subject, group_id),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/projects/:project_id',
      tag,
      summary: 'Move a project into a group (administrators)',
      gate: gates.admin,
      params: params.projectToMove,
      answers: { 201: GroupDetail },
      handle: async ({ caller, params: { id, project_id } }) => {
        const { group } = await readableGroup(services.db, caller, id);
        const project = await readableProject(services.db, caller, project_id);
        if (project.namespace.id === group.id) {
          const errors = { new_namespace: ['Project is already in this namespace.'] };
          throw BadRequest.plain(`Failed to transfer project ${rubyDump(errors)}`);
        }
        await moveInto(services, project, group);
        return detailOf(services, caller, group.id);
      },
    }),
    route({
      method: 'POST',
      path: '/groups/:id/ldap_sync',
      tag,
      summary: 'Synchronize a group with its directory group',
      gate: gates.group('admin_group'),
      params: params.owner,
      answers: { 202: null },
      // No directory can be configured yet: the answer of a server without one.
      handle: () => {
        throw new NotFound();
      },
    }),
  ];
}

function sharing(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'POST',
      path: '/groups/:id/share',
      tag,
      summary: 'Invite a group to a group',
      gate: gates.group('read_group', { signedIn: true }),
      params: params.share,
      answers: { 201: GroupDetail },
      handle: ({ caller, subject, params: wanted }) => shareGroup(services, caller, subject, wanted),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/share/:group_id',
      tag,
      summary: "Take a group's invitation back",
      gate: gates.group('read_group', { signedIn: true }),
      params: params.unshare,
      answers: { 204: null },
      handle: ({ caller, subject, params: { group_id } }) => unshareGroup(services, caller, subject, group_id),
    }),
  ];
}
