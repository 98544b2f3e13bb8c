import type { Gates } from '../../access/gates.ts';
import { type Route, route } from '../../access/route.ts';
import type { Services } from '../../access/services.ts';
import { atLeastOneOf, param, required } from '../../platform/http/params.ts';
import { lookUpAvatar, setOwnAvatar } from './avatar.ts';
import { preferences, status } from './params.ts';
import { getPreferences, setPreferences } from './preferences.ts';
import { getSelf } from './read.ts';
import { Avatar, Preferences, UserCounts, UserStatus, VisibleSelf } from './schema.ts';
import { getStatus, setStatus } from './status.ts';

const tag = 'users';
const reads = ['read_user'];

/** `/user`: what people do with their own account. */
export function ownRoutes(services: Services, gates: Gates): Route[] {
  const { db } = services;
  const gate = gates.signedIn;
  return [
    route({
      method: 'GET',
      path: '/user',
      tag,
      summary: 'Get the signed-in user',
      gate,
      scopes: reads,
      params: {},
      steady: true,
      answers: { 200: VisibleSelf },
      handle: ({ caller }) => getSelf(services, caller),
    }),
    route({
      method: 'GET',
      path: '/user/status',
      tag,
      summary: 'Get what you say of yourself at the moment',
      gate,
      scopes: reads,
      params: {},
      answers: { 200: UserStatus },
      handle: ({ subject }) => getStatus(db.read, subject.id),
    }),
    route({
      method: 'PUT',
      path: '/user/status',
      tag,
      summary: 'Set what you say of yourself; what is not sent is cleared',
      gate,
      params: status,
      answers: { 200: UserStatus },
      handle: ({ subject, params }) => setStatus(db, subject.id, params, false),
    }),
    route({
      method: 'PATCH',
      path: '/user/status',
      tag,
      summary: 'Change what you say of yourself; what is not sent stays',
      gate,
      params: status,
      answers: { 200: UserStatus },
      handle: ({ subject, params, reply }) =>
        Object.keys(params).length === 0 ? reply.send('') : setStatus(db, subject.id, params, true),
    }),
    route({
      method: 'GET',
      path: '/user/preferences',
      tag,
      summary: 'Get your preferences',
      gate,
      scopes: reads,
      params: {},
      answers: { 200: Preferences },
      handle: ({ subject }) => getPreferences(subject),
    }),
    route({
      method: 'PUT',
      path: '/user/preferences',
      tag,
      summary: 'Change your preferences',
      gate,
      params: preferences,
      rules: [atLeastOneOf(...Object.keys(preferences))],
      answers: { 200: Preferences },
      handle: ({ subject, params }) => setPreferences(db, subject.id, params),
    }),
    route({
      method: 'GET',
      path: '/user_counts',
      tag,
      summary: 'Count what waits for you',
      gate,
      scopes: reads,
      params: {},
      answers: { 200: UserCounts },
      // Issues, merge requests and to-dos do not exist yet: there is nothing that could wait.
      handle: () => ({
        merge_requests: 0,
        assigned_issues: 0,
        assigned_merge_requests: 0,
        review_requested_merge_requests: 0,
        todos: 0,
      }),
    }),
    route({
      method: 'PUT',
      path: '/user/avatar',
      tag,
      summary: 'Upload your avatar',
      gate,
      params: { avatar: required(param.file()) },
      answers: { 200: Avatar },
      handle: ({ subject, params }) => setOwnAvatar(services, subject, params.avatar),
    }),
    route({
      method: 'GET',
      path: '/avatar',
      tag,
      summary: 'Get the address of the avatar that belongs to an e-mail address',
      gate: gates.anyone,
      params: { email: required(param.string()), size: param.integer() },
      answers: { 200: Avatar },
      handle: ({ params }) => lookUpAvatar(services, params.email, params.size),
    }),
  ];
}
