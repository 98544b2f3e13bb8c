import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { findUser, findUserByName } from '../../access/identify.ts';
import { type Route, route } from '../../access/route.ts';
import { lookUpNamespace, lookUpProject } from '../../access/subjects.ts';
import type { Reader } from '../../platform/database/database.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import type { Services } from '../../platform/services.ts';
import * as schema from './schema.ts';
import * as store from './store.ts';
import type { AttributeKind } from './tables.ts';

const tag = 'custom attributes';

type Finder = (db: Reader, id: string) => Promise<number | undefined>;

const isNumber = (id: string) => /^\d{1,15}$/.test(id);

const finders: Readonly<Record<AttributeKind, Finder>> = {
  user: async (db, id) => (isNumber(id) ? await findUser(db, Number(id)) : await findUserByName(db, id))?.id,
  group: async (db, id) => {
    const namespace = await lookUpNamespace(db, id);
    return namespace?.kind === 'group' ? namespace.id : undefined;
  },
  project: async (db, id) => (await lookUpProject(db, id))?.project.id,
};

/** What administrators note on users, groups and projects; nobody else sees it, nor learns whether there is any. */
export function customAttributeRoutes(services: Services, gates: Gates): Route[] {
  return (Object.keys(finders) as AttributeKind[]).flatMap((kind) => attributesOf(services, gates, kind));
}

const longestKey = 255;

function checkAttribute(key: string, value: string): void {
  if ([...key].length > longestKey) throw new Invalid({ key: [`is too long (maximum is ${longestKey} characters)`] });
  if (value.trim() === '') throw new Invalid({ value: ["can't be blank"] });
}

function attributesOf({ db }: Services, gates: Gates, kind: AttributeKind): Route[] {
  const path = `/${kind}s/:id/custom_attributes`;
  const gate = gates.admin;
  const ownerOf = async (id: string): Promise<number> => {
    const found = await finders[kind](db.read, id);
    if (found === undefined) throw new NotFound();
    return found;
  };
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: `List the custom attributes of a ${kind}`,
      gate,
      params: schema.owner,
      answers: { 200: Type.Array(schema.CustomAttribute) },
      handle: async ({ params }) => store.attributesOf(db.read, kind, [await ownerOf(params.id)]),
    }),
    route({
      method: 'GET',
      path: `${path}/:key`,
      tag,
      summary: `Get a custom attribute of a ${kind}`,
      gate,
      params: schema.keyed,
      answers: { 200: schema.CustomAttribute },
      handle: async ({ params }) => {
        const found = await store.findAttribute(db.read, kind, await ownerOf(params.id), params.key);
        if (!found) throw NotFound.record();
        return found;
      },
    }),
    route({
      method: 'PUT',
      path: `${path}/:key`,
      tag,
      summary: `Set a custom attribute of a ${kind}`,
      gate,
      params: schema.change,
      answers: { 200: schema.CustomAttribute },
      handle: async ({ params: { id, key, value } }) => {
        const owner = await ownerOf(id);
        checkAttribute(key, value);
        await db.write((trx) => store.setAttribute(trx, kind, owner, key, value));
        return { key, value };
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:key`,
      tag,
      summary: `Delete a custom attribute of a ${kind}`,
      gate,
      params: schema.keyed,
      answers: { 204: null },
      handle: async ({ params }) => {
        const owner = await ownerOf(params.id);
        const found = await db.write((trx) => store.deleteAttribute(trx, kind, owner, params.key));
        if (!found) throw NotFound.record();
      },
    }),
  ];
}
