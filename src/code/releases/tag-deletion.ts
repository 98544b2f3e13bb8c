import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Push } from '../pushes/service.ts';
import { deleteRelease } from './store.ts';

/**
 * A tag deleted through the API takes its release along. One deleted by git does not: there, people delete and push a
 * tag again to move it.
 */
export async function deleteReleasesOfTags(_services: Services, trx: Writer, push: Push): Promise<void> {
  if (push.protocol !== 'web') return;
  const gone = push.refs.filter((ref) => ref.kind === 'tag' && ref.action === 'removed');
  for (const { name } of gone) await deleteRelease(trx, push.projectId, name);
}
