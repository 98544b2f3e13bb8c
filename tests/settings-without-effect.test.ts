import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { settingsOfGroup } from '../src/namespaces/groups/settings/values.ts';
import { groupSettingsWithoutEffect } from '../src/namespaces/groups/settings/without-effect.ts';
import { isSetting } from '../src/namespaces/projects/settings/field-kinds.ts';
import { fieldRules } from '../src/namespaces/projects/settings/fields.ts';
import { projectSettingsWithoutEffect } from '../src/namespaces/projects/settings/without-effect.ts';

const root = join(import.meta.dirname, '..');
// Files that declare, validate, present and copy settings; a setting with an effect is mentioned elsewhere.
const declaring =
  /^src\/(migrations\/|web\/|ci\/jobs\/(present|schema)\.ts|people\/users\/|namespaces\/groups\/(settings\/(?!second-factor)|detail\/|(schema|present|service)\.ts)|namespaces\/projects\/(settings\/|views\/|schema\.ts)|code\/forks\/(service|schema)\.ts)|^src\/access\/((tables|accounts)\.ts|application-settings\/)/;
const texts = globSync('src/**/*.ts', { cwd: root })
  .filter((file) => !declaring.test(file))
  .map((file) => readFileSync(join(root, file), 'utf8'));
const heeded = (name: string) => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text));

// Columns and features that policies refer to by another name.
const byPolicy = [
  'issues_access_level',
  'merge_requests_access_level',
  'repository_access_level',
  'forking_access_level',
  'infrastructure_access_level',
  'monitor_access_level',
  'analytics_access_level',
  'builds_access_level',
  'environments_access_level',
  'releases_access_level',
  'package_registry_access_level',
  'feature_flags_access_level',
];

/** Defaults for new issues on their page, and the text shown for non-matching titles. */
const byPages = ['issues_template', 'merge_request_title_regex_description'];

const kinds = [
  ['group', Object.keys(settingsOfGroup({ settings: '{}' })), groupSettingsWithoutEffect],
  [
    'project',
    Object.entries(fieldRules).flatMap(([name, rule]) => (isSetting(rule) ? [name] : [])),
    projectSettingsWithoutEffect,
  ],
] as const;

for (const [kind, names, listed] of kinds) {
  describe(`${kind} settings listed as having no effect`, () => {
    const said = Object.values(listed).flat() as string[];

    it('are unique and exist', () => {
      assert.equal(new Set(said).size, said.length);
      assert.deepEqual(
        said.filter((name) => !names.includes(name)),
        [],
      );
    });

    it('are exactly those that the code does not use', () => {
      const idle = names.filter((name) => !byPolicy.includes(name) && !byPages.includes(name) && !heeded(name));
      // Names that also mean something else: a git clone option, a column of mirrors, a presented field, an instance
      // setting.
      const shared = [
        'mirror',
        'mirror_branch_regex',
        'ci_job_token_scope_enabled',
        'runner_token_expiration_interval',
      ];
      const other = (name: string) => shared.includes(name) && heeded(name);
      assert.deepEqual(
        idle.filter((name) => !said.includes(name)),
        [],
        'to be listed or implemented',
      );
      assert.deepEqual(
        said.filter((name) => !idle.includes(name) && !other(name)),
        [],
        'implemented by now: remove from the list',
      );
    });
  });
}
