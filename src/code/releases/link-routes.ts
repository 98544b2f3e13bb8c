import Type from 'typebox';
import type { Actor } from '../../access/actor.ts';
import type { Gates } from '../../access/gates.ts';
import type { ProjectAbility } from '../../access/policy.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import type { Gate } from '../../platform/http/endpoint.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { param } from '../../platform/http/params.ts';
import type { LinkPlace } from './links.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'releases';
const path = '/projects/:id/releases/:tag_name/assets/links';

/** Finds the release that a path names, for those who may read the code; a protected tag guards what is linked too. */
function placeGate(services: Services, gates: Gates, ability: ProjectAbility): Gate<Actor, LinkPlace> {
  const inner = gates.project(ability);
  return {
    ...inner,
    async enter(actor, params, request) {
      const subject = await inner.enter(actor, params, request);
      if (!subject.can('read_code')) throw new Forbidden();
      const release = await service.requireRelease(services, subject, String(params.tag_name));
      if (ability === 'admin_release') await service.checkTagRight(services, actor, subject, release.tag);
      return { subject, release };
    },
    gone: ({ subject }) => inner.gone?.(subject),
  };
}

/** What can be downloaded with a release. */
export function linkRoutes(services: Services, gates: Gates): Route[] {
  const read = placeGate(services, gates, 'read_release');
  const admin = placeGate(services, gates, 'admin_release');
  const one = `${path}/:link_id`;
  return [
    route({
      method: 'GET',
      path,
      tag,
      summary: 'List the links of a release',
      gate: read,
      params: schema.tagged,
      paginated: true,
      jobToken: true,
      answers: { 200: Type.Array(schema.ReleaseLink) },
      handle: ({ subject, page }) => service.listLinks(services, subject, page),
    }),
    route({
      method: 'POST',
      path,
      tag,
      summary: 'Add a link to a release',
      gate: admin,
      params: schema.linkCreation,
      jobToken: true,
      answers: { 201: schema.ReleaseLink },
      handle: ({ subject, params }) => service.createLink(services, subject, params),
    }),
    route({
      method: 'GET',
      path: one,
      tag,
      summary: 'Get a link of a release',
      gate: read,
      params: schema.linkNamed,
      jobToken: true,
      answers: { 200: schema.ReleaseLink },
      handle: ({ subject, params }) => service.getLink(services, subject, params.link_id),
    }),
    route({
      method: 'PUT',
      path: one,
      tag,
      summary: 'Update a link of a release',
      gate: admin,
      params: schema.linkUpdate,
      rules: [schema.oneOfTheLink],
      jobToken: true,
      answers: { 200: schema.ReleaseLink },
      handle: ({ subject, params }) => service.updateLink(services, subject, params.link_id, params),
    }),
    route({
      method: 'DELETE',
      path: one,
      tag,
      summary: 'Remove a link from a release',
      gate: admin,
      params: schema.linkNamed,
      jobToken: true,
      answers: { 200: schema.ReleaseLink },
      handle: ({ subject, params }) => service.deleteLink(services, subject, params.link_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/releases/:tag_name/downloads/*',
      tag,
      summary: 'Go to the file of a link by its permanent path',
      gate: read,
      params: { ...schema.tagged, '*': param.string() },
      jobToken: true,
      answers: { 302: Type.String() },
      handle: async ({ subject, params, reply }) =>
        reply.redirect(await service.assetAddress(services, subject, params['*'] ?? ''), 302),
    }),
  ];
}
