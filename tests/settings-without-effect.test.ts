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
// Here settings are declared, checked, shown, put into forms and handed to forks; whoever heeds one names it elsewhere.
const declaring =
  /^src\/(migrations\/|web\/|ci\/jobs\/(present|schema)\.ts|people\/users\/|namespaces\/groups\/(settings\/(?!second-factor)|detail\/|(schema|present|service)\.ts)|namespaces\/projects\/(settings\/|views\/|schema\.ts)|code\/forks\/(service|schema)\.ts)|^src\/access\/((tables|accounts)\.ts|application-settings\/)/;
const texts = globSync('src/**/*.ts', { cwd: root })
  .filter((file) => !declaring.test(file))
  .map((file) => readFileSync(join(root, file), 'utf8'));
const heeded = (name: string) => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text));

// The columns and features that policies ask for by another name.
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

/** What new issues begin with on their page, and what people read there whose titles do not match. */
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
  describe(`the settings of a ${kind} that are said to have no effect`, () => {
    const said = Object.values(listed).flat() as string[];

    it('are each named once, and exist', () => {
      assert.equal(new Set(said).size, said.length);
      assert.deepEqual(
        said.filter((name) => !names.includes(name)),
        [],
      );
    });

    it('are all that nothing in the code heeds', () => {
      const idle = names.filter((name) => !byPolicy.includes(name) && !byPages.includes(name) && !heeded(name));
      // Names that also stand for something else: what git calls a clone with all refs, a column of mirrors, a field shown, a setting of the instance.
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
        'to be listed, or to be heeded',
      );
      assert.deepEqual(
        said.filter((name) => !idle.includes(name) && !other(name)),
        [],
        'heeded by now: to be taken off the list',
      );
    });
  });
}
