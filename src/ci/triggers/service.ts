import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { KnownToken } from '../../people/tokens/public.ts';
import { basicUsers } from '../../people/users/public.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import { digest, randomToken } from '../../platform/secrets/tokens.ts';
import type { TriggerEntity } from './schema.ts';
import * as store from './store.ts';
import type { TriggerRow } from './tables.ts';

export const tokenPrefix = 'glptt-';
const tokenPurpose = 'pipeline_triggers.token';
const maxTriggers = 25_000;

/** Shows the full token to its owner and to administrators, and only the first four characters to other users. */
async function present(services: Services, caller: SignedInActor, rows: readonly TriggerRow[]) {
  const { db, encryption, externalUrl } = services;
  const owners = await basicUsers(
    db.read,
    rows.map(({ owner_id }) => owner_id),
    externalUrl,
  );
  return rows.map((row): TriggerEntity => {
    const token = encryption.decrypt(row.token, tokenPurpose);
    const whole = row.owner_id === caller.user.id || caller.user.admin === 1;
    return {
      id: row.id,
      token: whole ? token : shortToken(token),
      description: row.description,
      created_at: instant(row.created_at),
      updated_at: instant(row.updated_at),
      last_used: instantOrNull(row.last_used_at),
      expires_at: instantOrNull(row.expires_at),
      owner: owners.get(row.owner_id) ?? null,
    };
  });
}

async function presentOne(services: Services, caller: SignedInActor, row: TriggerRow): Promise<TriggerEntity> {
  const [entity] = await present(services, caller, [row]);
  if (!entity) throw NotFound.record();
  return entity;
}

export function shortToken(token: string): string {
  return token.slice(tokenPrefix.length, tokenPrefix.length + 4);
}

/** The shortened token, as exposed to jobs. */
export function shortTokenOf({ encryption }: Services, row: TriggerRow): string {
  return shortToken(encryption.decrypt(row.token, tokenPurpose));
}

export async function listTriggers(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  slice: Slice,
): Promise<Page<TriggerEntity>> {
  const { rows, total } = await store.listTriggers(services.db.read, subject.project.id, slice);
  return new Page(await present(services, caller, rows), total);
}

async function requireTrigger({ db }: Services, subject: ProjectSubject, id: number): Promise<TriggerRow> {
  const row = await store.triggerOfProject(db.read, subject.project.id, id);
  if (!row) throw new NotFound('Trigger');
  return row;
}

export async function getTrigger(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
): Promise<TriggerEntity> {
  return presentOne(services, caller, await requireTrigger(services, subject, id));
}

export async function createTrigger(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { description, expires_at }: { description: string; expires_at?: number },
): Promise<TriggerEntity> {
  const token = tokenPrefix + randomToken(32);
  const now = Date.now();
  if (expires_at !== undefined && expires_at <= now) throw new Invalid({ expires_at: ['must be in the future'] });
  const row = await services.db.write(async (trx) => {
    await acquireLock(trx, `triggers of ${subject.project.id}`);
    if ((await store.countTriggers(trx, subject.project.id)) >= maxTriggers) {
      throw new Invalid({ base: [`Maximum number of pipeline triggers (${maxTriggers}) exceeded`] });
    }
    return store.insertTrigger(trx, {
      project_id: subject.project.id,
      owner_id: caller.user.id,
      description,
      token_digest: digest(token),
      token: services.encryption.encrypt(token, tokenPurpose),
      expires_at: expires_at ?? null,
      last_used_at: null,
      created_at: now,
      updated_at: now,
    });
  });
  return presentOne(services, caller, row);
}

export async function updateTrigger(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  id: number,
  description: string | undefined,
): Promise<TriggerEntity> {
  const trigger = await requireTrigger(services, subject, id);
  if (trigger.owner_id !== caller.user.id && caller.user.admin !== 1) throw new Forbidden();
  const row =
    description === undefined
      ? trigger
      : await services.db.write((trx) => store.updateTrigger(trx, id, { description, updated_at: Date.now() }));
  return presentOne(services, caller, row);
}

export async function deleteTrigger(services: Services, subject: ProjectSubject, id: number): Promise<void> {
  await requireTrigger(services, subject, id);
  await services.db.write((trx) => store.deleteTrigger(trx, id));
}

/** Finds a trigger by its plain text token. */
export async function knownTrigger({ db }: Services, text: string): Promise<KnownToken | undefined> {
  const row = await store.triggerByDigest(db.read, digest(text));
  if (!row) return undefined;
  const { id, description, owner_id: user_id, project_id } = row;
  const times = {
    expires_at: instantOrNull(row.expires_at),
    created_at: instant(row.created_at),
    last_used_at: instantOrNull(row.last_used_at),
  };
  return {
    entity: { id, description, user_id, project_id, ...times },
    revoke: () => db.write((trx) => store.deleteTrigger(trx, id)),
  };
}
