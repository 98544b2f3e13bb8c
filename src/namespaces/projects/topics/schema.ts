import Type, { type Static } from 'typebox';
import { nullable as orNull, type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable } from '../../../platform/http/schema.ts';

export const Topic = entity('Topic', {
  id: Type.Integer(),
  name: Type.String(),
  title: nullable(Type.String()),
  description: nullable(Type.String()),
  total_projects_count: Type.Integer(),
  organization_id: Type.Integer(),
  avatar_url: nullable(Type.String()),
});
export type TopicEntity = Static<typeof Topic>;

export const topicParam = { id: required(param.integer()) };
const details = { description: param.string(), avatar: orNull(param.file()) };

export const topicListParams = {
  search: param.string(),
  without_projects: param.boolean(),
  organization_id: param.integer(),
};
export type TopicListParams = ParamsOf<typeof topicListParams>;

export const newTopicParams = {
  name: required(param.string()),
  title: required(param.string()),
  ...details,
  organization_id: param.integer(),
};
export type NewTopicParams = ParamsOf<typeof newTopicParams>;

const changes = { name: param.string(), title: param.string(), ...details };
export const topicChangeParams = { ...topicParam, ...changes };
export type TopicChange = ParamsOf<typeof changes>;
