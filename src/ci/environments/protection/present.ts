import { grantsFor, type NamedGrant, type Protection } from './access.ts';
import type { ApprovalRuleEntity, ProtectedEnvironmentEntity } from './schema.ts';

const descriptions: Readonly<Record<number, string>> = {
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Instance admins',
};

/** Name of a grant's user, group or role; matched by `represented_as`. */
export function describe({ user_name, group_name, access_level }: NamedGrant): string {
  return user_name ?? group_name ?? descriptions[access_level ?? 0] ?? '';
}

export function presentRule(grant: NamedGrant): ApprovalRuleEntity {
  return {
    id: grant.id,
    access_level: grant.access_level,
    access_level_description: describe(grant),
    user_id: grant.user_id,
    group_id: grant.group_id,
    group_inheritance_type: grant.group_inheritance_type,
    required_approvals: grant.required_approvals,
  };
}

export function presentProtection(protection: Protection): ProtectedEnvironmentEntity {
  return {
    name: protection.name,
    deploy_access_levels: grantsFor([protection], 'deploy').map(presentRule),
    required_approval_count: protection.required_approval_count,
    approval_rules: grantsFor([protection], 'approve').map(presentRule),
  };
}
