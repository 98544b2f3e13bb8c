import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { atEnd } from './at-end.ts';

const atEndUrl = new URL('at-end.ts', import.meta.url).href;

/** Runs a test file in its own process like tests/run.ts. Returns the exit status and the report. */
async function runProcess(source: string) {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-standstill-'));
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'example.mjs');
  writeFileSync(file, `import { it, before, describe } from 'node:test';\n${source}`);
  const files = JSON.stringify([{ name: 'example', url: pathToFileURL(file).href }]);
  const options = JSON.stringify({ limit: 1, patienceMs: 2_000 });
  const program = join(directory, 'process.mjs');
  const call = `await runTogether(${files}, ${JSON.stringify(directory)}, ${options});`;
  writeFileSync(program, `import { runTogether } from '${atEndUrl}';\n${call}`);
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const [code, signal] = await once(spawn(process.execPath, [program], { env, stdio: 'ignore' }), 'exit');
  const name = readdirSync(directory).find((entry) => entry.endsWith('.standstill'));
  return { code, signal, report: name && readFileSync(join(directory, name), 'utf8') };
}

describe('a hanging test process', { concurrency: true }, () => {
  it('is killed if a hook waits for something that failed unnoticed', async () => {
    const { signal, report } = await runProcess(`
      describe('deep', () => {
        before(() => new Promise(() => {
          setTimeout(() => {
            setInterval(() => {}, 1e6);
            throw new Error('unheard of');
          });
        }));
        it('waits', () => {});
      });`);
    assert.equal(signal, 'SIGKILL');
    assert.match(
      report ?? '',
      /file: example\n.*hook\nuncaught errors: Error: unheard of[\s\S]*active resources: .*Timeout/,
    );
  });

  it('is killed if a test runs forever', async () => {
    const { signal, report } = await runProcess("it('spins', function spinning() { for (;;); });");
    assert.equal(signal, 'SIGKILL');
    assert.match(report ?? '', /tests: example > spins\n[\s\S]* at spinning \(file:.*example\.mjs:2\)/);
  });

  it('is only killed if it hangs', async () => {
    assert.deepEqual(await runProcess("it('passes', () => {});"), { code: 0, signal: null, report: undefined });
  });
});
