import type { Services } from '../../../access/services.ts';
import type { GroupSubject, ProjectSubject } from '../../../access/subjects.ts';
import type { Namespace, Project } from '../../../access/tables.ts';
import { updateGroupRow } from '../../../namespaces/groups/public.ts';
import { updateProject } from '../../../namespaces/projects/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { Forbidden, HttpError } from '../../../platform/http/errors.ts';
import { instantOrNull } from '../../../platform/http/schema.ts';
import { digest, randomToken } from '../../../platform/secrets/tokens.ts';
import { columnsOf, requireTags } from '../columns.ts';
import { mayRegister, tokenExpiry } from '../lifetime.ts';
import { requireWithinLimit } from '../limit.ts';
import type { RegisteringParams, RegistrationEntity } from '../schema.ts';
import { assignProject, insertRunner } from '../store.ts';
import type { RunnerType } from '../tables.ts';
import { findRegistration, type Registered, setInstanceToken, setRegistrationToken } from './store.ts';

const registrationDisallowed = () => new HttpError(410, { message: '410 Gone - runner registration disallowed' });

function typeOf({ project_id, namespace_id }: Registered): RunnerType {
  if (project_id !== null) return 'project_type';
  return namespace_id === null ? 'instance_type' : 'group_type';
}

/** Registers a runner with a registration token. Its own token uses the legacy format. */
export async function registerRunner(
  services: Services,
  registrationToken: string,
  { maintainer_note, info, ...params }: RegisteringParams,
): Promise<RegistrationEntity> {
  const owner = await findRegistration(services.db.read, digest(registrationToken));
  if (!owner) throw new Forbidden('invalid token supplied');
  const runner_type = typeOf(owner);
  const settings = await services.settings.read();
  const open = runner_type === 'instance_type' || mayRegister(settings, runner_type);
  if (!settings.allow_runner_registration_token || !open) throw registrationDisallowed();
  const columns = columnsOf(maintainer_note === undefined ? params : { maintenance_note: maintainer_note, ...params });
  requireTags(columns);
  const token = `glrtr-${randomToken()}`;
  const now = Date.now();
  const token_expires_at = tokenExpiry(settings, runner_type, now);
  const runner = await services.db.write(async (trx) => {
    if (runner_type !== 'instance_type') {
      await requireWithinLimit(trx, { namespaceId: owner.namespace_id, projectId: owner.project_id });
    }
    const inserted = await insertRunner(trx, {
      runner_type,
      token_digest: digest(token),
      legacy: 1,
      namespace_id: owner.namespace_id,
      creator_id: null,
      description: null,
      name: info?.name ?? null,
      ...columns,
      token_expires_at,
      created_at: now,
      updated_at: now,
    });
    if (owner.project_id !== null) await assignProject(trx, inserted.id, owner.project_id);
    return inserted;
  });
  return { id: runner.id, token, token_expires_at: instantOrNull(token_expires_at) };
}

/** Indexes the registration token a new project or group was created with. */
export async function indexRegistrationToken(
  { encryption }: Services,
  trx: Writer,
  owner: { readonly project: Project } | { readonly group: Namespace },
): Promise<void> {
  const [encrypted, purpose, ownerColumns] =
    'project' in owner
      ? ([owner.project.runners_token, 'projects.runners_token', { project_id: owner.project.id }] as const)
      : ([owner.group.runners_token, 'namespaces.runners_token', { namespace_id: owner.group.id }] as const);
  if (encrypted !== null) await setRegistrationToken(trx, ownerColumns, digest(encryption.decrypt(encrypted, purpose)));
}

/** Owner of a registration token. */
export type TokenOwner = { readonly project: Project } | { readonly group: Namespace } | 'instance';

export const ownerOf = (subject: ProjectSubject | GroupSubject): TokenOwner =>
  'project' in subject ? { project: subject.project } : { group: subject.group };

/** Replaces a registration token; the old one stops working immediately. */
export async function resetRegistrationToken(services: Services, owner: TokenOwner): Promise<{ token: string }> {
  const { db, encryption, settings } = services;
  if (!(await settings.read()).allow_runner_registration_token) throw new Forbidden();
  const token = `GR1348941${randomToken()}`;
  await db.write(async (trx) => {
    if (owner === 'instance') return setInstanceToken(trx, digest(token));
    if ('project' in owner) {
      const { id } = owner.project;
      await updateProject(trx, id, { runners_token: encryption.encrypt(token, 'projects.runners_token') });
      return setRegistrationToken(trx, { project_id: id }, digest(token));
    }
    const { id } = owner.group;
    await updateGroupRow(trx, id, { runners_token: encryption.encrypt(token, 'namespaces.runners_token') });
    return setRegistrationToken(trx, { namespace_id: id }, digest(token));
  });
  return { token };
}
