import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import type { ProjectOrGroup } from '../../access/project-or-group.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { allOrNoneOf, type ParamsOf } from '../../platform/http/params.ts';
import { sendRaw } from '../../platform/http/responses/raw.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'project exports';

export function relationExportRoutes(services: Services, gates: Gates): Route[] {
  return [...projectRelationRoutes(services, gates), ...groupRelationRoutes(services, gates)];
}

function states(services: Services, place: ProjectOrGroup, relation: string | undefined) {
  return relation === undefined
    ? service.relationStates(services, place)
    : service.relationState(services, place, relation);
}

async function download(
  services: Services,
  place: ProjectOrGroup,
  params: ParamsOf<typeof schema.relationFile>,
  reply: FastifyReply,
) {
  const part = params.batched ? params.batch_number : undefined;
  const { file, filename } = await service.openRelation(services, place, params.relation, part);
  return sendRaw(reply, file.stream, { size: file.size, filename, type: 'application/gzip', attachment: true });
}

function projectRelationRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('export_project', { signedIn: true });
  return [
    route({
      method: 'POST',
      path: '/projects/:id/export_relations',
      tag,
      summary: 'Export the relations of a project',
      gate,
      params: schema.newRelationExport,
      responses: { 202: schema.Accepted },
      handle: ({ subject, params }) => service.startRelations(services, subject, params.batched ?? false),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/export_relations/status',
      tag,
      summary: 'Get the export status of project relations',
      gate,
      params: schema.relationState,
      responses: { 200: Type.Union([Type.Array(schema.RelationState), schema.RelationState]) },
      handle: ({ subject, params: { relation } }) => states(services, subject, relation),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/export_relations/download',
      tag,
      summary: 'Download an exported relation of a project',
      gate,
      params: schema.relationFile,
      rules: [allOrNoneOf('batched', 'batch_number')],
      responses: { 200: Type.String({ format: 'binary' }) },
      handle: ({ subject, params, reply }) => download(services, subject, params, reply),
    }),
  ];
}

function groupRelationRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.group('admin_group', { signedIn: true });
  return [
    route({
      method: 'POST',
      path: '/groups/:id/export_relations',
      tag,
      summary: 'Export the relations of a group',
      gate,
      params: schema.newRelationExport,
      responses: { 202: schema.Accepted },
      handle: ({ subject, params }) => service.startRelations(services, subject, params.batched ?? false),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/export_relations/status',
      tag,
      summary: 'Get the export status of group relations',
      gate,
      params: schema.relationState,
      responses: { 200: Type.Union([Type.Array(schema.RelationState), schema.RelationState]) },
      handle: ({ subject, params: { relation } }) => states(services, subject, relation),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/export_relations/download',
      tag,
      summary: 'Download an exported relation of a group',
      gate,
      params: schema.relationFile,
      rules: [allOrNoneOf('batched', 'batch_number')],
      responses: { 200: Type.String({ format: 'binary' }) },
      handle: ({ subject, params, reply }) => download(services, subject, params, reply),
    }),
  ];
}
