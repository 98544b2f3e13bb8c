import type { Services } from '../../access/services.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import { recordEvent } from '../../namespaces/events/public.ts';
import { recordFirstBranch, touchProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { type Repository, readHead, setHead } from '../../platform/git/repository.ts';
import { storedStrings } from '../../platform/stored-json.ts';
import { protectDefaultBranch } from '../protected-refs/public.ts';
import { describeMoves } from './describe.ts';
import type { MovedRef, Push, RefChange } from './push.ts';
import { eventsOf } from './push-events.ts';
import { claimIntent, type Intent } from './store.ts';

/** The project of a push. */
export interface PushTarget {
  readonly project: Project;
  readonly namespace: Namespace;
}

/**
 * Records the updated refs: creates events, updates the project and notifies subscribers, in one transaction.
 * Idempotent.
 */
export async function finalizePush(
  services: Services,
  intent: Intent,
  place: PushTarget,
  moved: readonly RefChange[],
): Promise<Push> {
  const { db, git } = services;
  const repo = git.repository(place.project.id);
  const refs = await describeMoves(git, repo, moved, place.project.default_branch);
  const first = place.project.empty_repo === 1 ? await firstBranch(repo, place.project, refs) : undefined;
  const { push_event_activities_limit: ownEvents } = await services.settings.read();
  return db.write(async (trx) => {
    const described = pushOf(intent, refs, first !== undefined);
    if (!(await claimIntent(trx, intent.id, moved))) return described;
    await touchProject(trx, place.project.id, Date.now());
    const push =
      first !== undefined && !(await initializeProject(trx, repo, place, first))
        ? { ...described, first: false }
        : described;
    for (const event of eventsOf(push, ownEvents)) await recordEvent(trx, event);
    await services.announce(trx, 'repository.pushed', push);
    return push;
  });
}

function pushOf(intent: Intent, refs: readonly MovedRef[], first: boolean): Push {
  return {
    id: intent.id,
    projectId: intent.project_id,
    userId: intent.user_id,
    deployKeyId: intent.deploy_key_id,
    protocol: intent.protocol,
    pushOptions: storedStrings(intent.push_options),
    refs,
    first,
    at: intent.created_at,
  };
}

/** The new default branch: the configured one if it was pushed, or else the first pushed branch. */
async function firstBranch(repo: Repository, project: Project, refs: readonly MovedRef[]): Promise<string | undefined> {
  const pushed = refs.filter((ref) => ref.kind === 'branch' && ref.action === 'created').map((ref) => ref.name);
  const head = (await readHead(repo))?.slice('refs/heads/'.length);
  return (
    [project.default_branch, head, 'main', 'master'].find((name) => name != null && pushed.includes(name)) ?? pushed[0]
  );
}

async function initializeProject(trx: Writer, repo: Repository, place: PushTarget, branch: string): Promise<boolean> {
  if (!(await recordFirstBranch(trx, place.project.id, branch))) return false;
  // Inside the transaction, so that HEAD is set by the push that won. It is idempotent.
  await setHead(repo, branch);
  await protectDefaultBranch(trx, place, branch);
  return true;
}
