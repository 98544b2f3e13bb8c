import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as attributes from './attributes.ts';
import * as schema from './schema.ts';
import { type AttributeKind, attributeKinds } from './tables.ts';

const tag = 'custom attributes';

/** What administrators note on users, groups and projects; nobody else sees it, nor learns whether there is any. */
export function customAttributeRoutes(services: Services, gates: Gates): Route[] {
  return attributeKinds.flatMap((kind) => attributesOf(services, gates, kind));
}

function attributesOf({ db }: Services, { admin: gate }: Gates, kind: AttributeKind): Route[] {
  const path = `/${kind}s/:id/custom_attributes`;
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: `List the custom attributes of a ${kind}`,
      gate,
      params: schema.owner,
      answers: { 200: Type.Array(schema.CustomAttribute) },
      handle: ({ params }) => attributes.listAttributes(db, kind, params.id),
    }),
    route({
      method: 'GET',
      path: `${path}/:key`,
      tag,
      summary: `Get a custom attribute of a ${kind}`,
      gate,
      params: schema.keyed,
      answers: { 200: schema.CustomAttribute },
      handle: ({ params }) => attributes.getAttribute(db, kind, params.id, params.key),
    }),
    route({
      method: 'PUT',
      path: `${path}/:key`,
      tag,
      summary: `Set a custom attribute of a ${kind}`,
      gate,
      params: schema.change,
      answers: { 200: schema.CustomAttribute },
      handle: ({ params: { id, key, value } }) => attributes.setAttribute(db, kind, id, { key, value }),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:key`,
      tag,
      summary: `Delete a custom attribute of a ${kind}`,
      gate,
      params: schema.keyed,
      answers: { 204: null },
      handle: ({ params }) => attributes.deleteAttribute(db, kind, params.id, params.key),
    }),
  ];
}
