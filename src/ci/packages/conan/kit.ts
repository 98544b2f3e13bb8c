import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Services } from '../../../access/services.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { param, required } from '../../../platform/http/params.ts';
import { publishingScopes, readingScopes } from '../gate.ts';
import { Published } from '../schema.ts';
import type { ConanRequest } from './paths.ts';

const tag = 'packages';
const common = { tag, jobToken: true, sealedToken: true } as const;

export const getRoute = {
  ...common,
  method: 'GET',
  deployScopes: readingScopes,
  responses: { 200: Type.Unknown() },
} as const;
export const textRoute = { ...getRoute, responses: { 200: Type.String() } } as const;
export const searchRoute = {
  ...getRoute,
  responses: { 200: Type.Object({ results: Type.Array(Type.String()) }) },
} as const;
export const putRoute = {
  ...common,
  method: 'PUT',
  rawBody: true,
  deployScopes: publishingScopes,
  responses: { 200: Published },
} as const;
export const postRoute = {
  ...common,
  method: 'POST',
  deployScopes: publishingScopes,
  responses: { 200: Type.Record(Type.String(), Type.String()) },
} as const;
export const deleteRoute = {
  ...common,
  method: 'DELETE',
  basicAuth: true,
  responses: {
    200: Type.Object({
      id: Type.Integer(),
      project_id: Type.Integer(),
      created_at: Type.String(),
      updated_at: Type.String(),
      name: Type.String(),
      version: Type.String(),
      package_type: Type.String(),
      creator_id: Type.Union([Type.Integer(), Type.Null()]),
      status: Type.String(),
    }),
  },
} as const;

export const path = {
  '*': required(
    param.string({ description: 'Recipe as name/version/username/channel, followed by the requested part' }),
  ),
};
export const query = {
  q: required(param.string({ description: 'Part of a name or reference; `*` matches any text' })),
};

/** Returns the parsed request; throws if the path is unknown. */
export function requireRequest(target: ConanRequest | undefined): ConanRequest {
  if (!target) throw new NotFound();
  return target;
}

export const addressOfProject = ({ externalUrl }: Services, { id }: { readonly id: number }) =>
  `${externalUrl}/api/v4/projects/${id}/packages/conan`;
export const addressOfInstance = ({ externalUrl }: Services) => `${externalUrl}/api/v4/packages/conan`;

/** File names in an upload announcement, a JSON object of names and sizes. */
export function fileNames({ body }: FastifyRequest): string[] {
  return typeof body === 'object' && body !== null ? Object.keys(body) : [];
}
