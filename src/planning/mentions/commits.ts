import { actorOnBehalfOf, type SignedInActor } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, projectSubject, settingsOf } from '../../access/subjects.ts';
import type { Push } from '../../code/pushes/public.ts';
import { defaultBranch } from '../../code/repository/public.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { logIds } from '../../platform/git/history/log.ts';
import { listCommitIds } from '../../platform/git/history/walk.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import type { Job } from '../../platform/queue/job.ts';
import { changeIssue } from '../issues/public.ts';
import { closedIssuesOf, referenceKey, resolveReferences } from '../markdown/public.ts';
import { addCrossReference } from '../notes/public.ts';
import { mentionedInCommit, mentionedItems } from './cross-reference.ts';
import { extractItemReferences } from './schedule.ts';

interface PushedCommits {
  readonly projectId: number;
  readonly userId: number;
  readonly branch: string;
  readonly old: string | null;
  readonly new: string;
  readonly count: number;
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'mentions.commits': PushedCommits;
  }
}

/** Maximum number of commits read per push. */
const maxCommits = 100;

/**
 * Enqueues the processing of new commits. The first push to a project is skipped, because it contains existing history.
 */
export async function schedulePushed(
  { queue }: Services,
  trx: Writer,
  { projectId, userId, refs, first }: Push,
): Promise<void> {
  if (userId === null || first) return;
  for (const { kind, name, old, new: tip, commitCount } of refs) {
    if (kind !== 'branch' || tip === null || old === null || commitCount === 0) continue;
    const count = Math.min(commitCount, maxCommits);
    await queue.enqueue(trx, 'mentions.commits', { projectId, userId, branch: name, old, new: tip, count });
  }
}

/** Maximum number of commits read without starting a git process. */
const maxNearBy = 200;

/**
 * Adds cross-references to the issues mentioned in commits on the default branch, and closes the issues that they
 * close.
 */
export async function processCommits(services: Services, { payload, signal }: Job<PushedCommits>): Promise<void> {
  const { projectId, userId, branch, old, new: tip, count } = payload;
  const { read } = services.db;
  const [row, user] = await Promise.all([findProject(read, projectId), findUser(read, userId)]);
  if (!row || !user) return;
  const pusher = actorOnBehalfOf(user);
  const subject = await projectSubject(read, pusher, row);
  const repo = services.git.repository(projectId);
  if (branch !== defaultBranch(subject) || !(await repositoryExists(repo))) return;
  const objects = services.git.objects(repo);
  if (!(await objects.commit(tip))) return;
  const revisions = old === null ? [tip] : [tip, `^${old}`];
  const ids =
    old !== null && count <= maxNearBy
      ? await listCommitIds(objects, { tips: [tip], exclude: [old], limit: count })
      : logIds(repo, { revisions, limit: count }, { signal });
  for await (const oid of ids) {
    const message = (await objects.commit(oid))?.message;
    if (message !== undefined) await scheduleCommitMentions(services, pusher, subject, oid, message);
  }
}

async function scheduleCommitMentions(
  services: Services,
  pusher: SignedInActor,
  subject: ProjectSubject,
  oid: string,
  message: string,
): Promise<void> {
  const references = await extractItemReferences(message, services.externalUrl);
  if (references.length === 0) return;
  const items = await mentionedItems(services, pusher, { project: subject }, references);
  await services.db.write(async (trx) => {
    for (const { target, backPath } of items) {
      const source = { commit: oid, projectId: subject.project.id };
      await addCrossReference(trx, target, source, pusher.user.id, mentionedInCommit(oid, backPath));
    }
  });
  await closeIssues(services, pusher, subject, oid, message);
}

async function closeIssues(
  services: Services,
  pusher: SignedInActor,
  subject: ProjectSubject,
  oid: string,
  message: string,
): Promise<void> {
  const closes = await closedIssuesOf(message, services.externalUrl);
  const named = closes.flatMap((closed) => ('iid' in closed ? [{ type: 'issue' as const, ...closed }] : []));
  const resolved = await resolveReferences(services, pusher, subject, named);
  for (const reference of named) {
    const { id, projectId } = resolved.get(referenceKey(reference)) ?? {};
    const project = projectId === undefined ? undefined : await findProject(services.db.read, projectId);
    if (id === undefined || !project || settingsOf(project).autoclose_referenced_issues === false) continue;
    const place = await projectSubject(services.db.read, pusher, project);
    try {
      const change = { state_event: 'close' as const };
      await services.db.write((trx) => changeIssue(services, trx, pusher, place, id, change, { commit: oid }));
    } catch (error) {
      // The user who pushed may lack permission to close the issue.
      if (!(error instanceof Forbidden)) throw error;
    }
  }
}
