import type { Services } from '../../access/services.ts';
import { fault } from '../../platform/faults.ts';
import { BadRequest } from '../../platform/http/errors.ts';
import { checkChanges } from './checks/service.ts';
import { finalizePush } from './finalise.ts';
import { type MoveResult, PushRefused, type PushRequest } from './push.ts';
import { dropIntent, recordIntent } from './store.ts';

/**
 * Updates refs atomically with compare-and-swap for the API and web. Checks the rules (throws `PushRefused`), records
 * the intent, updates the refs and records the result. After `ok`, refs and events are durable. The new objects must be
 * durable before the call.
 */
export async function moveRefs(services: Services, request: PushRequest): Promise<MoveResult> {
  const { db, git } = services;
  const repo = git.repository(request.subject.project.id);
  await checkChanges(services, request, repo);
  fault('push.checked');
  const intent = await recordIntent(db, request);
  fault('push.recorded');
  const result = await git.updateRefs(repo, request.changes);
  if (result.status !== 'ok') {
    await dropIntent(db, intent.id);
    return result;
  }
  fault('push.moved');
  const push = await finalizePush(services, intent, request.subject, request.changes);
  fault('push.finalised');
  return { status: 'ok', push };
}

/** Like `moveRefs`, but converts a rule violation into a 400 response with its message. */
export async function moveRefsOrBadRequest(services: Services, request: PushRequest): Promise<MoveResult> {
  try {
    return await moveRefs(services, request);
  } catch (error) {
    throw error instanceof PushRefused ? BadRequest.plain(error.message) : error;
  }
}
