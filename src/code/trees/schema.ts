import Type, { type Static } from 'typebox';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

export const TreeEntry = entity('TreeEntry', {
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  path: Type.String(),
  mode: Type.String(),
});

/** The last commit of a folder entry; null if it is too far back. */
export const EntryChange = entity('TreeEntryChange', {
  name: Type.String(),
  path: Type.String(),
  commit: Type.Union([
    Type.Object({ id: Type.String(), title: Type.String(), committed_date: Type.String() }),
    Type.Null(),
  ]),
});
export type EntryChangeEntity = Static<typeof EntryChange>;

export const Blob = entity('Blob', {
  size: Type.Integer(),
  encoding: Type.String(),
  content: Type.String(),
  sha: Type.String(),
});
export type BlobEntity = Static<typeof Blob>;

const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };

export const listing = {
  ...project,
  ref: param.string(),
  path: param.string(),
  recursive: withDefault(param.boolean(), false),
  pagination: withDefault(param.oneOf(['legacy', 'keyset', 'none']), 'legacy' as const),
  page_token: param.string(),
};
export const folder = { ...project, ref: param.string(), path: param.string() };
export const blob = { ...project, sha: required(param.string()) };
