import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ExpressionError, evaluate } from '../../src/runner/expression.ts';
import { withInputs } from '../../src/runner/inputs.ts';
import type { JobPayload } from '../../src/runner/protocol.ts';

const names = { job: { inputs: { env: 'prod', count: 3, on: true, list: ['a', 'b'], 'dashed-name': 'd' } } };

describe('expressions of the built-in runner', () => {
  for (const [text, expected] of [
    ['job.inputs.env', 'prod'],
    ['job.inputs["dashed-name"]', 'd'],
    ['job.inputs.list[1]', 'b'],
    ['job.inputs.count + 1 * 2', 5],
    ['(job.inputs.count + 1) * 2 % 3', 2],
    ['job.inputs.env == "prod" && "stable" || \'latest\'', 'stable'],
    ['job.inputs.env != "prod" && "stable" || "latest"', 'latest'],
    ['1 == "1"', false],
    ['"a" < "b"', true],
    ['!job.inputs.on', false],
    ['-job.inputs.count', -3],
    ['str(42) + "\\n" + str(null)', '42\n<null>'],
    ['num("3.14")', 3.14],
    ['bool([])', false],
    ['[1, "a", null,]', [1, 'a', null]],
  ] as const) {
    it(text, () => assert.deepEqual(evaluate(text, names), expected));
  }

  for (const text of [
    '',
    'job.inputs.none',
    'constructor',
    '1 +',
    '1 2',
    '"a" + 1',
    '1 / 0',
    'exec("a")',
    '('.repeat(9000),
  ]) {
    it(`refuses ${text.slice(0, 20)}`, () => assert.throws(() => evaluate(text, names), ExpressionError));
  }
});

/** Written with `@` instead of `$`, which a linter takes for a forgotten template. */
const dollars = (text: string) => text.replaceAll('@', '$');

describe('inputs of a job', () => {
  const job = (script: string): JobPayload =>
    ({
      inputs: [{ key: 'env', value: { content: 'prod' } }],
      steps: [{ name: 'script', script: [dollars(script)], when: 'always', allow_failure: false }],
      cache: [{ key: dollars('@CI_JOB_NAME-@{{ job.inputs.env }}') }],
    }) as unknown as JobPayload;

  for (const [script, expected] of [
    ['a @{{ job.inputs.env }} @{{job.inputs.env}} @{HOME}', 'a prod prod @{HOME}'],
    ['\\@{{ job.inputs.env }}', '@{{ job.inputs.env }}'],
    ['@{{ "}}" + job.inputs.env }}', '}}prod'],
    ['@{{ unfinished', '@{{ unfinished'],
  ] as const) {
    it(script, () => {
      const inserted = withInputs(job(script));
      assert.equal(inserted.steps[0]?.script[0], dollars(expected));
      assert.equal(inserted.cache?.[0]?.key, '$CI_JOB_NAME-prod');
    });
  }
});
