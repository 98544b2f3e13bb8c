import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigFault } from '../../../src/ci/config/errors.ts';
import { Budget } from '../../../src/ci/config/limits.ts';
import { readYamlFile } from '../../../src/ci/config/long-files/read.ts';
import { readYaml } from '../../../src/ci/config/yaml/yaml.ts';

const filler = Array.from({ length: 800 }, (_, index) => `job ${index}:\n  script: [echo ${index}]\n`).join('');

test('a long file gives the same result when parsed in a thread', async () => {
  const text = `spec:\n  inputs: {}\n---\n.shared: &shared\n  timeout: 1.0\n  rules: [!reference [.rules, list]]\none: *shared\ntwo: *shared\n${filler}`;
  const [inlineBudget, threadBudget] = [new Budget(100_000), new Budget(100_000)];
  const parsed = await readYamlFile(text, 'ci.yml', threadBudget);
  assert.deepEqual(parsed, readYaml(text, 'ci.yml', inlineBudget));
  assert.equal(threadBudget.remaining, inlineBudget.remaining);
  const content = parsed.content as ReadonlyMap<string, unknown>;
  assert.equal(content.get('one'), content.get('two'));
});

test('errors in a long file include the line', async () => {
  const broken = readYamlFile(`${filler}last: [`, 'ci.yml', new Budget(100_000));
  await assert.rejects(
    broken,
    (error) => error instanceof ConfigFault && error.file === 'ci.yml' && error.line !== null,
  );
  const tooMuch = readYamlFile(filler, null, new Budget(100));
  await assert.rejects(tooMuch, new ConfigFault('The parsed YAML is too big'));
});
