import assert from 'node:assert/strict';
import type { Answer, TestServer } from '../support/server.ts';

/** Metadata that the official runner sends. */
export const info = {
  name: 'gitlab-runner',
  version: '17.9.0',
  revision: 'abc',
  platform: 'linux',
  architecture: 'amd64',
  executor: 'shell',
  shell: 'bash',
  features: {
    upload_multiple_artifacts: true,
    refspecs: true,
    artifacts_exclude: true,
    multi_build_steps: true,
    return_exit_code: true,
    fallback_cache_keys: true,
    cancel_gracefully: true,
    trace_checksum: true,
    trace_reset: true,
  },
};

/** A client that makes the same calls as the official runner. */
export class RunnerClient {
  readonly server: TestServer;
  readonly token: string;
  readonly id: number;
  #lastUpdate: string | undefined;

  constructor(server: TestServer, { id, token }: { id: number; token: string }) {
    this.server = server;
    this.id = id;
    this.token = token;
  }

  /** Creates a runner, as an administrator or as the user of the token. */
  static async create(server: TestServer, json: Record<string, unknown>, token?: string): Promise<RunnerClient> {
    return new RunnerClient(server, await server.must('POST /user/runners', { json, ...(token && { token }) }));
  }

  async ask(more: Record<string, unknown> = {}): Promise<Answer> {
    const request = { token: this.token, system_id: 's_0123456789ab', info, ...more };
    // Runners up to version 17 send their token where personal tokens are sent.
    const answer = await this.server.api('POST /jobs/request', { token: this.token, json: request });
    this.#lastUpdate = answer.headers.get('x-gitlab-last-update') ?? this.#lastUpdate;
    return answer;
  }

  /** Requests a job with the last known version, so that the server holds the request. */
  wait(): Promise<Answer> {
    return this.ask({ last_update: this.#lastUpdate });
  }

  /** Requests a job; fails when none is available. */
  async take(): Promise<Answer['body']> {
    const answer = await this.ask();
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  }

  report(job: { id: number; token: string }, json: Record<string, unknown>): Promise<Answer> {
    return this.server.api(`PUT /jobs/${job.id}`, { token: null, json: { token: job.token, info, ...json } });
  }

  patch(job: { id: number; token: string }, start: number, text: string, query = ''): Promise<Answer> {
    const end = start + Buffer.byteLength(text) - 1;
    const headers = { 'job-token': job.token, 'content-type': 'text/plain', 'content-range': `${start}-${end}` };
    return this.server.api(`PATCH /jobs/${job.id}/trace${query}`, { token: null, headers, body: text });
  }
}
