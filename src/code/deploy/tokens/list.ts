import { sql } from 'kysely';
import { belongs, type OwnerColumns } from '../../../access/project-or-group.ts';
import { type BoundFilterOf, form } from '../../../platform/database/form.ts';
import { flag } from '../../../platform/list-kit/filters.ts';
import { kept, keptOf } from '../../../platform/list-kit/kept.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';

/** Of which project or group, or of everyone. */
interface DeployTokenScope extends Partial<OwnerColumns> {
  readonly now: number;
}

const scope = form<DeployTokenScope>()({ values: ['namespace_id', 'project_id', 'now'] });

/** Deploy tokens; `active` asks for those that can be used, or for those that cannot. */
export const deployTokenList = list({
  id: 'deploy_tokens.id',
  scope,
  filters: {
    active: flag(
      ({ now }: BoundFilterOf<typeof scope>) =>
        sql`deploy_tokens.revoked = 0 and (deploy_tokens.expires_at is null or deploy_tokens.expires_at > ${now})`,
      {
        otherwise: ({ now }: BoundFilterOf<typeof scope>) =>
          sql`(deploy_tokens.revoked = 1 or deploy_tokens.expires_at <= ${now})`,
      },
    ),
  },
  orders: { id: byId },
  kept: ({ project_id, namespace_id }) =>
    keptOf('deploy_tokens', { project_id, namespace_id }) ?? kept('deploy_tokens'),
  select: (db, { namespace_id, project_id }) => {
    const query = db.selectFrom('deploy_tokens').selectAll('deploy_tokens');
    const ofEveryone = namespace_id === undefined && project_id === undefined;
    return ofEveryone ? query : query.where(belongs('deploy_tokens', { namespace_id, project_id }));
  },
});
