import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noPermissions } from '../../src/access/custom-permissions.ts';
import {
  type AbilityRule,
  allows,
  type GroupAbility,
  groupAbilities,
  type ProjectAbility,
  projectAbilities,
  type Standing,
} from '../../src/access/policy.ts';
import { Visibility } from '../../src/access/roles.ts';

const allLevels = [0, 5, 10, 15, 20, 30, 40, 50];

/** Levels by lowest role; `15/20` is Planner, or Reporter and above. */
const levelsOf = {
  '5': [5, 10, 15, 20, 30, 40, 50],
  '10': [10, 15, 20, 30, 40, 50],
  '15/20': [15, 20, 30, 40, 50],
  '20': [20, 30, 40, 50],
  '30': [30, 40, 50],
  '40': [40, 50],
  '50': [50],
  admin: [],
} as const;
type Least = keyof typeof levelsOf;

interface Row {
  /** The lowest role on a private subject, and on one that others can see. */
  readonly members: Least;
  readonly membersElsewhere?: Least;
  /** Signed-in users without a role, and anonymous callers. */
  readonly outsider?: true;
  readonly anonymous?: true;
  readonly auditor?: true;
  readonly archived?: true;
}

const openRead = { outsider: true, anonymous: true, auditor: true, archived: true } as const;
const memberRead = { auditor: true, archived: true } as const;
const setting = { archived: true } as const;

const project: Partial<Record<ProjectAbility, Row>> = {
  read_project: { members: '10', ...openRead },
  read_member: { members: '10', ...openRead },
  read_label: { members: '10', ...openRead },
  read_event: { members: '10', ...openRead },
  read_code: { members: '15/20', membersElsewhere: '10', ...openRead },
  read_issue: { members: '10', ...openRead },
  read_confidential_issue: { members: '15/20', ...memberRead },
  read_merge_request: { members: '15/20', membersElsewhere: '10', ...openRead },
  read_snippet: { members: '10', ...openRead },
  read_wiki: { members: '10', ...openRead },
  read_release: { members: '10', ...openRead },
  read_commit_status: { members: '10', ...openRead },
  read_statistics: { members: '20', ...memberRead },
  star_project: { members: '10', outsider: true, archived: true },
  fork_project: { members: '20', membersElsewhere: '10', outsider: true, archived: true },
  request_access: { members: '10', outsider: true },
  create_note: { members: '10', outsider: true },
  upload_file: { members: '10', outsider: true },
  admin_label: { members: '15/20' },
  create_merge_request_in: { members: '20', membersElsewhere: '10', outsider: true },
  push_code: { members: '30' },
  create_commit_status: { members: '30' },
  admin_release: { members: '30' },
  admin_project: { members: '40', ...setting },
  admin_member: { members: '40', ...setting },
  admin_protected_branch: { members: '40' },
  admin_protected_tag: { members: '40' },
  admin_push_rule: { members: '40', ...setting },
  admin_deploy_key: { members: '40', ...setting },
  admin_deploy_token: { members: '40', ...setting },
  admin_access_token: { members: '40', ...setting },
  admin_service_account: { members: '40', ...setting },
  housekeep: { members: '40', ...setting },
  change_visibility: { members: '50', ...setting },
  share_project: { members: '50', ...setting },
  link_fork: { members: '50', ...setting },
  archive_project: { members: '50', ...setting },
  transfer_project: { members: '50' },
  remove_project: { members: '50', ...setting },
  read_storage: { members: 'admin', ...setting },
  admin_custom_attribute: { members: 'admin', ...setting },
};

const group: Partial<Record<GroupAbility, Row>> = {
  read_group: { members: '5', ...openRead },
  read_member: { members: '10', ...openRead },
  read_label: { members: '10', ...openRead },
  admin_label: { members: '15/20' },
  read_deploy_token: { members: '40', ...memberRead },
  import_project: { members: '40' },
  create_project: { members: '30' },
  create_subgroup: { members: '40' },
  admin_group: { members: '50', ...setting },
  admin_member: { members: '50', ...setting },
  admin_deploy_token: { members: '50', ...setting },
  admin_access_token: { members: '50', ...setting },
  admin_service_account: { members: '50', ...setting },
  archive_group: { members: '50', ...setting },
  transfer_group: { members: '50' },
  remove_group: { members: '50', ...setting },
  request_access: { members: '10', outsider: true },
  admin_custom_attribute: { members: 'admin', ...setting },
};

const nobody: Standing = {
  level: 0,
  permissions: noPermissions,
  signedIn: false,
  external: false,
  admin: false,
  auditor: false,
};
const user = (level: number, more: Partial<Standing> = {}): Standing => ({ ...nobody, signedIn: true, level, ...more });

const { private: closed, internal, public: open } = Visibility;
const subject = (visibility: number, archived = false, feature = 20) => ({
  visibility,
  archived,
  topLevel: false,
  featureLevel: () => feature,
});

const has = (least: Least, level: number) => (levelsOf[least] as readonly number[]).includes(level);

function check(name: string, rule: AbilityRule, row: Row): void {
  const elsewhere = row.membersElsewhere ?? row.members;
  describe(name, () => {
    for (const level of allLevels) {
      it(`level ${level}`, () => {
        assert.equal(allows(rule, user(level), subject(closed)), has(row.members, level), 'private');
        const seen = has(elsewhere, level) || row.outsider === true;
        assert.equal(allows(rule, user(level), subject(internal)), seen, 'internal');
        assert.equal(allows(rule, user(level), subject(open)), seen, 'public');
        assert.equal(allows(rule, user(level), subject(open, true)), seen && row.archived === true, 'archived');
      });
    }

    it('users without a role', () => {
      assert.equal(allows(rule, user(0), subject(closed)), false);
      assert.equal(allows(rule, user(0), subject(open)), row.outsider === true);
      assert.equal(allows(rule, nobody, subject(closed)), false);
      assert.equal(allows(rule, nobody, subject(internal)), false);
      assert.equal(allows(rule, nobody, subject(open)), row.anonymous === true);
    });

    it('external users', () => {
      const external = (level: number) => user(level, { external: true });
      assert.equal(allows(rule, external(0), subject(internal)), false);
      assert.equal(allows(rule, external(0), subject(open)), row.outsider === true);
      assert.equal(allows(rule, external(50), subject(internal)), has(elsewhere, 50));
    });

    it('administrators and auditors', () => {
      assert.equal(allows(rule, user(0, { admin: true }), subject(closed)), true);
      assert.equal(allows(rule, user(0, { admin: true }), subject(closed, true)), row.archived === true);
      assert.equal(allows(rule, user(0, { auditor: true }), subject(closed)), row.auditor === true);
      assert.equal(allows(rule, user(50, { auditor: true }), subject(closed)), row.auditor || has(row.members, 50));
    });

    if (rule.feature) {
      it(`${rule.feature} disabled or restricted to members`, () => {
        for (const standing of [nobody, user(0), user(50), user(0, { admin: true }), user(0, { auditor: true })]) {
          assert.equal(allows(rule, standing, subject(open, false, 0)), false);
        }
        assert.equal(allows(rule, nobody, subject(open, false, 10)), false);
        assert.equal(allows(rule, user(0), subject(open, false, 10)), false);
        assert.equal(allows(rule, user(0, { admin: true }), subject(open, false, 10)), true);
        for (const level of allLevels) {
          assert.equal(allows(rule, user(level), subject(open, false, 10)), has(row.members, level), `${level}`);
        }
      });
    }
  });
}

describe('project abilities', () => {
  for (const [name, row] of Object.entries(project)) {
    check(name, projectAbilities[name as ProjectAbility] as AbilityRule, row);
  }
});

describe('group abilities', () => {
  for (const [name, row] of Object.entries(group)) {
    check(name, groupAbilities[name as GroupAbility] as AbilityRule, row);
  }
});
