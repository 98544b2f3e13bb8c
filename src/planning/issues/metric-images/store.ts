import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { IssueMetricImagesTable, MetricImageRow } from '../tables.ts';

/** So many pictures of one issue are shown. */
const mostImages = 1000;

/** The pictures of an issue, oldest first. */
export function imagesOf(db: Reader, issueId: number): Promise<MetricImageRow[]> {
  return db
    .selectFrom('issue_metric_images')
    .selectAll()
    .where('issue_id', '=', issueId)
    .orderBy('id')
    .limit(mostImages)
    .execute();
}

export function findImage(db: Reader, issueId: number, id: number): Promise<MetricImageRow | undefined> {
  return db
    .selectFrom('issue_metric_images')
    .selectAll()
    .where('issue_id', '=', issueId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The file of a picture, and the issue that it is on. */
export function fileOf(db: Reader, id: number): Promise<{ file: string; project_id: number; iid: number } | undefined> {
  return db
    .selectFrom('issue_metric_images')
    .innerJoin('issues', 'issues.id', 'issue_metric_images.issue_id')
    .select(['issue_metric_images.file', 'issues.project_id', 'issues.iid'])
    .where('issue_metric_images.id', '=', id)
    .executeTakeFirst();
}

export function insertImage(trx: Writer, row: Insertable<IssueMetricImagesTable>): Promise<MetricImageRow> {
  return trx.insertInto('issue_metric_images').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Nothing where it is not on the issue any longer. */
export function updateImage(
  trx: Writer,
  { id, issue_id }: MetricImageRow,
  columns: Updateable<IssueMetricImagesTable>,
): Promise<MetricImageRow | undefined> {
  return trx
    .updateTable('issue_metric_images')
    .set(columns)
    .where('id', '=', id)
    .where('issue_id', '=', issue_id)
    .returningAll()
    .executeTakeFirst();
}

/** Takes all pictures off an issue; tells how many there were. */
export async function detachImages(trx: Writer, issueId: number): Promise<number> {
  const detached = await trx
    .updateTable('issue_metric_images')
    .set({ issue_id: null })
    .where('issue_id', '=', issueId)
    .executeTakeFirst();
  return Number(detached.numUpdatedRows);
}

/** Some of the pictures that are on no issue any longer. */
export function leftBehind(db: Reader, most: number): Promise<Pick<MetricImageRow, 'id' | 'file'>[]> {
  return db
    .selectFrom('issue_metric_images')
    .select(['id', 'file'])
    .where('issue_id', 'is', null)
    .orderBy('id')
    .limit(most)
    .execute();
}

export async function deleteImages(trx: Writer, ids: readonly number[]): Promise<void> {
  await trx.deleteFrom('issue_metric_images').where('id', 'in', ids).execute();
}
