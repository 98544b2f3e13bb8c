import Type from 'typebox';
import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { param, required } from '../../../platform/http/params.ts';
import { entity, nullable } from '../../../platform/http/schema.ts';
import { lookUpAvatar, setOwnAvatar } from './service.ts';

const tag = 'users';
const Avatar = entity('Avatar', { avatar_url: nullable(Type.String()) });

export function avatarRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/user/avatar',
      tag,
      summary: 'Upload an avatar for the current user',
      gate: gates.signedIn,
      params: { avatar: required(param.file()) },
      responses: { 200: Avatar },
      handle: ({ subject, params }) => setOwnAvatar(services, subject, params.avatar),
    }),
    route({
      method: 'GET',
      path: '/avatar',
      tag,
      summary: 'Get the avatar URL for an e-mail address',
      gate: gates.anyone,
      params: { email: required(param.string()), size: param.integer() },
      responses: { 200: Avatar },
      handle: ({ params }) => lookUpAvatar(services, params.email, params.size),
    }),
  ];
}
