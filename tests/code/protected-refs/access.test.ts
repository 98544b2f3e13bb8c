import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { protectionLevels } from '../../../src/access/namespaces/branch-protection.ts';
import type { Namespace } from '../../../src/access/tables.ts';
import {
  BranchAccess,
  type Grant,
  grantAppliesTo,
  type Pusher,
  type RefRule,
} from '../../../src/code/protected-refs/access.ts';
import { protectionDefaults, protectsAnything } from '../../../src/code/protected-refs/defaults.ts';
import { matchesWildcard } from '../../../src/platform/wildcard.ts';
import fc from '../../support/properties.ts';

describe('wildcard patterns', () => {
  const table: [string, string, boolean][] = [
    ['main', 'main', true],
    ['main', 'mainly', false],
    ['*', 'anything/at/all', true],
    ['*-stable', '1-2-stable', true],
    ['*-stable', 'stable', false],
    ['release/*', 'release/', true],
    ['release/*', 'release/a/b', true],
    ['release/*', 'releases/a', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'acb', false],
    ['**', 'x', true],
    ['', '', true],
    ['a.c', 'abc', false],
    ['a*', 'a', true],
  ];
  for (const [pattern, name, fits] of table) {
    it(`${pattern} ${fits ? 'matches' : 'does not match'} ${name}`, () =>
      assert.equal(matchesWildcard(pattern, name), fits));
  }

  it('are equivalent to a regular expression with .* for stars', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 12 });
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 });
    fc.assert(
      fc.property(text, name, (pattern, branch) => {
        const regex = new RegExp(`^${pattern.split('*').join('.*')}$`, 's');
        assert.equal(matchesWildcard(pattern, branch), regex.test(branch));
      }),
    );
  });

  it('match in linear time', () => {
    assert.equal(matchesWildcard(`${'a*'.repeat(100)}b`, 'a'.repeat(20_000)), false);
  });
});

const none = { access_level: null, user_id: null, group_id: null, deploy_key_id: null };
const pusher = (more: Partial<Pusher>): Pusher => ({
  mayPush: true,
  mayChangeTags: true,
  level: 30,
  admin: false,
  userId: 7,
  groupIds: new Set([5]),
  deployKeyId: null,
  ...more,
});

describe('grants', () => {
  const table: [string, Partial<Grant>, Partial<Pusher>, boolean][] = [
    ['to developers matches a developer', { access_level: 30 }, {}, true],
    ['to maintainers does not match a developer', { access_level: 40 }, {}, false],
    ['to maintainers matches an owner', { access_level: 40 }, { level: 50 }, true],
    ['to no one does not match an administrator', { access_level: 0 }, { level: 50, admin: true }, false],
    ['to administrators matches an administrator', { access_level: 60 }, { level: 0, admin: true }, true],
    ['to administrators does not match an owner', { access_level: 60 }, { level: 50 }, false],
    ['to a user matches that user', { user_id: 7 }, { level: 10 }, true],
    ['to a user does not match other users', { user_id: 8 }, { level: 50 }, false],
    ['to a group matches its members', { group_id: 5 }, {}, true],
    ['to a group does not match other users', { group_id: 6 }, { level: 50 }, false],
    ['to a deploy key matches that key', { deploy_key_id: 3 }, { deployKeyId: 3, userId: null }, true],
    ['to a deploy key does not match other keys', { deploy_key_id: 3 }, { deployKeyId: 4, userId: null }, false],
    [
      'to a role does not match deploy keys, regardless of the owner',
      { access_level: 30 },
      { deployKeyId: 3, level: 50 },
      false,
    ],
    ['to a role does not match anonymous users', { access_level: 30 }, { userId: null, level: 50 }, false],
  ];
  for (const [what, grant, who, expected] of table) {
    it(what, () => assert.equal(grantAppliesTo({ ...none, action: 'push', ...grant }, pusher(who)), expected));
  }
});

describe('several rules matching a branch', () => {
  const rule = (name: string, level: number, allowForcePush = false): RefRule => ({
    name,
    allowForcePush,
    codeOwners: false,
    grants: [{ ...none, action: 'push', access_level: level }],
  });
  it('are combined to the most permissive result', () => {
    const access = new BranchAccess([rule('*', 40), rule('rel*', 30, true)], pusher({}));
    assert.deepEqual([access.canPush('rel1'), access.canPush('main')], [true, false]);
    assert.deepEqual([access.allowsForcePush('rel1'), access.allowsForcePush('main')], [true, false]);
    assert.equal(access.namesDevelopers('push', 'rel1'), true);
  });
  it('grant nothing to users without push access', () => {
    const access = new BranchAccess([rule('*', 30)], pusher({ mayPush: false }));
    assert.deepEqual([access.canPush('x'), access.canMerge('x')], [false, false]);
  });
});

describe('default branch protection of a namespace', () => {
  const namespace = (settings: unknown) => ({ settings: JSON.stringify(settings) }) as Namespace;
  it('is full protection unless configured', () =>
    assert.deepEqual(protectionDefaults(namespace({})), protectionLevels[2]));
  it('can be a level', () =>
    assert.deepEqual(protectionDefaults(namespace({ default_branch_protection: 3 })), protectionLevels[3]));
  it('can be detailed settings', () => {
    const own = { allowed_to_push: [{ access_level: 30 }] };
    const defaults = protectionDefaults(namespace({ default_branch_protection_defaults: own }));
    assert.deepEqual(
      [defaults.allowed_to_push, defaults.allowed_to_merge],
      [own.allowed_to_push, [{ access_level: 40 }]],
    );
  });
  it('protects the branch except for level 0', () =>
    assert.deepEqual(protectionLevels.map(protectsAnything), [false, true, true, true, true]));
});
