import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'templates';

/** `/templates`: built-in templates; `/projects/:id/templates`: these and custom templates. */
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
      summary: 'List all Dockerfile templates',
      ...listing,
      handle: ({ page }) => service.listTemplates('dockerfiles', page),
    }),
    route({
      method: 'GET',
      path: '/templates/dockerfiles/:key',
      tag,
      summary: 'Get a Dockerfile template',
      ...reading,
      handle: ({ params }) => service.getTemplate('dockerfiles', params.key),
    }),
    route({
      method: 'GET',
      path: '/templates/gitignores',
      tag,
      summary: 'List all .gitignore templates',
      ...listing,
      handle: ({ page }) => service.listTemplates('gitignores', page),
    }),
    route({
      method: 'GET',
      path: '/templates/gitignores/:key',
      tag,
      summary: 'Get a .gitignore template',
      ...reading,
      handle: ({ params }) => service.getTemplate('gitignores', params.key),
    }),
    route({
      method: 'GET',
      path: '/templates/gitlab_ci_ymls',
      tag,
      summary: 'List all GitLab CI/CD YAML templates',
      ...listing,
      handle: ({ page }) => service.listTemplates('gitlab_ci_ymls', page),
    }),
    route({
      method: 'GET',
      path: '/templates/gitlab_ci_ymls/:key',
      tag,
      summary: 'Get a GitLab CI/CD YAML template',
      ...reading,
      handle: ({ params }) => service.getTemplate('gitlab_ci_ymls', params.key),
    }),
    route({
      method: 'GET',
      path: '/templates/licenses',
      tag,
      summary: 'List all license templates',
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
      summary: 'Get a license template',
      gate: gates.anyone,
      params: schema.oneLicense,
      responses: { 200: schema.LicenseTemplate },
      handle: ({ caller, params }) => service.getLicense(params.key, params, caller),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/templates/:type',
      tag,
      summary: 'List all project templates of a type',
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
      summary: 'Get a project template of a type',
      gate: gates.project('read_project'),
      params: schema.oneOfProject,
      responses: { 200: schema.AnyTemplate },
      handle: ({ caller, subject, params }) => service.getForProject(services, caller, subject, params),
    }),
  ];
}
