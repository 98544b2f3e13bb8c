import Type, { type Static } from 'typebox';
import type { Services } from '../../access/services.ts';
import { jsonShape } from '../../platform/json-shape.ts';
import { storedRecord } from '../../platform/stored-json.ts';
import { field, HostClient } from '../host-client/public.ts';

/** Encryption purpose of the token. */
export const purpose = 'bulk_imports.encrypted_data';

/** URL and token of the source server. */
export interface SourceAccess {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: string;
}

export function packAccess({ encryption }: Services, { token }: SourceAccess): string {
  return encryption.encrypt(JSON.stringify({ token }), purpose);
}

export function decryptAccess(
  { encryption }: Services,
  row: { readonly source_url: string; readonly encrypted_data: string },
): SourceAccess {
  const { token } = storedRecord(encryption.decrypt(row.encrypted_data, purpose));
  return { url: row.source_url, token: String(token) };
}

export function sourceClient({ egress }: Services, { url, token }: SourceAccess): HostClient {
  return new HostClient(egress, `${url}/api/v4`, { authorization: `Bearer ${token}` });
}

/** API path of a group or project on the source server. */
export function apiPathOf(type: 'group' | 'project', fullPath: string): string {
  return `/${type}s/${encodeURIComponent(fullPath)}`;
}

const path = Type.String({ minLength: 1, maxLength: 2000, pattern: '^[^\\u0000]*$' });
const visibility = field.maybe(Type.String());

const SourceGroup = Type.Object({
  id: field.id,
  name: field.shortText,
  path: field.shortText,
  full_path: path,
  description: field.maybe(field.text),
  visibility,
});
export type SourceGroup = Static<typeof SourceGroup>;
export const sourceGroup = jsonShape(SourceGroup);

const SourceProject = Type.Object({
  id: field.id,
  name: field.shortText,
  path: field.shortText,
  path_with_namespace: path,
  visibility,
});
export type SourceProject = Static<typeof SourceProject>;
export const sourceProject = jsonShape(SourceProject);

/** Export status of a relation. Other fields are ignored. */
const RelationState = Type.Object({ relation: Type.String(), status: Type.Integer() });
export const relationStates = jsonShape(Type.Array(RelationState, { maxItems: 1000 }));
export const acceptedShape = jsonShape(Type.Object({}));
export const versionShape = jsonShape(Type.Object({ version: Type.String() }));
export const tokenShape = jsonShape(Type.Object({ scopes: Type.Array(Type.String()) }));
