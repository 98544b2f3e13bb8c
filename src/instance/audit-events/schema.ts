import Type, { type Static } from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, timestamp } from '../../platform/http/schema.ts';
import { auditList } from './list.ts';
import { entityTypes } from './tables.ts';

export const AuditEvent = entity('AuditEvent', {
  id: Type.Integer(),
  author_id: Type.Integer(),
  entity_id: Type.Integer(),
  entity_type: Type.String(),
  event_name: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
  created_at: timestamp(),
});
export type AuditEventEntity = Static<typeof AuditEvent>;

const owner = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
const one = { audit_event_id: required(param.integer()) };
const listed = { ...auditList.params, pagination: param.oneOf(['keyset', 'offset', 'legacy']), cursor: param.string() };

export const ofInstance = { ...listed, entity_type: param.oneOf(entityTypes), entity_id: param.integer() };
export const ofProjectOrGroup = { ...owner, ...listed };
export const oneOfInstance = { id: required(param.integer()) };
export const oneOfProjectOrGroup = { ...owner, ...one };
