import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Scene } from './scene.ts';

/** Caused by the installation of Renovate, not by the server. */
const ofInstallation = /^RE2 not usable/;

/**
 * Errors that are expected in a successful run: git and container clients first try without credentials, and a project
 * name may be looked up as a group.
 */
const expectedRefusals = [
  /^401 GET \/-\/git\/\S+\/info\/refs\?/,
  /^401 GET \/-\/v2\//,
  /^404 GET \/api\/v4\/groups\/(ann|ben)\/members$/,
  /^404 GET \/api\/v4\/projects\/\S+\/repository\/files\/renovate\.json\?ref=HEAD$/,
  /^404 GET \/api\/v4\/projects\/\S+\/merge_trains\/merge_requests\/\d+$/,
];

/** Runs Renovate repeatedly, keeping its state between runs. */
export class Renovate {
  readonly #program: string;
  readonly #scene: Scene;
  readonly #folder: string;

  private constructor(program: string, scene: Scene, folder: string) {
    this.#program = program;
    this.#scene = scene;
    this.#folder = folder;
  }

  static async create(program: string, scene: Scene): Promise<Renovate> {
    return new Renovate(program, scene, await mkdtemp(join(tmpdir(), 'hearth-renovate-')));
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  #env(config: object): NodeJS.ProcessEnv {
    const { server, bot } = this.#scene;
    const matchHost = new URL(server.url).hostname;
    const hostRules = [
      { matchHost, hostType: 'gitlab', token: bot },
      { matchHost, hostType: 'git-tags', username: 'gitlab-ci-token', password: bot },
      { matchHost, hostType: 'npm', token: bot },
      { matchHost, hostType: 'docker', username: 'renovate', password: bot, insecureRegistry: true },
      { matchHost, hostType: 'pypi', username: 'renovate', password: bot },
      { matchHost, hostType: 'maven', username: 'renovate', password: bot },
    ];
    return {
      PATH: process.env.PATH,
      HOME: join(this.#folder, 'home'),
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      RENOVATE_PLATFORM: 'gitlab',
      RENOVATE_ENDPOINT: `${server.url}/api/v4/`,
      RENOVATE_TOKEN: bot,
      RENOVATE_BASE_DIR: join(this.#folder, 'base'),
      RENOVATE_REPOSITORY_CACHE: 'enabled',
      RENOVATE_CONFIG: JSON.stringify({ hostRules, prHourlyLimit: 0, prConcurrentLimit: 0, ...config }),
      // Do not wait for pipelines to start; they start immediately here.
      RENOVATE_X_GITLAB_AUTO_MERGEABLE_CHECK_ATTEMPS: '2',
      RENOVATE_X_GITLAB_MERGE_REQUEST_DELAY: '50',
      RENOVATE_X_GITLAB_BRANCH_STATUS_DELAY: '50',
    };
  }

  /** Runs Renovate. It must succeed without warnings and unexpected errors. */
  async run(config: object): Promise<void> {
    const refused: string[] = [];
    const note = (message: unknown) => {
      const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
      if (response.statusCode >= 400) refused.push(`${response.statusCode} ${request.method} ${request.url}`);
    };
    diagnostics.subscribe('http.server.response.finish', note);
    const child = spawn(process.execPath, [this.#program], {
      env: this.#env(config),
      cwd: this.#folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [log, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    diagnostics.unsubscribe('http.server.response.finish', note);
    const warnings: { msg: string }[] = log.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)));
    assert.deepEqual(
      warnings.filter(({ msg }) => !ofInstallation.test(msg)),
      [],
    );
    assert.deepEqual(
      refused.filter((one) => !expectedRefusals.some((expected) => expected.test(one))),
      [],
    );
    assert.equal(code, 0);
  }
}
