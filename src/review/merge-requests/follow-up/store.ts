import type { NoteRow } from '../../../planning/notes/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';

const open = statement((db, param: Param<{ id: number; limit: number }>) =>
  db
    .selectFrom('notes as n')
    .innerJoin('users as u', 'u.id', 'n.author_id')
    .select(['n.id', 'n.discussion_id', 'n.type', 'n.body', 'n.internal', 'u.username'])
    .where('n.noteable_type', '=', 'MergeRequest')
    .where('n.noteable_id', '=', param('id'))
    .where('n.system', '=', 0)
    .where('n.type', 'is not', null)
    .where('n.resolved_at', 'is', null)
    .orderBy('n.id')
    .limit(param('limit')),
);

/** A thread, represented by its first unresolved note. */
export interface OpenThread {
  readonly id: number;
  readonly discussion_id: string;
  readonly type: NoteRow['type'];
  readonly body: string;
  readonly internal: number;
  readonly username: string;
}

/** Unresolved threads of a merge request, oldest first. */
export async function openThreads(db: Reader, id: number, limit: number): Promise<OpenThread[]> {
  const rows = await open.all(db, { id, limit });
  return [...Map.groupBy(rows, ({ discussion_id }) => discussion_id).values()].flatMap(([first]) => first ?? []);
}
