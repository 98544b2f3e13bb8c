import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { launch } from '../../src/platform/git/process/launch.ts';
import { atEnd } from './at-end.ts';

/** The result of a git command. */
export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A work tree with stock git, isolated from the settings of the machine. */
export class GitClient {
  readonly folder = mkdtempSync(join(tmpdir(), 'hearth-client-'));
  readonly env: Record<string, string>;

  constructor(env: Record<string, string> = {}) {
    atEnd(() => rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 }));
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: this.folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Ann Author',
      GIT_AUTHOR_EMAIL: 'ann@example.com',
      GIT_COMMITTER_NAME: 'Ann Author',
      GIT_COMMITTER_EMAIL: 'ann@example.com',
      ...env,
    };
  }

  /** Runs git and returns the result. */
  async run(...args: string[]): Promise<Run> {
    // Uses the launcher of the server, because spawning from this process takes longer than most git commands.
    const git = launch({ program: 'git', args: ['-C', this.folder, ...args], env: this.env, extra: 0 });
    git.stdin.end();
    const [stdout, stderr, code] = await Promise.all([text(git.stdout), text(git.stderr), git.ended]);
    return { code: code ?? 1, stdout, stderr };
  }

  /** Runs git, asserts success and returns the output. */
  async git(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args);
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${code}\n${stderr}`);
    return stdout.trim();
  }

  async init(branch = 'main'): Promise<void> {
    await this.git('init', '-q', '-b', branch);
  }

  /** Writes and commits files. Returns the commit ID. */
  async commit(files: Record<string, string | Buffer>, message = 'change'): Promise<string> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), content);
    }
    await this.git('add', '-A');
    await this.git('commit', '-q', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }
}

/** Returns a URL with credentials. */
export function withCredentials(url: string, path: string, username: string, password: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${encodeURIComponent(username)}:${encodeURIComponent(password)}@${host}/${path}.git`;
}
