import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { type ConfigureMirroring, changeProject, updateRepositoryColumns } from '../../namespaces/projects/public.ts';
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

/** Encryption purpose of mirror URLs. */
export const urlPurpose = 'pull_mirrors.encrypted_url';
const keyPurpose = 'pull_mirrors.encrypted_private_key';

const notMirrored = 'The project is not mirrored';

export async function getPullMirror({ db }: Services, { project }: ProjectSubject): Promise<PullMirrorEntity> {
  const row = await store.findPullMirror(db.read, project.id);
  if (!row) throw BadRequest.plain(notMirrored);
  return presentPullMirror(row, project);
}

/** Starts a pull as soon as possible unless one is queued or running. Resets the failure count. */
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
  const requested = Object.fromEntries(sent.filter(([, value]) => value !== undefined));
  const changed = Object.keys(requested).length > 0;
  const project = changed ? await changeProject(services, actor, subject, requested) : subject.project;
  const row = await store.findPullMirror(services.db.read, project.id);
  if (!row) throw BadRequest.plain(notMirrored);
  const proof = await proofColumns(services, row, auth_method ?? row.auth_method);
  if (Object.keys(proof).length === 0) return presentPullMirror(row, project);
  await services.db.write((trx) => store.updatePullMirror(trx, project.id, proof));
  return presentPullMirror({ ...row, ...proof }, project);
}

/** The columns that change with the authentication method; generates an SSH key pair when needed. */
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

/** Merges the given credentials into the URL. Stored credentials are never combined with a different URL. */
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

/** Project settings that configure pull mirroring. */
const mirrorFields = [
  'mirror',
  'mirror_user_id',
  'mirror_trigger_builds',
  'only_mirror_protected_branches',
  'mirror_overwrites_diverged_branches',
  'mirror_branch_regex',
];

export const applyPullMirrorSettings: ConfigureMirroring = async (services, actor, project, requested) => {
  const { mirror, import_url: sent } = requested;
  const fields = mirrorFields.filter((name) => requested[name] !== undefined && requested[name] !== null);
  // Without `mirror`, a new project is imported from the URL once. Some clients send an empty `import_url` to mean
  // none.
  const address = typeof sent === 'string' && sent !== '' && (project || mirror === true) ? sent : undefined;
  if (fields.length === 0 && address === undefined) return undefined;
  const before = project && mirrorSettingsOf(project);
  const enabled = typeof mirror === 'boolean' ? mirror : before?.enabled === true;
  const known = project && (await store.findPullMirror(services.db.read, project.id));
  const begins = enabled && (address !== undefined || before?.enabled !== true);
  if (begins || address !== undefined) await requireMirrorAvailable(services, actor);
  // An imported project is mirrored from its import URL by default.
  const text = address ?? (begins && !known ? (project?.import_url ?? '') : undefined);
  const url = text === undefined ? undefined : await readMirrorUrl(services, text, 'import_url');
  const userId = await mirrorUser(services, actor, requested.mirror_user_id);
  return {
    settings: {
      ...filters(requested),
      ...(begins || userId !== undefined ? { mirror_user_id: userId ?? actor.user.id } : {}),
    },
    apply: (trx, changed) => apply(services, trx, changed, { url, begins }),
  };
};

/** Pulls run as the user who set up the mirror; only administrators may choose another user. */
async function mirrorUser({ db }: Services, actor: SignedInActor, requested: unknown): Promise<number | undefined> {
  if (typeof requested !== 'number') return undefined;
  const known = requested === actor.user.id || (isAdmin(actor) && (await findUser(db.read, requested)) !== undefined);
  if (!known) throw new Invalid({ mirror_user_id: ['is invalid'] });
  return requested;
}

/**
 * The two branch filters, protected branches and regular expression, are mutually exclusive: setting one resets the
 * other.
 */
function filters(requested: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { only_mirror_protected_branches: guarded, mirror_branch_regex: regex } = requested;
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
    await updateRepositoryColumns(trx, project.id, { import_url: bare });
  }
  if (begins) await enqueuePull(services, trx, project.id);
  else if (!mirrorSettingsOf(project).enabled) {
    await store.updatePullMirror(trx, project.id, { next_update_at: null });
  }
}

const abandonedMs = 4 * 60 * 60_000;

/** Queues a pull. If the job gets lost, the mirror becomes due again after this time. */
export async function enqueuePull({ queue }: Services, trx: Writer, projectId: number): Promise<void> {
  const next_update_at = Date.now() + abandonedMs;
  await store.updatePullMirror(trx, projectId, { update_status: 'scheduled', next_update_at });
  await queue.enqueue(trx, 'pull-mirrors.update', { projectId }, { dedupeKey: `${projectId}` });
}

/** The URL of a mirror and its credentials. */
export function mirrorAddress({ encryption }: Services, row: PullMirrorRow) {
  const url = new URL(encryption.decrypt(row.encrypted_url, urlPurpose));
  return { url, credentials: credentialsOf(url) };
}

/** The credentials git uses for the remote: the project's SSH key, or those in the URL. */
export function pullMirrorSecrets(
  { encryption }: Services,
  row: PullMirrorRow,
  credentials: Credentials,
): RemoteSecrets {
  const knownHosts = row.known_hosts;
  if (row.auth_method !== 'ssh_public_key' || row.encrypted_private_key === null) return { ...credentials, knownHosts };
  return { privateKey: encryption.decrypt(row.encrypted_private_key, keyPurpose), knownHosts };
}
