import type { Static } from 'typebox';
import type { NamedGrant } from './grant-store.ts';
import type { KeyedAccessLevel } from './schema.ts';
import type { GrantAction } from './tables.ts';

const descriptions: Readonly<Record<number, string>> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Instance admins',
};

type Level = Static<typeof KeyedAccessLevel>;

/** Presents the grants of an action. */
export function presentGrants(grants: readonly NamedGrant[], action: GrantAction): Level[] {
  return grants
    .filter((grant) => grant.action === action)
    .map((grant) => ({
      id: grant.id,
      access_level: grant.access_level,
      access_level_description: describe(grant),
      deploy_key_id: grant.deploy_key_id,
      user_id: grant.user_id,
      group_id: grant.group_id,
    }));
}

function describe(grant: NamedGrant): string {
  return grant.user_name ?? grant.group_name ?? grant.key_title ?? descriptions[grant.access_level ?? 0] ?? '';
}
