import type { Services } from '../../../access/services.ts';
import type { MovedRef, Push, PushOptionsHandler } from '../../../code/pushes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { executeOptions, type PushOptionsJob } from './execute.ts';
import { readRequestOptions } from './read.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A push with merge request options. */
    'merge-requests.push-options': PushOptionsJob;
  }
}

const kind = 'merge-requests.push-options';

/** Maximum number of branches per push for which options are processed. */
const maxBranches = 10;

/** Delay after which the push has been answered, unless its server has stopped. */
const retryDelayMs = 60_000;

const keyOf = (push: Push, branch: string) => `${push.id} ${branch}`;

/** The jobs for the branches of a push. */
function jobsOf({ projectId, userId, pushOptions }: Push, branches: readonly MovedRef[]): PushOptionsJob[] {
  if (userId === null || branches.length > maxBranches) return [];
  return branches.map(({ name: branch, new: tip }) => ({
    projectId,
    userId,
    branch,
    ...(tip !== null && { tip }),
    options: pushOptions,
  }));
}

const branchesOf = ({ refs, pushOptions }: Push): readonly MovedRef[] =>
  readRequestOptions(pushOptions) === undefined ? [] : refs.filter((ref) => ref.kind === 'branch' && ref.new !== null);

/** Stores the push options as jobs, which the server of the push executes immediately. */
export async function enqueueOptions({ queue }: Services, trx: Writer, push: Push): Promise<void> {
  const runAt = Date.now() + retryDelayMs;
  for (const asked of jobsOf(push, branchesOf(push))) {
    await queue.enqueue(trx, kind, asked, { dedupeKey: keyOf(push, asked.branch), runAt });
  }
}

/** Executes the push options while the client waits, and returns messages about failures. */
export const followOptions: PushOptionsHandler = async (services, push) => {
  const branches = branchesOf(push);
  if (branches.length > maxBranches) {
    return [`Too many branches pushed (${branches.length} were pushed, limit is ${maxBranches})`];
  }
  const refusals = new Set<string>();
  for (const asked of jobsOf(push, branches)) {
    try {
      const refusal = await executeOptions(services, asked);
      if (refusal !== undefined) refusals.add(refusal);
      await services.db.write((trx) => services.queue.withdraw(trx, kind, keyOf(push, asked.branch)));
    } catch (error) {
      // The push itself has succeeded and must be answered; the stored job retries later.
      services.log.error({ err: error, project: asked.projectId, branch: asked.branch }, 'push options failed');
    }
  }
  return [...refusals];
};

/** Executes push options after a server stop, when no client is waiting any more. */
export async function executeOptionsLater(services: Services, asked: PushOptionsJob): Promise<void> {
  const reason = await executeOptions(services, asked);
  if (reason === undefined) return;
  services.log.info({ project: asked.projectId, branch: asked.branch, reason }, 'push options could not be executed');
}
