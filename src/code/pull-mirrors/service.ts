import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { changeProject, type FollowRepository, noteRepository } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { type Credentials, credentialsOf, maskedUrl, withoutCredentials } from '../../platform/git/remote/address.ts';
import type { RemoteSecrets } from '../../platform/git/remote/connection.ts';
import { generateSshKeyPair } from '../../platform/git/remote/key-pair.ts';
import { BadRequest, Invalid, NotFound } from '../../platform/http/errors.ts';
import { type AuthMethod, checkBranchRegex, readMirrorUrl, requireMirrorAvailable } from '../remote-mirrors/public.ts';
import { mirrorSettingsOf, presentPullMirror } from './present.ts';
import type { PullMirrorEntity, PullMirrorParams } from './schema.ts';
import * as store from './store.ts';
import type { PullMirrorRow } from './tables.ts';

/** What the address of a mirror is encrypted for. */
export const urlPurpose = 'pull_mirrors.encrypted_url';
const keyPurpose = 'pull_mirrors.encrypted_private_key';

const notMirrored = 'The project is not mirrored';

export async function getPullMirror({ db }: Services, { project }: ProjectSubject): Promise<PullMirrorEntity> {
  const row = await store.findPullMirror(db.read, project.id);
  if (!row) throw BadRequest.plain(notMirrored);
  return presentPullMirror(row, project);
}

/** Pulls as soon as may be. What waits or runs will do; what has failed too often gets a new start. */
export async function startPull(services: Services, { project }: ProjectSubject): Promise<void> {
  const row = await store.findPullMirror(services.db.read, project.id);
  if (!row || !mirrorSettingsOf(project).enabled) throw BadRequest.plain(notMirrored);
  if (row.update_status === 'scheduled' || row.update_status === 'started') return;
  await services.db.write(async (trx) => {
    await store.updatePullMirror(trx, project.id, { failures: 0 });
    await enqueuePull(services, trx, project.id);
  });
}

export async function changePullMirror(
  services: Services,
  actor: SignedInActor,
  subject: ProjectSubject,
  params: PullMirrorParams,
): Promise<PullMirrorEntity> {
  const { enabled, auth_method, auth_user, auth_password, url, id: _, ...settings } = params;
  const known = await store.findPullMirror(services.db.read, subject.project.id);
  const address = addressFrom(services, known, url, { user: auth_user, password: auth_password });
  const sent = Object.entries({ ...settings, mirror: enabled, import_url: address });
  const wanted = Object.fromEntries(sent.filter(([, value]) => value !== undefined));
  const changed = Object.keys(wanted).length > 0;
  const project = changed ? await changeProject(services, actor, subject, wanted) : subject.project;
  const row = await store.findPullMirror(services.db.read, project.id);
  if (!row) throw BadRequest.plain(notMirrored);
  const proof = await proofColumns(services, row, auth_method ?? row.auth_method);
  if (Object.keys(proof).length === 0) return presentPullMirror(row, project);
  await services.db.write((trx) => store.updatePullMirror(trx, project.id, proof));
  return presentPullMirror({ ...row, ...proof }, project);
}

/** How a project proves itself from now on, with the pair of keys that it takes and does not have yet. */
async function proofColumns(
  { encryption, externalUrl }: Services,
  row: PullMirrorRow,
  method: AuthMethod,
): Promise<Partial<Pick<PullMirrorRow, 'auth_method' | 'encrypted_private_key' | 'public_key'>>> {
  const changed = method === row.auth_method ? {} : { auth_method: method };
  if (method !== 'ssh_public_key' || !row.url.startsWith('ssh://') || row.public_key !== null) return changed;
  const { privateKey, publicKey } = await generateSshKeyPair(`git@${new URL(externalUrl).hostname}`);
  return { ...changed, encrypted_private_key: encryption.encrypt(privateKey, keyPurpose), public_key: publicKey };
}

export async function getPublicKey({ db }: Services, { project }: ProjectSubject): Promise<{ public_key: string }> {
  const row = await store.findPullMirror(db.read, project.id);
  if (!row?.url.startsWith('ssh://') || row.auth_method !== 'ssh_public_key' || row.public_key === null) {
    throw NotFound.record();
  }
  return { public_key: row.public_key };
}

/** The address with the credentials beside it. Those of the address before never go to another one. */
function addressFrom(
  { encryption }: Services,
  known: PullMirrorRow | undefined,
  sent: string | undefined,
  auth: { user: string | undefined; password: string | undefined },
): string | undefined {
  if (auth.user === undefined && auth.password === undefined) return sent;
  const text = sent ?? (known && encryption.decrypt(known.encrypted_url, urlPurpose));
  if (text === undefined || !URL.canParse(text)) return text;
  const url = new URL(text);
  if (auth.user !== undefined) url.username = encodeURIComponent(auth.user);
  if (auth.password !== undefined) url.password = encodeURIComponent(auth.password);
  return url.href;
}

/** The settings of a project that are about the repository that it follows. */
const mirrorFields = [
  'mirror',
  'mirror_user_id',
  'mirror_trigger_builds',
  'only_mirror_protected_branches',
  'mirror_overwrites_diverged_branches',
  'mirror_branch_regex',
];

export const followRepository: FollowRepository = async (services, actor, project, wanted) => {
  const { mirror, import_url: sent } = wanted;
  const fields = mirrorFields.filter((name) => wanted[name] !== undefined && wanted[name] !== null);
  // Without `mirror` a new project is filled from the address once. Programs send an empty one where they know of none.
  const address = typeof sent === 'string' && sent !== '' && (project || mirror === true) ? sent : undefined;
  if (fields.length === 0 && address === undefined) return undefined;
  const before = project && mirrorSettingsOf(project);
  const enabled = typeof mirror === 'boolean' ? mirror : before?.enabled === true;
  const known = project && (await store.findPullMirror(services.db.read, project.id));
  const begins = enabled && (address !== undefined || before?.enabled !== true);
  if (begins || address !== undefined) await requireMirrorAvailable(services, actor);
  // A project that was imported goes on with the address that it came from.
  const text = address ?? (begins && !known ? (project?.import_url ?? '') : undefined);
  const url = text === undefined ? undefined : await readMirrorUrl(services, text, 'import_url');
  const userId = await mirrorUser(services, actor, wanted.mirror_user_id);
  return {
    settings: {
      ...filters(wanted),
      ...(begins || userId !== undefined ? { mirror_user_id: userId ?? actor.user.id } : {}),
    },
    apply: (trx, changed) => apply(services, trx, changed, { url, begins }),
  };
};

/** Whoever pulls does so in their own name; only administrators name somebody else. */
async function mirrorUser({ db }: Services, actor: SignedInActor, wanted: unknown): Promise<number | undefined> {
  if (typeof wanted !== 'number') return undefined;
  const known = wanted === actor.user.id || (isAdmin(actor) && (await findUser(db.read, wanted)) !== undefined);
  if (!known) throw new Invalid({ mirror_user_id: ['is invalid'] });
  return wanted;
}

/** A mirror is kept to the protected branches, or to those whose names match: the one ends the other. */
function filters(wanted: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { only_mirror_protected_branches: guarded, mirror_branch_regex: regex } = wanted;
  if (guarded === true) return { mirror_branch_regex: null };
  if (typeof regex !== 'string' || regex === '') return {};
  checkBranchRegex(regex);
  return { only_mirror_protected_branches: false };
}

async function apply(
  services: Services,
  trx: Writer,
  project: Project,
  { url, begins }: { url: URL | undefined; begins: boolean },
): Promise<void> {
  if (url) {
    const bare = withoutCredentials(url);
    await store.putPullMirror(trx, {
      project_id: project.id,
      url: maskedUrl(url),
      encrypted_url: services.encryption.encrypt(url.href, urlPurpose),
      known_hosts: '',
      update_status: 'none',
      failures: 0,
      last_error: null,
      last_update_at: null,
      last_update_started_at: null,
      last_successful_update_at: null,
      next_update_at: null,
    });
    await noteRepository(trx, project.id, { import_url: bare });
  }
  if (begins) await enqueuePull(services, trx, project.id);
  else if (!mirrorSettingsOf(project).enabled) {
    await store.updatePullMirror(trx, project.id, { next_update_at: null });
  }
}

const abandonedMs = 4 * 60 * 60_000;

/** Lets a project be brought up to date; should nothing come of it, the round that looks for overdue ones takes it again. */
export async function enqueuePull({ queue }: Services, trx: Writer, projectId: number): Promise<void> {
  const next_update_at = Date.now() + abandonedMs;
  await store.updatePullMirror(trx, projectId, { update_status: 'scheduled', next_update_at });
  await queue.enqueue(trx, 'pull-mirrors.update', { projectId }, { dedupeKey: `${projectId}` });
}

/** The address of a mirror, and what it is reached with. */
export function addressOf({ encryption }: Services, row: PullMirrorRow) {
  const url = new URL(encryption.decrypt(row.encrypted_url, urlPurpose));
  return { url, credentials: credentialsOf(url) };
}

/** What git proves itself with there: a key of the project's own, or what the address has. */
export function secretsOf({ encryption }: Services, row: PullMirrorRow, credentials: Credentials): RemoteSecrets {
  const knownHosts = row.known_hosts;
  if (row.auth_method !== 'ssh_public_key' || row.encrypted_private_key === null) return { ...credentials, knownHosts };
  return { privateKey: encryption.decrypt(row.encrypted_private_key, keyPurpose), knownHosts };
}
