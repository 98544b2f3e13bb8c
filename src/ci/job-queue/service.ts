import type { Services } from '../../access/services.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import { transitionJob, updateJob } from '../jobs/public.ts';
import { type RunnerContact, type RunnerRow, recordContact, runnerByToken } from '../runners/public.ts';
import { type Assignment, assignNext } from './assign.ts';
import { payloadOf } from './payload.ts';
import type { JobPayloadEntity } from './schema.ts';
import { runnerWaitlist } from './waiting.ts';

interface Request {
  readonly token: string;
  readonly last_update?: string | undefined;
  readonly contact: RunnerContact;
  readonly ip: string;
  readonly signal: AbortSignal;
}

/**
 * Version of a runner, returned when there is no job. A runner that sends it back waits until a job arrives or its
 * settings change.
 */
function versionOf({ id, updated_at }: RunnerRow): string {
  return Buffer.from(digest(`${id} ${updated_at}`))
    .toString('hex')
    .slice(0, 32);
}

/** Handles a job request. A runner that sends the current version waits for a job. */
export async function requestJob(
  services: Services,
  { token, last_update, contact, ip, signal }: Request,
): Promise<{ readonly payload: JobPayloadEntity } | { readonly version: string }> {
  const runner = await runnerByToken(services, token);
  const manager = await recordContact(services, runner, contact, ip);
  const poll = last_update === versionOf(runner);
  let current = runner;
  const findJob = async () => {
    // The runner may have been paused or retagged while it waited.
    current = await runnerByToken(services, token);
    if (versionOf(current) !== versionOf(runner)) return { version: versionOf(current) };
    if (current.paused === 1) return undefined;
    return assignNext(services, { runner: current, manager, signal });
  };
  const found = await runnerWaitlist(services).until(findJob, poll ? services.config.jobPoll : 0, signal);
  if (found && 'version' in found) return found;
  // Outside the limiter: building the payload must not delay other runners.
  const response = found && (await responseFor(services, found));
  return response ?? { version: versionOf(current) };
}

/** Builds the payload of an assigned job. If that fails, the job fails as a scheduler failure and is retried. */
async function responseFor(
  services: Services,
  assignment: Assignment,
): Promise<{ readonly payload: JobPayloadEntity } | undefined> {
  const { id } = assignment.job;
  try {
    const payload = await payloadOf(services, assignment);
    if (isDebugged(payload)) await services.db.write((trx) => updateJob(trx, id, { debug_trace: 1 }));
    return { payload };
  } catch (error) {
    services.log.error({ err: error, job: id }, 'the payload of a job could not be built');
    await services.db.write((trx) => transitionJob(services, trx, id, 'drop', { failureReason: 'scheduler_failure' }));
    return undefined;
  }
}

/** Debug traces of the shell and of services expose masked values. */
function isDebugged({ variables }: JobPayloadEntity): boolean {
  return variables.some(
    ({ key, value }) => (key === 'CI_DEBUG_TRACE' || key === 'CI_DEBUG_SERVICES') && value.toLowerCase() === 'true',
  );
}
