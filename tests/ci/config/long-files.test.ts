import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigFault } from '../../../src/ci/config/errors.ts';
import { Budget } from '../../../src/ci/config/limits.ts';
import { readYamlFile } from '../../../src/ci/config/long-files/read.ts';
import { readYaml } from '../../../src/ci/config/yaml/yaml.ts';

const filler = Array.from({ length: 800 }, (_, index) => `job ${index}:\n  script: [echo ${index}]\n`).join('');

test('a long file says the same when it is read beside the server', async () => {
  const text = `spec:\n  inputs: {}\n---\n.shared: &shared\n  timeout: 1.0\n  rules: [!reference [.rules, list]]\none: *shared\ntwo: *shared\n${filler}`;
  const [here, there] = [new Budget(100_000), new Budget(100_000)];
  const beside = await readYamlFile(text, 'ci.yml', there);
  assert.deepEqual(beside, readYaml(text, 'ci.yml', here));
  assert.equal(there.remaining, here.remaining);
  const content = beside.content as ReadonlyMap<string, unknown>;
  assert.equal(content.get('one'), content.get('two'));
});

test('what is wrong with a long file is told with its line', async () => {
  const broken = readYamlFile(`${filler}last: [`, 'ci.yml', new Budget(100_000));
  await assert.rejects(
    broken,
    (error) => error instanceof ConfigFault && error.file === 'ci.yml' && error.line !== null,
  );
  const tooMuch = readYamlFile(filler, null, new Budget(100));
  await assert.rejects(tooMuch, new ConfigFault('The parsed YAML is too big'));
});
