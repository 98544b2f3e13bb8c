import Type from 'typebox';
import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { projectParam } from '../../namespaces/projects/public.ts';
import { Unauthorized } from '../../platform/http/errors.ts';
import * as schema from './schema.ts';
import * as service from './service.ts';

const tag = 'remote mirrors';

export function remoteMirrorRoutes(services: Services, gates: Gates): Route[] {
  const gate = gates.project('admin_remote_mirror', {
    signedIn: true,
    // Clients expect 401 here, while other project settings answer 403.
    refusal: (subject) => (subject.can('admin_remote_mirror') ? undefined : new Unauthorized()),
    early: true,
  });
  return [
    route({
      method: 'GET',
      path: '/projects/:id/remote_mirrors',
      tag,
      summary: 'List all remote mirrors of a project',
      gate,
      params: projectParam,
      paginated: true,
      responses: { 200: Type.Array(schema.RemoteMirror) },
      handle: ({ subject, page }) => service.listMirrors(services, subject, page),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/remote_mirrors',
      tag,
      summary: 'Create a push mirror',
      gate,
      params: schema.newMirror,
      responses: { 201: schema.RemoteMirror },
      handle: ({ caller, subject, params }) => service.createMirror(services, caller, subject, params),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/remote_mirrors/:mirror_id',
      tag,
      summary: 'Get a remote mirror',
      gate,
      params: schema.oneMirror,
      responses: { 200: schema.RemoteMirror },
      handle: ({ subject, params }) => service.getMirror(services, subject, params.mirror_id),
    }),
    route({
      method: 'GET',
      path: '/projects/:id/remote_mirrors/:mirror_id/public_key',
      tag,
      summary: 'Get the public key of a remote mirror',
      gate,
      params: schema.oneMirror,
      responses: { 200: schema.PublicKey },
      handle: ({ subject, params }) => service.getPublicKey(services, subject, params.mirror_id),
    }),
    route({
      method: 'PUT',
      path: '/projects/:id/remote_mirrors/:mirror_id',
      tag,
      summary: "Update a remote mirror's attributes",
      gate,
      params: schema.mirrorChange,
      responses: { 200: schema.RemoteMirror },
      handle: ({ caller, subject, params }) => service.updateMirror(services, caller, subject, params),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/remote_mirrors/:mirror_id/sync',
      tag,
      summary: 'Force push mirror update',
      gate,
      params: schema.oneMirror,
      responses: { 204: null },
      handle: ({ subject, params }) => service.syncMirror(services, subject, params.mirror_id),
    }),
    route({
      method: 'DELETE',
      path: '/projects/:id/remote_mirrors/:mirror_id',
      tag,
      summary: 'Delete a remote mirror',
      gate,
      params: schema.oneMirror,
      responses: { 204: null },
      handle: ({ subject, params }) => service.deleteMirror(services, subject, params.mirror_id),
    }),
  ];
}
