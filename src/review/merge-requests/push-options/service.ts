import type { Services } from '../../../access/services.ts';
import type { MovedRef, Push, PushOptionsFollower } from '../../../code/pushes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { type AskedByPush, carryOut } from './carry-out.ts';
import { readRequestOptions } from './read.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Whoever pushed a branch asks for a merge request from it. */
    'merge-requests.push-options': AskedByPush;
  }
}

const kind = 'merge-requests.push-options';

/** From one push so many branches get what its options ask for. */
const maxBranches = 10;

/** By then who pushed has been told what became of it, or its server has stopped. */
const toldWithin = 60_000;

const keyOf = (push: Push, branch: string) => `${push.id} ${branch}`;

/** What is asked for of each branch. */
function askedBy({ projectId, userId, pushOptions }: Push, branches: readonly MovedRef[]): AskedByPush[] {
  if (userId === null || branches.length > maxBranches) return [];
  return branches.map(({ name: branch, commitTitle: title, new: tip }) => ({
    projectId,
    userId,
    branch,
    title,
    ...(tip !== null && { tip }),
    options: pushOptions,
  }));
}

const branchesOf = ({ refs, pushOptions }: Push): readonly MovedRef[] =>
  readRequestOptions(pushOptions) === undefined ? [] : refs.filter((ref) => ref.kind === 'branch' && ref.new !== null);

/** Keeps what a push asks for until it is done, which its own server does at once. */
export async function enqueueOptions({ queue }: Services, trx: Writer, push: Push): Promise<void> {
  const runAt = Date.now() + toldWithin;
  for (const asked of askedBy(push, branchesOf(push))) {
    await queue.enqueue(trx, kind, asked, { dedupeKey: keyOf(push, asked.branch), runAt });
  }
}

/** Does what a push asks for while whoever pushed waits, and says what of it cannot be. */
export const followOptions: PushOptionsFollower = async (services, push) => {
  const branches = branchesOf(push);
  if (branches.length > maxBranches) {
    return [`Too many branches pushed (${branches.length} were pushed, limit is ${maxBranches})`];
  }
  const refusals = new Set<string>();
  for (const asked of askedBy(push, branches)) {
    try {
      const refusal = await carryOut(services, asked);
      if (refusal !== undefined) refusals.add(refusal);
      await services.db.write((trx) => services.queue.withdraw(trx, kind, keyOf(push, asked.branch)));
    } catch (error) {
      // The push has happened and must be answered; the job that waits tries again.
      services.log.error({ err: error, project: asked.projectId, branch: asked.branch }, 'push options failed');
    }
  }
  return [...refusals];
};

/** The same where the server stopped before it was done: nobody is left to be told. */
export async function carryOutLater(services: Services, asked: AskedByPush): Promise<void> {
  const reason = await carryOut(services, asked);
  if (reason === undefined) return;
  services.log.info({ project: asked.projectId, branch: asked.branch, reason }, 'push options refused');
}
