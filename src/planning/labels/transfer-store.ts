import { sql } from 'kysely';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { type Labelled, labelRankUpdater } from './rank-store.ts';
import { ensureLabel, findTitled } from './store.ts';
import type { LabelRow } from './tables.ts';

/** Returns the label with the same title in the project or its new ancestors, otherwise a copy in the project. */
export async function findOrCopyLabel(
  trx: Writer,
  projectId: number,
  line: readonly number[],
  { id: _, ...label }: LabelRow,
): Promise<LabelRow> {
  const near = await findTitled(trx, { projectId, namespaceIds: line }, label.title);
  return near ?? (await ensureLabel(trx, { ...label, project_id: projectId, namespace_id: null }));
}

/**
 * Returns the label with the same title in the group or its new ancestors, otherwise a copy in the topmost moved group.
 */
export async function labelInGroup(
  trx: Writer,
  movedId: number,
  line: readonly number[],
  { id: _, ...label }: LabelRow,
): Promise<LabelRow> {
  const near = await findTitled(trx, { projectId: null, namespaceIds: line }, label.title);
  return near ?? (await ensureLabel(trx, { ...label, project_id: null, namespace_id: movedId }));
}

/**
 * After a transfer, a project loses the labels of its former groups. Its items get the labels with the same titles at
 * the new location, or copies.
 */
export function labelTransfer({ table, labels, key }: Labelled) {
  const ranks = labelRankUpdater({ table, labels, key });
  const [things, carried] = [sql.table(table), sql.table(labels)];
  const ofProject = (projectId: number) =>
    sql`${sql.ref(key)} in (select id from ${things} where project_id = ${projectId})`;

  async function leftBehind(trx: Writer, projectId: number, line: readonly number[]): Promise<readonly LabelRow[]> {
    const near = line.length === 0 ? sql`` : sql` and namespace_id not in (${sql.join(line)})`;
    const { rows } = await sql<LabelRow>`select * from labels where namespace_id is not null${near}
      and id in (select label_id from ${carried} where ${ofProject(projectId)}) order by id`.execute(trx);
    return rows;
  }

  async function replace(trx: Writer, projectId: number, from: number, to: number): Promise<void> {
    const both = sql`${sql.ref(key)} in (select ${sql.ref(key)} from ${carried} where label_id = ${to})`;
    await sql`update ${carried} set label_id = ${to}
      where label_id = ${from} and ${ofProject(projectId)} and not ${both}`.execute(trx);
    await sql`delete from ${carried} where label_id = ${from} and ${ofProject(projectId)}`.execute(trx);
    await sql`update label_priorities set label_id = ${to} where label_id = ${from} and project_id = ${projectId}
      and not exists (select 1 from label_priorities known
        where known.label_id = ${to} and known.project_id = ${projectId})`.execute(trx);
  }

  return async (_services: Services, trx: Writer, { project, to }: DomainEvents['project.uprooted']) => {
    const line = to.kind === 'group' ? await selfAndAncestorIds(trx, to.id) : [];
    for (const label of await leftBehind(trx, project.id, line)) {
      const into = await findOrCopyLabel(trx, project.id, line, label);
      await replace(trx, project.id, label.id, into.id);
      await ranks.merged(trx, into.id);
    }
  };
}
