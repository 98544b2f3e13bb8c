import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLogger } from '../../../src/platform/log.ts';
import { startServer } from '../../../src/server.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { ApiClient, TestServer } from '../../support/server.ts';
import { ServerPlace } from '../../support/server-process.ts';
import { zipOf } from '../artifacts/zip.ts';
import { RunnerClient } from '../runner-client.ts';
import { domain, PagesPlace } from './place.ts';

forEachEngine((engine) => {
  it('a server killed while publishing keeps the old site, and the next server publishes the new one', async () => {
    const place = await ServerPlace.make(engine, ['--pages-domain', domain]);
    let owner: Person | undefined;
    let runner: { id: number; token: string } | undefined;
    const withServer = async <T>(work: (pages: PagesPlace) => Promise<T>): Promise<T> => {
      const server = new TestServer(await startServer(place.config(), createLogger({ logLevel: 'error' })));
      try {
        owner ??= await addPerson(server, 'ann');
        runner ??= await RunnerClient.create(server, { runner_type: 'instance_type' });
        return await work(new PagesPlace(server, owner, new RunnerClient(server, runner)));
      } finally {
        await server.running.close();
      }
    };
    const { project, job } = await withServer(async (pages) => {
      const made = await pages.project('dying', 'pages: {script: make, artifacts: {paths: [public]}}', {
        visibility: 'public',
      });
      await pages.run({ 'public/index.html': 'old' });
      await pages.again(made);
      const taken = await pages.runner.take();
      const form = new FormData();
      const archive = await zipOf({ 'public/index.html': 'new' });
      form.set('file', new Blob([Uint8Array.from(archive)]), 'artifacts.zip');
      await pages.server.must(`POST /jobs/${taken.id}/artifacts`, {
        token: null,
        headers: { 'job-token': taken.token },
        body: form,
      });
      return { project: made, job: taken };
    });

    const { line, ended } = await place.serve('pages.copied');
    await new ApiClient(line).api(`PUT /jobs/${job.id}`, { token: null, json: { token: job.token, state: 'success' } });
    await ended;

    await withServer(async (pages) => {
      const { db } = pages.server.running.services;
      const { url } = await pages.pages(project);
      assert.ok(['old', 'new'].includes((await pages.visit(`${url}/`)).text));
      // Expires the lease of the killed server.
      await db.write((trx) =>
        trx.updateTable('jobs').set({ run_at: 0, lease_until: 0 }).where('kind', '=', 'pages.publish').execute(),
      );
      await pages.settled();
      assert.equal((await pages.visit(`${url}/`)).text, 'new');
      assert.equal((await db.read.selectFrom('pages_deployments').selectAll().execute()).length, 1);
    });
  });
});
