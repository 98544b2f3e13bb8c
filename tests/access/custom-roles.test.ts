import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CustomPermission } from '../../src/access/custom-permissions.ts';
import { holdsAll, permissionsProblem } from '../../src/access/custom-roles.ts';
import { allows, groupAbilities, projectAbilities, type Standing } from '../../src/access/policy.ts';
import { effectiveRole, type MemberRole } from '../../src/access/visibility/member-roles.ts';

const permissions = (...names: CustomPermission[]) => new Set(names);

describe('custom roles', () => {
  it('cover permissions of the default role, or their own', () => {
    for (const [level, own, wanted, place, expected] of [
      [10, [], ['read_code'], 'group', false],
      [15, [], ['read_code'], 'group', false],
      [20, [], ['read_code'], 'group', true],
      [10, ['read_code'], ['read_code'], 'group', true],
      [10, ['read_code'], ['read_code', 'admin_web_hook'], 'group', false],
      [40, [], ['admin_web_hook'], 'project', true],
      [40, [], ['admin_web_hook'], 'group', false],
      [40, [], ['admin_group_member'], 'project', false],
      [40, [], ['remove_project'], 'project', false],
      [50, [], ['remove_project', 'remove_group', 'admin_compliance_framework'], 'group', true],
      [30, [], ['read_vulnerability'], 'group', true],
    ] as const) {
      const held = { level, permissions: permissions(...own) };
      assert.equal(holdsAll(held, wanted, place), expected, `${level} ${own} ${wanted} ${place}`);
    }
  });

  it('need what their permissions require', () => {
    assert.match(`${permissionsProblem(10, permissions())}`, /no enabled permissions/);
    assert.match(`${permissionsProblem(20, permissions('admin_vulnerability'))}`, /^Read vulnerability has to be/);
    assert.equal(permissionsProblem(10, permissions('admin_vulnerability', 'read_vulnerability')), undefined);
    assert.equal(permissionsProblem(30, permissions('admin_vulnerability')), undefined);
  });

  const code: MemberRole = { id: 1, permissions: permissions('read_code') };
  const hooks: MemberRole = { id: 2, permissions: permissions('admin_web_hook') };
  const roles = new Map([code, hooks].map((role) => [role.id, role]));

  it('apply as they are, or as far as an invitation allows', () => {
    for (const [level, role, share_level, share_role, expected] of [
      [10, null, null, null, undefined],
      [10, 1, null, null, code],
      // A deleted role.
      [10, 9, null, null, undefined],
      [10, 1, 10, null, undefined],
      [10, 1, 10, 1, code],
      [10, 2, 10, 1, undefined],
      [10, null, 10, 1, undefined],
      [30, null, 10, 1, code],
      [30, 2, 10, 1, code],
      [10, 1, 30, null, code],
      [10, 2, 30, null, undefined],
      [10, 2, 30, 2, hooks],
      [30, 2, 10, null, undefined],
    ] as const) {
      const held = { level, role, share_level, share_role };
      assert.equal(effectiveRole(held, roles), expected, JSON.stringify(held));
    }
  });

  const guest = (...names: CustomPermission[]): Standing => ({
    level: 10,
    permissions: permissions(...names),
    signedIn: true,
    external: false,
    admin: false,
    auditor: false,
  });
  const place = { visibility: 0, archived: false, topLevel: false, featureLevel: () => 20 };

  it('respect archived places, disabled features and top-level groups', () => {
    const push = projectAbilities.admin_terraform_state;
    const holder = guest('admin_terraform_state');
    assert.equal(allows(push, holder, place), true);
    assert.equal(allows(push, holder, { ...place, archived: true }), false);
    assert.equal(allows(push, holder, { ...place, featureLevel: () => 0 }), false);
    assert.equal(allows(push, holder, { ...place, featureLevel: () => 10 }), true);
    const remover = guest('remove_group');
    assert.equal(allows(groupAbilities.remove_group, remover, place), true);
    assert.equal(allows(groupAbilities.remove_group, remover, { ...place, topLevel: true }), false);
    assert.equal(allows(groupAbilities.transfer_group, remover, place), false);
  });
});
