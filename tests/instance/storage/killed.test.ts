import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { sweepLfsObjects } from '../../../src/code/lfs/sweep.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { startServer } from '../../../src/server.ts';
import { RunnerClient } from '../../ci/runner-client.ts';
import { envelopeOf, exceptionEvent } from '../../error-tracking/tracking.ts';
import { forEachEngine } from '../../support/engines.ts';
import { ApiClient, rootToken, TestServer } from '../../support/server.ts';
import { ServerPlace } from '../../support/server-process.ts';

const bytes = Buffer.alloc(100_000, 7);
const oid = createHash('sha256').update(bytes).digest('hex');
const authorization = `Basic ${Buffer.from(`root:${rootToken}`).toString('base64')}`;

function form(): FormData {
  const body = new FormData();
  body.append('file', new Blob([bytes]), 'file.bin');
  return body;
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);

function picture(name: string): FormData {
  const body = new FormData();
  body.append(name, new Blob([png], { type: 'image/png' }), 'look.png');
  return body;
}

forEachEngine((engine) => {
  describe('a server that crashes between storing a file and its row', () => {
    let place: ServerPlace;
    let project: string;
    let incident: string;
    let job: { id: number; token: string };

    /** Starts a server and stops it after the given work. */
    const withServer = async <T>(work: (server: TestServer) => Promise<T>): Promise<T> => {
      const server = new TestServer(await startServer(place.config(), createLogger({ logLevel: 'error' })));
      try {
        return await work(server);
      } finally {
        await server.running.close();
      }
    };
    const stored = async (folder: string) => {
      const entries = await readdir(join(place.config().data, 'storage', folder), {
        recursive: true,
        withFileTypes: true,
      }).catch(() => []);
      return entries.filter((entry) => entry.isFile()).length;
    };
    /** Advances the clock by the day after which unclaimed files are deleted. */
    const aDayLater = (server: TestServer) =>
      server.running.services.db
        .write((trx) =>
          trx.updateTable('jobs').set({ run_at: 1 }).where('kind', '=', 'storage.remove-unclaimed').execute(),
        )
        .then(() => server.running.services.queue.drain());

    /** Crashes at the fault point; a day later the file is gone, and a repeated request succeeds. */
    const dies = async (fault: string, folder: string, call: (client: ApiClient) => Promise<{ status: number }>) => {
      const { line, ended } = await place.serve(fault);
      await assert.rejects(call(new ApiClient(line)));
      await ended;
      const remaining = await stored(folder);
      assert.ok(remaining > 0, 'it was stored');
      await withServer(async (server) => {
        await aDayLater(server);
        assert.equal(await stored(folder), 0);
        assert.ok((await call(server)).status < 300);
        assert.equal(await stored(folder), remaining);
        await aDayLater(server);
        assert.equal(await stored(folder), remaining, 'claimed files are kept');
      });
    };

    before(async () => {
      place = await ServerPlace.make(engine);
      await withServer(async (server) => {
        project = `/projects/${(await server.must('POST /projects', { json: { name: 'kept', initialize_with_readme: true } })).id}`;
        const file = { branch: 'main', commit_message: 'CI', content: 'build: {script: x}' };
        await server.must(`POST ${project}/repository/files/.gitlab-ci.yml`, { json: file });
        const { iid } = await server.must(`POST ${project}/issues`, { json: { title: 'Out', issue_type: 'incident' } });
        incident = `${project}/issues/${iid}`;
        await server.running.services.queue.drain();
        job = await (await RunnerClient.create(server, { runner_type: 'instance_type' })).take();
      });
    });

    it('leaves no upload', () =>
      dies('uploads.stored', 'uploads', (to) => to.api(`POST ${project}/uploads`, { body: form() })));

    it('leaves no artifact', () =>
      dies('artifacts.stored', 'artifacts', (to) =>
        to.api(`POST /jobs/${job.id}/artifacts?artifact_type=junit&artifact_format=gzip`, {
          token: null,
          headers: { 'job-token': job.token },
          body: form(),
        }),
      ));

    it('leaves no avatar, neither a new nor a replaced one', async () => {
      const pictures: [call: string, name: string][] = [
        ['PUT /user/avatar', 'avatar'],
        [`PUT ${project}`, 'avatar'],
        ['PUT /application/appearance', 'logo'],
      ];
      for (const [call, name] of pictures) {
        await dies('pictures.stored', 'avatars', (to) => to.api(call, { body: picture(name) }));
        const { line, ended } = await place.serve('pictures.replaced');
        await assert.rejects(new ApiClient(line).api(call, { body: picture(name) }));
        await ended;
        await withServer(async (server) => {
          await server.running.services.queue.drain();
          assert.equal(await stored('avatars'), 1, `${call}: the first went, the second stays`);
          await server.must(call, { json: { [name]: '' } });
          await server.running.services.queue.drain();
          assert.equal(await stored('avatars'), 0);
        });
      }
      const metric = (to: ApiClient) => to.api(`POST ${incident}/metric_images`, { body: picture('file') });
      await dies('pictures.stored', 'avatars', metric);
    });

    it('leaves no project import archive', async () => {
      const { line, ended } = await place.serve('project-archives.stored');
      const body = form();
      body.append('path', 'imported');
      await assert.rejects(new ApiClient(line).api('POST /projects/import', { body }));
      await ended;
      assert.equal(await stored('imports'), 1);
      await withServer(async (server) => {
        await aDayLater(server);
        assert.equal(await stored('imports'), 0);
      });
    });

    it('leaves no error tracking batch', async () => {
      const path = `${project}/error_tracking`;
      const key = await withServer(async (server) => {
        await server.must(`PUT ${path}/settings`, { json: { active: true, integrated: true } });
        return (await server.must(`GET ${path}/client_keys`))[0].public_key as string;
      });
      await dies('error-tracking.written', 'error-events', ({ url }) =>
        fetch(`${url}/errortracking/api/v1/projects/api${project.replace('/projects', '')}/envelope/`, {
          method: 'POST',
          headers: { 'x-sentry-auth': `Sentry sentry_version=7,sentry_key=${key}` },
          body: envelopeOf(exceptionEvent()),
        }),
      );
    });

    it('leaves no LFS object', async () => {
      const put = ({ url }: ApiClient) =>
        fetch(`${url}/root/kept.git/gitlab-lfs/objects/${oid}/${bytes.length}`, {
          method: 'PUT',
          headers: { authorization, 'content-type': 'application/octet-stream' },
          body: bytes,
        });
      const { line, ended } = await place.serve('lfs.stored');
      await assert.rejects(put(new ApiClient(line)));
      await ended;
      assert.equal(await stored('lfs'), 1);
      await withServer(async (server) => {
        const { services } = server.running;
        const sweepADayLater = async () => {
          await services.db.write((trx) => trx.updateTable('lfs_objects').set({ created_at: 1 }).execute());
          await sweepLfsObjects(services);
        };
        await sweepADayLater();
        assert.equal(await stored('lfs'), 0);
        assert.equal((await put(server)).status, 200);
        await sweepADayLater();
        assert.equal(await stored('lfs'), 1, 'objects of a project are kept');
      });
    });
  });
});
