import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { basicUsers } from '../../people/users/public.ts';
import { NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import type { StateEntity, StateVersionEntity } from './schema.ts';
import * as store from './store.ts';
import type { StateRow, VersionRow } from './tables.ts';

async function presentVersions(
  { db, externalUrl }: Services,
  rows: readonly VersionRow[],
): Promise<Map<number, StateVersionEntity>> {
  const users = await basicUsers(
    db.read,
    rows.map(({ created_by_id }) => created_by_id),
    externalUrl,
  );
  return new Map(
    rows.map(({ id, serial, size, sha256, created_at, created_by_id: by }) => [
      id,
      { serial, size, sha256, created_at: instant(created_at), created_by: (by !== null && users.get(by)) || null },
    ]),
  );
}

async function presentStates(services: Services, rows: readonly StateRow[]): Promise<StateEntity[]> {
  const { db, externalUrl } = services;
  const [holders, latest] = await Promise.all([
    basicUsers(
      db.read,
      rows.map(({ locked_by_id }) => locked_by_id),
      externalUrl,
    ),
    store.latestVersions(
      db.read,
      rows.map(({ id }) => id),
    ),
  ]);
  const versions = await presentVersions(services, latest);
  const latestOf = new Map(latest.map(({ state_id, id }) => [state_id, versions.get(id)]));
  return rows.map((row) => ({
    name: row.name,
    locked_at: instantOrNull(row.locked_at),
    locked_by: (row.locked_by_id !== null && holders.get(row.locked_by_id)) || null,
    latest_version: latestOf.get(row.id) ?? null,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  }));
}

/** Lists the states of a project without their contents. */
export async function listStates(
  services: Services,
  { project }: ProjectSubject,
  page: PageRequest,
): Promise<Page<StateEntity>> {
  const { rows, total } = await store.listStates(services.db.read, project.id, page);
  return new Page(await presentStates(services, rows), total);
}

/** Lists the versions of a state, newest first. */
export async function listVersions(
  services: Services,
  { project }: ProjectSubject,
  name: string,
  page: PageRequest,
): Promise<Page<StateVersionEntity>> {
  const state = await store.findState(services.db.read, project.id, name);
  if (!state) throw new NotFound();
  const { rows, total } = await store.listVersions(services.db.read, state.id, page);
  return new Page([...(await presentVersions(services, rows)).values()], total);
}

/** Describes a state without its content. */
export async function describeState(
  services: Services,
  { project }: ProjectSubject,
  name: string,
): Promise<StateEntity> {
  const state = await store.findState(services.db.read, project.id, name);
  const [entity] = state ? await presentStates(services, [state]) : [];
  if (!entity) throw new NotFound();
  return entity;
}
