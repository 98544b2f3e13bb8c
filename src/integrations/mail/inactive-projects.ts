import type { Services } from '../../access/services.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { instant } from '../../platform/http/schema.ts';
import { composeEmail, messageId } from './compose.ts';
import { maintainersOf } from './store.ts';

/** Warns the maintainers of an inactive project that it will be deleted. */
export async function onInactiveProject(
  services: Services,
  trx: Writer,
  { project, deletedAt }: DomainEvents['project.inactive'],
): Promise<void> {
  const namespace = await findNamespace(trx, project.namespace_id);
  if (!namespace) return;
  const name = `${namespace.full_name} / ${project.name}`;
  const message = {
    subject: `${project.name} | Project was scheduled for deletion because of inactivity`,
    says: [
      `Nothing has happened in ${name} since ${instant(project.last_activity_at).slice(0, 10)}.`,
      `It will be deleted on ${instant(deletedAt).slice(0, 10)} unless there is activity before, such as a push, an issue or a comment.`,
    ],
    link: { text: name, url: `${services.externalUrl}/${namespace.full_path}/${project.path}` },
    reason: 'You get this because you maintain the project.',
  };
  for (const { id: userId, email } of await maintainersOf(trx, project)) {
    const id = messageId(services.externalUrl, 'inactive-project', project.id, userId, deletedAt);
    await services.queue.enqueue(trx, 'mail.send', composeEmail({ ...message, to: email, id }));
  }
}
