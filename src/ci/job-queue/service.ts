import type { Services } from '../../access/services.ts';
import { digest } from '../../platform/secrets/tokens.ts';
import { transitionJob, updateJob } from '../jobs/public.ts';
import { heardOf, type RunnerContact, type RunnerRow, runnerOf } from '../runners/public.ts';
import { type Assignment, assignNext } from './assign.ts';
import { payloadOf } from './payload.ts';
import type { JobPayloadEntity } from './schema.ts';
import { waitingOf } from './waiting.ts';

interface Request {
  readonly token: string;
  readonly last_update?: string | undefined;
  readonly contact: RunnerContact;
  readonly ip: string;
  readonly signal: AbortSignal;
}

/** What a runner is told that gets no job: it says it again, and is kept waiting for as long as nothing has changed. */
function versionOf({ id, updated_at }: RunnerRow): string {
  return Buffer.from(digest(`${id} ${updated_at}`))
    .toString('hex')
    .slice(0, 32);
}

/** A runner asks for a job. One that has heard before that there is none waits until there is one. */
export async function requestJob(
  services: Services,
  { token, last_update, contact, ip, signal }: Request,
): Promise<{ readonly payload: JobPayloadEntity } | { readonly version: string }> {
  const runner = await runnerOf(services, token);
  const manager = await heardOf(services, runner, contact, ip);
  const waits = last_update === versionOf(runner);
  let current = runner;
  const look = async () => {
    // It may have been paused, or got other tags, while it waited.
    current = await runnerOf(services, token);
    if (versionOf(current) !== versionOf(runner)) return { version: versionOf(current) };
    if (current.paused === 1) return undefined;
    return assignNext(services, { runner: current, manager, signal });
  };
  const found = await waitingOf(services).until(look, waits ? services.config.jobPoll : 0, signal);
  if (found && 'version' in found) return found;
  // When its turn is over: what there is to say of one job is no reason for others to wait.
  const told = found && (await toldOf(services, found));
  return told ?? { version: versionOf(current) };
}

/** The payload of a job that was given out; where it cannot be made, the fault is ours and the job is tried again. */
async function toldOf(
  services: Services,
  assignment: Assignment,
): Promise<{ readonly payload: JobPayloadEntity } | undefined> {
  const { id } = assignment.job;
  try {
    const payload = await payloadOf(services, assignment);
    if (isDebugged(payload)) await services.db.write((trx) => updateJob(trx, id, { debug_trace: 1 }));
    return { payload };
  } catch (error) {
    services.log.error({ err: error, job: id }, 'a job could not be described to its runner');
    await services.db.write((trx) => transitionJob(services, trx, id, 'drop', { failureReason: 'scheduler_failure' }));
    return undefined;
  }
}

/** A shell that repeats every command, and services that tell all they do, show what is masked elsewhere. */
function isDebugged({ variables }: JobPayloadEntity): boolean {
  return variables.some(
    ({ key, value }) => (key === 'CI_DEBUG_TRACE' || key === 'CI_DEBUG_SERVICES') && value.toLowerCase() === 'true',
  );
}
