import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';
import { until } from './until.ts';

const program = '/usr/sbin/sshd';

/** Reason to skip tests with OpenSSH; false if it can be started. */
export const noSshd: string | false = existsSync(program)
  ? false
  : 'sshd is not installed (Debian: apt-get install openssh-server)';

/** An OpenSSH server with a bare repository for the user running the tests. */
export class Sshd {
  readonly folder: string;
  readonly port: number;
  readonly #env: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
    this.#env = { PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  }

  static async start(): Promise<Sshd> {
    const folder = await mkdtemp(join(tmpdir(), 'hearth-sshd-'));
    const sshd = new Sshd(folder, await freePort());
    atEnd(async () => {
      await sshd.stop();
      await rm(folder, { recursive: true, force: true });
    });
    sshd.git('init', '-q', '--bare', '-b', 'main', join(folder, 'copy.git'));
    await writeFile(join(folder, 'authorized_keys'), '', { mode: 0o600 });
    await sshd.changeHostKey();
    return sshd;
  }

  get url(): string {
    return `ssh://${userInfo().username}@127.0.0.1:${this.port}${this.folder}/copy.git`;
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.folder, env: this.#env, encoding: 'utf8' }).trim();
  }

  refs(): Record<string, string> {
    const format = '--format=%(refname) %(objectname)';
    const lines = this.git('-C', join(this.folder, 'copy.git'), 'for-each-ref', format).split('\n').filter(Boolean);
    return Object.fromEntries(lines.map((line) => line.split(' ')));
  }

  /** Authorizes a single key. */
  allow(publicKey: string): Promise<void> {
    return writeFile(join(this.folder, 'authorized_keys'), `${publicKey}\n`, { mode: 0o600 });
  }

  /** The fingerprint of its host key. */
  fingerprint(): string {
    const shown = execFileSync('ssh-keygen', ['-lf', join(this.folder, 'host.pub')], { encoding: 'utf8' });
    return shown.split(' ')[1] ?? '';
  }

  /** Its host key as `type base64 comment`. */
  async hostKey(): Promise<string> {
    return (await readFile(join(this.folder, 'host.pub'), 'utf8')).trim();
  }

  /** Restarts the server with a different host key, simulating an impostor. */
  async changeHostKey(): Promise<void> {
    await this.stop();
    await rm(join(this.folder, 'host'), { force: true });
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(this.folder, 'host')]);
    await this.#run();
  }

  async #run(): Promise<void> {
    const settings = [
      'ListenAddress 127.0.0.1',
      `Port ${this.port}`,
      `HostKey ${this.folder}/host`,
      `AuthorizedKeysFile ${this.folder}/authorized_keys`,
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'StrictModes no',
      `PidFile ${this.folder}/pid`,
    ];
    await writeFile(join(this.folder, 'config'), settings.join('\n'));
    // On Debian, sshd requires this folder, which only root can create.
    if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true });
    const log = join(this.folder, 'log');
    const args = ['-D', '-f', join(this.folder, 'config'), '-E', log];
    const child = spawn(program, args, { env: this.#env, stdio: 'ignore' });
    this.#process = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`sshd: ${await readFile(log, 'utf8')}`);
      return answers(this.port);
    });
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(() => resolve(true)));
    socket.on('error', () => resolve(false));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
