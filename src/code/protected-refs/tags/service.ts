import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Database, Reader } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import * as grantStore from '../grant-store.ts';
import { checkGrants, type GrantRequest, grantsFor } from '../grants.ts';
import { readPattern } from '../pattern.ts';
import { presentGrants } from '../present.ts';
import * as store from '../store.ts';
import type { ProtectedTagRow } from '../tables.ts';
import type { ProtectedTagEntity } from './schema.ts';

async function present(db: Reader, rows: readonly ProtectedTagRow[]): Promise<ProtectedTagEntity[]> {
  const grants = await grantStore.grantsOf(
    db,
    'tag_id',
    rows.map((row) => row.id),
  );
  return rows.map((row) => ({
    name: row.name,
    create_access_levels: presentGrants(
      grants.filter((grant) => grant.tag_id === row.id),
      'create',
    ),
  }));
}

export async function listTagRules(
  db: Database,
  place: ProjectSubject,
  slice: Slice,
): Promise<Page<ProtectedTagEntity>> {
  const { rows, total } = await store.listTagRules(db.read, place.project.id, slice);
  return new Page(await present(db.read, rows), total);
}

async function find(db: Reader, place: ProjectSubject, name: string): Promise<ProtectedTagRow> {
  const row = await store.findTagRule(db, place.project.id, name);
  if (!row) throw NotFound.record();
  return row;
}

export async function getTagRule(db: Database, place: ProjectSubject, name: string): Promise<ProtectedTagEntity> {
  return (await present(db.read, [await find(db.read, place, name)]))[0] as ProtectedTagEntity;
}

/** Protects a tag, or all tags matching a wildcard. */
export async function protectTag(
  db: Database,
  place: ProjectSubject,
  params: { name: string; create_access_level?: number; allowed_to_create?: readonly GrantRequest[] },
): Promise<ProtectedTagEntity> {
  const name = readPattern(params.name);
  const grants = grantsFor('create', params.create_access_level, params.allowed_to_create);
  await checkGrants(db.read, place, grants);
  const row = await db
    .write(async (trx) => {
      const rule = await store.insertTagRule(trx, place.project.id, name);
      await grantStore.insertGrants(trx, { tag_id: rule.id }, grants);
      return rule;
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Unprocessable(['Name has already been taken']) : error;
    });
  return (await present(db.read, [row]))[0] as ProtectedTagEntity;
}

export async function unprotectTag(
  db: Database,
  place: ProjectSubject,
  name: string,
  check: (changedAt: number) => void,
): Promise<void> {
  const row = await find(db.read, place, name);
  check(row.updated_at);
  await db.write((trx) => store.deleteTagRule(trx, row.id));
}
