import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { archivingProblem, unarchivingProblem } from '../../../src/namespaces/projects/archive/service.ts';
import { searchTerms } from '../../../src/namespaces/projects/lists/search-terms.ts';
import {
  nameProblems,
  newVisibility,
  pathFromName,
  visibilityProblems,
} from '../../../src/namespaces/projects/rules.ts';
import {
  changeSettings,
  guardedChanges,
  settingProblems,
  settingsFor,
  shownSettings,
} from '../../../src/namespaces/projects/settings/values.ts';
import { cleanTopics } from '../../../src/namespaces/projects/topics/rules.ts';
import { markdownFor, uploadName } from '../../../src/namespaces/projects/uploads/names.ts';

describe('project path derived from the name', () => {
  const table: [string, string][] = [
    ['My Project', 'my-project'],
    ['  Trimmed  ', 'trimmed'],
    ['foo.bar', 'foo.bar'],
    ['Ünïcode Näme', 'unicode-name'],
    ['a  --  b', 'a-b'],
    ['under__score', 'under_score'],
    ['C++', 'c'],
    ['🚀', ''],
  ];
  for (const [name, path] of table) it(`${name} -> ${path}`, () => assert.equal(pathFromName(name), path));
});

describe('project name and path', () => {
  it('are validated with errors by attribute', () => {
    assert.deepEqual(nameProblems({ name: 'ok', path: 'ok', description: null }), {});
    assert.deepEqual(Object.keys(nameProblems({ name: '', path: '-x', description: 'x'.repeat(2001) })), [
      'name',
      'path',
      'description',
    ]);
    assert.deepEqual(nameProblems({ path: 'tree' }), { path: ['tree is a reserved name'] });
  });
});

describe('visibility', () => {
  it('is limited for a new project', () => {
    assert.equal(newVisibility('public', { visibility: 0 }), 0);
    assert.equal(newVisibility('internal', { visibility: 20 }), 10);
  });
  it('is rejected in an update', () => {
    assert.deepEqual(visibilityProblems('public', { visibility: 0 }, undefined), [
      'public is not allowed in a private namespace.',
    ]);
    assert.deepEqual(visibilityProblems('public', { visibility: 20 }, { visibility: 10 }), [
      'public is not allowed since the fork source project has lower visibility.',
    ]);
    assert.deepEqual(visibilityProblems('internal', { visibility: 20 }, { visibility: 10 }), []);
  });
});

describe('settings', () => {
  const kept = (sent: Record<string, unknown>, before = '{}') => changeSettings({ settings: before }, sent);

  it('are stored only where they differ from the defaults', () => {
    assert.deepEqual(kept({ lfs_enabled: false, merge_method: 'ff' }), {
      settings: '{"lfs_enabled":false,"merge_method":"ff"}',
    });
    assert.deepEqual(kept({ lfs_enabled: true }, '{"lfs_enabled":false,"merge_method":"ff"}'), {
      settings: '{"merge_method":"ff"}',
    });
    assert.deepEqual(kept({ ci_id_token_sub_claim_components: ['project_path', 'ref_type', 'ref'] }), {
      settings: '{}',
    });
  });
  it('accept deprecated names', () => {
    assert.deepEqual(
      kept({ issues_enabled: false, wiki_enabled: false, emails_disabled: true, public_builds: false }),
      {
        settings: '{"wiki_access_level":"disabled","emails_enabled":false,"public_jobs":false}',
        issues_access: 0,
      },
    );
    assert.deepEqual(kept({ issues_enabled: false, issues_access_level: 'private' }).issues_access, 10);
  });
  it('are returned with their defaults', () => {
    const values = settingsFor({ settings: '{"merge_method":"ff"}' });
    assert.deepEqual([values.merge_method, values.squash_option, values.build_timeout], ['ff', 'default_off', 3600]);
  });
  it('merge the cleanup policy', () => {
    const first = kept({ container_expiration_policy_attributes: { enabled: true } });
    const second = changeSettings(first, { container_expiration_policy_attributes: { keep_n: 5 } });
    assert.equal(second.settings, '{"container_expiration_policy_attributes":{"enabled":true,"keep_n":5}}');
  });
  it('are shown by audience', () => {
    const row = { settings: '{}' };
    const seen = (code: boolean, maintainer: boolean) =>
      shownSettings(row, { code, developer: maintainer, maintainer });
    assert.equal('build_timeout' in seen(true, false), false);
    assert.equal('build_timeout' in seen(true, true), true);
    assert.equal('ci_config_path' in seen(false, false), false);
    assert.equal('ci_config_path' in seen(true, false), true);
    assert.equal('show_default_award_emojis' in seen(true, true), false);
  });
  it('define who may change them', () => {
    assert.deepEqual(guardedChanges({ lfs_enabled: true }), { owner: false, admin: false });
    assert.deepEqual(guardedChanges({ ci_delete_pipelines_in_seconds: 90_000 }), { owner: true, admin: false });
    assert.deepEqual(guardedChanges({ max_artifacts_size: 1 }), { owner: false, admin: true });
  });
  const problems: [Record<string, unknown>, Record<string, string[]>][] = [
    [{ build_timeout: 600 }, {}],
    [{ build_timeout: 599 }, { build_timeout: ['needs to be between 10 minutes and 1 month'] }],
    [
      { merge_request_title_regex: '(' },
      { merge_request_title_regex: ['not valid RE2 syntax: error parsing regexp: missing closing ): `(`'] },
    ],
    [{ merge_request_title_regex: '^[A-Z]' }, {}],
    [{ ci_default_git_depth: 1001 }, { ci_default_git_depth: ['must be less than or equal to 1000'] }],
    [{ ci_default_git_depth: -1 }, { ci_default_git_depth: ['must be greater than or equal to 0'] }],
    [{ ci_default_git_depth: null }, {}],
    [{ ci_config_path: '../x' }, { ci_config_path: ['cannot include leading slash or directory traversal.'] }],
    [{ ci_config_path: 'a/.gitlab-ci.yml' }, {}],
    [
      { suggestion_commit_message: 'x'.repeat(256) },
      { suggestion_commit_message: ['is too long (maximum is 255 characters)'] },
    ],
  ];
  for (const [sent, expected] of problems) {
    it(`${JSON.stringify(sent).slice(0, 60)} -> ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(settingProblems(sent), expected));
  }
});

describe('search terms', () => {
  const table: [string | undefined, unknown][] = [
    [undefined, undefined],
    ['   ', undefined],
    ['ab', { whole: 'ab' }],
    ['abc', { contained: ['abc'] }],
    ['web of things', { contained: ['web', 'things'] }],
    ['"exact phrase" more', { contained: ['exact phrase', 'more'] }],
  ];
  for (const [text, terms] of table) it(`${text}`, () => assert.deepEqual(searchTerms(text), terms));
});

describe('topics', () => {
  it('are trimmed, deduplicated and sorted', () => {
    assert.deepEqual(cleanTopics([' b', 'A', 'a', '', 'B ']), ['b', 'A']);
  });
  it('are limited in length and number', () => {
    assert.throws(() => cleanTopics(['x'.repeat(256)]), /too long/);
    assert.throws(() => cleanTopics(Array.from({ length: 501 }, (_, each) => `t${each}`)), /less than or equal to 500/);
  });
});

describe('uploads', () => {
  const names: [string, string][] = [
    ['a b.png', 'a_b.png'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\dir\\x.txt', 'x.txt'],
    ['.htaccess', '_htaccess'],
    ['', 'file'],
    ['naïve.pdf', 'naïve.pdf'],
  ];
  for (const [sent, stored] of names) it(`${sent} -> ${stored}`, () => assert.equal(uploadName(sent), stored));
  it('are embedded or linked', () => {
    assert.deepEqual(markdownFor('dk.png', '/u'), { alt: 'dk', markdown: '![dk](/u)' });
    assert.deepEqual(markdownFor('notes.txt', '/u'), { alt: 'notes.txt', markdown: '[notes.txt](/u)' });
  });
});

describe('archiving', () => {
  const live = { archived: 0, marked_for_deletion_at: null };
  const archived = { archived: 1, marked_for_deletion_at: null };
  const marked = { archived: 0, marked_for_deletion_at: 1 };
  it('accepts an active project', () => {
    assert.equal(archivingProblem(live, false), undefined);
    assert.equal(archivingProblem(archived, false), 'Project is already archived.');
    assert.equal(
      archivingProblem(live, true),
      'Cannot archive project since one of the ancestors is already archived.',
    );
    assert.equal(archivingProblem(marked, false), 'Cannot archive project since it is scheduled for deletion.');
  });
  it('accepts an archived project for unarchiving', () => {
    assert.equal(unarchivingProblem(archived, false), undefined);
    assert.equal(unarchivingProblem(live, false), 'Project is already unarchived.');
  });
});
