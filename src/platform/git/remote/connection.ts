import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckedUrl } from '../../egress/client.ts';
import type { GitOptions } from '../process/command.ts';
import { type Credentials, withoutCredentials } from './address.ts';

/** Credentials that git presents to another server. */
export interface RemoteSecrets extends Credentials {
  /** SSH private key as PEM. */
  readonly privateKey?: string;
  /** Accepted SSH host keys as `known_hosts` lines; if empty, the first key presented is trusted. */
  readonly knownHosts?: string;
}

/** Connection parameters for git. */
export interface Connection {
  /** URL without secrets. */
  readonly url: string;
  readonly options: Pick<GitOptions, 'env' | 'config'>;
}

/** Result of the work on a connection, and the host keys the server presented. */
interface Outcome<T> {
  readonly result: T;
  readonly knownHosts?: string;
}

/**
 * Opens a connection to a server whose address was validated, and cleans up after the work. git connects to the
 * validated address, never prompts for a password, follows no redirect, and its secrets appear in no argument or file
 * that others can read.
 */
export async function withConnection<T>(
  target: CheckedUrl,
  secrets: RemoteSecrets,
  work: (connection: Connection) => Promise<T>,
): Promise<Outcome<T>> {
  const scheme = target.url.protocol.slice(0, -1);
  if (scheme === 'ssh') return withSsh(target, secrets, work);
  return { result: await work(scheme === 'git' ? gitConnection(target) : httpConnection(target, secrets)) };
}

function httpConnection(target: CheckedUrl, { username, password }: RemoteSecrets): Connection {
  const scheme = target.url.protocol.slice(0, -1);
  const known = username !== undefined || password !== undefined;
  const basic = Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
  return {
    url: withoutCredentials(target.url),
    options: {
      config: {
        [`protocol.${scheme}.allow`]: 'always',
        'http.lowSpeedLimit': '1',
        'http.lowSpeedTime': '600',
        ...(target.curloptResolve === undefined ? {} : { 'http.curloptResolve': target.curloptResolve }),
        ...(known ? { 'http.extraHeader': `Authorization: Basic ${basic}` } : {}),
      },
    },
  };
}

// The git protocol has no host authentication, so the URL can contain the address itself.
function gitConnection(target: CheckedUrl): Connection {
  const url = new URL(withoutCredentials(target.url));
  url.hostname = target.address.includes(':') ? `[${target.address}]` : target.address;
  return { url: url.href, options: { config: { 'protocol.git.allow': 'always' } } };
}

async function withSsh<T>(
  target: CheckedUrl,
  secrets: RemoteSecrets,
  work: (connection: Connection) => Promise<T>,
): Promise<Outcome<T>> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-ssh-'));
  try {
    const hosts = join(folder, 'known_hosts');
    await writeFile(hosts, secrets.knownHosts ?? '', { mode: 0o600 });
    const authentication =
      secrets.privateKey === undefined
        ? await passwordAuthentication(folder)
        : await keyAuthentication(folder, secrets);
    const options = [
      ...authentication.options,
      `HostName=${target.address}`,
      `HostKeyAlias=${target.host}`,
      `UserKnownHostsFile=${hosts}`,
      `StrictHostKeyChecking=${secrets.knownHosts ? 'yes' : 'accept-new'}`,
      ...sshOptions,
    ];
    const command = ['ssh', '-F', '/dev/null', ...options.flatMap((option) => ['-o', option])].map(quoted).join(' ');
    const url = new URL(target.url);
    url.password = '';
    const result = await work({
      url: url.href,
      options: {
        config: { 'protocol.ssh.allow': 'always' },
        env: { GIT_SSH_COMMAND: command, GIT_SSH_VARIANT: 'ssh', ...authentication.env(secrets) },
      },
    });
    return { result, knownHosts: await readFile(hosts, 'utf8') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const sshOptions = [
  'GlobalKnownHostsFile=/dev/null',
  'HashKnownHosts=no',
  'CheckHostIP=no',
  'UpdateHostKeys=no',
  'IdentityAgent=none',
  'ControlMaster=no',
  'ClearAllForwardings=yes',
  'ConnectTimeout=15',
  'ServerAliveInterval=30',
  'ServerAliveCountMax=10',
];

interface SshAuthentication {
  readonly options: readonly string[];
  env(secrets: RemoteSecrets): Record<string, string>;
}

async function keyAuthentication(folder: string, { privateKey = '' }: RemoteSecrets): Promise<SshAuthentication> {
  const file = join(folder, 'key');
  await writeFile(file, privateKey, { mode: 0o400 });
  const options = [`IdentityFile=${file}`, 'IdentitiesOnly=yes', 'BatchMode=yes', 'PreferredAuthentications=publickey'];
  return { options, env: () => ({}) };
}

// ssh reads a password only from a terminal or an askpass program.
async function passwordAuthentication(folder: string): Promise<SshAuthentication> {
  const file = join(folder, 'password');
  await writeFile(file, '#!/bin/sh\nprintf \'%s\\n\' "$HEARTH_SSH_PASSWORD"\n', { mode: 0o500 });
  return {
    options: [
      'IdentityFile=none',
      'IdentitiesOnly=yes',
      'NumberOfPasswordPrompts=1',
      'PreferredAuthentications=password,keyboard-interactive',
    ],
    env: ({ password = '' }) => ({
      SSH_ASKPASS: file,
      SSH_ASKPASS_REQUIRE: 'force',
      DISPLAY: 'none',
      HEARTH_SSH_PASSWORD: password,
    }),
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
