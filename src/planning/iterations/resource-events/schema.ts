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
  id: required(param.string({ description: 'ID or URL-encoded path of the project' })),
  issue_iid: required(param.integer({ description: 'IID of the issue' })),
};
export const oneEvent = { ...oneIssue, event_id: required(param.integer()) };
