import { actorOnBehalfOf } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { projectSubject } from '../../../access/subjects.ts';
import type { Push } from '../../../code/pushes/public.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import { discussions } from '../../../planning/notes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { asNoteable } from '../noteable.ts';
import { stateOf } from '../service.ts';
import { requestById } from '../store.ts';
import { markApplied, threadsOf } from './store.ts';

/**
 * Marks suggestions as applied and resolves their threads, in the transaction that records the push, so that a server
 * stop cannot separate the two.
 */
export async function settleApplied(services: Services, trx: Writer, push: Push): Promise<void> {
  for (const ref of push.refs) {
    const noteIds = ref.kind === 'branch' && ref.new !== null ? await markApplied(trx, ref.new) : [];
    if (noteIds.length > 0 && push.userId !== null) await resolveThreads(services, trx, push.userId, noteIds);
  }
}

async function resolveThreads(services: Services, trx: Writer, userId: number, noteIds: readonly number[]) {
  const user = await findUser(trx, userId);
  const threads = await threadsOf(trx, noteIds);
  const request = threads[0]?.noteable_id == null ? undefined : await requestById(trx, threads[0].noteable_id);
  const project = request && (await findProject(trx, request.project_id));
  if (!user || !project) return;
  const caller = actorOnBehalfOf(user);
  const subject = await projectSubject(trx, caller, project);
  const noteable = asNoteable(services, caller, subject, await stateOf(trx, request));
  for (const { discussion_id } of threads) {
    await discussions.resolveIfAllowed(services, trx, caller, noteable, discussion_id);
  }
}
