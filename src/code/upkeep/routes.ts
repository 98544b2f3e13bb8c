import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as params from '../../namespaces/projects/params.ts';
import { sendAvatar } from '../../people/avatars/public.ts';
import { param } from '../../platform/http/params.ts';
import { entity, timestamp } from '../../platform/http/schema.ts';
import { fetchStatistics } from '../fetch-statistics/service.ts';
import { languagesOf } from '../languages/service.ts';
import { enqueueHousekeeping, presentStorage, requirePages } from './housekeeping.ts';
import { refreshProject } from './refresh.ts';

const tag = 'projects';

const RepositoryStorage = entity('ProjectRepositoryStorage', {
  disk_path: Type.String(),
  project_id: Type.Integer(),
  repository_storage: Type.String(),
  created_at: timestamp(),
});
const Fetches = entity('ProjectDailyStatistics', {
  fetches: Type.Object({
    total: Type.Integer(),
    days: Type.Array(Type.Object({ count: Type.Integer(), date: Type.String() })),
  }),
});

/** What a project tells of its repository, and what is done to it. */
export function repositoryRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/languages',
      tag,
      summary: 'Get the languages of a project',
      gate: gates.project('read_code'),
      params: params.project,
      answers: { 200: Type.Record(Type.String(), Type.Number()) },
      handle: ({ subject, signal }) => languagesOf(services, subject, signal),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/statistics',
      tag,
      summary: 'Get how often a project was fetched',
      gate: gates.project('read_statistics', { signedIn: true }),
      params: params.project,
      answers: { 200: Fetches },
      handle: ({ subject }) => fetchStatistics(services, subject),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/storage',
      tag,
      summary: 'Get where a repository lies',
      gate: gates.project('read_storage', { signedIn: true }),
      params: params.project,
      answers: { 200: RepositoryStorage },
      handle: ({ subject }) => presentStorage(subject.project),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/housekeeping',
      tag,
      summary: 'Start the housekeeping of a repository',
      gate: gates.project('housekeep'),
      params: { ...params.project, task: param.oneOf(['eager', 'prune']) },
      answers: { 201: Type.Null() },
      handle: ({ subject, params }) => enqueueHousekeeping(services, subject.project, params.task),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository_size',
      tag,
      summary: 'Measure a repository anew',
      gate: gates.project('housekeep'),
      params: params.project,
      answers: { 201: Type.Null() },
      handle: async ({ subject, signal }) => {
        await refreshProject(services, subject.project.id, signal);
        return null;
      },
    }),
    route({
      method: 'GET',
      path: '/projects/:id/avatar',
      tag,
      summary: 'Download the picture of a project',
      gate: gates.project('read_project'),
      params: params.project,
      answers: { 200: Type.String({ format: 'binary' }) },
      handle: ({ subject, reply }) => sendAvatar(services.storage, reply, subject.project.avatar),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/pages_access',
      tag,
      summary: 'Ask whether the caller may see the pages of a project',
      gate: gates.project('read_project'),
      params: params.project,
      answers: { 200: Type.Null() },
      handle: ({ subject }) => requirePages(subject),
    }),
  ];
}
