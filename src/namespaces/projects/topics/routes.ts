import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { newTopicParams, Topic, topicChangeParams, topicListParams, topicParam } from './schema.ts';
import * as topics from './service.ts';

const tag = 'topics';

export function topicRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/topics',
      tag,
      summary: 'List topics',
      gate: gates.anyone,
      params: topicListParams,
      paginated: true,
      responses: { 200: Type.Array(Topic) },
      handle: ({ params, page }) => topics.listTopics(services, params, page),
    }),
    route({
      method: 'GET',
      path: '/topics/:id',
      tag,
      summary: 'Get a topic',
      gate: gates.anyone,
      params: topicParam,
      responses: { 200: Topic },
      handle: ({ params }) => topics.getTopic(services, params.id),
    }),
    route({
      method: 'POST',
      path: '/topics',
      tag,
      summary: 'Create a topic',
      gate: gates.admin,
      params: newTopicParams,
      responses: { 201: Topic },
      handle: ({ params }) => topics.createTopic(services, params),
    }),
    route({
      method: 'PUT',
      path: '/topics/:id',
      tag,
      summary: 'Update a topic',
      gate: gates.admin,
      params: topicChangeParams,
      responses: { 200: Topic },
      handle: ({ params }) => topics.updateTopic(services, params.id, params),
    }),
    route({
      method: 'DELETE',
      path: '/topics/:id',
      tag,
      summary: 'Delete a topic',
      gate: gates.admin,
      params: topicParam,
      responses: { 204: null },
      handle: ({ params }) => topics.deleteTopic(services, params.id),
    }),
    route({
      method: 'POST',
      path: '/topics/merge',
      tag,
      summary: 'Merge topics',
      gate: gates.admin,
      params: { source_topic_id: required(param.integer()), target_topic_id: required(param.integer()) },
      responses: { 201: Topic },
      handle: ({ params }) => topics.mergeTopics(services, params.source_topic_id, params.target_topic_id),
    }),
  ];
}
