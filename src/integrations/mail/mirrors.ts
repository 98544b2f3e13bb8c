import type { Services } from '../../access/services.ts';
import { findNamespace } from '../../access/subject-queries.ts';
import { findProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { composeEmail, messageId } from './compose.ts';
import { maintainersOf } from './store.ts';

/** Tells the maintainers of a project that its mirror failed permanently. */
export async function onMirrorFailed(
  services: Services,
  trx: Writer,
  { projectId, way, url, error }: DomainEvents['mirror.failed'],
): Promise<void> {
  const project = await findProject(trx, projectId);
  const namespace = project && (await findNamespace(trx, project.namespace_id));
  if (!namespace) return;
  const name = `${namespace.full_name} / ${project.name}`;
  const message = {
    subject: `${project.name} | ${way === 'push' ? 'Remote mirror update failed' : 'Repository mirroring paused'}`,
    says: [`The mirror of ${name} at ${url} could not be updated.`, error],
    link: { text: name, url: `${services.externalUrl}/${namespace.full_path}/${project.path}` },
    reason: 'You get this because you maintain the project.',
  };
  for (const { id: userId, email } of await maintainersOf(trx, project)) {
    const id = messageId(services.externalUrl, 'mirror', projectId, userId, Date.now());
    await services.queue.enqueue(trx, 'mail.send', composeEmail({ ...message, to: email, id }));
  }
}
