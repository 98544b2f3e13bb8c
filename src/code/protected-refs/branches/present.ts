import type { NamedGrant } from '../grant-store.ts';
import { presentGrants } from '../present.ts';
import type { ProtectedBranchRow } from '../tables.ts';
import type { ProtectedBranchEntity } from './schema.ts';

/** Presents a branch protection rule. */
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
