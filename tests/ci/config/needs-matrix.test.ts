import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorsOf, jobOf, jobsOf, planOf } from './support.ts';

const need = (name: string, artifacts = true, optional = false) => ({ name, artifacts, optional });

describe('parallel jobs', () => {
  it('are numbered', async () => {
    const plan = await planOf('test: {script: a, parallel: 3}');
    assert.deepEqual(
      plan.jobs.map(({ name, groupName, parallel }) => [name, groupName, parallel]),
      [1, 2, 3].map((index) => [`test ${index}/3`, 'test', { index, total: 3 }]),
    );
  });

  it('are named after their matrix values, in variable order', async () => {
    const plan = await planOf(`
test:
  script: a
  variables: {OS: none, KEEP: me}
  tags: ["$OS", "$ARCH-runner"]
  environment: $OS/$ARCH
  parallel:
    matrix:
      - OS: linux
        ARCH: [amd64, arm64]
      - {OS: [mac], ARCH: 8, 10: '1.0'}
`);
    assert.deepEqual(
      plan.jobs.map(({ name, tags, environment }) => [name, tags, environment?.name]),
      [
        ['test: [linux, amd64]', ['linux', 'amd64-runner'], 'linux/amd64'],
        ['test: [linux, arm64]', ['linux', 'arm64-runner'], 'linux/arm64'],
        ['test: [mac, 8, 1.0]', ['mac', '8-runner'], 'mac/8'],
      ],
    );
    assert.deepEqual(plan.jobs[2]?.parallel, { index: 3, total: 3 });
    assert.deepEqual(
      plan.jobs[1]?.variables.map(({ key, value }) => `${key}=${value}`),
      ['OS=linux', 'KEEP=me', 'ARCH=arm64'],
    );
  });

  it('are evaluated one by one by rules', async () => {
    const text = 'test: {script: a, parallel: {matrix: [{OS: [linux, mac]}]}, rules: [{if: $OS == "mac"}]}';
    assert.deepEqual(Object.keys(await jobsOf(text)), ['test: [mac]']);
  });

  it('do not exist for a variable without values, and nothing waits for them', async () => {
    const many = Array.from({ length: 200 }, (_, index) => index).join(', ');
    const jobs = await jobsOf(`
none: {stage: build, script: a, parallel: {matrix: [{OS: []}]}}
vast: {stage: build, script: a, parallel: {matrix: [{A: [${many}], B: [${many}], C: [${many}], D: []}]}}
some: {stage: build, script: a, parallel: {matrix: [{OS: []}, {OS: [mac, ""]}]}}
test: {script: a, needs: [none, some]}
`);
    assert.deepEqual(Object.keys(jobs), ['some: [mac]', 'some: []', 'test']);
    assert.deepEqual(jobs.test?.needs, [need('some: [mac]'), need('some: []')]);
  });

  it('may be bridges', async () => {
    const jobs = await jobsOf('test: {trigger: {include: a.yml}, parallel: {matrix: [{OS: [linux, mac]}]}}');
    assert.deepEqual(Object.keys(jobs), ['test: [linux]', 'test: [mac]']);
  });
});

describe('needs', () => {
  const build =
    'build: {stage: build, script: a, parallel: {matrix: [{OS: [linux, mac], V: [1, 2]}]}}\nlint: {stage: build, script: a}\n';
  const cases: readonly (readonly [string, readonly object[] | null])[] = [
    ['[lint]', [need('lint')]],
    ['[{job: lint, artifacts: false}]', [need('lint', false)]],
    ['[{job: lint, optional: true}]', [need('lint', true, true)]],
    ['[{job: ghost, optional: true}]', []],
    ['[[lint]]', [need('lint')]],
    ['["build: [linux, 1]"]', [need('build: [linux, 1]')]],
    [
      '[{job: build, artifacts: false}]',
      ['linux, 1', 'linux, 2', 'mac, 1', 'mac, 2'].map((place) => need(`build: [${place}]`, false)),
    ],
    [
      '[{job: build, parallel: {matrix: [{OS: linux, V: [1, 2]}]}}]',
      [need('build: [linux, 1]'), need('build: [linux, 2]')],
    ],
  ];
  for (const [text, expected] of cases) {
    it(text, async () => assert.deepEqual((await jobOf(`${build}test: {script: a, needs: ${text}}`)).needs, expected));
  }

  it('refer to the matrix values of each instance', async () => {
    const jobs = await jobsOf(
      `${build}test: {script: a, parallel: {matrix: [{OS: [linux, mac]}]}, needs: [{job: build, parallel: {matrix: [{OS: ["$[[ matrix.OS ]]"], V: 2}]}}]}`,
    );
    assert.deepEqual(
      [jobs['test: [linux]']?.needs, jobs['test: [mac]']?.needs],
      [[need('build: [linux, 2]')], [need('build: [mac, 2]')]],
    );
  });

  it('refer to other pipelines and projects', async () => {
    const job = await jobOf(`
test:
  script: a
  needs:
    - {pipeline: $PARENT, job: make}
    - {project: g/p, job: build, ref: main, artifacts: true}
`);
    assert.deepEqual(job.needs, []);
    assert.deepEqual(job.pipelineNeeds, [{ pipeline: '$PARENT', job: 'make', artifacts: true }]);
    assert.deepEqual(job.projectNeeds, [{ project: 'g/p', job: 'build', ref: 'main', artifacts: true }]);
  });

  it('are limited', async () => {
    const many = Array.from({ length: 51 }, (_, at) => `j${at}`);
    const text = `${many.map((name) => `${name}: {stage: build, script: a}\n`).join('')}test: {script: a, needs: [${many.join(', ')}]}`;
    assert.deepEqual(await errorsOf(text), [
      'test: one job can only need 50 others, but you have listed 51. See needs keyword documentation for more details',
    ]);
    assert.equal((await jobOf(text, { limits: { needs: 60 } })).needs?.length, 51);
  });

  it('must not become circular through rules', async () => {
    const text = 'a: {script: x, needs: []}\nb: {script: x, needs: [a]}\na: {script: x, rules: [{needs: [b]}]}';
    assert.deepEqual(await errorsOf(text), [
      'The pipeline has circular dependencies: topological sort failed: ["a", "b"]',
    ]);
  });
});

describe('dependencies', () => {
  it('include all instances', async () => {
    const text = 'build: {stage: build, script: a, parallel: 2}\ntest: {script: a, dependencies: [build]}';
    assert.deepEqual((await jobOf(text)).dependencies, ['build 1/2', 'build 2/2']);
  });
  it('may be combined with empty needs', async () => {
    const text = 'build: {stage: build, script: a}\ntest: {script: a, needs: [], dependencies: [build]}';
    assert.deepEqual((await jobOf(text)).dependencies, ['build']);
  });
});
