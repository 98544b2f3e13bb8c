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
import { createAccessToken } from './access-token.ts';
import { readSshCommand, type SshCommand } from './command.ts';
import type { KeyHolder } from './identify.ts';
import { generateRecoveryCodes } from './recovery-codes.ts';

const rule = '='.repeat(72);

/** Formats lines as a framed `remote:` block, set apart from git's own output. */
function framed(lines: readonly string[]): string {
  return ['', rule, '', ...lines, '', rule, ''].map((line) => `remote: ${line}\n`).join('');
}

/** Formats an error message as a framed block. */
function framedError(text: string): string {
  return framed([`ERROR: ${text}`]);
}

/** Context of an SSH command. */
export interface SshSession {
  readonly services: Services;
  readonly sessions: GitSessions;
  readonly holder: KeyHolder;
  readonly channel: ServerChannel;
  /** The GIT_PROTOCOL variable, if sent. */
  readonly protocol: string | undefined;
}

const failed = 1;

/** Runs a command and returns its exit code. Errors go to standard error, everything else comes from git. */
export async function runCommand(session: SshSession, line: string): Promise<number> {
  const { channel, services } = session;
  const command = readSshCommand(line);
  if (!command) return refuse(channel, 'Disallowed command');
  try {
    if (command.kind === 'recovery-codes') return await generateRecoveryCodes(session);
    if (command.kind === 'access-token') return await createAccessToken(session, command.args);
    if (command.kind === 'lfs') {
      return await authenticateLfs(
        session,
        await openRepository(services, accessRequestOf(session, command)),
        command.operation,
      );
    }
    const accessRequest = accessRequestOf(session, command);
    const access = (await openNonProject(services, accessRequest)) ?? (await openRepository(services, accessRequest));
    // For a push, git shows the notices itself; for a fetch, standard error is the only place.
    if (command.kind !== 'push' && access.remarks.length > 0) channel.stderr.write(framed(access.remarks));
    const { ok, error, sent } = await runSession(session, access, command.kind);
    if (!ok && sent === 0 && error) channel.stderr.write(`${error}\n`);
    return ok ? 0 : failed;
  } catch (error) {
    if (error instanceof GitRefusal) return refuse(channel, error.message);
    if (error instanceof GitBusyError) return refuse(channel, 'The server is busy with this repository. Retry later.');
    if (channel.destroyed) return failed;
    services.log.error({ err: error }, 'an SSH command failed');
    return refuse(channel, 'An internal error occurred. Please try again later.');
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

async function runSession(
  { sessions, channel, protocol }: SshSession,
  access: AnyAccess,
  kind: 'fetch' | 'push' | 'archive',
): Promise<SessionResult> {
  const disconnected = new AbortController();
  channel.once('close', () => disconnected.abort());
  const signal = disconnected.signal;
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
