import { randomBytes } from 'node:crypto';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { BadRequest, NotFound, Unprocessable } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { presentKey, presentSetting } from './present.ts';
import type { ClientKeyEntity, ErrorTrackingSettingEntity } from './schema.ts';
import * as store from './store.ts';
import type { ClientKeyRow } from './tables.ts';

const maxKeys = 50;

export interface SettingChange {
  readonly active: boolean;
  readonly integrated?: boolean;
}

const missing = () => new NotFound('Error Tracking Setting');

export async function getSetting({ db }: Services, { project }: ProjectSubject): Promise<ErrorTrackingSettingEntity> {
  const setting = await store.findSetting(db.read, project.id);
  if (!setting) throw missing();
  return presentSetting(setting);
}

/** Saves the settings. Enabling error tracking creates a client key if there is no active one. */
export async function saveSetting(
  { db }: Services,
  { project }: ProjectSubject,
  { active, integrated }: Required<SettingChange>,
): Promise<ErrorTrackingSettingEntity> {
  if (active && !integrated) throw BadRequest.plain('Validation failed: Api url is a required field');
  return db.write(async (trx) => {
    const saved = await store.saveSetting(trx, project.id, { active: Number(active), integrated: Number(integrated) });
    if (active && (await store.countKeys(trx, project.id)).active === 0) await addKey(trx, project.id);
    return presentSetting(saved);
  });
}

/** Like `saveSetting`, but requires existing settings and keeps omitted ones. Throws 404 otherwise. */
export async function changeSetting(
  services: Services,
  subject: ProjectSubject,
  { active, integrated }: SettingChange,
): Promise<ErrorTrackingSettingEntity> {
  const known = await store.findSetting(services.db.read, subject.project.id);
  if (!known) throw missing();
  return saveSetting(services, subject, { active, integrated: integrated ?? known.integrated === 1 });
}

export async function listKeys(
  { db, externalUrl }: Services,
  { project }: ProjectSubject,
  slice: Slice,
): Promise<Page<ClientKeyEntity>> {
  const { rows, total } = await store.listKeys(db.read, project.id, slice);
  return new Page(rows, total).map((row) => presentKey(row, externalUrl));
}

export async function createKey({ db, externalUrl }: Services, { project }: ProjectSubject): Promise<ClientKeyEntity> {
  const key = await db.write(async (trx) => {
    await store.lockKeys(trx, project.id);
    if ((await store.countKeys(trx, project.id)).all >= maxKeys) {
      throw new Unprocessable(`A project has at most ${maxKeys} client keys`);
    }
    return addKey(trx, project.id);
  });
  return presentKey(key, externalUrl);
}

export async function deleteKey({ db }: Services, { project }: ProjectSubject, id: number): Promise<void> {
  const deleted = await db.write((trx) => store.deleteKey(trx, project.id, id));
  if (!deleted) throw NotFound.record();
}

/** Replaces a key by a new one. The old key is rejected immediately. */
export async function rotateKey(
  { db, externalUrl }: Services,
  { project }: ProjectSubject,
  id: number,
): Promise<ClientKeyEntity> {
  const key = await db.write(async (trx) => {
    if (!(await store.deleteKey(trx, project.id, id))) throw NotFound.record();
    return addKey(trx, project.id);
  });
  return presentKey(key, externalUrl);
}

/** Only word characters, because the browser SDK accepts no others in a DSN. */
function addKey(trx: Writer, project: number): Promise<ClientKeyRow> {
  return store.insertKey(trx, project, `glet_${randomBytes(16).toString('hex')}`);
}
