import { sql } from 'kysely';
import { belongsTo, type OwnerColumns } from '../../../access/project-or-group.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { maxCountedRows } from '../../../platform/database/paging.ts';
import type { BoundMeaning } from '../../../platform/list-kit/filter.ts';
import { flag } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import { storedCount, storedCountOf } from '../../../platform/list-kit/stored-count.ts';

/** The owner of the tokens: a project, a group, or neither for all tokens. */
interface DeployTokenScope extends Partial<OwnerColumns> {
  readonly now: number;
}

const scope = boundProperties<DeployTokenScope>()({ values: ['namespace_id', 'project_id', 'now'] });

type Scope = BoundFilterOf<typeof scope>;

/**
 * Materialized count of the active tokens of the instance: triggers count those without an expiry date; the others are
 * few.
 */
function keptActive(
  { namespace_id, project_id, now }: Scope,
  { active, ...others }: Readonly<Record<string, BoundMeaning>>,
) {
  const instanceWide = namespace_id === undefined && project_id === undefined;
  if (!instanceWide || active?.word !== 'true' || Object.keys(others).length > 0) return undefined;
  return sql<number>`${storedCount('deploy_tokens.lasting')} + (select count(*) from (select 1 from deploy_tokens t
    where t.expires_at is not null and t.expires_at > ${now} and t.revoked = 0 limit ${sql.lit(maxCountedRows + 1)}) as ending)`;
}

/** Lists deploy tokens. `active` selects usable or unusable tokens. */
export const deployTokenList = list({
  id: 'deploy_tokens.id',
  scope,
  filters: {
    active: flag(
      ({ now }: Scope) =>
        sql`deploy_tokens.revoked = 0 and (deploy_tokens.expires_at is null or deploy_tokens.expires_at > ${now})`,
      {
        otherwise: ({ now }: Scope) => sql`(deploy_tokens.revoked = 1 or deploy_tokens.expires_at <= ${now})`,
      },
    ),
  },
  orders: { id: byId },
  kept: ({ project_id, namespace_id }) =>
    storedCountOf('deploy_tokens', { project_id, namespace_id }) ?? storedCount('deploy_tokens'),
  keptFiltered: keptActive,
  select: (db, { namespace_id, project_id }) => {
    const query = db.selectFrom('deploy_tokens').selectAll('deploy_tokens');
    const instanceWide = namespace_id === undefined && project_id === undefined;
    return instanceWide ? query : query.where(belongsTo('deploy_tokens', { namespace_id, project_id }));
  },
});
