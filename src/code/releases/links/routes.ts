import Type from 'typebox';
import type { Actor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import type { ProjectAbility } from '../../../access/policy.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import type { Gate } from '../../../platform/http/endpoint.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { param } from '../../../platform/http/params.ts';
import { releaseTagParams } from '../params.ts';
import { checkTagRight } from '../rules.ts';
import { requireRelease } from '../service.ts';
import * as schema from './schema.ts';
import type { ReleaseContext } from './service.ts';
import * as service from './service.ts';

const tag = 'releases';

/**
 * Resolves the release of a request for callers who can read the code. The protection of a tag also covers its links.
 */
function releaseGate(services: Services, gates: Gates, ability: ProjectAbility): Gate<Actor, ReleaseContext> {
  const inner = gates.project(ability);
  return {
    ...inner,
    async enter(actor, params, request) {
      const subject = await inner.enter(actor, params, request);
      if (!subject.can('read_code')) throw new Forbidden();
      const release = await requireRelease(services, subject, String(params.tag_name));
      if (ability === 'admin_release') await checkTagRight(services, actor, subject, release.tag);
      return { subject, release };
    },
    gone: ({ subject }) => inner.gone?.(subject),
  };
}

/** Asset links of releases. */
export function linkRoutes(services: Services, gates: Gates): Route[] {
  const read = releaseGate(services, gates, 'read_release');
  const admin = releaseGate(services, gates, 'admin_release');
  return [
    route({
      method: 'GET',
      path: '/projects/:id/releases/:tag_name/assets/links',
      tag,
      summary: 'List links of a release',
      gate: read,
      params: releaseTagParams,
      paginated: true,
      jobToken: true,
      responses: { 200: Type.Array(schema.ReleaseLink) },
      handle: ({ subject, page }) => service.listLinks(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/releases/:tag_name/assets/links',
      tag,
      summary: 'Create a release link',
      gate: admin,
      params: schema.linkCreation,
      jobToken: true,
      responses: { 201: schema.ReleaseLink },
      handle: ({ subject, params }) => service.createLink(services, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/releases/:tag_name/assets/links/:link_id',
      tag,
      summary: 'Get a release link',
      gate: read,
      params: schema.linkNamed,
      jobToken: true,
      responses: { 200: schema.ReleaseLink },
      handle: ({ subject, params }) => service.getLink(services, subject, params.link_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/releases/:tag_name/assets/links/:link_id',
      tag,
      summary: 'Update a release link',
      gate: admin,
      params: schema.linkUpdate,
      rules: [schema.oneOfTheLink],
      jobToken: true,
      responses: { 200: schema.ReleaseLink },
      handle: ({ subject, params }) => service.updateLink(services, subject, params.link_id, params),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/releases/:tag_name/assets/links/:link_id',
      tag,
      summary: 'Delete a release link',
      gate: admin,
      params: schema.linkNamed,
      jobToken: true,
      responses: { 200: schema.ReleaseLink },
      handle: ({ subject, params }) => service.deleteLink(services, subject, params.link_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/releases/:tag_name/downloads/*',
      tag,
      summary: 'Download a release asset',
      gate: read,
      params: { ...releaseTagParams, '*': param.string() },
      jobToken: true,
      responses: { 302: Type.String() },
      handle: async ({ subject, params, reply }) =>
        reply.redirect(await service.assetAddress(services, subject, params['*'] ?? ''), 302),
    }),
  ];
}
