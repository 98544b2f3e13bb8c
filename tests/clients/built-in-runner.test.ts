import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startAgent } from '../../src/runner/agent.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer } from '../support/server.ts';
import { runnerScenario } from './runner-scenario.ts';

forEachEngine((engine) => {
  describe('built-in runner', () => {
    it('passes the same scenario as the official runner', async () => {
      const server = await startTestServer(engine, ['--job-poll', '5s']);
      const folder = await mkdtemp(join(tmpdir(), 'hearth-runner-'));
      await runnerScenario({ url: server.url, token: rootToken }, async ({ url, token }) => {
        const lines: string[] = [];
        const log = (line: string) => lines.push(line);
        const agent = await startAgent({ url, token, folder, concurrent: 4, version: '18.9.0', log });
        return { log: () => lines.join('\n'), stop: () => agent.stop() };
      }).finally(() => rm(folder, { recursive: true, force: true }));
    });
  });
});
