import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { nullable as orNull, param, required } from '../../../platform/http/params.ts';
import { entity, nullable } from '../../../platform/http/schema.ts';
import * as topics from './service.ts';

const tag = 'topics';

const Topic = entity('Topic', {
  id: Type.Integer(),
  name: Type.String(),
  title: nullable(Type.String()),
  description: nullable(Type.String()),
  total_projects_count: Type.Integer(),
  organization_id: Type.Integer(),
  avatar_url: nullable(Type.String()),
});

const one = { id: required(param.integer()) };
const details = { description: param.string(), avatar: orNull(param.file()) };

/** `/topics`. */
export function topicRoutes(services: Services, gates: Gates): Route[] {
  const show = (topic: Parameters<typeof topics.presentTopic>[1]) => topics.presentTopic(services, topic);
  return [
    route({
      method: 'GET',
      path: '/topics',
      tag,
      summary: 'List topics',
      gate: gates.anyone,
      params: { search: param.string(), without_projects: param.boolean(), organization_id: param.integer() },
      paginated: true,
      answers: { 200: Type.Array(Topic) },
      handle: ({ params, page }) => topics.listTopics(services, params, page),
    }),
    route({
      method: 'GET',
      path: '/topics/:id',
      tag,
      summary: 'Get a topic',
      gate: gates.anyone,
      params: one,
      answers: { 200: Topic },
      handle: async ({ params }) => show(await topics.getTopic(services.db.read, params.id)),
    }),
    route({
      method: 'POST',
      path: '/topics',
      tag,
      summary: 'Create a topic',
      gate: gates.admin,
      params: {
        name: required(param.string()),
        title: required(param.string()),
        ...details,
        organization_id: param.integer(),
      },
      answers: { 201: Topic },
      handle: async ({ params }) => show(await topics.createTopic(services, params)),
    }),
    route({
      method: 'PUT',
      path: '/topics/:id',
      tag,
      summary: 'Update a topic',
      gate: gates.admin,
      params: { ...one, name: param.string(), title: param.string(), ...details },
      answers: { 200: Topic },
      handle: async ({ params }) => show(await topics.updateTopic(services, params.id, params)),
    }),
    route({
      method: 'DELETE',
      path: '/topics/:id',
      tag,
      summary: 'Delete a topic',
      gate: gates.admin,
      params: one,
      answers: { 204: null },
      handle: ({ params }) => topics.deleteTopic(services, params.id),
    }),
    route({
      method: 'POST',
      path: '/topics/merge',
      tag,
      summary: 'Merge one topic into another',
      gate: gates.admin,
      params: { source_topic_id: required(param.integer()), target_topic_id: required(param.integer()) },
      answers: { 201: Topic },
      handle: async ({ params }) =>
        show(await topics.mergeTopics(services, params.source_topic_id, params.target_topic_id)),
    }),
  ];
}
