import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'container_registry';

export function protectionRoutes(services: Services, gates: Gates): Route[] {
  return [...repositoryRules(services, gates), ...tagRules(services, gates)];
}

type Levels = {
  readonly minimum_access_level_for_push?: schema.RuleLevel | '' | undefined;
  readonly minimum_access_level_for_delete?: schema.RuleLevel | '' | undefined;
};

const changeOf = (pattern: string | undefined, sent: Levels): service.RuleChange => ({
  pattern,
  push: sent.minimum_access_level_for_push,
  delete: sent.minimum_access_level_for_delete,
});

function repositoryRules(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_container_image');
  const kind = 'repository';
  return [
    route({
      method: 'GET',
      path: '/projects/:id/registry/protection/repository/rules',
      tag,
      summary: 'List container registry protection rules of a project',
      gate,
      params: schema.project,
      paginated: true,
      responses: { 200: Type.Array(schema.RepositoryRule) },
      handle: ({ subject, page }) => service.listRules(services, subject, kind, page, service.presentRepositoryRule),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/registry/protection/repository/rules',
      tag,
      summary: 'Create a container registry protection rule',
      gate,
      params: schema.newRepositoryRule,
      responses: { 201: schema.RepositoryRule },
      handle: async ({ subject, params }) =>
        service.presentRepositoryRule(
          await service.createRule(services, subject, kind, changeOf(params.repository_path_pattern, params)),
        ),
    }),
    route({
      method: 'PATCH',
      path: '/projects/:id/registry/protection/repository/rules/:protection_rule_id',
      tag,
      summary: 'Update a container registry protection rule',
      gate,
      params: schema.changedRepositoryRule,
      responses: { 200: schema.RepositoryRule },
      handle: async ({ subject, params: { protection_rule_id: id, ...params } }) =>
        service.presentRepositoryRule(
          await service.changeRule(services, subject, kind, id, changeOf(params.repository_path_pattern, params)),
        ),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/registry/protection/repository/rules/:protection_rule_id',
      tag,
      summary: 'Delete a container registry protection rule',
      gate,
      params: schema.oneRule,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteRule(services, subject, kind, params.protection_rule_id),
    }),
  ];
}

function tagRules(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_container_image');
  const kind = 'tag';
  return [
    route({
      method: 'GET',
      path: '/projects/:id/registry/protection/tag/rules',
      tag,
      summary: 'List container registry tag protection rules of a project',
      gate,
      params: schema.project,
      paginated: true,
      responses: { 200: Type.Array(schema.TagRule) },
      handle: ({ subject, page }) => service.listRules(services, subject, kind, page, service.presentTagRule),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/registry/protection/tag/rules',
      tag,
      summary: 'Create a container registry tag protection rule',
      gate,
      params: schema.newTagRule,
      responses: { 201: schema.TagRule },
      handle: async ({ subject, params }) =>
        service.presentTagRule(
          await service.createRule(services, subject, kind, changeOf(params.tag_name_pattern, params)),
        ),
    }),
    route({
      method: 'PATCH',
      path: '/projects/:id/registry/protection/tag/rules/:protection_rule_id',
      tag,
      summary: 'Update a container registry tag protection rule',
      gate,
      params: schema.changedTagRule,
      responses: { 200: schema.TagRule },
      handle: async ({ subject, params: { protection_rule_id: id, ...params } }) =>
        service.presentTagRule(
          await service.changeRule(services, subject, kind, id, changeOf(params.tag_name_pattern, params)),
        ),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/registry/protection/tag/rules/:protection_rule_id',
      tag,
      summary: 'Delete a container registry tag protection rule',
      gate,
      params: schema.oneRule,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteRule(services, subject, kind, params.protection_rule_id),
    }),
  ];
}
