import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Services } from '../../../access/services.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { param, required } from '../../../platform/http/params.ts';
import { publishingScopes, readingScopes } from '../gate.ts';
import { Published } from '../schema.ts';
import type { Asked } from './paths.ts';

const tag = 'packages';
const known = { tag, jobToken: true, sealedToken: true } as const;

export const reading = {
  ...known,
  method: 'GET',
  deployScopes: readingScopes,
  responses: { 200: Type.Unknown() },
} as const;
export const textRoute = { ...reading, responses: { 200: Type.String() } } as const;
export const finding = { ...reading, responses: { 200: Type.Object({ results: Type.Array(Type.String()) }) } } as const;
export const publishing = {
  ...known,
  method: 'PUT',
  rawBody: true,
  deployScopes: publishingScopes,
  responses: { 200: Published },
} as const;
export const announcing = {
  ...known,
  method: 'POST',
  deployScopes: publishingScopes,
  responses: { 200: Type.Record(Type.String(), Type.String()) },
} as const;
export const removing = {
  ...known,
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
  '*': required(param.string({ description: 'name/version/username/channel of a recipe, and what of it' })),
};
export const query = {
  q: required(param.string({ description: 'A part of a name or reference; * stands for anything' })),
};

/** What a path asks for, or that there is nothing like it. */
export function requireAsked(asked: Asked | undefined): Asked {
  if (!asked) throw new NotFound();
  return asked;
}

export const addressOfProject = ({ externalUrl }: Services, { id }: { readonly id: number }) =>
  `${externalUrl}/api/v4/projects/${id}/packages/conan`;
export const addressOfInstance = ({ externalUrl }: Services) => `${externalUrl}/api/v4/packages/conan`;

/** The names of the files that somebody is about to send, which a JSON document says with their sizes. */
export function fileNames({ body }: FastifyRequest): string[] {
  return typeof body === 'object' && body !== null ? Object.keys(body) : [];
}
