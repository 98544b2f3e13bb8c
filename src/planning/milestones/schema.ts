import Type, { type Static } from 'typebox';
import { day, entity, nullable, timestamp } from '../../platform/http/schema.ts';

export const Milestone = entity('Milestone', {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Optional(Type.Integer()),
  group_id: Type.Optional(Type.Integer()),
  title: Type.String(),
  description: nullable(Type.String()),
  state: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
  due_date: nullable(day()),
  start_date: nullable(day()),
  expired: Type.Boolean(),
  web_url: Type.String(),
});
export type MilestoneEntity = Static<typeof Milestone>;
