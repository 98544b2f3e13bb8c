import { actorOnBehalfOf } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { settingsWithAncestors } from '../../access/stored-settings.ts';
import { type GroupSubject, groupSubject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import type { Namespace, Project, User } from '../../access/tables.ts';
import {
  type EffectiveSetting,
  effectiveSettings,
  type NotificationScope,
} from '../../planning/notification-settings/public.ts';
import type { Email } from '../../platform/mail/mail.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { allowsMail, groupAllowsMail } from './audience.ts';

/** A recipient, and the project or group with their permissions. */
export interface Recipient<S = ProjectSubject> {
  readonly user: User;
  readonly email: string;
  readonly subject: S;
}

type Wants = (choice: EffectiveSetting) => boolean;

/** Filters users to those who can get e-mails and want this one. */
async function reachable<S>(
  { db: { read }, externalUrl }: Services,
  scope: NotificationScope,
  people: readonly number[],
  wants: Wants,
  subjectFor: (user: User) => Promise<S | undefined>,
): Promise<Recipient<S>[]> {
  const recipients: Recipient<S>[] = [];
  for (const [id, choice] of await effectiveSettings(read, people, scope)) {
    const user = wants(choice) ? await findUser(read, id) : undefined;
    if (user?.kind !== 'human' || user.confirmed_at === null || accountRefusal(user, externalUrl) !== undefined)
      continue;
    const subject = await subjectFor(user);
    if (subject) recipients.push({ user, email: choice.email ?? user.email, subject });
  }
  return recipients;
}

const idsAround = async ({ db: { read } }: Services, namespaceId: number) =>
  (await settingsWithAncestors(read, namespaceId)).map(({ id }) => id);

/** Filters users to those who receive e-mails and whose notification settings for the project include the event. */
export async function recipientsIn(
  services: Services,
  project: Project,
  people: readonly number[],
  wants: Wants,
): Promise<Recipient[]> {
  const { read } = services.db;
  if (!(await allowsMail(read, project))) return [];
  const scope = { projectId: project.id, namespaceIds: await idsAround(services, project.namespace_id) };
  return reachable(services, scope, people, wants, async (user) => {
    const subject = await projectSubject(read, actorOnBehalfOf(user), project);
    return subject.can('read_project') ? subject : undefined;
  });
}

/** The same for a group. */
export async function recipientsInGroup(
  services: Services,
  group: Namespace,
  people: readonly number[],
  wants: Wants,
): Promise<Recipient<GroupSubject>[]> {
  const { read } = services.db;
  if (!(await groupAllowsMail(read, group.id))) return [];
  const scope = { projectId: null, namespaceIds: await idsAround(services, group.id) };
  return reachable(services, scope, people, wants, async (user) => {
    const subject = await groupSubject(read, actorOnBehalfOf(user), group);
    return subject.can('read_group') ? subject : undefined;
  });
}

/** Enqueues all e-mails of a job and finishes it in one transaction. */
export async function send({ db, queue }: Services, job: Job<unknown>, messages: readonly Email[]): Promise<void> {
  await db.write(async (trx) => {
    for (const message of messages) await queue.enqueue(trx, 'mail.send', message);
    await job.finish(trx);
  });
}
