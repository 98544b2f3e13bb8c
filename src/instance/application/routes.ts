import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { openApiDocument } from '../../platform/http/openapi.ts';
import { entity, nullable } from '../../platform/http/schema.ts';
import { settingRoutes } from './settings.ts';
import { apiVersion, revision } from './version.ts';

const tag = 'instance';

const Metadata = entity('Metadata', {
  version: Type.String(),
  revision: Type.String(),
  kas: Type.Object({
    enabled: Type.Boolean(),
    externalUrl: nullable(Type.String()),
    externalK8sProxyUrl: nullable(Type.String()),
    version: nullable(Type.String()),
  }),
  enterprise: Type.Boolean(),
});

/** `/version`, `/metadata`, `/application/settings`, and the document that describes every route, these included. */
export function instanceRoutes(services: Services, gates: Gates, all: () => readonly Route[]): Route[] {
  const metadata = () => ({
    version: apiVersion,
    revision,
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    enterprise: true,
  });
  let document: unknown;
  return [
    ...settingRoutes(services, gates),
    ...['/version', '/metadata'].map((path) =>
      route({
        method: 'GET',
        path,
        tag,
        summary: 'Which release of the API this server speaks',
        gate: gates.signedIn,
        scopes: ['read_user', 'ai_features'],
        params: {},
        answers: { 200: Metadata },
        handle: metadata,
      }),
    ),
    route({
      method: 'GET',
      path: '/openapi.json',
      tag,
      summary: 'This description of the API',
      gate: gates.anyone,
      params: {},
      answers: { 200: Type.Any() },
      handle: () => {
        document ??= openApiDocument(all(), apiVersion, services.externalUrl);
        return document;
      },
    }),
  ];
}
