import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import { lockTarget, type Target } from '../../target.ts';
import { addSystemNote } from '../store.ts';
import './tables.ts';

/** Where something was mentioned: in an issue, merge request or the like, or in a commit. */
export type MentionSource = { readonly target: Target } | { readonly commit: string; readonly projectId: number };

function columnsOf(source: MentionSource) {
  return 'commit' in source
    ? { source_type: 'Commit', source_id: null, source_project_id: source.projectId, source_commit: source.commit }
    : {
        source_type: source.target.type,
        source_id: source.target.id,
        source_project_id: source.target.project_id,
        source_commit: null,
      };
}

/** Adds a system note to the target about a mention, once per source. */
export async function addCrossReference(
  trx: Writer,
  target: Target,
  source: MentionSource,
  authorId: number,
  body: string,
): Promise<void> {
  const columns = columnsOf(source);
  const known = await trx
    .selectFrom('cross_references')
    .select('note_id')
    .where('source_type', '=', columns.source_type)
    .where('source_id', columns.source_id === null ? 'is' : '=', columns.source_id)
    .where('source_project_id', columns.source_project_id === null ? 'is' : '=', columns.source_project_id)
    .where('source_commit', columns.source_commit === null ? 'is' : '=', columns.source_commit)
    .where('target_type', '=', target.type)
    .where('target_id', '=', target.id)
    .executeTakeFirst();
  if (known || !(await lockTarget(trx, target))) return;
  const { id } = await addSystemNote(trx, target, authorId, body);
  await trx
    .insertInto('cross_references')
    .values({ note_id: id, target_type: target.type, target_id: target.id, ...columns })
    .execute();
}

const ofNotes = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('cross_references')
    .select(['note_id', 'source_type', 'source_id', 'source_project_id', 'source_commit'])
    .where('note_id', 'in', param.ids('ids')),
);

export function sourcesOf(db: Reader, noteIds: readonly number[]) {
  return ofNotes.all(db, { ids: noteIds });
}
