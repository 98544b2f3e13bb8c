import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'direct transfer';

export function transferRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.signedIn;
  return [
    route({
      method: 'POST',
      path: '/bulk_imports',
      tag,
      summary: 'Start a group or project migration',
      gate,
      params: schema.newBulkImport,
      responses: { 201: schema.BulkImport },
      handle: ({ caller, params }) => service.startTransfer(services, caller, params),
    }),
    route({
      method: 'GET',
      path: '/bulk_imports',
      tag,
      summary: 'List group and project migrations',
      gate,
      params: schema.importList,
      paginated: true,
      responses: { 200: Type.Array(schema.BulkImport) },
      handle: ({ caller, params, page }) => service.listTransfers(services, caller, params, page),
    }),
    route({
      method: 'GET',
      path: '/bulk_imports/entities',
      tag,
      summary: 'List entities of all migrations',
      gate,
      params: schema.allEntities,
      paginated: true,
      responses: { 200: Type.Array(schema.TransferEntity) },
      handle: ({ caller, params, page }) => service.listAllEntities(services, caller, params, page),
    }),
    route({
      method: 'GET',
      path: '/bulk_imports/:import_id',
      tag,
      summary: 'Get a group or project migration',
      gate,
      params: schema.oneImport,
      responses: { 200: schema.BulkImport },
      handle: ({ caller, params }) => service.getTransfer(services, caller, params.import_id),
    }),
    route({
      method: 'GET',
      path: '/bulk_imports/:import_id/entities',
      tag,
      summary: 'List entities of a migration',
      gate,
      params: schema.entitiesIn,
      paginated: true,
      responses: { 200: Type.Array(schema.TransferEntity) },
      handle: ({ caller, params, page }) => service.listEntities(services, caller, params, page),
    }),
    route({
      method: 'GET',
      path: '/bulk_imports/:import_id/entities/:entity_id',
      tag,
      summary: 'Get an entity of a migration',
      gate,
      params: schema.oneEntity,
      responses: { 200: schema.TransferEntity },
      handle: ({ caller, params }) => service.getEntity(services, caller, params),
    }),
    route({
      method: 'GET',
      path: '/bulk_imports/:import_id/entities/:entity_id/failures',
      tag,
      summary: 'List failed records of a migration entity',
      gate,
      params: schema.oneEntity,
      responses: { 200: Type.Array(schema.TransferFailure) },
      handle: ({ caller, params }) => service.listFailures(services, caller, params),
    }),
    route({
      method: 'POST',
      path: '/bulk_imports/:import_id/cancel',
      tag,
      summary: 'Cancel a migration',
      gate,
      params: schema.oneImport,
      responses: { 200: schema.BulkImport },
      handle: ({ caller, params }) => service.cancelTransfer(services, caller, params.import_id),
    }),
  ];
}
