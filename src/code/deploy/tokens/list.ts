import { sql } from 'kysely';
import { belongs, type OwnerColumns } from '../../../access/project-or-group.ts';
import { type BoundFilterOf, form } from '../../../platform/database/form.ts';
import { countedRows } from '../../../platform/database/paging.ts';
import type { BoundMeaning } from '../../../platform/list-kit/filter.ts';
import { flag } from '../../../platform/list-kit/filters.ts';
import { kept, keptOf } from '../../../platform/list-kit/kept.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';

/** The owner of the tokens: a project, a group, or neither for all tokens. */
interface DeployTokenScope extends Partial<OwnerColumns> {
  readonly now: number;
}

const scope = form<DeployTokenScope>()({ values: ['namespace_id', 'project_id', 'now'] });

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
  return sql<number>`${kept('deploy_tokens.lasting')} + (select count(*) from (select 1 from deploy_tokens t
    where t.expires_at is not null and t.expires_at > ${now} and t.revoked = 0 limit ${sql.lit(countedRows + 1)}) as ending)`;
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
    keptOf('deploy_tokens', { project_id, namespace_id }) ?? kept('deploy_tokens'),
  keptFiltered: keptActive,
  select: (db, { namespace_id, project_id }) => {
    const query = db.selectFrom('deploy_tokens').selectAll('deploy_tokens');
    const instanceWide = namespace_id === undefined && project_id === undefined;
    return instanceWide ? query : query.where(belongs('deploy_tokens', { namespace_id, project_id }));
  },
});
