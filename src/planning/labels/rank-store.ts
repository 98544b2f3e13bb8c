import { sql } from 'kysely';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';

/** The tables of labelled items and their labels. */
export interface Labelled {
  readonly table: 'issues' | 'merge_requests';
  readonly labels: 'issue_labels' | 'merge_request_labels';
  readonly key: 'issue_id' | 'merge_request_id';
}

/**
 * Items store the best priority of their labels, by which lists sort them. This keeps it current when priorities change
 * or prioritized labels are removed. Items that neither lost nor gained a prioritized label are left alone.
 */
export function labelRankUpdater({ table, labels, key }: Labelled) {
  const [things, carried, thing] = [sql.table(table), sql.table(labels), sql.ref(`carried.${key}`)];
  const own = sql.ref(`${table}.project_id`);
  async function rankAgain(trx: Writer, labelId: number, without = 0): Promise<void> {
    await sql`update ${things} set label_priority = (
        select min(p.priority) from ${carried} carried
        join label_priorities p on p.label_id = carried.label_id and p.project_id = ${own}
        where ${thing} = ${sql.ref(`${table}.id`)} and carried.label_id <> ${without})
      where id in (select ${thing} from ${carried} carried where carried.label_id = ${labelId})
        and (label_priority is not null or project_id in (
          select project_id from label_priorities where label_id = ${labelId}))`.execute(trx);
  }
  return {
    ranked: (_services: Services, trx: Writer, { labelId }: DomainEvents['label.ranked']) => rankAgain(trx, labelId),
    removed: (_services: Services, trx: Writer, { labelId }: DomainEvents['label.removed']) =>
      rankAgain(trx, labelId, labelId),
    merged: (trx: Writer, intoId: number) => rankAgain(trx, intoId),
  };
}
