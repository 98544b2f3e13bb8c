import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Repository } from '../../../src/platform/git/process/command.ts';

/** A file to write: its content, a symbolic link, an executable, or null to delete it. */
export type FileContent = string | Buffer | { link: string } | { executable: string } | null;

/** Runs stock git on a repository and returns its output without the last newline; throws when it fails. */
export function stockGit({ path }: Repository, args: readonly string[], input?: string): string {
  return execFileSync('git', ['--git-dir', path, ...args], { input, encoding: 'utf8', stdio: 'pipe' }).replace(
    /\n$/,
    '',
  );
}

/** A work tree driven by stock git; the code under test reads its repository. */
export class WorkTree {
  readonly folder = mkdtempSync(join(tmpdir(), 'hearth-git-'));
  readonly repo: Repository = { path: join(this.folder, 'repo.git') };
  #clock = 1_700_000_000;

  constructor() {
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', this.repo.path]);
    // A reflog would keep unreachable objects alive.
    this.git('config', 'core.logAllRefUpdates', 'false');
  }

  get tree(): string {
    return join(this.folder, 'tree');
  }

  /** Runs stock git on the repository and returns its output without the last newline. */
  git(...args: string[]): string {
    return this.gitWith({}, ...args);
  }

  gitWith(options: { input?: string | Buffer; env?: Record<string, string> }, ...args: string[]): string {
    mkdirSync(this.tree, { recursive: true });
    const out = execFileSync('git', args, {
      cwd: this.tree,
      input: options.input,
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, ...this.#identity(), ...options.env },
    });
    return out.toString('utf8').replace(/\n$/, '');
  }

  /** Writes files and commits them, each commit a minute after the previous one. */
  commit(files: Record<string, FileContent>, message = 'change', env: Record<string, string> = {}): string {
    for (const [path, content] of Object.entries(files)) this.#write(path, content);
    this.#clock += 60;
    this.git('add', '-A', '-f');
    this.gitWith({ env }, 'commit', '-q', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  #write(path: string, content: FileContent): void {
    const full = join(this.tree, path);
    mkdirSync(dirname(full), { recursive: true });
    rmSync(full, { recursive: true, force: true });
    if (content === null) return;
    if (typeof content === 'string' || Buffer.isBuffer(content)) writeFileSync(full, content);
    else if ('link' in content) symlinkSync(content.link, full);
    else {
      writeFileSync(full, content.executable);
      chmodSync(full, 0o755);
    }
  }

  #identity(): Record<string, string> {
    const date = `${this.#clock} +0200`;
    return {
      HOME: this.folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_DIR: this.repo.path,
      GIT_WORK_TREE: this.tree,
      GIT_AUTHOR_NAME: 'Ann Author',
      GIT_AUTHOR_EMAIL: 'ann@example.com',
      GIT_COMMITTER_NAME: 'Carl Committer',
      GIT_COMMITTER_EMAIL: 'carl@example.com',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    };
  }
}
