import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { Call } from '../../platform/http/endpoint.ts';
import { type ProjectCall, projectUrl, signedInPushGate, signedInRepositoryGate } from '../repository/public.ts';
import * as params from './params.ts';
import { type PickQuery, pickCommit } from './pick.ts';
import { presentCommit } from './present.ts';
import * as schema from './schema.ts';
import { updateSubmodule } from './submodule.ts';

const tag = 'commits';
const path = '/projects/:id/repository/commits/:sha';

/** Taking a commit over, taking it back, and pointing a submodule at another commit. */
export function pickRoutes(services: Services, gates: Gates): Route[] {
  const gate = signedInRepositoryGate(gates, 'read_code', { hidden: true });
  const answers = { 201: schema.CommitBasic, 200: schema.DryRun };
  const pick = async (
    kind: 'cherry-pick' | 'revert',
    call: ProjectCall & Pick<Call<never, PickQuery, never>, 'params' | 'reply'>,
  ) => {
    const made = await pickCommit(services, call, kind, call.params);
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
      path: `${path}/cherry_pick`,
      tag,
      summary: 'Apply the change of a commit to a branch',
      gate,
      params: params.cherryPick,
      answers,
      handle: (call) => pick('cherry-pick', call),
    }),
    route({
      method: 'POST',
      path: `${path}/revert`,
      tag,
      summary: 'Undo the change of a commit on a branch',
      gate,
      params: params.revert,
      answers,
      handle: (call) => pick('revert', call),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/repository/submodules/:submodule',
      tag,
      summary: 'Point a submodule at another commit',
      gate: signedInPushGate(gates),
      params: params.submodule,
      answers: { 200: schema.CommitDetail },
      handle: ({ caller, subject, params: wanted }) => updateSubmodule(services, { caller, subject }, wanted),
    }),
  ];
}
