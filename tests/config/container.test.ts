import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => readFile(join(root, name), 'utf8');

it('the container image uses documented settings', async () => {
  const lines = (await read('Dockerfile')).replaceAll('\\\n', '').split('\n');
  const assignments = lines
    .filter((line) => line.startsWith('ENV '))
    .flatMap((line) => [...line.matchAll(/(\w+)=(\S+)/g)]);
  const env = Object.fromEntries(assignments.map(([, name, value]) => [name, value]));
  const { data, host, port, sshHost } = loadConfig([], env);
  assert.deepEqual({ data, host, port, sshHost }, { data: '/data', host: '0.0.0.0', port: 8080, sshHost: '0.0.0.0' });
  const documented = await read('docs/configuration.md');
  for (const name of Object.keys(env).filter((name) => name.startsWith('HEARTH_'))) {
    assert.ok(documented.includes(`\`${name}\``), name);
  }
});
