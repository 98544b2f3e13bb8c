import { findUser, findUserByName } from '../../access/credentials/identify.ts';
import { lookUpNamespace, lookUpProject } from '../../access/subjects.ts';
import type { Database, Reader } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import type { CustomAttributeEntity } from './schema.ts';
import * as store from './store.ts';
import type { AttributeKind } from './tables.ts';

const longestKey = 255;

const finders: Readonly<Record<AttributeKind, (db: Reader, id: string) => Promise<number | undefined>>> = {
  user: async (db, id) => {
    const user = /^\d{1,15}$/.test(id) ? await findUser(db, Number(id)) : await findUserByName(db, id);
    return user?.id;
  },
  group: async (db, id) => {
    const namespace = await lookUpNamespace(db, id);
    return namespace?.kind === 'group' ? namespace.id : undefined;
  },
  project: async (db, id) => (await lookUpProject(db, id))?.project.id,
};

const tables = { user: 'users', group: 'namespaces', project: 'projects' } as const;

async function requireOwner(db: Reader, kind: AttributeKind, id: string): Promise<number> {
  const owner = await finders[kind](db, id);
  if (owner === undefined) throw new NotFound();
  return owner;
}

export async function listAttributes(db: Database, kind: AttributeKind, id: string): Promise<CustomAttributeEntity[]> {
  return store.attributesOf(db.read, kind, [await requireOwner(db.read, kind, id)]);
}

export async function getAttribute(
  db: Database,
  kind: AttributeKind,
  id: string,
  key: string,
): Promise<CustomAttributeEntity> {
  const found = await store.findAttribute(db.read, kind, await requireOwner(db.read, kind, id), key);
  if (!found) throw NotFound.record();
  return found;
}

export async function setAttribute(
  db: Database,
  kind: AttributeKind,
  id: string,
  attribute: CustomAttributeEntity,
): Promise<CustomAttributeEntity> {
  const owner = await requireOwner(db.read, kind, id);
  const long = lengthProblem(attribute.key, longestKey);
  if (long !== undefined) throw new Invalid({ key: [long] });
  if (attribute.value.trim() === '') throw new Invalid({ value: ["can't be blank"] });
  await db.write(async (trx) => {
    // There is no foreign key to the owner, so its row is locked to prevent attributes of a deleted owner.
    if (!(await lockRow(trx, tables[kind], owner))) throw new NotFound();
    await store.setAttribute(trx, kind, owner, attribute);
  });
  return attribute;
}

export async function deleteAttribute(db: Database, kind: AttributeKind, id: string, key: string): Promise<void> {
  const owner = await requireOwner(db.read, kind, id);
  if (!(await db.write((trx) => store.deleteAttribute(trx, kind, owner, key)))) throw NotFound.record();
}

/** Loads the attributes of these owners in one query, keyed by owner id; owners without attributes are omitted. */
export async function customAttributesOf(
  db: Reader,
  kind: AttributeKind,
  ids: readonly number[],
): Promise<Map<number, CustomAttributeEntity[]>> {
  const found = new Map<number, CustomAttributeEntity[]>();
  if (ids.length === 0) return found;
  for (const { owner_id, key, value } of await store.attributesOf(db, kind, ids)) {
    const list = found.get(owner_id);
    if (list) list.push({ key, value });
    else found.set(owner_id, [{ key, value }]);
  }
  return found;
}
