import type { Reader } from '../../../platform/database/database.ts';
import type { BatchRange } from '../../project-exports/public.ts';

/** Exported group records without a project equivalent, read in batches. */
export function epicsAfter(db: Reader, { of, after, limit }: BatchRange) {
  return db
    .selectFrom('epics as e')
    .leftJoin('epics as p', 'p.id', 'e.parent_id')
    .selectAll('e')
    .select(['p.iid as parent_iid', 'p.namespace_id as parent_group'])
    .where('e.namespace_id', '=', of)
    .where('e.iid', '>', after)
    .orderBy('e.iid')
    .limit(limit)
    .execute();
}

export function epicLabels(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('epic_labels as k')
    .innerJoin('labels as l', 'l.id', 'k.label_id')
    .select(['k.epic_id as of', 'l.title', 'l.color', 'l.description'])
    .where('k.epic_id', 'in', ids)
    .orderBy('l.id')
    .execute();
}

export function badgesAfter(db: Reader, { of, after, limit }: BatchRange) {
  return db
    .selectFrom('badges')
    .select(['id', 'name', 'link_url', 'image_url', 'created_at', 'updated_at'])
    .where('namespace_id', '=', of)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export function groupMembersAfter(db: Reader, { of, after, limit }: BatchRange) {
  return db
    .selectFrom('members')
    .select(['id', 'user_id', 'access_level', 'expires_at', 'created_at'])
    .where('namespace_id', '=', of)
    .where('user_id', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}
