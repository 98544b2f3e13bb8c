import Type from 'typebox';
import { apiVersion } from '../../access/api-version.ts';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { openApiDocument } from '../../platform/http/openapi.ts';
import { Metadata } from './schema.ts';
import { getMetadata } from './service.ts';

const tag = 'instance';

/** `/version`, `/metadata` and the OpenAPI document, which describes these routes too. */
export function metadataRoutes({ externalUrl }: Services, gates: Gates, all: () => readonly Route[]): Route[] {
  const release = {
    tag,
    summary: 'Get the API version of the server',
    gate: gates.signedIn,
    scopes: ['read_user', 'ai_features'],
    params: {},
    responses: { 200: Metadata },
    handle: getMetadata,
  };
  let document: unknown;
  return [
    route({ method: 'GET', path: '/version', ...release }),
    route({ method: 'GET', path: '/metadata', ...release }),
    route({
      method: 'GET',
      path: '/openapi.json',
      tag,
      summary: 'Get the OpenAPI description',
      gate: gates.anyone,
      params: {},
      responses: { 200: Type.Any() },
      handle: () => {
        document ??= openApiDocument(all(), apiVersion, externalUrl);
        return document;
      },
    }),
  ];
}
