import type { Writer } from '../../../platform/database/database.ts';
import type { DomainEvents } from '../../../platform/domain-events.ts';
import { failuresOf, findImport, readStats } from '../../project-imports/public.ts';
import { endEntity } from '../ending.ts';
import * as store from '../store.ts';

/** Ends the entity when the import of its project has ended. */
export async function endOfImport(
  trx: Writer,
  { projectId, status, error }: DomainEvents['import.ended'],
): Promise<void> {
  const entity = await store.runningEntityOf(trx, projectId);
  if (!entity) return;
  const failures = await failuresOf(trx, projectId);
  const rows = failures.reverse().map((failure) => ({
    relation: failure.relation_name,
    source_title: failure.source,
    exception_class: failure.exception_class,
    exception_message: failure.exception_message,
  }));
  const whole = { relation: 'project', source_title: entity.source_full_path, exception_class: 'ImportFailed' };
  const last = error === null ? [] : [{ ...whole, exception_message: error }];
  await store.insertFailures(trx, entity, [...last, ...rows]);
  const kept = (await findImport(trx, projectId))?.stats;
  await endEntity(trx, entity, status, kept ? { stats: JSON.stringify(statsOf(kept)) } : {});
}

function statsOf(text: string) {
  const { fetched, imported } = readStats(text);
  return Object.fromEntries(
    Object.entries(fetched).map(([kind, count]) => [
      kind,
      { source: count, fetched: count, imported: imported[kind] ?? 0 },
    ]),
  );
}
