import type { Services } from '../../access/services.ts';
import { releaseById } from '../../code/releases/public.ts';
import { findProject, projectUrls } from '../../namespaces/projects/public.ts';
import { isNotified, isNotifiedOfMove, watchersOf } from '../../planning/notification-settings/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { composeEmail, messageId } from './compose.ts';
import { recipientsIn, send } from './recipients.ts';
import { membersAround, projectsBelow } from './store.ts';

interface Moved {
  readonly projectId: number;
  readonly formerPath: string;
  readonly at: number;
}

interface MovedGroup {
  readonly groupId: number;
  readonly formerPath: string;
  readonly path: string;
  /** ID of the last project processed. */
  readonly after: number;
  readonly at: number;
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'mail.release': { readonly id: number };
    'mail.project-moved': Moved;
    'mail.group-moved': MovedGroup;
  }
}

/** Historical and upcoming releases are notified as well. */
export async function onRelease(
  { queue }: Services,
  trx: Writer,
  { action, release }: DomainEvents['release.changed'],
): Promise<void> {
  if (action === 'create') await queue.enqueue(trx, 'mail.release', { id: release.id });
}

/** Notifies users who watch a project, or its releases, of a new release. */
export async function notifyOfRelease(services: Services, job: Job<{ readonly id: number }>): Promise<void> {
  const { read } = services.db;
  const release = await releaseById(read, job.payload.id);
  const project = release && (await findProject(read, release.project_id));
  if (!release || !project) return;
  const watchers = await watchersOf(read, { project_id: project.id, namespace_id: null });
  const others = watchers.filter((id) => id !== release.author_id);
  const neither = { participates: false, mentioned: false };
  const recipients = await recipientsIn(services, project, others, (choice) =>
    isNotified(choice, 'new_release', neither),
  );
  const messages = recipients
    .filter(({ subject }) => subject.can('read_release'))
    .map(({ user, email, subject: { fullPath } }) =>
      composeEmail({
        to: email,
        subject: `${project.name} | New release: ${release.name} - ${release.tag}`,
        says: [
          `${fullPath} has a new release, ${release.name}, with the tag ${release.tag}.`,
          release.description ?? '',
        ],
        link: {
          text: release.name,
          url: `${services.externalUrl}/${fullPath}/-/releases/${encodeURIComponent(release.tag)}`,
        },
        reason: 'You get this because you watch the project or its releases.',
        id: messageId(services.externalUrl, 'release', release.id, user.id),
      }),
    );
  await send(services, job, messages);
}

const movedFrom = async ({ queue }: Services, trx: Writer, projectId: number, formerPath: string): Promise<void> => {
  await queue.enqueue(trx, 'mail.project-moved', { projectId, formerPath, at: Date.now() });
};

export async function onRenamedProject(
  services: Services,
  trx: Writer,
  { before, project, formerPath }: DomainEvents['project.renamed'],
): Promise<void> {
  // Scheduling or restoring a deletion changes the path too; this is not a move.
  if (before.marked_for_deletion_at !== project.marked_for_deletion_at) return;
  await movedFrom(services, trx, project.id, formerPath);
}

export function onTransferredProject(
  services: Services,
  trx: Writer,
  { before, project, from }: DomainEvents['project.transferred'],
): Promise<void> {
  return movedFrom(services, trx, project.id, `${from.full_path}/${before.path}`);
}

/** Moving a group changes the paths of all its projects and subgroups. */
export async function onMovedGroup(
  { queue }: Services,
  trx: Writer,
  { before, group }: Pick<DomainEvents['group.updated'], 'before' | 'group'>,
): Promise<void> {
  if (before.full_path === group.full_path || before.marked_for_deletion_at !== group.marked_for_deletion_at) return;
  const moved = { groupId: group.id, formerPath: before.full_path, path: group.full_path, after: 0, at: Date.now() };
  await queue.enqueue(trx, 'mail.group-moved', moved);
}

const atOnce = 100;

/** Processes one page of projects and enqueues the next. */
export async function notifyOfMovedGroup({ db, queue }: Services, job: Job<MovedGroup>): Promise<void> {
  const { groupId, formerPath, path, after, at } = job.payload;
  const found = await projectsBelow(db.read, groupId, after, atOnce);
  await db.write(async (trx) => {
    for (const { id, full_path } of found) {
      if (!full_path.startsWith(`${path}/`)) continue;
      const former = `${formerPath}${full_path.slice(path.length)}`;
      await queue.enqueue(trx, 'mail.project-moved', { projectId: id, formerPath: former, at });
    }
    const last = found.at(-1);
    if (last && found.length === atOnce)
      await queue.enqueue(trx, 'mail.group-moved', { ...job.payload, after: last.id });
    await job.finish(trx);
  });
}

/** Tells all members the new address of a project, because their clones still point to the old one. */
export async function notifyOfMove(services: Services, job: Job<Moved>): Promise<void> {
  const { read } = services.db;
  const { projectId, formerPath, at } = job.payload;
  const project = await findProject(read, projectId);
  if (!project) return;
  const members = await membersAround(read, project);
  const recipients = await recipientsIn(services, project, members, isNotifiedOfMove);
  const messages = recipients
    .filter(({ subject }) => subject.fullPath !== formerPath)
    .map(({ user, email, subject: { fullPath } }) => {
      const { web, http, ssh } = projectUrls(services, fullPath);
      return composeEmail({
        to: email,
        subject: `${project.name} | Project was moved`,
        says: [
          `The project ${formerPath} was moved to ${fullPath}.`,
          'To update the remote of a clone, run one of these commands:',
        ],
        code: [`git remote set-url origin ${ssh}`, `git remote set-url origin ${http}`].join('\n'),
        link: { text: fullPath, url: web },
        reason: 'You get this because you are a member of the project.',
        id: messageId(services.externalUrl, 'project-moved', project.id, at, user.id),
      });
    });
  await send(services, job, messages);
}
