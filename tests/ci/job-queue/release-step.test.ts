import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { PlannedJob } from '../../../src/ci/config/public.ts';
import { releaseScript } from '../../../src/ci/job-queue/release-step.ts';
import { jobOf } from '../config/support.ts';

const environment = {
  CI_COMMIT_SHA: 'abc',
  CI_COMMIT_TAG: 'v1.0',
  CI_JOB_TOKEN: 'glcbt-1',
  CI_PROJECT_PATH: 'group/app',
  CI_SERVER_FQDN: 'forge.example:8443',
  CI_SERVER_PROTOCOL: 'https',
  CI_SERVER_URL: 'https://forge.example:8443',
};

async function releaseOf(keys: string): Promise<NonNullable<PlannedJob['release']>> {
  const { release } = await jobOf(`test: {script: a, release: {${keys}}}`);
  return release ?? assert.fail('no release');
}

const full =
  'tag_name: $CI_COMMIT_TAG, name: "Release \\"$CI_COMMIT_TAG\\"", description: "`none`", tag_message: m, milestones: [one, two], released_at: "2020-01-01", ' +
  'assets: {links: [{name: App, url: "https://dl.example/$CI_COMMIT_TAG.zip", filepath: /app, link_type: package}]}';
const link = '{"name":"App","url":"https://dl.example/v1.0.zip","filepath":"/app","link_type":"package"}';

describe('the step that creates a release', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'release-step-'));
  });
  after(() => rmSync(directory, { recursive: true }));

  /** Runs the step in a shell that finds the given programs, which record how they are called. */
  function calls(script: string, programs: Readonly<Record<string, string>>): string[][] {
    const log = path.join(directory, 'calls');
    writeFileSync(log, '');
    for (const name of ['glab', 'release-cli']) rmSync(path.join(directory, name), { force: true });
    for (const [name, help] of Object.entries(programs)) {
      const program = path.join(directory, name);
      const record = `{ printf '%s\\0' ${name} "$@"; printf '\\n'; } >> ${log}`;
      writeFileSync(program, `#!/bin/sh\ncase "$*" in *--help*) echo '${help}' ;; *) ${record} ;; esac\n`);
      chmodSync(program, 0o755);
    }
    execFileSync('/bin/sh', ['-e', '-c', script], { env: { ...environment, PATH: `${directory}:/usr/bin:/bin` } });
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => line.split('\0').slice(0, -1));
  }

  const newGlab = '--experimental-notes-text-or-file';
  const login = [
    ...['glab', 'auth', 'login', '--job-token', 'glcbt-1', '--hostname', 'forge.example:8443'],
    ...['--api-protocol', 'https'],
  ];
  const withReleaseCli = [
    ...['release-cli', 'create', '--name', 'Release "v1.0"', '--description', '`none`', '--tag-name', 'v1.0'],
    ...[
      '--tag-message',
      'm',
      '--ref',
      'abc',
      '--released-at',
      '2020-01-01',
      '--milestone',
      'one',
      '--milestone',
      'two',
    ],
    ...['--assets-link', link],
  ];

  it('uses glab, and expands variables also in links', async () => {
    const script = releaseScript(await releaseOf(full), 'linux');
    assert.deepEqual(calls(script, { glab: newGlab, 'release-cli': '' }), [
      login,
      [
        ...['glab', 'release', 'create', 'v1.0', '-R', 'group/app', '--name', 'Release "v1.0"'],
        ...['--experimental-notes-text-or-file', '`none`', '--tag-message', 'm', '--ref', 'abc'],
        ...['--released-at', '2020-01-01', '--milestone', 'one,two', '--assets-links', `[${link}]`],
        ...['--no-update', '--no-close-milestone'],
      ],
    ]);
    const short = releaseScript(await releaseOf('tag_name: v2, description: d, ref: main'), null);
    assert.deepEqual(calls(short, { glab: newGlab })[1], [
      ...['glab', 'release', 'create', 'v2', '-R', 'group/app', '--experimental-notes-text-or-file', 'd'],
      ...['--ref', 'main', '--no-update', '--no-close-milestone'],
    ]);
  });

  it('uses release-cli where glab is missing or too old', async () => {
    const script = releaseScript(await releaseOf(full), 'linux');
    assert.deepEqual(calls(script, { 'release-cli': '' }), [withReleaseCli]);
    assert.deepEqual(calls(script, { glab: '--notes', 'release-cli': '' }), [withReleaseCli]);
  });

  it('fails if neither is installed', async () => {
    const script = releaseScript(await releaseOf(full), 'linux');
    assert.throws(() => calls(script, {}), /release-cli/);
  });

  it('is one command of release-cli on Windows, whose shell is another', async () => {
    assert.match(releaseScript(await releaseOf(full), 'windows'), /^release-cli create [^\n]*$/);
  });
});
