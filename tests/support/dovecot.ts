import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';
import { until } from './until.ts';

const program = '/usr/sbin/dovecot';

/** Reason to skip mailbox tests; false if dovecot can be started. */
export const noDovecot: string | false =
  existsSync(program) && !spawnSync('openssl', ['version']).error
    ? false
    : 'dovecot is not installed (Debian: apt-get install dovecot-imapd)';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const isRoot = process.getuid?.() === 0;
/** Owner of the mailbox files: dovecot does not allow root. */
const owner = isRoot ? { uid: 65_534, gid: 65_534 } : userInfo();
const password = 'the mailbox is mine';

function configuration(folder: string, port: number, securePort: number): string {
  const me = userInfo().username;
  return [
    'protocols = imap',
    'listen = 127.0.0.1',
    `base_dir = ${folder}/run`,
    `state_dir = ${folder}/run`,
    `log_path = ${folder}/log`,
    'ssl = yes',
    `ssl_cert = <${folder}/certificate.pem`,
    `ssl_key = <${folder}/key.pem`,
    'disable_plaintext_auth = no',
    'first_valid_uid = 1',
    ...(isRoot ? [] : [`default_internal_user = ${me}`, `default_login_user = ${me}`]),
    `mail_location = maildir:${folder}/mail`,
    `passdb {\n  driver = static\n  args = password=${password.replaceAll(' ', '_')}\n}`,
    `userdb {\n  driver = static\n  args = uid=${owner.uid} gid=${owner.gid} home=${folder}/home\n}`,
    `service imap-login {\n  chroot =\n  inet_listener imap {\n    port = ${port}\n  }\n  inet_listener imaps {\n    port = ${securePort}\n    ssl = yes\n  }\n}`,
    'service anvil {\n  chroot =\n}',
    '',
  ].join('\n');
}

function makeCertificate(folder: string): void {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/certificate.pem`];
  const kind = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  const made = spawnSync('openssl', ['req', ...kind, ...names, ...files]);
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
}

/** A real mailbox in its own folder, stopped and removed when the test file ends. */
export class Dovecot {
  readonly folder: string;
  readonly port: number;
  readonly securePort: number;
  #process: ChildProcess | undefined;
  #delivered = 0;

  private constructor(folder: string, port: number, securePort: number) {
    this.folder = folder;
    this.port = port;
    this.securePort = securePort;
  }

  static async start(): Promise<Dovecot> {
    const folder = await mkdtemp(join(tmpdir(), 'hearth-dovecot-'));
    atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
    makeCertificate(folder);
    const dovecot = new Dovecot(folder, await freePort(), await freePort());
    await writeFile(join(folder, 'dovecot.conf'), configuration(folder, dovecot.port, dovecot.securePort));
    await chmod(folder, 0o755);
    for (const name of ['mail', 'mail/new', 'mail/cur', 'mail/tmp', 'home']) {
      await mkdir(join(folder, name));
      if (isRoot) await chown(join(folder, name), owner.uid, owner.gid);
    }
    atEnd(() => dovecot.stop());
    await dovecot.run();
    return dovecot;
  }

  /** The IMAP URL with TLS. */
  get url(): string {
    return `imaps://incoming:${password.replaceAll(' ', '_')}@127.0.0.1:${this.securePort}/INBOX`;
  }

  /** The unencrypted IMAP URL, which is allowed on the local machine. */
  get plainUrl(): string {
    return `imap://incoming:${password.replaceAll(' ', '_')}@127.0.0.1:${this.port}`;
  }

  get certificate(): string {
    return join(this.folder, 'certificate.pem');
  }

  async run(): Promise<void> {
    const child = spawn(program, ['-F', '-c', join(this.folder, 'dovecot.conf')], { stdio: 'ignore' });
    this.#process = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`dovecot ended with ${child.exitCode}`);
      return new Promise<boolean>((resolve) => {
        const socket = connect(this.port, '127.0.0.1');
        socket.once('data', () => resolve(true)).once('error', () => resolve(false));
        socket.once('close', () => resolve(false)).setTimeout(5000, () => socket.destroy());
      });
    });
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  }

  /** Delivers a message like a mail server. */
  async deliver(raw: string | Uint8Array): Promise<void> {
    this.#delivered += 1;
    const name = `${this.#delivered}.test`;
    const aside = join(this.folder, 'mail/tmp', name);
    await writeFile(aside, raw);
    if (isRoot) await chown(aside, owner.uid, owner.gid);
    await rename(aside, join(this.folder, 'mail/new', name));
  }

  /** Returns the messages marked as read, in order of arrival. */
  async read(): Promise<number[]> {
    const names = await readdir(join(this.folder, 'mail/cur'));
    const seen = names.filter((name) => /:2,[A-Z]*S/.test(name));
    return seen.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
  }

  /** Marks all messages as unread. */
  async unread(): Promise<void> {
    const folder = join(this.folder, 'mail/cur');
    for (const name of await readdir(folder))
      await rename(join(folder, name), join(folder, name.replace(/:2,.*$/, ':2,')));
  }
}
