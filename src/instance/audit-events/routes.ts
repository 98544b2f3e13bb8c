import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'audit events';

export function auditEventRoutes(services: Services, gates: Gates): Route[] {
  const ofGroup = gates.group('read_audit_event', { signedIn: true });
  const ofProject = gates.project('read_audit_event', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/audit_events',
      tag,
      summary: 'List instance audit events',
      gate: gates.auditor,
      params: schema.ofInstance,
      paginated: true,
      responses: { 200: Type.Array(schema.AuditEvent) },
      handle: ({ params, page }) =>
        service.listAuditEvents(services, { type: params.entity_type, id: params.entity_id }, params, page),
    }),
    route({
      method: 'GET',
      path: '/audit_events/:id',
      tag,
      summary: 'Get an instance audit event',
      gate: gates.auditor,
      params: schema.oneOfInstance,
      responses: { 200: schema.AuditEvent },
      handle: ({ params }) => service.getAuditEvent(services, {}, params.id),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/audit_events',
      tag,
      summary: 'List group audit events',
      gate: ofGroup,
      params: schema.ofProjectOrGroup,
      paginated: true,
      responses: { 200: Type.Array(schema.AuditEvent) },
      handle: ({ subject, params, page }) => service.listAuditEvents(services, service.scopeOf(subject), params, page),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/audit_events/:audit_event_id',
      tag,
      summary: 'Get a group audit event',
      gate: ofGroup,
      params: schema.oneOfProjectOrGroup,
      responses: { 200: schema.AuditEvent },
      handle: ({ subject, params }) => service.getAuditEvent(services, service.scopeOf(subject), params.audit_event_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/audit_events',
      tag,
      summary: 'List project audit events',
      gate: ofProject,
      params: schema.ofProjectOrGroup,
      paginated: true,
      responses: { 200: Type.Array(schema.AuditEvent) },
      handle: ({ subject, params, page }) => service.listAuditEvents(services, service.scopeOf(subject), params, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/audit_events/:audit_event_id',
      tag,
      summary: 'Get a project audit event',
      gate: ofProject,
      params: schema.oneOfProjectOrGroup,
      responses: { 200: schema.AuditEvent },
      handle: ({ subject, params }) => service.getAuditEvent(services, service.scopeOf(subject), params.audit_event_id),
    }),
  ];
}
