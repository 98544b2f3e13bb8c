import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { withChallenge } from '../basic-challenge.ts';
import { packageGate, publishingScopes, readingScopes } from '../gate.ts';
import { project } from '../schema.ts';
import * as service from './service.ts';
import { receiveChart } from './upload.ts';

const tag = 'packages';
const reading = { tag, method: 'GET', jobToken: true, deployScopes: readingScopes } as const;
const channel = { ...project, channel: required(param.string({ description: 'Channel, e.g. stable' })) };
const HelmPublished = entity('HelmPublished', { message: Type.String() });

/** The Helm chart repository API, including uploads by the `cm-push` plugin. */
export function helmRoutes(services: Services, gates: Gates): Route[] {
  const gate = withChallenge(packageGate(services, gates, 'read_package'));
  return [
    route({
      ...reading,
      path: '/projects/:id/packages/helm/:channel/index.yaml',
      summary: 'Get the index of a Helm chart channel',
      gate,
      params: channel,
      responses: { 200: Type.String() },
      handle: ({ subject, params, reply }) => service.sendIndex(services, subject, params.channel, reply),
    }),
    route({
      ...reading,
      path: '/projects/:id/packages/helm/:channel/charts/:file_name',
      summary: 'Download a Helm chart',
      gate,
      params: {
        ...channel,
        file_name: required(param.string({ description: 'File name: chart name, version and `.tgz`' })),
      },
      responses: { 200: Type.String({ format: 'binary' }) },
      handle: ({ subject, params, reply }) => service.sendChart(services, subject, params, reply),
    }),
    route({
      tag,
      method: 'POST',
      path: '/projects/:id/packages/helm/api/:channel/charts',
      summary: 'Publish a Helm chart',
      gate: withChallenge(packageGate(services, gates, 'create_package')),
      params: channel,
      rawBody: true,
      jobToken: true,
      deployScopes: publishingScopes,
      responses: { 201: HelmPublished },
      handle: async ({ caller, subject, params, request }) => {
        await receiveChart(services, caller, subject, params.channel, request);
        return { message: '201 Created' };
      },
    }),
  ];
}
