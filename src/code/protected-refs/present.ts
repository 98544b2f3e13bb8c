import type { NamedGrant } from './grant-store.ts';
import type { ProtectedBranchEntity } from './schema.ts';
import type { GrantAction, ProtectedBranchRow } from './tables.ts';

const descriptions: Readonly<Record<number, string>> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Instance admins',
};

type Level = ProtectedBranchEntity['push_access_levels'][number];

/** The grants of one action, as the entities list them. */
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

/** The entity of a rule over branches. */
export function presentBranchRule(row: ProtectedBranchRow, all: readonly NamedGrant[]): ProtectedBranchEntity {
  const grants = all.filter((grant) => grant.branch_id === row.id);
  return {
    id: row.id,
    name: row.name,
    push_access_levels: presentGrants(grants, 'push'),
    merge_access_levels: presentGrants(grants, 'merge'),
    allow_force_push: row.allow_force_push === 1,
    unprotect_access_levels: presentGrants(grants, 'unprotect'),
    code_owner_approval_required: row.code_owner_approval_required === 1,
    inherited: row.namespace_id !== null,
  };
}
