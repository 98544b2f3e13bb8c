import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'templates';

/** `/templates`: what comes along; `/projects/:id/templates`: that, and what a repository holds. */
export function templateRoutes(services: Services, gates: Gates): Route[] {
  const listing = {
    gate: gates.anyone,
    params: {},
    paginated: true,
    responses: { 200: Type.Array(schema.TemplateName) },
  } as const;
  const reading = { gate: gates.anyone, params: schema.named, responses: { 200: schema.Template } };
  return [
    route({
      method: 'GET',
      path: '/templates/dockerfiles',
      tag,
      summary: 'List Dockerfiles to begin with',
      ...listing,
      handle: ({ page }) => service.listTemplates('dockerfiles', page),
    }),
    route({
      method: 'GET',
      path: '/templates/dockerfiles/:key',
      tag,
      summary: 'Get a Dockerfile to begin with',
      ...reading,
      handle: ({ params }) => service.getTemplate('dockerfiles', params.key),
    }),
    route({
      method: 'GET',
      path: '/templates/gitignores',
      tag,
      summary: 'List files of what git is to ignore',
      ...listing,
      handle: ({ page }) => service.listTemplates('gitignores', page),
    }),
    route({
      method: 'GET',
      path: '/templates/gitignores/:key',
      tag,
      summary: 'Get a file of what git is to ignore',
      ...reading,
      handle: ({ params }) => service.getTemplate('gitignores', params.key),
    }),
    route({
      method: 'GET',
      path: '/templates/gitlab_ci_ymls',
      tag,
      summary: 'List pipelines to begin with',
      ...listing,
      handle: ({ page }) => service.listTemplates('gitlab_ci_ymls', page),
    }),
    route({
      method: 'GET',
      path: '/templates/gitlab_ci_ymls/:key',
      tag,
      summary: 'Get a pipeline to begin with',
      ...reading,
      handle: ({ params }) => service.getTemplate('gitlab_ci_ymls', params.key),
    }),
    route({
      method: 'GET',
      path: '/templates/licenses',
      tag,
      summary: 'List licenses',
      gate: gates.anyone,
      params: schema.licenseList,
      paginated: true,
      responses: { 200: Type.Array(schema.LicenseTemplate) },
      handle: ({ params, page }) => service.listLicenses(params.popular, page),
    }),
    route({
      method: 'GET',
      path: '/templates/licenses/:key',
      tag,
      summary: 'Get a license, filled in',
      gate: gates.anyone,
      params: schema.oneLicense,
      responses: { 200: schema.LicenseTemplate },
      handle: ({ caller, params }) => service.getLicense(params.key, params, caller),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/templates/:type',
      tag,
      summary: 'List the templates of a project',
      gate: gates.project('read_project'),
      params: schema.ofProject,
      paginated: true,
      responses: { 200: Type.Array(schema.TemplateName) },
      handle: ({ caller, subject, params, page }) =>
        service.listForProject(services, caller, subject, params.type, page),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/templates/:type/:key',
      tag,
      summary: 'Get a template of a project',
      gate: gates.project('read_project'),
      params: schema.oneOfProject,
      responses: { 200: schema.AnyTemplate },
      handle: ({ caller, subject, params }) => service.getForProject(services, caller, subject, params),
    }),
  ];
}
