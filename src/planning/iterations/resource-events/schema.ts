import Type, { type Static } from 'typebox';
import { BasicUser } from '../../../people/users/public.ts';
import { param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { Iteration } from '../schema.ts';

export const IterationEvent = entity('ResourceIterationEvent', {
  id: Type.Integer(),
  user: nullable(BasicUser),
  created_at: timestamp(),
  resource_type: Type.String(),
  resource_id: Type.Integer(),
  iteration: nullable(Iteration),
  action: Type.String(),
});
export type IterationEventEntity = Static<typeof IterationEvent>;

export const oneIssue = {
  id: required(param.string({ description: 'Number or URL-encoded path' })),
  issue_iid: required(param.integer({ description: 'Number within the project' })),
};
export const oneEvent = { ...oneIssue, event_id: required(param.integer()) };
