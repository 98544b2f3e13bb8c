import type { ServerChannel } from 'ssh2';
import type { Services } from '../../access/services.ts';
import { GitBusyError } from '../../platform/git/process/errors.ts';
import type { SessionResult } from '../../platform/git/transport/transport.ts';
import { issueLfsToken, lfsAuthorization, lfsTokenSeconds } from '../lfs/public.ts';
import {
  type AnyAccess,
  type GitAccess,
  GitRefusal,
  type GitSessions,
  openNonProject,
  openRepository,
} from '../transport/public.ts';
import { makeAccessToken } from './access-token.ts';
import { readSshCommand, type SshCommand } from './command.ts';
import type { KeyHolder } from './identify.ts';
import { makeRecoveryCodes } from './recovery-codes.ts';

const rule = '='.repeat(72);

/** Lines for the terminal of somebody who uses git over SSH, set off from what git prints. */
function framed(lines: readonly string[]): string {
  return ['', rule, '', ...lines, '', rule, ''].map((line) => `remote: ${line}\n`).join('');
}

/** A refusal, framed. */
function framedError(text: string): string {
  return framed([`ERROR: ${text}`]);
}

/** What a session needs to answer a command. */
export interface SshSession {
  readonly services: Services;
  readonly sessions: GitSessions;
  readonly holder: KeyHolder;
  readonly channel: ServerChannel;
  /** GIT_PROTOCOL, if the client sent it. */
  readonly protocol: string | undefined;
}

const failed = 1;

/** Runs one command and returns its exit code. Refusals go to standard error; everything else is git's. */
export async function runCommand(session: SshSession, line: string): Promise<number> {
  const { channel, services } = session;
  const command = readSshCommand(line);
  if (!command) return refuse(channel, 'Disallowed command');
  try {
    if (command.kind === 'recovery-codes') return await makeRecoveryCodes(session);
    if (command.kind === 'access-token') return await makeAccessToken(session, command.args);
    if (command.kind === 'lfs') {
      return await authenticateLfs(
        session,
        await openRepository(services, accessRequestOf(session, command)),
        command.operation,
      );
    }
    const wanted = accessRequestOf(session, command);
    const access = (await openNonProject(services, wanted)) ?? (await openRepository(services, wanted));
    // A push shows its remarks with git's own; a fetch has no other place for them.
    if (command.kind !== 'push' && access.remarks.length > 0) channel.stderr.write(framed(access.remarks));
    const { ok, error, sent } = await converse(session, access, command.kind);
    if (!ok && sent === 0 && error) channel.stderr.write(`${error}\n`);
    return ok ? 0 : failed;
  } catch (error) {
    if (error instanceof GitRefusal) return refuse(channel, error.message);
    if (error instanceof GitBusyError) return refuse(channel, 'The server is busy with this repository. Retry later.');
    if (channel.destroyed) return failed;
    services.log.error({ err: error }, 'a command over SSH failed');
    return refuse(channel, 'The server could not do this. Please try again later.');
  }
}

function refuse(channel: ServerChannel, text: string): number {
  channel.stderr.write(framedError(text));
  return failed;
}

function accessRequestOf({ holder }: SshSession, command: Extract<SshCommand, { path: string }>) {
  const upload = command.kind === 'push' || (command.kind === 'lfs' && command.operation === 'upload');
  return {
    actor: holder.actor,
    path: command.path,
    operation: upload ? 'push' : 'pull',
    protocol: 'ssh',
    creates: command.kind === 'push',
    ...(holder.within ? { within: holder.within } : {}),
  } as const;
}

async function converse(
  { sessions, channel, protocol }: SshSession,
  access: AnyAccess,
  kind: 'fetch' | 'push' | 'archive',
): Promise<SessionResult> {
  const gone = new AbortController();
  channel.once('close', () => gone.abort());
  const signal = gone.signal;
  return sessions[kind](access, { input: channel, output: channel, stateless: false, protocol, signal });
}

async function authenticateLfs(
  { services, channel }: SshSession,
  { actor, subject }: GitAccess,
  operation: 'upload' | 'download',
): Promise<number> {
  const token = issueLfsToken(services, actor, subject.project.id, operation);
  const answer = {
    header: { Authorization: lfsAuthorization(token) },
    href: `${services.externalUrl}/${subject.fullPath}.git/info/lfs`,
    expires_in: lfsTokenSeconds,
  };
  await new Promise<void>((resolve) => channel.write(`${JSON.stringify(answer)}\n`, () => resolve()));
  return 0;
}
