import { sql } from 'kysely';
import { belongs, type OwnerColumns } from '../../../access/project-or-group.ts';
import { type BoundFilterOf, form } from '../../../platform/database/form.ts';
import { countedRows } from '../../../platform/database/paging.ts';
import type { BoundMeaning } from '../../../platform/list-kit/filter.ts';
import { flag } from '../../../platform/list-kit/filters.ts';
import { kept, keptOf } from '../../../platform/list-kit/kept.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';

/** Of which project or group, or of everyone. */
interface DeployTokenScope extends Partial<OwnerColumns> {
  readonly now: number;
}

const scope = form<DeployTokenScope>()({ values: ['namespace_id', 'project_id', 'now'] });

type Scope = BoundFilterOf<typeof scope>;

/** Of everyone's tokens, those that can be used: those without an end are counted by triggers, the others are few. */
function keptActive(
  { namespace_id, project_id, now }: Scope,
  { active, ...others }: Readonly<Record<string, BoundMeaning>>,
) {
  const ofEveryone = namespace_id === undefined && project_id === undefined;
  if (!ofEveryone || active?.word !== 'true' || Object.keys(others).length > 0) return undefined;
  return sql<number>`${kept('deploy_tokens.lasting')} + (select count(*) from (select 1 from deploy_tokens t
    where t.expires_at is not null and t.expires_at > ${now} and t.revoked = 0 limit ${sql.lit(countedRows + 1)}) as ending)`;
}

/** Deploy tokens; `active` asks for those that can be used, or for those that cannot. */
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
    const ofEveryone = namespace_id === undefined && project_id === undefined;
    return ofEveryone ? query : query.where(belongs('deploy_tokens', { namespace_id, project_id }));
  },
});
