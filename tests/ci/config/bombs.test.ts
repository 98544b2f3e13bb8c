import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compiled, errorsOf, jobOf, planOf } from './support.ts';

const tooBig = ['The parsed YAML is too big'];
const range = (length: number) => Array.from({ length }, (_, at) => at);

describe('YAML', () => {
  it('merges << at its position', async () => {
    const job = await jobOf(`
.a: &a {image: a, tags: [a]}
.b: &b {image: b, retry: 1}
test: {script: x, image: before, <<: [*a, *b], tags: [after]}
`);
    assert.deepEqual([job.image?.name, job.tags, job.retry.max], ['a', ['after'], 1]);
  });

  it('uses the last of duplicate keys', async () => {
    assert.deepEqual((await jobOf('test: {script: a}\ntest: {script: b}')).script, ['b']);
  });

  it('keeps keys that look like other types or built-in properties', async () => {
    const plan = await planOf(
      'on: {script: a}\n1: {script: a}\n"yes": {script: a}\n__proto__: {script: a}\nconstructor: {script: a}',
    );
    assert.deepEqual(
      plan.jobs.map(({ name }) => name),
      ['on', '1', 'yes', '__proto__', 'constructor'],
    );
  });

  it('reads the symbols that Ruby writes as keys', async () => {
    const plan = await planOf('---\n:a:\n  :script: x\n  :tags: [y]\n":b": {script: x}\n');
    assert.deepEqual(
      plan.jobs.map(({ name, script, tags }) => [name, script, tags]),
      [
        ['a', ['x'], ['y']],
        [':b', ['x'], []],
      ],
    );
  });

  it('accepts a byte order mark and CRLF line ends', async () => {
    assert.deepEqual((await jobOf('\uFEFFtest:\r\n  script:\r\n    - a\r\n')).script, ['a']);
  });
});

describe('configuration limits', () => {
  it('reject nested aliases', async () => {
    const levels = range(9).map((at) => `.l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(', ')}]`);
    assert.deepEqual(
      await errorsOf(`.l0: &l0 [${Array(9).fill('lol').join(', ')}]\n${levels.join('\n')}\ntest: {script: a}`),
      tooBig,
    );
  });

  it('reject nested references', async () => {
    const levels = range(9).map((at) => `.l${at + 1}: {s: [${Array(9).fill(`!reference [.l${at}, s]`).join(', ')}]}`);
    assert.deepEqual(
      await errorsOf(`.l0: {s: [${Array(9).fill('lol').join(', ')}]}\n${levels.join('\n')}\ntest: {script: a}`),
      tooBig,
    );
  });

  it('reject extends of a large base by many jobs', async () => {
    const base = `.base: {script: [${Array(1500).fill('a').join(', ')}]}\n`;
    assert.deepEqual(
      await errorsOf(
        `${base}${range(1500)
          .map((at) => `j${at}: {extends: .base}\n`)
          .join('')}`,
      ),
      tooBig,
    );
  });

  it('reject large defaults of many jobs', async () => {
    const base = `default: {before_script: [${Array(1500).fill('a').join(', ')}]}\n`;
    assert.deepEqual(
      await errorsOf(
        `${base}${range(1500)
          .map((at) => `j${at}: {script: a}\n`)
          .join('')}`,
      ),
      tooBig,
    );
  });

  it('reject a large input used by many jobs', async () => {
    const text = `spec: {inputs: {x: {type: array}}}\n---\n${range(300)
      .map((at) => `j${at}: {script: "$[[ inputs.x ]]"}\n`)
      .join('')}`;
    assert.deepEqual(await errorsOf(text, { inputs: { x: Array(10_000).fill('a') } }), tooBig);
  });

  it('reject too many jobs', async () => {
    const text = range(30)
      .map((at) => `j${at}: {script: a, parallel: 200}\n`)
      .join('');
    assert.deepEqual(await errorsOf(text, { limits: { jobs: 500 } }), [
      'The number of jobs has exceeded the limit of 500.',
    ]);
  });

  it('reject too many instances even if excluded by rules', async () => {
    const text = range(400)
      .map((at) => `j${at}: {script: a, parallel: 200, rules: [{when: never}]}\n`)
      .join('');
    assert.deepEqual(await errorsOf(text), tooBig);
  });

  it('reject a base repeated in extends', async () => {
    const base = `.base: {variables: {${range(100)
      .map((at) => `V${at}: a`)
      .join(', ')}}}\n`;
    assert.deepEqual(await errorsOf(`${base}test: {script: a, extends: [${'.base, '.repeat(20_000)}]}`), tooBig);
  });

  it('apply to the total length of error messages', async () => {
    const stages = `stages: [${range(500)
      .map((at) => `stage-${at}`)
      .join(', ')}]\n`;
    const text = `${stages}${range(500)
      .map((at) => `j${at}: {script: a, stage: none}\n`)
      .join('')}`;
    const errors = await errorsOf(text);
    assert.match(errors[0] ?? '', /^j0 job: chosen stage none does not exist/);
    assert.ok(errors.length < 200);
  });

  it('on warnings do not hide errors', async () => {
    const twice = range(4000)
      .map((at) => `job ${at}: {script: a, rules: [{when: always}]}\n`)
      .join('');
    assert.deepEqual(await errorsOf(`${twice}last: {script: a, stage: none}`), [
      'last job: chosen stage none does not exist; available stages are .pre, build, test, deploy, .post',
    ]);
  });

  it('omit a merged configuration that is too large', async () => {
    const base = `.base: {script: [${Array(1000).fill('a').join(', ')}]}\n`;
    const result = await compiled(
      `${base}${range(600)
        .map((at) => `j${at}: {extends: .base}\n`)
        .join('')}`,
    );
    assert.deepEqual([result.outcome, await result.mergedYaml()], ['planned', null]);
  });

  it('keep the event loop responsive', async () => {
    let turns = 0;
    let next: NodeJS.Immediate = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    const text = `.base: {script: a, variables: {A: a, B: b}}\n${range(3000)
      .map((at) => `j${at}: {extends: .base}\n`)
      .join('')}`;
    const before = turns;
    const result = await compiled(text);
    const read = turns;
    await result.mergedYaml();
    clearImmediate(next);
    assert.equal(result.outcome, 'planned');
    assert.ok(read - before > 5, `${read - before} turns while it was read`);
    assert.ok(turns - read > 5, `${turns - read} turns while it was written`);
  });

  it('reject files that are too large', async () => {
    assert.deepEqual(await errorsOf(`test: {script: a}\n# ${'x'.repeat(2 * 1024 * 1024)}`), tooBig);
    const files = { 'a.yml': `a: {script: a}\n# ${'x'.repeat(600)}` };
    assert.deepEqual(await errorsOf('include: [a.yml, a.yml]', { files, limits: { totalBytes: 1000 } }), tooBig);
  });

  it('reject deep nesting', async () => {
    for (const text of [
      `test: ${'['.repeat(200)}${']'.repeat(200)}`,
      `test: ${'['.repeat(500_000)}`,
      `test:\n  ${'- '.repeat(100_000)}a`,
      `test: ${'{a: '.repeat(5000)}`,
      range(150)
        .map((at) => `${' '.repeat(at)}k:\n`)
        .join(''),
    ]) {
      assert.deepEqual(await errorsOf(text), tooBig, text.slice(0, 20));
    }
  });

  it('reject anchors that contain themselves', async () => {
    assert.equal((await compiled('.a: &a [*a]\ntest: {script: a}')).outcome, 'invalid');
  });

  it('accept large files', async () => {
    const jobs = range(150).map(
      (at) => `job ${at}:\n  extends: .base\n  variables: {N: ${at}}\n  rules: [{if: $CI, changes: [a/${at}/*]}]\n`,
    );
    const plan = await planOf(`.base: {script: [a, b, c], tags: [x]}\n${jobs.join('')}`, {
      changed: ['a/7/b', 'a/8/c'],
    });
    assert.equal(plan.jobs.length, 2);
  });
});
