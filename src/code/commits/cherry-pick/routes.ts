import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { Call } from '../../../platform/http/endpoint.ts';
import { projectUrl, type SignedInProjectCall, signedInRepositoryGate } from '../../repository/public.ts';
import { presentCommit } from '../present.ts';
import { CommitBasic } from '../schema.ts';
import * as schema from './schema.ts';
import { type CherryPickQuery, cherryPick } from './service.ts';

const tag = 'commits';

/** Cherry-picking and reverting commits. */
export function cherryPickRoutes(services: Services, gates: Gates): Route[] {
  const gate = signedInRepositoryGate(gates, 'read_code', { hidden: true });
  const responses = { 201: CommitBasic, 200: schema.DryRun };
  const pick = async (
    kind: 'cherry-pick' | 'revert',
    call: SignedInProjectCall & Pick<Call<never, CherryPickQuery, never>, 'params' | 'reply'>,
  ) => {
    const made = await cherryPick(services, call, kind, call.params);
    if (made) {
      call.reply.code(201);
      return presentCommit(made, projectUrl(services, call.subject));
    }
    call.reply.code(200);
    return { dry_run: 'success' };
  };
  return [
    route({
      method: 'POST',
      path: '/projects/:id/repository/commits/:sha/cherry_pick',
      tag,
      summary: 'Cherry-pick a commit',
      gate,
      params: schema.cherryPick,
      responses,
      handle: (call) => pick('cherry-pick', call),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/commits/:sha/revert',
      tag,
      summary: 'Revert a commit',
      gate,
      params: schema.revert,
      responses,
      handle: (call) => pick('revert', call),
    }),
  ];
}
