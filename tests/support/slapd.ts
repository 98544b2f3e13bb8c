import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'ldapts';
import { atEnd } from './at-end.ts';
import { until } from './until.ts';

const program = '/usr/sbin/slapd';

/** Reason to skip directory tests; false if slapd can be started. */
export const noSlapd: string | false =
  existsSync(program) && !spawnSync('openssl', ['version']).error
    ? false
    : 'slapd is not installed (Debian: apt-get install slapd)';

export const suffix = 'dc=example,dc=com';
export const admin = { dn: `cn=admin,${suffix}`, password: 'the directory is mine' };

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const schemas = ['core', 'cosine', 'nis', 'inetorgperson'];

function configuration(folder: string): string {
  return [
    ...schemas.map((name) => `include /etc/ldap/schema/${name}.schema`),
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    `pidfile ${folder}/slapd.pid`,
    `argsfile ${folder}/slapd.args`,
    `TLSCertificateFile ${folder}/certificate.pem`,
    `TLSCertificateKeyFile ${folder}/key.pem`,
    'sizelimit 50',
    'database mdb',
    `suffix "${suffix}"`,
    `rootdn "${admin.dn}"`,
    `rootpw "${admin.password}"`,
    `directory ${folder}/db`,
    '',
  ].join('\n');
}

function makeCertificate(folder: string): void {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/certificate.pem`];
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    ...names,
    ...files,
  ]);
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
}

/** A real LDAP server in its own folder, stopped and removed when the test file ends. */
export class Slapd {
  readonly folder: string;
  readonly port: number;
  readonly securePort: number;
  readonly client: Client;
  #process: ChildProcess | undefined;

  private constructor(folder: string, port: number, securePort: number) {
    this.folder = folder;
    this.port = port;
    this.securePort = securePort;
    this.client = new Client({ url: this.url, timeout: 10_000, connectTimeout: 10_000 });
  }

  static async start(): Promise<Slapd> {
    const folder = await mkdtemp(join(tmpdir(), 'hearth-slapd-'));
    atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
    await mkdir(join(folder, 'db'));
    makeCertificate(folder);
    await writeFile(join(folder, 'slapd.conf'), configuration(folder));
    const slapd = await Slapd.listening(folder);
    atEnd(() => slapd.stop());
    await slapd.client.bind(admin.dn, admin.password);
    await slapd.add(suffix, { objectClass: ['dcObject', 'organization'], o: 'Example', dc: 'example' });
    for (const ou of ['people', 'groups']) {
      await slapd.add(`ou=${ou},${suffix}`, { objectClass: 'organizationalUnit', ou });
    }
    return slapd;
  }

  /** Retries with other ports if another process has taken a free port meanwhile. */
  private static async listening(folder: string, attempts = 3): Promise<Slapd> {
    const slapd = new Slapd(folder, await freePort(), await freePort());
    try {
      await slapd.run();
      return slapd;
    } catch (error) {
      if (attempts === 1 || slapd.#process?.exitCode == null) throw error;
      return Slapd.listening(folder, attempts - 1);
    }
  }

  get url(): string {
    return `ldap://127.0.0.1:${this.port}`;
  }

  get certificate(): string {
    return join(this.folder, 'certificate.pem');
  }

  /** Starts the server, or restarts it. */
  async run(): Promise<void> {
    const addresses = `ldap://127.0.0.1:${this.port}/ ldaps://127.0.0.1:${this.securePort}/`;
    const args = ['-h', addresses, '-f', join(this.folder, 'slapd.conf'), '-d', '0'];
    const child = spawn(program, args, { stdio: 'ignore' });
    this.#process = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`slapd ended with ${child.exitCode}`);
      const probe = new Client({ url: this.url, connectTimeout: 1000 });
      try {
        await probe.bind('', '');
        return true;
      } catch {
        return false;
      } finally {
        await probe.unbind().catch(() => undefined);
      }
    });
  }

  /** Accepts connections without responding until `resume`. */
  pause(): void {
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null) return;
    await this.client.unbind().catch(() => undefined);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    this.resume();
    await ended;
  }

  async add(dn: string, attributes: Record<string, string | string[]>): Promise<string> {
    await this.client.add(dn, attributes);
    return dn;
  }

  /** Adds a user with a password. Returns the DN. */
  addPerson(uid: string, attributes: Record<string, string | string[]> = {}): Promise<string> {
    return this.add(`uid=${uid},ou=people,${suffix}`, {
      objectClass: ['inetOrgPerson'],
      uid,
      cn: `${uid} of the directory`,
      sn: uid,
      mail: `${uid}@directory.example.com`,
      userPassword: `secret of ${uid}`,
      ...attributes,
    });
  }

  addGroup(cn: string, members: readonly string[]): Promise<string> {
    const member = members.length === 0 ? [admin.dn] : [...members];
    return this.add(`cn=${cn},ou=groups,${suffix}`, { objectClass: 'groupOfNames', cn, member });
  }
}
