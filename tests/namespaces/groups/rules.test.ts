import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { protectionNumber, protectionNumbers, protectionOf } from '../../../src/access/namespaces/branch-protection.ts';
import { combineErrors, textProblems, visibilityProblems } from '../../../src/namespaces/groups/rules.ts';
import { settingProblems } from '../../../src/namespaces/groups/settings/rules.ts';
import { packSettings, settingsOfGroup, withChanges } from '../../../src/namespaces/groups/settings/values.ts';
import type { ErrorMap } from '../../../src/platform/http/responses/ruby-dump.ts';

const fresh = settingsOfGroup({ settings: '{}' });
const owner = { admin: false, topLevel: true };

describe('default branch protection', () => {
  const table: [number, number, number, boolean, boolean][] = [
    [0, 30, 30, true, false],
    [1, 30, 40, false, false],
    [2, 40, 40, false, false],
    [3, 40, 30, false, false],
    [4, 40, 40, false, true],
  ];
  for (const [number, push, merge, force, initial] of table) {
    it(`${number}`, () => {
      const defaults = protectionOf(number);
      assert.deepEqual(defaults.allowed_to_push, [{ access_level: push }]);
      assert.deepEqual(defaults.allowed_to_merge, [{ access_level: merge }]);
      assert.deepEqual([defaults.allow_force_push, defaults.developer_can_initial_push], [force, initial]);
      assert.equal('code_owner_approval_required' in defaults, number === 0 || number === 4);
    });
  }

  it('maps to its deprecated number, or to full protection if none matches', () => {
    for (const number of protectionNumbers) assert.equal(protectionNumber(protectionOf(number)), number);
    assert.equal(protectionNumber({ ...protectionOf(1), allowed_to_push: [{ access_level: 0 }] }), 2);
  });
});

describe('group settings', () => {
  it('are stored only where they differ from the defaults', () => {
    assert.equal(packSettings(fresh), '{}');
    const changed = withChanges(fresh, { lfs_enabled: false, two_factor_grace_period: 48 }, owner);
    assert.equal(packSettings(changed), '{"lfs_enabled":false}');
    assert.equal(settingsOfGroup({ settings: packSettings(changed) }).lfs_enabled, false);
    assert.equal(packSettings(withChanges(changed, { lfs_enabled: true }, owner)), '{}');
  });

  it('prefer current parameter names to deprecated ones', () => {
    assert.equal(withChanges(fresh, { emails_disabled: true }, owner).emails_enabled, false);
    assert.equal(withChanges(fresh, { emails_disabled: true, emails_enabled: true }, owner).emails_enabled, true);
  });

  it('are cleared by blank strings', () => {
    const set = withChanges(fresh, { ip_restriction_ranges: '10.0.0.1', default_branch: 'x' }, owner);
    const blank = withChanges(set, { ip_restriction_ranges: ' ', default_branch: '' }, owner);
    assert.deepEqual([blank.ip_restriction_ranges, blank.default_branch], [null, null]);
  });

  it('are unchanged if the caller may not set them', () => {
    const attributes = { shared_runners_minutes_limit: 5, prevent_sharing_groups_outside_hierarchy: true };
    assert.equal(withChanges(fresh, attributes, owner).shared_runners_minutes_limit, null);
    assert.equal(withChanges(fresh, attributes, { admin: true, topLevel: true }).shared_runners_minutes_limit, 5);
    const below = withChanges(fresh, attributes, { admin: true, topLevel: false });
    assert.equal(below.prevent_sharing_groups_outside_hierarchy, false);
  });
});

describe('group validations', () => {
  const clean = (map: ErrorMap) => combineErrors(map);

  const ranges: [string | null, boolean][] = [
    [null, true],
    ['10.0.0.1', true],
    ['10.0.0.0/8, 2001:db8::/32', true],
    ['10.0.0.0/33', false],
    ['::1/129', false],
    ['10.0.0.0/8/8', false],
    ['10.0.0', false],
    ['example.com', false],
    ['10.0.0.1,', false],
  ];
  for (const [ip_restriction_ranges, fine] of ranges) {
    it(`IP ranges: ${ip_restriction_ranges}`, () => {
      const problems = clean(settingProblems({ ...fresh, ip_restriction_ranges }));
      assert.deepEqual(problems, fine ? {} : { ip_restriction_ranges: ['is an invalid IP address range'] });
    });
  }

  const domains: [string, boolean][] = [
    ['example.com', true],
    ['a.example.com, b.example.org', true],
    ['example', false],
    ['-example.com', false],
    ['exa mple.com', false],
  ];
  for (const [allowed_email_domains_list, fine] of domains) {
    it(`e-mail domains: ${allowed_email_domains_list}`, () => {
      const problems = clean(settingProblems({ ...fresh, allowed_email_domains_list }));
      assert.equal('allowed_email_domains_list' in problems, !fine);
    });
  }

  const parent = (level: string) => `public is not allowed since the parent group has a ${level} visibility.`;
  const visibility: [number, object, string[]][] = [
    [20, {}, []],
    [20, { parent: 20, projects: 20, subgroups: 20 }, []],
    [20, { parent: 10 }, [parent('internal')]],
    [20, { parent: 0 }, [parent('private')]],
    [0, { projects: 10 }, ['private is not allowed since this group contains projects with higher visibility.']],
    [10, { subgroups: 20 }, ['internal is not allowed since there are sub-groups with higher visibility.']],
    [0, { parent: 0, projects: 0, subgroups: 0 }, []],
  ];
  for (const [level, around, problems] of visibility) {
    it(`visibility ${level} with ${JSON.stringify(around)}`, () => {
      assert.deepEqual(visibilityProblems(level, around), { visibility_level: problems });
    });
  }

  const texts: [object, boolean, ErrorMap][] = [
    [{ name: 'Fine (really)', path: 'fine', description: '' }, true, {}],
    [{ path: 'uploads' }, true, { path: ['uploads is a reserved name'] }],
    [{ path: 'uploads' }, false, {}],
    [{ path: 'tree' }, false, { path: ['tree is a reserved name'] }],
    [{ path: 'environments' }, false, {}],
    [{ name: '' }, true, { name: ["can't be blank"] }],
    [{ name: 'x'.repeat(256) }, true, { name: ['is too long (maximum is 255 characters)'] }],
  ];
  for (const [attributes, top, problems] of texts) {
    it(`${JSON.stringify(attributes).slice(0, 60)}${top ? ' at the top level' : ''}`, () => {
      assert.deepEqual(clean(textProblems(attributes, top)), problems);
    });
  }
});
