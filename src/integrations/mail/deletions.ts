import { deletionDelay } from '../../access/application-settings/effective.ts';
import { findUser } from '../../access/credentials/identify.ts';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { instant } from '../../platform/http/schema.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { composeEmail, messageId } from './compose.ts';
import { recipientsIn, recipientsInGroup, send } from './recipients.ts';
import { membersWithRole } from './store.ts';

interface ScheduledDeletion {
  readonly projectId: number | null;
  readonly groupId: number | null;
  /** Before the deletion mark, which changes the name. */
  readonly name: string;
  readonly byId: number | null;
  readonly at: number;
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** A project or group was scheduled for deletion: tells its owners, who can restore it. */
    'mail.deletion-scheduled': ScheduledDeletion;
  }
}

export async function onProjectMarked(
  { queue }: Services,
  trx: Writer,
  { before, project, by }: DomainEvents['project.updated'],
): Promise<void> {
  const at = project.marked_for_deletion_at;
  if (at === null || before.marked_for_deletion_at !== null) return;
  const marked = { projectId: project.id, groupId: null, name: before.name, byId: by?.id ?? null, at };
  await queue.enqueue(trx, 'mail.deletion-scheduled', marked);
}

export async function onGroupMarked(
  { queue }: Services,
  trx: Writer,
  { before, group, by }: DomainEvents['group.updated'],
): Promise<void> {
  const at = group.marked_for_deletion_at;
  if (at === null || before.marked_for_deletion_at !== null) return;
  const marked = { projectId: null, groupId: group.id, name: before.name, byId: by?.id ?? null, at };
  await queue.enqueue(trx, 'mail.deletion-scheduled', marked);
}

/** Notifies the owners, direct and inherited, unless they disabled notifications. */
export async function notifyOfScheduledDeletion(services: Services, job: Job<ScheduledDeletion>): Promise<void> {
  const { read } = services.db;
  const { projectId, groupId, name, byId, at } = job.payload;
  const project = projectId === null ? undefined : await findProject(read, projectId);
  const namespace = await findNamespace(read, project?.namespace_id ?? groupId);
  const marked = projectId === null ? namespace : project;
  // Restored in the meantime.
  if (!namespace || marked?.marked_for_deletion_at !== at) return;
  const around = { projectId, namespaceId: groupId, above: await selfAndAncestorIds(read, namespace.id) };
  const owners = (await membersWithRole(read, around, Role.owner)).map(({ id }) => id);
  const all = namespace.owner_id === null ? owners : [...new Set([namespace.owner_id, ...owners])];
  const wants = ({ level }: { readonly level: string }) => level !== 'disabled';
  const told = project
    ? await recipientsIn(services, project, all, wants)
    : await recipientsInGroup(services, namespace, all, wants);
  const by = await findUser(read, byId);
  const kind = project ? 'project' : 'group';
  const ends = instant(at + deletionDelay(services.config, await services.settings.read())).slice(0, 10);
  const path = project ? `${namespace.full_path}/${project.path}` : `groups/${namespace.full_path}`;
  const messages = told.map(({ user, email }) =>
    composeEmail({
      to: email,
      subject: `${name} | ${project ? 'Project' : 'Group'} was scheduled for deletion`,
      says: [
        `The ${kind} ${name} was scheduled for deletion${by ? ` by ${by.name} (@${by.username})` : ''}.`,
        `It will be deleted on ${ends}. Until then an owner can restore it.`,
      ],
      link: { text: name, url: `${services.externalUrl}/${path}` },
      reason: `You get this because you own the ${kind}.`,
      id: messageId(services.externalUrl, 'deletion', kind, projectId ?? groupId ?? 0, at, user.id),
    }),
  );
  await send(services, job, messages);
}
