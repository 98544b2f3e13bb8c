import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compiled } from './support.ts';

const keywords =
  'script before_script after_script run stage image services variables rules only except needs dependencies artifacts cache tags when start_in allow_failure retry timeout parallel trigger extends inherit environment release resource_group interruptible coverage id_tokens secrets pages hooks manual_confirmation identity';
const inner =
  'name paths key files prefix policy reports junit coverage_report if changes exists compare_to when variables needs job pipeline project ref matrix include local file artifact strategy forward inputs max exit_codes url on_stop action aud default refs rules entrypoint alias links assets tag_name description';
const texts =
  '$A|$A == "b"|/re/|1 hour|never|main|always|manual|delayed|a/b|**/*|.base|test|job|!|$[[ inputs.x ]]|0|build: [a]|depend';

const leaf = fc.oneof(
  fc.constantFrom(...texts.split('|')),
  fc.integer({ min: -3, max: 300 }),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...inner.split(' ')), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const job = fc.dictionary(fc.constantFrom(...keywords.split(' ')), value, { maxKeys: 5, noNullPrototype: true });
const top = fc.dictionary(
  fc.constantFrom('test', 'job', '.base', 'default', 'workflow', 'stages', 'variables', 'include', 'cache', 'image'),
  fc.oneof(
    job,
    job.map((keys) => ({ script: 'a', ...keys })),
    value,
  ),
  { maxKeys: 5, noNullPrototype: true },
);

describe('random input', () => {
  it('always produces a plan or error messages', async () => {
    await fc.assert(
      fc.asyncProperty(top, async (file) => {
        const result = await compiled(JSON.stringify(file), { files: { main: '', 'a/b': '' } });
        // The lint result must not throw either.
        assert.ok(((await result.mergedYaml()) ?? '---').startsWith('---'));
        assert.ok(result.outcome !== 'invalid' || result.errors.every(({ message }) => message.length > 0));
        assert.ok(Array.isArray(await result.lintJobs()));
      }),
      { numRuns: Number(process.env.NONSENSE_RUNS ?? 100) },
    );
  });

  it('of arbitrary text always produces a result', async () => {
    const piece = fc.constantFrom(
      'test:',
      ' ',
      '\n',
      '- ',
      '[',
      ']',
      '{',
      '}',
      ': ',
      '&a',
      '*a',
      '!reference ',
      '|',
      '"',
      "'",
      '#',
      '---\n',
      'script',
      '<<: ',
      '\t',
      '%',
      '@',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        assert.ok((await compiled(pieces.join(''))).outcome);
      }),
      { numRuns: Number(process.env.NONSENSE_RUNS ?? 100) },
    );
  });
});
