import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { RunnerClient } from '../../ci/runner-client.ts';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('pipeline e-mails', () => {
    let server: TestServer;
    let project: { id: number };
    let runner: RunnerClient;
    let developer: { id: number; username: string; token: string };
    const settled = () => server.running.services.queue.drain();

    const seen = new Set<string>();

    /** Returns the pipeline e-mails since the previous call. */
    const newEmails = async () => {
      const folder = join(server.running.services.config.data, 'mail');
      const found: { kind: string | undefined; message: string }[] = [];
      for (const name of await readdir(folder).catch(() => [])) {
        if (!name.endsWith('.eml') || seen.has(name)) continue;
        seen.add(name);
        const message = await readFile(join(folder, name), 'utf8');
        const kind = /(\w+) pipeline for /.exec(message)?.[1];
        if (kind !== undefined && message.includes(`To: ${developer.username}@example.com`))
          found.push({ kind, message });
      }
      return found;
    };
    /** Runs a pipeline to the given state and returns its e-mails. */
    const run = async (state: 'failed' | 'success') => {
      await server.must(`POST /projects/${project.id}/pipeline`, { token: developer.token, json: { ref: 'main' } });
      await settled();
      await runner.report(await runner.take(), { state });
      await settled();
      const messages = await newEmails();
      for (const { message } of messages) if (state === 'failed') assert.match(message, /- build \(test\)/);
      return messages.map(({ kind }) => kind);
    };
    const choose = (json: Record<string, unknown>) =>
      server.must('PUT /notification_settings', { token: developer.token, json });

    before(async () => {
      server = await startTestServer(engine);
      project = await server.must('POST /projects', { json: { name: 'built', visibility: 'private' } });
      developer = await addUser(server, 'developer');
      await server.must(`POST /projects/${project.id}/members`, { json: { user_id: developer.id, access_level: 40 } });
      await server.must(`POST /projects/${project.id}/repository/files/.gitlab-ci.yml`, {
        json: { branch: 'main', content: 'build: { script: make, stage: test }\n', commit_message: '[skip ci]' },
      });
      await settled();
      runner = await RunnerClient.create(server, { runner_type: 'instance_type', run_untagged: true });
    });

    it('notify the user who started a failed or fixed pipeline', async () => {
      assert.deepEqual(await run('success'), []);
      assert.deepEqual(await run('failed'), ['Failed']);
      assert.deepEqual(await run('failed'), ['Failed']);
      assert.deepEqual(await run('success'), ['Fixed']);
      assert.deepEqual(await run('success'), []);
    });

    it('respect the notification settings', async () => {
      await choose({ level: 'disabled' });
      assert.deepEqual(await run('failed'), []);
      await choose({ level: 'mention' });
      assert.deepEqual(await run('failed'), []);
      await choose({ level: 'watch' });
      assert.deepEqual([await run('failed'), await run('success'), await run('success')], [['Failed'], ['Fixed'], []]);
      await choose({ level: 'custom', success_pipeline: true });
      assert.deepEqual(await run('success'), ['Successful']);
      assert.deepEqual(await run('failed'), ['Failed']);
      await choose({ level: 'custom', failed_pipeline: false, fixed_pipeline: false });
      assert.deepEqual([await run('failed'), await run('success')], [[], []]);
      await choose({ level: 'participating' });
    });

    it('are not sent if e-mails are disabled in the project', async () => {
      await server.must(`PUT /projects/${project.id}`, { json: { emails_enabled: false } });
      assert.deepEqual(await run('failed'), []);
      await server.must(`PUT /projects/${project.id}`, { json: { emails_enabled: true } });
      assert.deepEqual(await run('failed'), ['Failed']);
    });

    it('contain configuration errors', async () => {
      await server.must(`POST /projects/${project.id}/repository/commits`, {
        token: developer.token,
        json: {
          branch: 'broken',
          start_branch: 'main',
          commit_message: 'Break it',
          actions: [{ action: 'update', file_path: '.gitlab-ci.yml', content: 'build: { scripts: make }\n' }],
        },
      });
      await settled();
      const [told] = await newEmails();
      assert.equal(told?.kind, 'Failed');
      assert.match(told?.message ?? '', /jobs build config should/);
    });
  });
});
