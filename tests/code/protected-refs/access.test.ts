import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Namespace } from '../../../src/access/tables.ts';
import {
  BranchAccess,
  type Grant,
  includes,
  type Pusher,
  type RefRule,
} from '../../../src/code/protected-refs/access.ts';
import { protectionDefaults, protects } from '../../../src/code/protected-refs/defaults.ts';
import { protectionLevels } from '../../../src/namespaces/groups/public.ts';
import { matchesWildcard } from '../../../src/platform/wildcard.ts';
import fc from '../../support/properties.ts';

describe('a pattern', () => {
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
    it(`${pattern} ${fits ? 'fits' : 'does not fit'} ${name}`, () =>
      assert.equal(matchesWildcard(pattern, name), fits));
  }

  it('means what the expression with .* in the place of stars means', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 12 });
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 });
    fc.assert(
      fc.property(text, name, (pattern, branch) => {
        const regex = new RegExp(`^${pattern.split('*').join('.*')}$`, 's');
        assert.equal(matchesWildcard(pattern, branch), regex.test(branch));
      }),
    );
  });

  it('is never slow', () => {
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

describe('a grant', () => {
  const table: [string, Partial<Grant>, Partial<Pusher>, boolean][] = [
    ['to developers includes a developer', { access_level: 30 }, {}, true],
    ['to maintainers does not', { access_level: 40 }, {}, false],
    ['to maintainers includes an owner', { access_level: 40 }, { level: 50 }, true],
    ['to no one includes no one', { access_level: 0 }, { level: 50, admin: true }, false],
    ['to administrators includes one', { access_level: 60 }, { level: 0, admin: true }, true],
    ['to administrators includes no owner', { access_level: 60 }, { level: 50 }, false],
    ['to a user includes them', { user_id: 7 }, { level: 10 }, true],
    ['to a user includes nobody else', { user_id: 8 }, { level: 50 }, false],
    ['to a group includes its members', { group_id: 5 }, {}, true],
    ['to a group includes nobody else', { group_id: 6 }, { level: 50 }, false],
    ['to a key includes the key', { deploy_key_id: 3 }, { deployKeyId: 3, userId: null }, true],
    ['to a key includes no other', { deploy_key_id: 3 }, { deployKeyId: 4, userId: null }, false],
    ['to a role includes no key, whoever owns it', { access_level: 30 }, { deployKeyId: 3, level: 50 }, false],
    ['to a role includes nobody who has not signed in', { access_level: 30 }, { userId: null, level: 50 }, false],
  ];
  for (const [what, grant, who, expected] of table) {
    it(what, () => assert.equal(includes({ ...none, action: 'push', ...grant }, pusher(who)), expected));
  }
});

describe('several rules over one branch', () => {
  const rule = (name: string, level: number, allowForcePush = false): RefRule => ({
    name,
    allowForcePush,
    codeOwners: false,
    grants: [{ ...none, action: 'push', access_level: level }],
  });
  it('are as permissive as the most permissive of them', () => {
    const access = new BranchAccess([rule('*', 40), rule('rel*', 30, true)], pusher({}));
    assert.deepEqual([access.canPush('rel1'), access.canPush('main')], [true, false]);
    assert.deepEqual([access.allowsForcePush('rel1'), access.allowsForcePush('main')], [true, false]);
    assert.equal(access.namesDevelopers('push', 'rel1'), true);
  });
  it('open nothing to those who may not push at all', () => {
    const access = new BranchAccess([rule('*', 30)], pusher({ mayPush: false }));
    assert.deepEqual([access.canPush('x'), access.canMerge('x')], [false, false]);
  });
});

describe('the defaults of a namespace', () => {
  const namespace = (settings: unknown) => ({ settings: JSON.stringify(settings) }) as Namespace;
  it('are full protection', () => assert.deepEqual(protectionDefaults(namespace({})), protectionLevels[2]));
  it('may be a level', () =>
    assert.deepEqual(protectionDefaults(namespace({ default_branch_protection: 3 })), protectionLevels[3]));
  it('may be spelled out', () => {
    const own = { allowed_to_push: [{ access_level: 30 }] };
    const defaults = protectionDefaults(namespace({ default_branch_protection_defaults: own }));
    assert.deepEqual(
      [defaults.allowed_to_push, defaults.allowed_to_merge],
      [own.allowed_to_push, [{ access_level: 40 }]],
    );
  });
  it('protect, but for level 0', () =>
    assert.deepEqual(protectionLevels.map(protects), [false, true, true, true, true]));
});
