import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { param, required } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { Milestone } from '../milestones/public.ts';

const common = { id: Type.Integer(), user: nullable(BasicUser), created_at: timestamp() };
const resource = { resource_type: Type.String(), resource_id: Type.Integer() };

export const LabelEvent = entity('ResourceLabelEvent', {
  ...common,
  ...resource,
  label: nullable(
    Type.Object({
      id: Type.Integer(),
      name: Type.String(),
      description: nullable(Type.String()),
      description_html: Type.String(),
      text_color: Type.String(),
      color: Type.String(),
    }),
  ),
  action: Type.String(),
});
export const StateEvent = entity('ResourceStateEvent', {
  ...common,
  ...resource,
  source_commit: nullable(Type.String()),
  source_merge_request_id: nullable(Type.Integer()),
  state: Type.String(),
});
export const MilestoneEvent = entity('ResourceMilestoneEvent', {
  ...common,
  ...resource,
  milestone: nullable(Milestone),
  action: Type.String(),
  state: Type.String(),
});
export const WeightEvent = entity('ResourceWeightEvent', {
  ...common,
  issue_id: Type.Integer(),
  weight: nullable(Type.Integer()),
});

export interface EventEntities {
  readonly label: Static<typeof LabelEvent>;
  readonly state: Static<typeof StateEvent>;
  readonly milestone: Static<typeof MilestoneEvent>;
  readonly weight: Static<typeof WeightEvent>;
}
export type EventKind = keyof EventEntities;

export const eventId = { event_id: required(param.integer()) };
