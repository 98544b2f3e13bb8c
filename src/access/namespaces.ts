import type { Reader } from '../platform/database/database.ts';
import { type Param, statement } from '../platform/database/statement.ts';

const above = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('namespace_ancestors').select('ancestor_id').where('namespace_id', '=', param('id')),
);
const below = statement((db, param: Param<{ id: number }>) =>
  db.selectFrom('namespace_ancestors').select('namespace_id').where('ancestor_id', '=', param('id')),
);

/** The numbers of a namespace and of those above it. */
export async function ancestorsOf(db: Reader, id: number): Promise<number[]> {
  return (await above.all(db, { id })).map((row) => row.ancestor_id);
}

/** The numbers of a namespace and of those below it. */
export async function descendantsOf(db: Reader, id: number): Promise<number[]> {
  return (await below.all(db, { id })).map((row) => row.namespace_id);
}
