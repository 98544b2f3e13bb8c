import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';

const numbered = statement((db, param: Param<{ project: number; iids: readonly number[] }>) =>
  db
    .selectFrom('issues')
    .select(['id', 'iid', 'author_id', 'confidential'])
    .where('project_id', '=', param('project'))
    .where('iid', 'in', param.ids('iids'))
    .orderBy('iid'),
);

/** The issues of a project that have these numbers. */
export function issueNumbers(db: Reader, project: number, iids: readonly number[]) {
  return iids.length === 0 ? Promise.resolve([]) : numbered.all(db, { project, iids: [...new Set(iids)] });
}
