import { actingFor } from '../../access/actor.ts';
import { unusable } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { settingsAbove } from '../../access/stored-settings.ts';
import { type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import type { Project, User } from '../../access/tables.ts';
import { type Choice, choicesOf } from '../../planning/notification-settings/public.ts';
import type { Letter } from '../../platform/mail/mail.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { wantsMail } from './hearing.ts';

/** Somebody who is written to about a project, and the project as they see it. */
export interface Receiver {
  readonly user: User;
  readonly email: string;
  readonly subject: ProjectSubject;
}

/** Of some people, those who read letters, and whose choice for a project is to hear of something in it. */
export async function receiversIn(
  { db: { read }, externalUrl }: Services,
  project: Project,
  people: readonly number[],
  wants: (choice: Choice) => boolean,
): Promise<Receiver[]> {
  if (!(await wantsMail(read, project))) return [];
  const around = await settingsAbove(read, project.namespace_id);
  const scope = { projectId: project.id, namespaceIds: around.map(({ id }) => id) };
  const receivers: Receiver[] = [];
  for (const [id, choice] of await choicesOf(read, people, scope)) {
    const user = wants(choice) ? await findUser(read, id) : undefined;
    if (user?.kind !== 'human' || user.confirmed_at === null || unusable(user, externalUrl) !== undefined) continue;
    const subject = await projectSubject(read, actingFor(user), project);
    if (subject.can('read_project')) receivers.push({ user, email: choice.email ?? user.email, subject });
  }
  return receivers;
}

/** Sends what a job has written: all of it, and once. */
export async function send({ db, queue }: Services, job: Job<unknown>, letters: readonly Letter[]): Promise<void> {
  await db.write(async (trx) => {
    for (const letter of letters) await queue.enqueue(trx, 'mail.send', letter);
    await job.finish(trx);
  });
}
