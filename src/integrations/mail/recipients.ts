import { actorOnBehalfOf } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { settingsWithAncestors } from '../../access/stored-settings.ts';
import { type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import type { Project, User } from '../../access/tables.ts';
import { type EffectiveSetting, effectiveSettings } from '../../planning/notification-settings/public.ts';
import type { Email } from '../../platform/mail/mail.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { allowsMail } from './audience.ts';

/** A recipient, and the project with their permissions. */
export interface Recipient {
  readonly user: User;
  readonly email: string;
  readonly subject: ProjectSubject;
}

/** Filters users to those who receive e-mails and whose notification settings for the project include the event. */
export async function recipientsIn(
  { db: { read }, externalUrl }: Services,
  project: Project,
  people: readonly number[],
  wants: (choice: EffectiveSetting) => boolean,
): Promise<Recipient[]> {
  if (!(await allowsMail(read, project))) return [];
  const around = await settingsWithAncestors(read, project.namespace_id);
  const scope = { projectId: project.id, namespaceIds: around.map(({ id }) => id) };
  const recipients: Recipient[] = [];
  for (const [id, choice] of await effectiveSettings(read, people, scope)) {
    const user = wants(choice) ? await findUser(read, id) : undefined;
    if (user?.kind !== 'human' || user.confirmed_at === null || accountRefusal(user, externalUrl) !== undefined)
      continue;
    const subject = await projectSubject(read, actorOnBehalfOf(user), project);
    if (subject.can('read_project')) recipients.push({ user, email: choice.email ?? user.email, subject });
  }
  return recipients;
}

/** Enqueues all e-mails of a job and finishes it in one transaction. */
export async function send({ db, queue }: Services, job: Job<unknown>, messages: readonly Email[]): Promise<void> {
  await db.write(async (trx) => {
    for (const message of messages) await queue.enqueue(trx, 'mail.send', message);
    await job.finish(trx);
  });
}
