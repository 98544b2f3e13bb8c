import assert from 'node:assert/strict';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Project } from '../../../src/access/tables.ts';
import type { Engine } from '../../../src/platform/database/database.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject, pushAll } from '../../support/git-project.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { zipOf } from '../artifacts/zip.ts';
import { RunnerClient } from '../runner-client.ts';

/** Response of a Pages host. */
export interface SiteAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly bytes: Buffer;
}

export const domain = 'pages.localhost';

/** Sends a request to a Pages host without DNS, because not every machine resolves subdomains of `localhost`. */
export async function visit(
  server: Pick<TestServer, 'url'>,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<SiteAnswer> {
  const { port } = new URL(server.url);
  const [, host = '', path = '/'] = /^https?:\/\/([^/]+)(\/.*)?$/.exec(url) ?? [];
  const requested = request({ host: '127.0.0.1', port, path, method, headers: { host, ...headers } });
  return new Promise((resolve, reject) => {
    requested.once('error', reject);
    requested.once('response', (response) => {
      buffer(response).then((bytes) => {
        const plain = response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
        const text = plain.toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, bytes });
      }, reject);
    });
    requested.end();
  });
}

/** A server with Pages, a project owner and a runner. */
export class PagesPlace {
  readonly server: TestServer;
  readonly owner: Person;
  readonly runner: RunnerClient;

  constructor(server: TestServer, owner: Person, runner: RunnerClient) {
    this.server = server;
    this.owner = owner;
    this.runner = runner;
  }

  static async start(engine: Engine, settings: readonly string[] = []): Promise<PagesPlace> {
    const server = await startTestServer(engine, ['--pages-domain', domain, ...settings]);
    const owner = await addPerson(server, 'ann');
    const runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
    return new PagesPlace(server, owner, runner);
  }

  settled(): Promise<void> {
    return this.server.running.services.queue.drain();
  }

  async project(path: string, configuration: string, more: Record<string, unknown> = {}): Promise<Project> {
    const source = new GitClient();
    await source.init();
    await source.commit({ '.gitlab-ci.yml': configuration }, 'root');
    const project = await addFilledProject(this.server, this.owner, path, source);
    if (Object.keys(more).length > 0) {
      await this.server.must(`PUT /projects/${project.id}`, { json: more, token: this.owner.token });
    }
    await this.settled();
    return project;
  }

  /** Runs the next job and uploads these files as its artifacts. */
  async run(files: Readonly<Record<string, string | Buffer>> | Buffer): Promise<{ id: number; token: string }> {
    const job = await this.runner.take();
    await this.finish(job, Buffer.isBuffer(files) ? files : await zipOf(files));
    return job;
  }

  async finish(job: { id: number; token: string }, archive: Buffer | undefined): Promise<void> {
    if (archive) {
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(archive)]), 'artifacts.zip');
      const headers = { 'job-token': job.token };
      const sent = await this.server.api(`POST /jobs/${job.id}/artifacts`, { token: null, headers, body: form });
      assert.equal(sent.status, 201, sent.text);
    }
    assert.equal((await this.runner.report(job, { state: 'success' })).status, 200);
    await this.settled();
  }

  /** Starts another pipeline of a project. */
  async again(project: Project, variables: readonly { key: string; value: string }[] = []): Promise<void> {
    const json = { ref: 'main', variables };
    await this.server.must(`POST /projects/${project.id}/pipeline`, { json, token: this.owner.token });
    await this.settled();
  }

  async pages(project: Project) {
    return this.server.must(`GET /projects/${project.id}/pages`, { token: this.owner.token });
  }

  visit(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<SiteAnswer> {
    return visit(this.server, url, headers, method);
  }
}

export { pushAll };
