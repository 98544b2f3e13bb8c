import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { orderParams } from '../../platform/list-kit/order.ts';
import { statusList } from './list.ts';
import { reportedStates } from './status-machine.ts';

export const CommitStatus = entity('CommitStatus', {
  id: Type.Integer(),
  sha: Type.String(),
  ref: Type.String(),
  status: Type.String(),
  name: Type.String(),
  target_url: nullable(Type.String()),
  description: nullable(Type.String()),
  created_at: timestamp(),
  started_at: nullable(timestamp()),
  finished_at: nullable(timestamp()),
  allow_failure: Type.Boolean(),
  coverage: nullable(Type.Number()),
  pipeline_id: Type.Integer(),
  author: nullable(BasicUser),
});
export type CommitStatusEntity = Static<typeof CommitStatus>;

const commit = {
  id: required(param.string({ description: 'ID or URL-encoded path of the project' })),
  sha: required(param.string({ description: 'Commit SHA, or the name of a branch or tag' })),
};

export const listing = {
  ...commit,
  ...statusList.params,
  all: withDefault(param.boolean(), false),
  ...orderParams(statusList.orders, 'id', 'asc'),
};

export const report = {
  ...commit,
  state: required(param.oneOf(reportedStates)),
  ref: param.string(),
  name: param.string(),
  context: param.string({ description: 'Alias of `name`' }),
  target_url: param.string(),
  description: param.string(),
  coverage: param.float(),
  pipeline_id: param.integer(),
};
