import type { Gates } from '../../../access/gates.ts';
import { type Route, route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { projectParam } from '../../../namespaces/projects/public.ts';
import { IncomingEmailToken, NewIssueAddress } from './schema.ts';
import { getToken, newIssueAddress, rotateToken } from './service.ts';

/** Routes for a user's incoming e-mail addresses. */
export function mailAddressRoutes(services: Services, gates: Gates): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/new_issue_address',
      tag: 'issues',
      summary: 'Get your incoming email address for new issues of a project',
      gate: gates.project('create_issue', { signedIn: true }),
      params: projectParam,
      responses: { 200: NewIssueAddress },
      handle: ({ caller, subject }) => newIssueAddress(services, caller, subject),
    }),
    route({
      method: 'GET',
      path: '/user/incoming_email_token',
      tag: 'users',
      summary: 'Get your incoming email token',
      gate: gates.signedIn,
      params: {},
      responses: { 200: IncomingEmailToken },
      handle: ({ caller }) => getToken(services, caller),
    }),
    route({
      method: 'POST',
      path: '/user/incoming_email_token/rotate',
      tag: 'users',
      summary: 'Rotate your incoming email token',
      gate: gates.signedIn,
      params: {},
      responses: { 201: IncomingEmailToken },
      handle: ({ caller }) => rotateToken(services, caller),
    }),
  ];
}
