import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { IssueMetricImagesTable, MetricImageRow } from '../tables.ts';

/** Maximum number of metric images returned for one issue. */
const maxImages = 1000;

/** Metric images of an issue, oldest first. */
export function imagesOf(db: Reader, issueId: number): Promise<MetricImageRow[]> {
  return db
    .selectFrom('issue_metric_images')
    .selectAll()
    .where('issue_id', '=', issueId)
    .orderBy('id')
    .limit(maxImages)
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

/** The file of an image and the issue it belongs to. */
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

/** Returns undefined if the image no longer belongs to the issue. */
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

/** Detaches all images from an issue; returns their number. */
export async function detachImages(trx: Writer, issueId: number): Promise<number> {
  const detached = await trx
    .updateTable('issue_metric_images')
    .set({ issue_id: null })
    .where('issue_id', '=', issueId)
    .executeTakeFirst();
  return Number(detached.numUpdatedRows);
}

/** Returns a batch of images that no longer belong to an issue. */
export function orphanedImages(db: Reader, most: number): Promise<Pick<MetricImageRow, 'id' | 'file'>[]> {
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
