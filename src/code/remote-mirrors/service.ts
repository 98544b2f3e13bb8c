import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { lockProject } from '../../namespaces/projects/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { maskedUrl } from '../../platform/git/remote/address.ts';
import { generateSshKeyPair } from '../../platform/git/remote/key-pair.ts';
import { BadRequest, Invalid, NotFound, ParameterError } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { readHostKeys } from './host-keys.ts';
import { presentMirror } from './present.ts';
import { checkBranchRegex, readMirrorUrl, requireMirrorAvailable } from './rules.ts';
import { maxRunMs, scheduleUpdate } from './schedule.ts';
import type { MirrorChangeParams, NewMirrorParams, RemoteMirrorEntity } from './schema.ts';
import * as store from './store.ts';
import { type AuthMethod, authMethods, type RemoteMirrorChange, type RemoteMirrorRow } from './tables.ts';

/** Encryption purposes of the two secrets of a mirror. */
export const urlPurpose = 'remote_mirrors.encrypted_url';
export const keyPurpose = 'remote_mirrors.encrypted_private_key';

const maxEnabled = 10;

export async function listMirrors(
  { db }: Services,
  { project }: ProjectSubject,
  slice: Slice,
): Promise<Page<RemoteMirrorEntity>> {
  const { rows, total } = await store.listMirrors(db.read, project.id, slice);
  return new Page(rows, total).map(presentMirror);
}

async function requireMirror({ db }: Services, { project }: ProjectSubject, id: number): Promise<RemoteMirrorRow> {
  const mirror = await store.findMirror(db.read, id);
  if (mirror?.project_id !== project.id) throw NotFound.record();
  return mirror;
}

export async function getMirror(services: Services, subject: ProjectSubject, id: number): Promise<RemoteMirrorEntity> {
  return presentMirror(await requireMirror(services, subject, id));
}

export async function getPublicKey(
  services: Services,
  subject: ProjectSubject,
  id: number,
): Promise<{ public_key: string }> {
  const { url, auth_method, public_key } = await requireMirror(services, subject, id);
  if (!url.startsWith('ssh://') || auth_method !== 'ssh_public_key' || public_key === null) throw NotFound.record();
  return { public_key };
}

export async function createMirror(
  services: Services,
  caller: SignedInActor,
  { project }: ProjectSubject,
  params: NewMirrorParams,
): Promise<RemoteMirrorEntity> {
  const { db, encryption } = services;
  await requireMirrorAvailable(services, caller);
  const url = await readMirrorUrl(services, params.url, 'url');
  const { auth_method = 'password', enabled = false, keep_divergent_refs = false } = params;
  const filters = { only_protected_branches: 0, mirror_branch_regex: null, ...readFilters(params) };
  const known_hosts = readHostKeys(params.host_keys ?? [], url);
  const key = await keyFor(services, url.protocol, auth_method, null);
  const row = await db.write(async (trx) => {
    if (enabled) await checkEnabledLimit(trx, project.id);
    return store.insertMirror(trx, {
      project_id: project.id,
      enabled: enabled ? 1 : 0,
      url: maskedUrl(url),
      encrypted_url: encryption.encrypt(url.href, urlPurpose),
      auth_method,
      encrypted_private_key: null,
      public_key: null,
      known_hosts,
      ...key,
      ...filters,
      keep_divergent_refs: keep_divergent_refs ? 1 : 0,
      last_error: null,
      last_update_at: null,
      last_update_started_at: null,
      last_successful_update_at: null,
      created_at: Date.now(),
    });
  });
  return presentMirror(row);
}

/**
 * The two branch filters, protected branches and regular expression, are mutually exclusive: setting one resets the
 * other.
 */
function readFilters({
  only_protected_branches,
  mirror_branch_regex,
}: Pick<NewMirrorParams, 'only_protected_branches' | 'mirror_branch_regex'>): RemoteMirrorChange {
  if (only_protected_branches === null) throw new Invalid({ only_protected_branches: ["can't be blank"] });
  if (only_protected_branches && mirror_branch_regex) {
    throw new ParameterError('only_protected_branches, mirror_branch_regex are mutually exclusive');
  }
  if (only_protected_branches) return { only_protected_branches: 1, mirror_branch_regex: null };
  const unprotected = only_protected_branches === undefined ? {} : { only_protected_branches: 0 };
  if (mirror_branch_regex === undefined) return unprotected;
  if (mirror_branch_regex === null || mirror_branch_regex === '') return { ...unprotected, mirror_branch_regex: null };
  checkBranchRegex(mirror_branch_regex);
  return { only_protected_branches: 0, mirror_branch_regex };
}

type KeyColumns = Pick<RemoteMirrorChange, 'encrypted_private_key' | 'public_key'>;

/** Generates the SSH key pair of a mirror if it needs one and has none. */
async function keyFor(
  { encryption, externalUrl }: Services,
  protocol: string,
  method: AuthMethod,
  known: string | null,
): Promise<KeyColumns> {
  if (method !== 'ssh_public_key' || protocol !== 'ssh:' || known !== null) return {};
  const { privateKey, publicKey } = await generateSshKeyPair(`git@${new URL(externalUrl).hostname}`);
  return { encrypted_private_key: encryption.encrypt(privateKey, keyPurpose), public_key: publicKey };
}

// Locks the project, so that two concurrent requests cannot exceed the limit.
async function checkEnabledLimit(trx: Writer, projectId: number): Promise<void> {
  await lockProject(trx, projectId);
  if ((await store.enabledMirrors(trx, projectId)).length < maxEnabled) return;
  throw new Invalid({ enabled: [`is limited to ${maxEnabled} mirrors of a project`] });
}

export async function updateMirror(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: MirrorChangeParams,
): Promise<RemoteMirrorEntity> {
  const mirror = await requireMirror(services, subject, params.mirror_id);
  const { enabled, keep_divergent_refs } = params;
  if (enabled && mirror.enabled === 0) await requireMirrorAvailable(services, caller);
  const method = params.auth_method === undefined ? mirror.auth_method : readMethod(params.auth_method);
  const url = new URL(mirror.url);
  const known_hosts = params.host_keys === undefined ? mirror.known_hosts : readHostKeys(params.host_keys, url);
  const changed = method !== mirror.auth_method || known_hosts !== mirror.known_hosts;
  const columns: RemoteMirrorChange = {
    ...readFilters(params),
    ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0 }),
    ...(keep_divergent_refs === undefined ? {} : { keep_divergent_refs: keep_divergent_refs ? 1 : 0 }),
    ...(changed ? { auth_method: method, known_hosts, ...resetColumns } : {}),
    ...(await keyFor(services, url.protocol, method, mirror.public_key)),
  };
  if (Object.keys(columns).length === 0) return presentMirror(mirror);
  const row = await services.db.write(async (trx) => {
    const before = await store.lockMirror(trx, mirror.id);
    if (enabled && before?.enabled === 0) await checkEnabledLimit(trx, mirror.project_id);
    return store.updateMirror(trx, mirror.id, columns);
  });
  if (!row) throw NotFound.record();
  return presentMirror(row);
}

/** With different credentials, the results of previous runs are meaningless. */
const resetColumns = {
  update_status: 'finished',
  failures: 0,
  last_error: null,
  last_update_at: null,
  last_successful_update_at: null,
} as const;

function readMethod(text: string): AuthMethod {
  const method = authMethods.find((known) => known === text);
  if (method === undefined) throw new Invalid({ auth_method: ['is not included in the list'] });
  return method;
}

/** Starts an update as soon as possible, unless one is running. */
export async function syncMirror(services: Services, subject: ProjectSubject, id: number): Promise<void> {
  const mirror = await requireMirror(services, subject, id);
  if (mirror.enabled === 0) {
    throw BadRequest.plain('Cannot proceed with the push mirroring. Please verify your mirror configuration.');
  }
  const { update_status, last_update_started_at: started } = mirror;
  // A run older than the maximum duration has crashed for good.
  if (update_status === 'started' && started !== null && started > Date.now() - maxRunMs) return;
  await services.db.write((trx) => scheduleUpdate(services, trx, mirror.id, Date.now()));
}

export async function deleteMirror(services: Services, subject: ProjectSubject, id: number): Promise<void> {
  const mirror = await requireMirror(services, subject, id);
  await services.db.write((trx) => store.deleteMirror(trx, mirror.id));
}
