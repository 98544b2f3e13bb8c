import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportedSettings, importedSettings } from '../../../src/imports/group-relations/settings.ts';
import { settingsOfGroup } from '../../../src/namespaces/groups/public.ts';

describe('group settings in archives', () => {
  const table: [string, Record<string, unknown>, object][] = [
    [
      'switches',
      { membership_lock: true, mentions_disabled: true },
      { membership_lock: true, mentions_disabled: true },
    ],
    [
      'numbers and strings',
      { two_factor_grace_period: 12, default_branch: 'trunk' },
      { two_factor_grace_period: 12, default_branch: 'trunk' },
    ],
    ['project creation level 0', { project_creation_level: 0 }, { project_creation_level: 'noone' }],
    ['project creation level 4', { project_creation_level: 4 }, { project_creation_level: 'owner' }],
    ['subgroup creation level 0', { subgroup_creation_level: 0 }, { subgroup_creation_level: 'owner' }],
    ['levels as strings', { project_creation_level: 'maintainer' }, { project_creation_level: 'maintainer' }],
    ['unknown levels', { project_creation_level: 9, subgroup_creation_level: -1 }, {}],
    [
      'null values',
      { wiki_access_level: 'zork', lfs_enabled: 'perhaps', default_branch_protection: 77, emails_enabled: null },
      {},
    ],
    [
      'instance-specific settings',
      { max_artifacts_size: 5, ip_restriction_ranges: '10.0.0.0/8', file_template_project_id: 3 },
      {},
    ],
    ['unknown settings', { name: 'x', visibility_level: 20, constructor: 1 }, {}],
  ];
  for (const [name, attributes, expected] of table) {
    it(name, () => assert.deepEqual(importedSettings(attributes), expected));
  }

  it('survive export and import unchanged', () => {
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
    const reported = exportedSettings(settingsOfGroup({ settings: JSON.stringify(chosen) }));
    assert.deepEqual([reported.project_creation_level, reported.subgroup_creation_level], [1, 0]);
    const { max_artifacts_size: _, ...kept } = chosen;
    const again = importedSettings(JSON.parse(JSON.stringify(reported)));
    for (const [name, value] of Object.entries(kept)) assert.deepEqual(again[name], value, name);
    assert.equal(again.max_artifacts_size, undefined);
  });
});
