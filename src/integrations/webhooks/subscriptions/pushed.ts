import { anonymous } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { projectSubject } from '../../../access/subjects.ts';
import { branchAccess, tagAccess } from '../../../code/protected-refs/public.ts';
import type { MovedRef, Push } from '../../../code/pushes/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import type { Job } from '../../../platform/queue/queue.ts';
import { matchesBranch } from '../branch-filter.ts';
import { hasHooks, triggerHooks, triggerSystemHooks } from '../deliveries/trigger.ts';
import { locateProject, type ProjectWithNamespace } from '../payloads/parts.ts';
import { pushPayload, repositoryUpdatePayload } from '../payloads/push.ts';

type HookPayload = Pick<Push, 'projectId' | 'userId' | 'refs' | 'pushOptions'>;

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'webhooks.pushed': HookPayload;
  }
}

const switches = ['push_events', 'tag_push_events', 'repository_update_events'] as const;
const switchOf = ({ kind }: MovedRef) => (kind === 'tag' ? 'tag_push_events' : 'push_events');

/** Enqueues the webhooks for a push, if there are any. The payload is built in the background. */
export async function onPush(services: Services, trx: Writer, push: Push): Promise<void> {
  const { projectId, userId, refs, pushOptions } = push;
  if (refs.length === 0 || !(await hasHooks(trx, { projectId }, switches, { instanceToo: true }))) return;
  await services.queue.enqueue(trx, 'webhooks.pushed', { projectId, userId, refs, pushOptions });
}

export function pushJobs(services: Services): void {
  services.queue.defineJob('webhooks.pushed', (job) => triggerPush(services, job), {
    maxAttempts: 5,
    timeoutMs: 120_000,
  });
}

async function triggerPush(services: Services, job: Job<HookPayload>): Promise<void> {
  const { db } = services;
  const { projectId, userId, refs, pushOptions } = job.payload;
  const located = await locateProject(db.read, projectId);
  if (!located) return;
  const user = await findUser(db.read, userId);
  const place = { projectId };
  const { push_event_hooks_limit: most } = await services.settings.read();
  const told = refs.length > most ? [] : refs;
  const isProtected = await protection(services, located);
  const payloads = new Map<MovedRef, object>();
  for (const ref of told) {
    const name = switchOf(ref);
    if (!(await hasHooks(db.read, place, [name], { instanceToo: true }))) continue;
    payloads.set(ref, await pushPayload(services, located, { ref, user, isProtected: isProtected(ref), pushOptions }));
  }
  await db.write(async (trx) => {
    for (const [ref, payload] of payloads) {
      const name = switchOf(ref);
      await triggerHooks(
        services,
        trx,
        place,
        name,
        () => payload,
        (hook) => ref.kind === 'tag' || matchesBranch(hook, ref.name),
      );
      await triggerSystemHooks(services, trx, name, () => payload);
    }
    await triggerSystemHooks(services, trx, 'repository_update_events', () =>
      repositoryUpdatePayload(services, located, user, refs),
    );
    await job.finish(trx);
  });
}

/** Returns a function that tells whether a ref of the project is protected. */
export async function protection(
  { db }: Services,
  { project }: ProjectWithNamespace,
): Promise<(ref: MovedRef) => boolean> {
  const subject = await projectSubject(db.read, anonymous, project);
  const [branches, tags] = await Promise.all([
    branchAccess(db.read, anonymous, subject),
    tagAccess(db.read, anonymous, subject),
  ]);
  return ({ kind, name }) => (kind === 'tag' ? tags.isProtected(name) : branches.isProtected(name));
}
