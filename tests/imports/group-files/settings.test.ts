import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settingsTold, settingsToTell } from '../../../src/imports/group-relations/settings.ts';
import { settingsOfGroup } from '../../../src/namespaces/groups/public.ts';

describe('the settings of a group in its file', () => {
  const table: [string, Record<string, unknown>, object][] = [
    [
      'switches',
      { membership_lock: true, mentions_disabled: true },
      { membership_lock: true, mentions_disabled: true },
    ],
    [
      'numbers and words',
      { two_factor_grace_period: 12, default_branch: 'trunk' },
      { two_factor_grace_period: 12, default_branch: 'trunk' },
    ],
    ['who creates projects', { project_creation_level: 0 }, { project_creation_level: 'noone' }],
    ['who creates projects, last', { project_creation_level: 4 }, { project_creation_level: 'owner' }],
    ['who creates groups', { subgroup_creation_level: 0 }, { subgroup_creation_level: 'owner' }],
    ['words for numbers', { project_creation_level: 'maintainer' }, { project_creation_level: 'maintainer' }],
    ['numbers that nobody has', { project_creation_level: 9, subgroup_creation_level: -1 }, {}],
    [
      'no values',
      { wiki_access_level: 'zork', lfs_enabled: 'perhaps', default_branch_protection: 77, emails_enabled: null },
      {},
    ],
    [
      'what is of the place',
      { max_artifacts_size: 5, ip_restriction_ranges: '10.0.0.0/8', file_template_project_id: 3 },
      {},
    ],
    ['what is none', { name: 'x', visibility_level: 20, constructor: 1 }, {}],
  ];
  for (const [name, attributes, expected] of table) {
    it(name, () => assert.deepEqual(settingsTold(attributes), expected));
  }

  it('are the same again', () => {
    const chosen = {
      project_creation_level: 'maintainer',
      subgroup_creation_level: 'owner',
      two_factor_grace_period: 12,
      mentions_disabled: true,
      default_branch: 'trunk',
      wiki_access_level: 'private',
      request_access_enabled: false,
      max_artifacts_size: 5,
    };
    const told = settingsToTell(settingsOfGroup({ settings: JSON.stringify(chosen) }));
    assert.deepEqual([told.project_creation_level, told.subgroup_creation_level], [1, 0]);
    const { max_artifacts_size: _, ...kept } = chosen;
    const again = settingsTold(JSON.parse(JSON.stringify(told)));
    for (const [name, value] of Object.entries(kept)) assert.deepEqual(again[name], value, name);
    assert.equal(again.max_artifacts_size, undefined);
  });
});
