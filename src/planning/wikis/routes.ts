import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { atLeastOneOf } from '../../platform/http/params.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';
import { listVersions } from './versions.ts';

const tag = 'wikis';

export function wikiRoutes(services: Services, gates: Gates): Route[] {
  return [...projectWikiRoutes(services, gates), ...groupWikiRoutes(services, gates)];
}

function projectWikiRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.project('read_wiki');
  const writing = gates.project('create_wiki', { signedIn: true });
  const deleting = gates.project('admin_wiki', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/wikis',
      tag,
      summary: 'List wiki pages of a project',
      gate: reading,
      params: schema.pages,
      responses: { 200: Type.Array(schema.WikiPage) },
      handle: ({ subject, params }) => service.listPages(services, subject, params.with_content),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/wikis/:slug',
      tag,
      summary: 'Get a wiki page of a project',
      gate: reading,
      params: schema.page,
      responses: { 200: schema.WikiPage },
      handle: ({ caller, subject, params }) => service.getPage(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/wikis/:slug/versions',
      tag,
      summary: 'List versions of a wiki page of a project',
      gate: reading,
      params: schema.versions,
      paginated: true,
      responses: { 200: Type.Array(schema.WikiPageVersion) },
      handle: ({ subject, params, page }) => listVersions(services, subject, params.slug, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/wikis',
      tag,
      summary: 'Create a wiki page in a project',
      gate: writing,
      params: schema.newPage,
      responses: { 201: schema.WikiPage },
      handle: ({ caller, subject, params }) => service.createPage(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/wikis/:slug',
      tag,
      summary: 'Update a wiki page of a project',
      gate: writing,
      params: schema.pageChange,
      rules: [atLeastOneOf('content', 'title', 'format', 'front_matter')],
      responses: { 200: schema.WikiPage },
      handle: ({ caller, subject, params }) => service.updatePage(services, caller, subject, params.slug, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/wikis/:slug',
      tag,
      summary: 'Delete a wiki page of a project',
      gate: deleting,
      params: schema.deletion,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.deletePage(services, caller, subject, params.slug),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/wikis/attachments',
      tag,
      summary: 'Upload a wiki attachment to a project',
      gate: writing,
      params: schema.attachment,
      responses: { 201: schema.WikiAttachment },
      handle: ({ caller, subject, params }) => service.attachFile(services, caller, subject, params.file),
    }),
  ];
}

function groupWikiRoutes(services: Services, gates: Gates): Route[] {
  const reading = gates.group('read_wiki');
  const writing = gates.group('create_wiki', { signedIn: true });
  const deleting = gates.group('admin_wiki', { signedIn: true });
  return [
    route({
      method: 'GET',
      path: '/groups/:id/wikis',
      tag,
      summary: 'List wiki pages of a group',
      gate: reading,
      params: schema.pages,
      responses: { 200: Type.Array(schema.WikiPage) },
      handle: ({ subject, params }) => service.listPages(services, subject, params.with_content),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/wikis/:slug',
      tag,
      summary: 'Get a wiki page of a group',
      gate: reading,
      params: schema.page,
      responses: { 200: schema.WikiPage },
      handle: ({ caller, subject, params }) => service.getPage(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/groups/:id/wikis/:slug/versions',
      tag,
      summary: 'List versions of a wiki page of a group',
      gate: reading,
      params: schema.versions,
      paginated: true,
      responses: { 200: Type.Array(schema.WikiPageVersion) },
      handle: ({ subject, params, page }) => listVersions(services, subject, params.slug, page),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/wikis',
      tag,
      summary: 'Create a wiki page in a group',
      gate: writing,
      params: schema.newPage,
      responses: { 201: schema.WikiPage },
      handle: ({ caller, subject, params }) => service.createPage(services, caller, subject, params),
    }),
    route({
      method: 'PUT',
      path: '/groups/:id/wikis/:slug',
      tag,
      summary: 'Update a wiki page of a group',
      gate: writing,
      params: schema.pageChange,
      rules: [atLeastOneOf('content', 'title', 'format', 'front_matter')],
      responses: { 200: schema.WikiPage },
      handle: ({ caller, subject, params }) => service.updatePage(services, caller, subject, params.slug, params),
    }),
    route({
      method: 'DELETE',
      path: '/groups/:id/wikis/:slug',
      tag,
      summary: 'Delete a wiki page of a group',
      gate: deleting,
      params: schema.deletion,
      responses: { 204: null },
      handle: ({ caller, subject, params }) => service.deletePage(services, caller, subject, params.slug),
    }),
    route({
      method: 'POST',
      path: '/groups/:id/wikis/attachments',
      tag,
      summary: 'Upload a wiki attachment to a group',
      gate: writing,
      params: schema.attachment,
      responses: { 201: schema.WikiAttachment },
      handle: ({ caller, subject, params }) => service.attachFile(services, caller, subject, params.file),
    }),
  ];
}
