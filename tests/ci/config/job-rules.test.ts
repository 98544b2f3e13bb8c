import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compiled, errorsOf, jobOf, namesOf, planOf, type Setup } from './support.ts';

const mergeRequest: Setup = { ref: { name: 'topic', kind: 'merge_request', source: 'merge_request_event' } };
const tag: Setup = { ref: { name: 'v1.2', kind: 'tag' } };
const schedule: Setup = { ref: { source: 'schedule' } };
const topic: Setup = { ref: { name: 'topic' } };

describe('rules', () => {
  /** The rules, the context, and the expected job; null when it is excluded. */
  const cases: readonly (readonly [string, Setup, object | null])[] = [
    ['[{if: $NONE}]', {}, null],
    ['[{if: $CI}]', {}, { when: 'on_success', allowFailure: false }],
    ['[{if: $CI, when: never}, {when: always}]', {}, null],
    ['[{if: $NONE, when: never}, {when: always}]', {}, { when: 'always' }],
    ['[{when: manual}]', {}, { when: 'manual', allowFailure: false }],
    ['[{when: manual, allow_failure: true}]', {}, { when: 'manual', allowFailure: true }],
    ['[{when: delayed, start_in: 1 hour}]', {}, { when: 'delayed', startIn: 3600 }],
    ['[{when: on_failure}]', {}, { when: 'on_failure' }],
    ['[[{if: $NONE}], [[{if: $CI, when: always}]]]', {}, { when: 'always' }],
    ['[{interruptible: true, if: $CI}]', {}, { interruptible: true }],
    ['[{if: $CI, variables: {A: 1}}]', {}, { variables: [{ key: 'A', value: '1', raw: false }] }],
    ['[{if: $CI_JOB_NAME == "test"}]', {}, {}],
    ['[{if: $CI_JOB_STAGE == "test"}]', {}, {}],
    ['[{if: $SETTING == "on"}]', { settings: { SETTING: 'on' } }, {}],
    ['[{changes: [a/*]}]', { changed: ['a/b'] }, {}],
    ['[{changes: [a/*]}]', { changed: ['a/b/c'] }, null],
    ['[{changes: [a/*]}]', { changed: [] }, null],
    ['[{changes: [a/*]}]', { changed: 'no_base' }, {}],
    ['[{changes: ["$DIR/*"]}]', { changed: ['a/b'], settings: { DIR: 'a' } }, {}],
    ['[{changes: ["$FILE"]}]', { changed: ['a/b'], settings: { FILE: '$DIR/b', DIR: 'a' } }, {}],
    ['[{changes: ["$FILE"]}]', { changed: ['a/b'], settings: { FILE: '$DIR/b', DIR: 'c' } }, null],
    ['[{exists: ["$FILE"]}]', { tree: ['a/b'], settings: { FILE: '$DIR/b', DIR: 'a' } }, {}],
    ['[{if: $FILE == "$DIR/b", exists: [a/b]}]', { tree: ['a/b'], settings: { FILE: '$DIR/b', DIR: 'a' } }, {}],
    ['[{changes: {paths: ["**/*.md"], compare_to: main}}]', { changed: ['x/y.md'] }, {}],
    ['[{if: $NONE, changes: [a]}]', { changed: ['a'] }, null],
    ['[{exists: [Dockerfile]}]', { tree: ['Dockerfile'] }, {}],
    ['[{exists: Dockerfile}]', { tree: ['Dockerfile'] }, {}],
    ['[{exists: [Dockerfile]}]', { tree: ['a/Dockerfile'] }, null],
    ['[{exists: ["**/Dockerfile"]}]', { tree: ['a/Dockerfile'] }, {}],
    ['[{exists: [docs/]}]', { tree: ['docs/a.md'] }, {}],
    ['[{exists: {paths: [x], project: g/p, ref: main}}]', { tree: ['x'] }, {}],
  ];
  for (const [rules, setup, expected] of cases) {
    it(`${rules} ${JSON.stringify(setup).slice(0, 60)}`, async () => {
      const text = `other: {script: a, rules: [{when: always}]}\ntest: {script: a, rules: ${rules}}`;
      const names = await namesOf(text, setup);
      assert.equal(names.includes('test'), expected !== null);
      if (expected === null) return;
      const job = await jobOf(text, setup);
      for (const [key, value] of Object.entries(expected)) assert.deepEqual(job[key as 'when'], value, key);
    });
  }

  it('replaces needs by those of the rule', async () => {
    const text =
      'a: {script: x}\nb: {script: x}\ntest: {script: x, needs: [a], rules: [{if: $CI, needs: [{job: b, artifacts: false}]}]}';
    assert.deepEqual((await jobOf(text)).needs, [{ name: 'b', artifacts: false, optional: false }]);
  });

  it('keeps the job-level when if the rule has none', async () => {
    const job = await jobOf('test: {script: x, when: manual, rules: [{if: $CI}]}');
    assert.deepEqual([job.when, job.allowFailure], ['manual', true]);
  });

  it('blocks on a job that only a rule makes manual', async () => {
    for (const [own, rule, blocks] of [
      ['when: manual', 'when: manual', false],
      ['when: manual', 'when: always', false],
      ['when: on_success', 'when: manual', true],
      ['when: manual, allow_failure: false', 'if: $CI', true],
      ['when: manual', 'if: $CI, allow_failure: false', true],
    ] as const) {
      const job = await jobOf(`test: {script: x, ${own}, rules: [{${rule}}]}`);
      assert.equal(job.allowFailure, !blocks, `${own}, ${rule}`);
    }
  });

  it('treats too many comparisons as changed', async () => {
    const changed = Array.from({ length: 2000 }, (_, at) => `file${at}`);
    const patterns = Array.from({ length: 30 }, (_, at) => `none${at}`).join(', ');
    assert.deepEqual(await namesOf(`test: {script: a, rules: [{changes: [${patterns}]}]}`, { changed }), ['test']);
  });

  it('rejects compare_to with an unknown ref', async () => {
    const text = 'test: {script: a, rules: [{changes: {paths: [a], compare_to: nowhere}}]}';
    assert.deepEqual(await errorsOf(text), ['rules:changes:compare_to is not a valid ref']);
  });

  it('uses variables of the job environment', async () => {
    const text = 'test: {script: a, environment: "review/$CI_COMMIT_REF_NAME", rules: [{if: $KEY == "secret"}]}';
    assert.deepEqual(await namesOf(text, { scoped: { 'review/main': { KEY: 'secret' } } }), ['test']);
    assert.deepEqual(await namesOf(text, { scoped: { 'review/other': { KEY: 'secret' } } }), []);
  });

  it('applies settings over job variables over top-level variables', async () => {
    const text = (value: string) =>
      `variables: {A: top, B: top}\ntest: {script: a, variables: {A: job}, rules: [{if: '"${value}" == "$A"'}, {if: $A == "${value}"}]}`;
    assert.deepEqual(await namesOf(text('job')), ['test']);
    assert.deepEqual(await namesOf(text('set'), { settings: { A: 'set' } }), ['test']);
    assert.deepEqual(await namesOf(text('job'), { settings: { A: 'set' } }), []);
  });

  it('rejects rules that are too expensive', async () => {
    const heavy = Array.from(
      { length: 40 },
      (_, at) => `j${at}:\n  script: a\n  rules:\n    - if: $M =~ /[a-z]{999}${at}$/`,
    );
    const errors = await errorsOf(heavy.join('\n'), { settings: { M: 'x'.repeat(10_000) } });
    assert.deepEqual(errors, ['The rules of the configuration take too long to evaluate']);
  });
});

describe('only and except', () => {
  const cases: readonly (readonly [string, readonly (readonly [Setup, boolean])[]])[] = [
    [
      '',
      [
        [{}, true],
        [tag, true],
        [mergeRequest, false],
        [schedule, true],
      ],
    ],
    [
      'only: [main]',
      [
        [{}, true],
        [topic, false],
        [tag, false],
      ],
    ],
    [
      'only: [branches]',
      [
        [{}, true],
        [tag, false],
        [mergeRequest, false],
      ],
    ],
    [
      'only: [tags]',
      [
        [{}, false],
        [tag, true],
      ],
    ],
    [
      'only: [merge_requests]',
      [
        [{}, false],
        [mergeRequest, true],
      ],
    ],
    [
      'only: [schedules]',
      [
        [{}, false],
        [schedule, true],
      ],
    ],
    [
      'only: [pushes]',
      [
        [{}, true],
        [schedule, false],
      ],
    ],
    [
      'only: [web, api, triggers, pipelines]',
      [
        [{ ref: { source: 'web' } }, true],
        [{ ref: { source: 'trigger' } }, true],
        [{ ref: { source: 'pipeline' } }, true],
        [{}, false],
      ],
    ],
    [
      'only: [/^top/]',
      [
        [topic, true],
        [{}, false],
        [mergeRequest, false],
      ],
    ],
    ['only: [/^TOP/i]', [[topic, true]]],
    ['only: [main@group/app]', [[{}, true]]],
    ['only: [main@other/app]', [[{}, false]]],
    ['only: [branches@group/app]', [[{}, true]]],
    [
      'except: [main]',
      [
        [{}, false],
        [topic, true],
        [mergeRequest, false],
      ],
    ],
    [
      'except: [tags]',
      [
        [{}, true],
        [tag, false],
      ],
    ],
    [
      'only: [branches], except: [/^top/]',
      [
        [{}, true],
        [topic, false],
      ],
    ],
    [
      'only: {variables: [$A == "1"]}',
      [
        [{ settings: { A: '1' } }, true],
        [{ settings: { A: '1' }, ...tag }, true],
        [{ settings: { A: '1' }, ...mergeRequest }, false],
        [{}, false],
      ],
    ],
    [
      'only: {refs: [main], variables: [$A]}',
      [
        [{ settings: { A: '1' } }, true],
        [{}, false],
      ],
    ],
    [
      'except: {variables: [$A]}',
      [
        [{ settings: { A: '1' } }, false],
        [{}, true],
      ],
    ],
    [
      'only: {refs: [merge_requests], changes: [a]}',
      [
        [{ changed: ['a'], ...mergeRequest }, true],
        [{ changed: ['a'] }, false],
      ],
    ],
    [
      'only: {changes: [a/**/*]}',
      [
        [{ changed: ['a/b/c'] }, true],
        [{ changed: ['a/b/c'], ...mergeRequest }, false],
        [{ changed: ['b'] }, false],
      ],
    ],
    [
      'except: {changes: ["*.md"]}',
      [
        [{ changed: ['a.md'] }, false],
        [{ changed: ['a.ts'] }, true],
      ],
    ],
    ['only: {kubernetes: active}', [[{}, false]]],
    [
      'only: ["2024"]',
      [
        [{ ref: { name: '2024' } }, true],
        [{}, false],
      ],
    ],
  ];
  for (const [keys, setups] of cases) {
    it(keys || 'no policy', async () => {
      for (const [setup, expected] of setups) {
        const text = `always: {script: a, rules: [{when: always}]}\ntest: {script: a${keys === '' ? '' : `, ${keys}`}}`;
        assert.equal((await namesOf(text, setup)).includes('test'), expected, JSON.stringify(setup));
      }
    });
  }
  it('replace the exit codes that may fail, if they say whether the job may', async () => {
    const outcome = async (rule: string) => {
      const job = await jobOf(`test: {script: a, allow_failure: {exit_codes: 42}, rules: [{if: $CI${rule}}]}`);
      return [job.allowFailure, job.allowFailureExitCodes];
    };
    assert.deepEqual(await outcome(', allow_failure: false'), [false, []]);
    assert.deepEqual(await outcome(', allow_failure: true'), [true, []]);
    assert.deepEqual(await outcome(', when: manual'), [false, [42]]);
  });

  it('accepts ineffective keys in workflow rules', async () => {
    const rule = '{if: $CI, allow_failure: true, start_in: 5 minutes, needs: [none]}';
    assert.deepEqual(await namesOf(`workflow: {rules: [${rule}]}\ntest: {script: a}`), ['test']);
  });

  it('includes jobs without rules in merge requests if the workflow has rules', async () => {
    assert.deepEqual(await namesOf('workflow: {rules: [{when: always}]}\ntest: {script: a}', mergeRequest), ['test']);
  });
});

describe('workflow', () => {
  it('determines whether a pipeline is created', async () => {
    const text =
      'workflow: {rules: [{if: $CI_COMMIT_TAG, when: never}, {if: $CI_COMMIT_BRANCH == "main"}]}\ntest: {script: a}';
    const outcomes = await Promise.all([{}, tag, topic].map(async (setup) => (await compiled(text, setup)).outcome));
    assert.deepEqual(outcomes, ['planned', 'filtered', 'filtered']);
    const result = await compiled(text, tag);
    assert.ok(result.outcome === 'filtered');
    assert.equal(result.message, 'The pipeline did not run. Review the workflow:rules configuration for the pipeline.');
  });

  it('sets variables, a name and auto-cancel', async () => {
    const plan = await planOf(`
workflow:
  name: $KIND of $CI_COMMIT_REF_NAME
  auto_cancel: {on_new_commit: interruptible}
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
      variables: {KIND: "big $SIZE"}
      auto_cancel: {on_job_failure: all}
variables: {KIND: small, SIZE: one}
test: {script: a, rules: [{if: $KIND =~ /^big/}]}
`);
    assert.deepEqual(plan.workflow, {
      name: 'big one of main',
      autoCancel: { onNewCommit: 'interruptible', onJobFailure: 'all' },
      variables: [
        { key: 'KIND', value: 'big $SIZE', raw: false },
        { key: 'SIZE', value: 'one', raw: false },
      ],
    });
    assert.equal(plan.jobs[0]?.variables[0]?.value, 'big $SIZE');
  });

  it('filters pipelines without jobs or with only .pre and .post jobs', async () => {
    for (const text of [
      'test: {script: a, rules: [{when: never}]}',
      'test: {script: a, stage: .pre}\nlast: {script: a, stage: .post}',
    ]) {
      const result = await compiled(text);
      assert.ok(result.outcome === 'filtered');
      assert.equal(result.by, 'rules');
    }
  });
});
