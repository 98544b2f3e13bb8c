import { form } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { equals } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn, byId } from '../../platform/list-kit/order.ts';

/** The statuses of one commit, which an index has by number: those that count, or all of them. */
interface StatusScope {
  readonly project: number;
  readonly sha: string;
  readonly all: boolean;
}

export const statusList = list({
  id: 'commit_statuses.id',
  scope: form<StatusScope>()({ values: ['project', 'sha'] }),
  filters: {
    ref: equals('commit_statuses.ref', param.string()),
    stage: equals('commit_statuses.stage', param.string()),
    name: equals('commit_statuses.name', param.string()),
    pipeline_id: equals('commit_statuses.pipeline_id', param.integer()),
  },
  orders: { id: byId, pipeline_id: byColumn('commit_statuses.pipeline_id', 'integer') },
  select: (db, { project, sha, all }) => {
    const statuses = db
      .selectFrom('commit_statuses')
      .selectAll('commit_statuses')
      .where('commit_statuses.project_id', '=', project)
      .where('commit_statuses.sha', '=', sha);
    return all ? statuses : statuses.where('commit_statuses.retried', '=', 0);
  },
});
