import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { compile, compileIncludeGlob, declaredInputs } from '../../../src/ci/config/public.ts';
import { compiled, contextOf, errorsOf, jobOf, jobsOf, namesOf, type Setup } from './support.ts';

describe('include', () => {
  const files = {
    'a.yml': 'a: {script: a}\nvariables: {X: a, Y: a}\n.base: {script: [from a], tags: [a]}',
    'b.yml': 'include: c.yml\nb: {script: b}\nvariables: {X: b}',
    'c.yml': 'c: {script: c, variables: {DEEP: c}}',
    'https://host/r.yml': 'r: {script: r}',
    'g/p:x.yml': 'include: y.yml\nx: {script: x}',
    'y.yml': 'y: {script: y}',
    'Tool.gitlab-ci.yml': 't: {script: t}',
    'host/g/comp@1.0': 'spec: {inputs: {name: }}\n---\n"$[[ inputs.name ]]": {script: comp}',
  };
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['a.yml', ['a']],
    ['[a.yml, b.yml]', ['a', 'c', 'b']],
    ['{local: a.yml}', ['a']],
    ['[{local: a.yml}, {remote: "https://host/r.yml"}]', ['a', 'r']],
    ['"https://host/r.yml"', ['r']],
    ['{project: g/p, file: x.yml}', ['y', 'x']],
    ['{project: g/p, file: [x.yml], ref: v1}', ['y', 'x']],
    ['{template: Tool.gitlab-ci.yml}', ['t']],
    ['{component: host/g/comp@1.0, inputs: {name: made}}', ['made']],
    ['{local: $NAME.yml}', ['a']],
    ['{local: a.yml, rules: [{if: $NONE}]}', []],
    ['{local: a.yml, rules: [{if: $CI}]}', ['a']],
    ['{local: a.yml, rules: [{if: $CI, when: never}]}', []],
    ['{local: a.yml, rules: [{exists: [Dockerfile]}]}', ['a']],
    ['{local: a.yml, rules: [{exists: [Makefile]}]}', []],
  ];
  const setup: Setup = { files, settings: { NAME: 'a' }, tree: ['Dockerfile'] };
  for (const [text, expected] of cases) {
    it(text, async () =>
      assert.deepEqual(await namesOf(`include: ${text}\nown: {script: a}`, setup), [...expected, 'own']),
    );
  }

  it('merges files in order, the root file last', async () => {
    const text =
      'include: [a.yml, b.yml]\nvariables: {Y: own}\nc: {variables: {MORE: own}}\nown: {extends: .base, tags: [own]}';
    const jobs = await jobsOf(text, setup);
    const values = Object.fromEntries(jobs.c?.variables.map(({ key, value }) => [key, value]) ?? []);
    assert.deepEqual(values, { X: 'b', Y: 'own', DEEP: 'c', MORE: 'own' });
    assert.deepEqual([jobs.own?.script, jobs.own?.tags], [['from a'], ['own']]);
  });

  it('counts all includes, circular ones too', async () => {
    const errors = await errorsOf('include: a.yml', { files: { 'a.yml': 'include: a.yml' } });
    assert.deepEqual(errors, ['Maximum of 150 nested includes are allowed!']);
  });

  it('verifies the integrity hash', async () => {
    const digest = createHash('sha256').update(files['https://host/r.yml']).digest('base64');
    const text = (hash: string) => `include: {remote: "https://host/r.yml", integrity: sha256-${hash}}`;
    assert.deepEqual(await namesOf(text(digest), setup), ['r']);
    assert.deepEqual(await errorsOf(text('x'), setup), [
      'Remote file `https://host/r.yml` does not match its integrity hash!',
    ]);
  });

  it('lists includes for the lint result', async () => {
    const result = await compiled('include: {project: g/p, file: x.yml, ref: v1}', setup);
    assert.deepEqual(
      result.includes.map(({ type, location, extra, contextProject }) => [type, location, extra, contextProject]),
      [
        ['file', 'x.yml', { project: 'g/p', ref: 'v1' }, 'group/app'],
        ['local', 'y.yml', {}, 'g/p'],
      ],
    );
  });

  it('compiles a list of includes for a child pipeline', async () => {
    const result = await compile(
      { include: [{ component: 'host/g/comp@1.0', inputs: { name: 'child' } }] },
      contextOf(setup),
    );
    assert.ok(result.outcome === 'planned');
    assert.deepEqual(
      result.plan.jobs.map(({ name }) => name),
      ['child'],
    );
  });

  it('supports wildcards across directories', () => {
    const matches = (glob: string) =>
      ['ci/a.yml', 'ci/b/c.yml', 'x.yml'].filter((path) => compileIncludeGlob(glob)?.test(path));
    assert.deepEqual(matches('ci/*.yml'), ['ci/a.yml']);
    assert.deepEqual(matches('ci/**.yml'), ['ci/a.yml', 'ci/b/c.yml']);
    assert.deepEqual(matches('ci/**/*.yml'), ['ci/b/c.yml']);
  });
});

describe('inputs', () => {
  const header = (inputs: string) => `spec:\n  inputs: ${inputs}\n---\n`;
  const body = 'test: {script: "$[[ inputs.x ]]"}';
  const good: readonly (readonly [string, string, Record<string, unknown>, object])[] = [
    ['{x: }', body, { x: 'a' }, { script: ['a'] }],
    ['{x: {default: d}}', body, {}, { script: ['d'] }],
    ['{x: {default: d}}', body, { x: null }, { script: ['d'] }],
    ['{x: {default: }}', 'test: {script: "a$[[ inputs.x ]]b"}', {}, { script: ['ab'] }],
    ['{x: {default: 1.10}}', body, { x: 2 }, { script: ['2'] }],
    ['{x: {options: [1, 2]}}', body, { x: 2 }, { script: ['2'] }],
    ['{x: {type: array}}', body, { x: '["a", "b"]' }, { script: ['a', 'b'] }],
    [
      '{x: {type: number}}',
      'test: {script: a, retry: "$[[ inputs.x ]]"}',
      { x: '2' },
      { retry: { max: 2, when: ['always'], exitCodes: [] } },
    ],
    ['{x: {default: ""}}', 'test: {script: "a$[[ inputs.x ]]b"}', {}, { script: ['ab'] }],
    ['{x: {type: array}}', 'test: {script: "$[[ inputs.x ]]"}', { x: ['a', 'b'] }, { script: ['a', 'b'] }],
    [
      '{x: {type: number}}',
      'test: {script: a, retry: "$[[ inputs.x ]]"}',
      { x: 2 },
      { retry: { max: 2, when: ['always'], exitCodes: [] } },
    ],
    [
      '{x: {type: boolean, default: true}}',
      'test: {script: a, interruptible: "$[[ inputs.x ]]"}',
      {},
      { interruptible: true },
    ],
    ['{x: {options: [a, b]}}', body, { x: 'b' }, { script: ['b'] }],
    ['{x: {type: array, options: [a, b, c]}}', body, { x: ['c', 'a'] }, { script: ['c', 'a'] }],
    ['{x: {regex: ^v\\d}}', body, { x: 'v1' }, { script: ['v1'] }],
    ['{x: {default: abcdef}}', 'test: {script: "$[[ inputs.x | truncate(1,3) ]]"}', {}, { script: ['bcd'] }],
    ['{x: {default: a b}}', 'test: {script: "$[[ inputs.x | posix_escape ]]"}', {}, { script: ['a\\ b'] }],
    [
      '{x: {default: $NAME!}}',
      'test: {script: "$[[ inputs.x | expand_vars | truncate(0,4) ]]"}',
      {},
      { script: ['name'] },
    ],
    [
      '{x: {default: s}}',
      'test: {script: a, needs: ["$[[ inputs.x ]]-job"]}\n"$[[ inputs.x ]]-job": {script: a}',
      {},
      { needs: [{ name: 's-job', artifacts: true, optional: false }] },
    ],
    ['{x: {default: s}}', 'test: {script: [make $[[ inputs.x ]], $[[ inputs.x ]]]}', {}, { script: ['make s', 's'] }],
    [
      '{x: {default: abcdef}}',
      'test: {script: [$[[ inputs.x | truncate(0,2) ]], b, "$[[ inputs.x ]]"]}',
      {},
      { script: ['ab', 'b', 'abcdef'] },
    ],
    ['{x: {default: s}}', 'test: {script: "[[ -n $[[ inputs.x ]] ]]"}', {}, { script: ['[[ -n s ]]'] }],
    [
      '{e: {default: prod}, x: {rules: [{if: "$[[ inputs.e ]] == \\"prod\\"", default: big}, {default: small}]}}',
      body,
      {},
      { script: ['big'] },
    ],
  ];
  for (const [spec, text, inputs, expected] of good) {
    it(`${spec} ${JSON.stringify(inputs)}`, async () => {
      const job = await jobOf(`${header(spec)}${text}`, { inputs, settings: { NAME: 'name' } });
      for (const [key, value] of Object.entries(expected)) assert.deepEqual(job[key as 'script'], value);
    });
  }

  const bad: readonly (readonly [string, string, Record<string, unknown>, string])[] = [
    ['{x: }', body, {}, '`x` input: required value has not been provided'],
    ['{x: }', body, { x: null }, '`x` input: required value has not been provided'],
    ['{x: }', body, { x: ['a'] }, '`x` input: provided value is not a string'],
    ['{x: {type: number}}', body, { x: 'five' }, '`x` input: provided value is not a number'],
    ['{x: {type: array}}', body, { x: 'a' }, '`x` input: provided value is not an array'],
    ['{x: {type: number, default: a}}', body, {}, '`x` input: default value is not a number'],
    [
      '{x: {options: [a]}}',
      body,
      { x: 'b' },
      '`x` input: `b` cannot be used because it is not in the list of allowed options',
    ],
    [
      '{x: {type: array, options: [a, b]}}',
      body,
      { x: ['a', 'c'] },
      '`x` input: `c` cannot be used because it is not in the list of allowed options',
    ],
    [
      '{x: {type: boolean, options: [true]}}',
      body,
      { x: true },
      '`x` input: Options can only be used with string and number inputs',
    ],
    ['{x: {regex: ^v}}', body, { x: 'b' }, '`x` input: provided value does not match required RegEx pattern'],
    ['{x: }', body, { x: 'a', y: 'b' }, 'unknown input arguments: y'],
    ['{x: {type: date}}', body, { x: 'a' }, 'header:spec:inputs:x input type unknown value: date'],
    ['{y: {default: a}}', body, {}, 'unknown interpolation key: `x`'],
    [
      '{x: {default: a}}',
      'test: {script: "$[[ inputs.x | shout ]]"}',
      {},
      'no function matching `shout`: check that the function name, arguments, and types are correct',
    ],
    [
      '{x: {default: $A}}',
      'test: {script: "$[[ inputs.x | expand_vars|expand_vars|expand_vars|expand_vars ]]"}',
      {},
      'too many functions in interpolation block',
    ],
  ];
  for (const [spec, text, inputs, expected] of bad) {
    it(expected, async () => assert.deepEqual(await errorsOf(`${header(spec)}${text}`, { inputs }), [expected]));
  }

  describe('included from other files', () => {
    const text = (include: string, inputs: string) =>
      `spec:\n  include: ${include}\n  inputs: ${inputs}\n---\ntest: {script: "$[[ inputs.a ]] $[[ inputs.b ]]"}`;
    const files = {
      'one.yml': 'inputs: {a: {default: one}, b: {default: one}}',
      'two.yml': 'inputs: {b: {options: [two, three], default: two}}',
      'more.yml': 'inputs: {a: {default: one}}\ntest: {script: a}',
    };
    const setup = { files, settings: { NAME: 'two' } };

    it('precede own inputs, and later files override earlier ones', async () => {
      assert.deepEqual((await jobOf(text('[one.yml, {local: $NAME.yml}]', '{c: {default: c}}'), setup)).script, [
        'one two',
      ]);
      const given = { ...setup, inputs: { a: 'x', b: 'three' } };
      assert.deepEqual((await jobOf(text('[one.yml, two.yml]', ''), given)).script, ['x three']);
    });

    const refused: readonly (readonly [string, string, string])[] = [
      ['one.yml', '{b: {default: own}}', 'header:spec:inputs config has inputs that are included: b'],
      ['more.yml', '', 'header:spec:include `more.yml` should contain `inputs` and nothing else'],
      ['none.yml', '', 'Local file `none.yml` does not exist!'],
      ['{template: Go.yml}', '', 'header:spec:include config should use one of: local, remote, project'],
      ['{local: one.yml, rules: [{if: $A}]}', '', 'header:spec:include config takes neither rules nor inputs'],
    ];
    for (const [include, inputs, expected] of refused) {
      it(expected, async () => assert.deepEqual(await errorsOf(text(include, inputs), setup), [expected]));
    }
  });

  describe('of a configuration outside the project', () => {
    const text = 'spec: {include: [{local: more.yml}], inputs: {x: }}\n---\ntest: {script: "$[[ inputs.x ]]"}';
    const files = { 'group/ci:ci.yml': text, 'more.yml': 'inputs: {y: {type: boolean, default: false}}' };
    const source = { include: [{ project: 'group/ci', file: 'ci.yml' }] };

    it('get the values given for the pipeline', async () => {
      const result = await compile(source, contextOf({ files, inputs: { x: 'make' } }));
      assert.ok(result.outcome === 'planned');
      assert.deepEqual(result.plan.jobs[0]?.script, ['make']);
    });

    it('are described, with those that its header includes', async () => {
      const common = { description: null, options: null, regex: null, rules: null };
      assert.deepEqual(await declaredInputs(source, contextOf({ files })), {
        inputs: [
          { name: 'y', type: 'boolean', required: false, default: false, ...common },
          { name: 'x', type: 'string', required: true, default: null, ...common },
        ],
      });
      assert.deepEqual(await declaredInputs(source, contextOf({})), {
        error: 'Local file `group/ci:ci.yml` does not exist!',
      });
    });
  });

  it('are rejected when the file declares none', async () => {
    assert.deepEqual(
      await errorsOf('include: {local: a.yml, inputs: {x: 1}}', { files: { 'a.yml': 'a: {script: a}' } }),
      ['`a.yml`: Given inputs not defined in the `spec` section of the included configuration file'],
    );
  });
});

describe('extends and references', () => {
  it('merge mappings, replace other values, and later bases override earlier ones', async () => {
    const job = await jobOf(`
.a: {script: [a], tags: [a], variables: {A: a, B: a}}
.b: {script: [b], variables: {B: b}}
.c: {extends: .b, image: c}
test: {extends: [.a, .c], variables: {C: own}}
`);
    assert.deepEqual([job.script, job.tags, job.image?.name], [['b'], ['a'], 'c']);
    assert.deepEqual(
      job.variables.map(({ key, value }) => key + value),
      ['Aa', 'Bb', 'Cown'],
    );
  });

  it('limit the depth of extends to eleven levels', async () => {
    const chain = (length: number) =>
      `.l0: {script: a}\n${Array.from({ length }, (_, at) => `.l${at + 1}: {extends: .l${at}}\n`).join('')}test: {extends: .l${length}}`;
    assert.deepEqual((await jobOf(chain(10))).script, ['a']);
    for (const length of [11, 12, 2000]) {
      assert.match((await errorsOf(chain(length)))[0] ?? '', /nesting too deep in `extends`/);
    }
  });

  it('resolve nested references, also into lists', async () => {
    const job = await jobOf(`
.one: {script: [one, !reference [.two, script]]}
.two: {script: [two]}
.vars: {variables: {URL: x}}
test:
  script: [!reference [.one, script], own]
  variables: {MINE: !reference [.vars, variables, URL]}
  rules: [!reference [.rules, rules], {when: always}]
.rules: {rules: [{if: $NONE}]}
`);
    assert.deepEqual(job.script, ['one', 'two', 'own']);
    assert.deepEqual([job.variables, job.when], [[{ key: 'MINE', value: 'x', raw: false }], 'always']);
  });

  it('resolve references to lists of services and caches within each other', async () => {
    const job = await jobOf(`
.cache: {services: [redis], cache: [{paths: [a]}]}
.store: {services: [postgres, !reference [.cache, services]], cache: [{paths: [b]}, !reference [.cache, cache]]}
test:
  script: a
  services: [!reference [.store, services], {name: minio}]
  cache: [!reference [.store, cache]]
`);
    assert.deepEqual(
      job.services.map(({ name }) => name),
      ['postgres', 'redis', 'minio'],
    );
    assert.deepEqual(
      job.cache.map(({ paths }) => paths),
      [['b'], ['a']],
    );
  });

  it('resolve references to extended jobs', async () => {
    const job = await jobOf('.a: {script: [a]}\n.b: {extends: .a}\ntest: {script: [!reference [.b, script]]}');
    assert.deepEqual(job.script, ['a']);
  });
});

describe('lint result', () => {
  it('has an equivalent merged configuration', async () => {
    const text = `
.base: &base {script: [a, "b: c"], tags: [x]}
variables: {N: 1.0, Q: "yes", Z: "012", M: "line\\nline"}
test: {extends: .base, script: [!reference [.base, script], "- dash"], retry: 2, needs: [], cache: {}}
other: {<<: *base, when: manual}
`;
    const first = await compiled(text);
    const merged = (await first.mergedYaml()) ?? '';
    const second = await compiled(merged);
    assert.ok(first.outcome === 'planned');
    assert.ok(second.outcome === 'planned');
    assert.deepEqual(second.plan, first.plan);
    assert.doesNotMatch(merged, /extends|!reference|&base/);
  });

  it('warns about rules that cause duplicate pipelines', async () => {
    const warnings = async (text: string) => (await compiled(text)).warnings;
    assert.equal((await warnings('test: {script: a, rules: [{if: $A}, {when: always}]}')).length, 1);
    assert.deepEqual(await warnings('test: {script: a, rules: [{if: $CI, when: always}]}'), []);
    const workflow = 'workflow: {rules: [{when: always}]}\ntest: {script: a, rules: [{when: always}]}';
    assert.deepEqual(await warnings(workflow), []);
  });

  it('lists jobs without evaluating rules', async () => {
    const result = await compiled(
      'never: {script: a, rules: [{when: never}]}\nlast: {script: [b], stage: deploy, only: [main], needs: [never]}\ntest: {script: a}',
    );
    assert.deepEqual(
      (await result.lintJobs()).map(({ name, only }) => [name, only]),
      [
        ['never', null],
        ['test', { refs: ['branches', 'tags'] }],
        ['last', { refs: ['main'] }],
      ],
    );
  });
});
