import { setTimeout } from 'node:timers/promises';
import { trimTrailing } from '../platform/trim.ts';
import type { Operand } from './expression.ts';

/** A job as described by the server, with the fields this runner reads. */
export interface JobPayload {
  readonly id: number;
  readonly token: string;
  readonly allow_git_fetch: boolean;
  readonly job_info: { readonly name: string; readonly project_id: number; readonly project_full_path?: string };
  readonly git_info: {
    readonly repo_url: string;
    readonly sha: string;
    readonly ref: string;
    readonly refspecs: readonly string[];
    readonly depth: number;
  };
  readonly runner_info: { readonly timeout: number };
  readonly inputs?: readonly { readonly key: string; readonly value: { readonly content: Operand } }[];
  readonly variables: readonly JobVariable[];
  readonly steps: readonly JobStep[];
  readonly hooks?: readonly { readonly name: string; readonly script: readonly string[] }[];
  readonly image?: { readonly name: string } | null;
  readonly services?: readonly { readonly name: string }[];
  readonly artifacts?: readonly JobArtifacts[] | null;
  readonly cache?: readonly JobCache[];
  readonly dependencies?: readonly JobDependency[];
}

export interface JobVariable {
  readonly key: string;
  readonly value: string;
  readonly masked?: boolean;
  readonly file?: boolean;
  readonly raw?: boolean;
}

export interface JobStep {
  readonly name: string;
  readonly script: readonly string[];
  readonly when: string;
  readonly allow_failure: boolean;
}

export interface JobArtifacts {
  readonly name?: string | null;
  readonly untracked?: boolean;
  readonly paths?: readonly string[];
  readonly exclude?: readonly string[];
  readonly when?: string;
  readonly expire_in?: string;
  readonly artifact_type: string;
  readonly artifact_format: string;
}

export interface JobCache {
  readonly key: string;
  readonly paths?: readonly string[];
  readonly policy?: string;
  readonly when?: string;
  readonly fallback_keys?: readonly string[];
}

export interface JobDependency {
  readonly id: number;
  readonly name: string;
  readonly token: string;
  readonly artifacts_file?: { readonly filename: string };
}

/** Name and features of the runner, as sent to the server. */
const info = {
  name: 'hearth-runner',
  platform: process.platform,
  architecture: process.arch === 'x64' ? 'amd64' : process.arch,
  executor: 'shell',
  shell: 'bash',
  features: {
    variables: true,
    artifacts: true,
    cache: true,
    upload_multiple_artifacts: true,
    upload_raw_artifacts: true,
    refspecs: true,
    masking: true,
    raw_variables: true,
    artifacts_exclude: true,
    multi_build_steps: true,
    cancelable: true,
    cancel_gracefully: true,
    return_exit_code: true,
    fallback_cache_keys: true,
    job_inputs: true,
    trace_checksum: true,
    trace_size: true,
  },
};

type Body = NonNullable<RequestInit['body']>;

const attempts = 5;
const isPassing = (status: number) => status === 408 || status === 429 || status >= 500;

/** Thrown when the server no longer knows the job or has ended it, so that there is nothing to report. */
export class JobGone extends Error {
  override readonly name = 'JobGone';
}

/** Client of the server's runner API, the only interface this runner uses. */
export class RunnerProtocol {
  readonly #url: string;
  readonly #token: string;
  readonly #systemId: string;
  readonly #version: string;
  #lastUpdate: string | undefined;

  constructor(options: {
    readonly url: string;
    readonly token: string;
    readonly systemId: string;
    readonly version: string;
  }) {
    this.#url = `${trimTrailing(options.url, '/')}/api/v4`;
    this.#token = options.token;
    this.#systemId = options.systemId;
    this.#version = options.version;
  }

  /** Whether the server accepts the token. */
  async verify(): Promise<boolean> {
    const response = await this.send('POST', '/runners/verify', { json: this.#self() });
    if (!response.ok && response.status !== 403)
      throw new Error(`verifying the token failed: the server responded with ${response.status}`);
    return response.ok;
  }

  /** Requests the next job; undefined if there is none. The server may delay its response. */
  async requestJob(signal: AbortSignal): Promise<JobPayload | undefined> {
    const json = { ...this.#self(), last_update: this.#lastUpdate };
    const response = await this.send('POST', '/jobs/request', { json, signal });
    this.#lastUpdate = response.headers.get('x-gitlab-last-update') ?? undefined;
    if (response.status === 201) return (await response.json()) as JobPayload;
    if (response.status === 204 || response.status === 409) return undefined;
    throw new Error(
      `requesting a job failed: the server responded with ${response.status}: ${(await response.text()).slice(0, 200)}`,
    );
  }

  #self() {
    return { token: this.#token, system_id: this.#systemId, info: { ...info, version: this.#version } };
  }

  /** Sends a request; retries temporary failures such as a server restart. */
  async send(
    method: string,
    path: string,
    {
      json,
      body,
      headers = {},
      signal,
    }: {
      readonly json?: unknown;
      /** Called again for each attempt. */
      readonly body?: () => Body | Promise<Body>;
      readonly headers?: Readonly<Record<string, string>>;
      readonly signal?: AbortSignal;
    },
  ): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await fetch(`${this.#url}${path}`, {
          method,
          headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
          body: json === undefined ? ((await body?.()) ?? null) : JSON.stringify(json),
          ...(signal && { signal }),
        });
        if (!isPassing(response.status) || attempt >= attempts) return response;
        await response.body?.cancel();
      } catch (error) {
        if (signal?.aborted || attempt >= attempts) throw error;
      }
      await setTimeout(100 * 2 ** attempt, undefined, { signal });
    }
  }
}
