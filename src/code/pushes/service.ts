import type { Services } from '../../access/services.ts';
import { fault } from '../../platform/faults.ts';
import { BadRequest } from '../../platform/http/errors.ts';
import { checkChanges } from './checks/service.ts';
import { finalise } from './finalise.ts';
import { type MoveResult, PushRefused, type PushRequest } from './push.ts';
import { dropIntent, recordIntent } from './store.ts';

/**
 * Moves refs for the API and the web, all or none, each only from where the caller saw it: checks the rules (throws
 * `PushRefused`), records what is to happen, moves the refs, records what has happened. When it returns `ok`, refs and
 * event survive a power cut. The objects must be durable before.
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
  const push = await finalise(services, intent, request.subject, request.changes);
  fault('push.finalised');
  return { status: 'ok', push };
}

/** The same for endpoints that answer a broken rule with its text, as a 400. */
export async function moveRefsPlainly(services: Services, request: PushRequest): Promise<MoveResult> {
  try {
    return await moveRefs(services, request);
  } catch (error) {
    throw error instanceof PushRefused ? BadRequest.plain(error.message) : error;
  }
}
