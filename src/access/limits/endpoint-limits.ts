import type { FastifyRequest } from 'fastify';
import { digest } from '../../platform/secrets/tokens.ts';
import { type Actor, isAdmin } from '../actor.ts';
import type { ApplicationSettings } from '../application-settings/list.ts';
import type { Route } from '../route.ts';
import type { Services } from '../services.ts';

type Named<T> = {
  [K in keyof ApplicationSettings]: ApplicationSettings[K] extends T ? K : never;
}[keyof ApplicationSettings];

/** The rate limit of an endpoint for one caller. */
export interface EndpointLimit {
  /** The name of the counter, as in GitLab. */
  readonly name: string;
  /** The setting with the limit for users, and that for anonymous addresses if it differs. */
  readonly setting: Named<number>;
  readonly anonymous?: Named<number>;
  readonly minutes: number;
  /** Counted separately for each subject of the path. */
  readonly perSubject?: boolean;
  /** Counted separately for each token of a runner or job, because many of them may share an address. */
  readonly perToken?: boolean;
  readonly exceptAdmins?: boolean;
  readonly allowlist?: Named<readonly string[]>;
}

const perMinute = (name: string, setting: Named<number>, rest: Partial<EndpointLimit> = {}): EndpointLimit => ({
  name,
  setting,
  minutes: 1,
  ...rest,
});

const jobCalls = perMinute('runner_jobs_api', 'runner_jobs_endpoints_api_limit', { perToken: true });

const membersDelete = perMinute('members_delete', 'members_delete_limit', { perSubject: true });

const notesCreate = perMinute('notes_create', 'notes_create_limit', { allowlist: 'notes_create_limit_allowlist' });

const issuesCreate = perMinute('issues_create', 'issues_create_limit', { perSubject: true });

/** The endpoints with a rate limit of their own, by method and path without patterns. */
export const endpointLimits: Readonly<Record<string, EndpointLimit>> = {
  'GET /projects': {
    name: 'projects_api',
    setting: 'projects_api_limit',
    anonymous: 'projects_api_rate_limit_unauthenticated',
    minutes: 10,
  },
  'GET /projects/:id': perMinute('project_api', 'project_api_limit'),
  'GET /projects/:id/invited_groups': perMinute('project_invited_groups_api', 'project_invited_groups_api_limit'),
  'GET /projects/:id/members/all': perMinute('project_members_api', 'project_members_api_limit', { perSubject: true }),
  'DELETE /projects/:id/members/:user_id': membersDelete,
  'GET /groups': perMinute('groups_api', 'groups_api_limit'),
  'GET /groups/:id': perMinute('group_api', 'group_api_limit'),
  'GET /groups/:id/projects': perMinute('group_projects_api', 'group_projects_api_limit'),
  'GET /groups/:id/groups/shared': perMinute('group_shared_groups_api', 'group_shared_groups_api_limit'),
  'GET /groups/:id/invited_groups': perMinute('group_invited_groups_api', 'group_invited_groups_api_limit'),
  'DELETE /groups/:id/members/:user_id': membersDelete,
  'GET /users/:user_id/projects': perMinute('user_projects_api', 'user_projects_api_limit'),
  'GET /users/:user_id/contributed_projects': perMinute(
    'user_contributed_projects_api',
    'user_contributed_projects_api_limit',
  ),
  'GET /users/:user_id/starred_projects': perMinute('user_starred_projects_api', 'user_starred_projects_api_limit'),
  'GET /users/:id': {
    name: 'users_get_by_id',
    setting: 'users_get_by_id_limit',
    minutes: 10,
    exceptAdmins: true,
    allowlist: 'users_get_by_id_limit_allowlist',
  },
  'GET /users/:id/followers': perMinute('user_followers', 'users_api_limit_followers'),
  'GET /users/:id/following': perMinute('user_following', 'users_api_limit_following'),
  'GET /users/:user_id/status': perMinute('user_status', 'users_api_limit_status'),
  'GET /users/:user_id/keys': perMinute('user_ssh_keys', 'users_api_limit_ssh_keys'),
  'GET /users/:id/keys/:key_id': perMinute('user_ssh_key', 'users_api_limit_ssh_key'),
  'GET /users/:id/gpg_keys': perMinute('user_gpg_keys', 'users_api_limit_gpg_keys'),
  'GET /users/:id/gpg_keys/:key_id': perMinute('user_gpg_key', 'users_api_limit_gpg_key'),
  'POST /projects/:id/repository/commits/:sha/comments': notesCreate,
  'POST /projects/:id/repository/commits/:sha/discussions': notesCreate,
  'POST /projects/:id/repository/commits/:sha/discussions/:discussion_id/notes': notesCreate,
  'POST /projects/:id/issues': issuesCreate,
  'GET /projects/:id/jobs': perMinute('jobs_index', 'project_jobs_api_rate_limit', { perSubject: true }),
  'POST /jobs/request': perMinute('runner_jobs_request_api', 'runner_jobs_request_api_limit', { perToken: true }),
  'PATCH /jobs/:id/trace': perMinute('runner_jobs_patch_trace_api', 'runner_jobs_patch_trace_api_limit', {
    perToken: true,
  }),
  'PUT /jobs/:id': jobCalls,
  'POST /jobs/:id/artifacts': jobCalls,
  'POST /jobs/:id/artifacts/authorize': jobCalls,
  'GET /jobs/:id/artifacts': jobCalls,
  'POST /projects/:id/export': perMinute('project_export', 'project_export_limit'),
  'GET /projects/:id/export/download': perMinute('project_download_export', 'project_download_export_limit', {
    perSubject: true,
  }),
  'POST /projects/import': perMinute('project_import', 'project_import_limit'),
  'POST /projects/remote-import': perMinute('project_import', 'project_import_limit'),
  'POST /groups/:id/export': perMinute('group_export', 'group_export_limit'),
  'GET /groups/:id/export/download': perMinute('group_download_export', 'group_download_export_limit', {
    perSubject: true,
  }),
  'POST /groups/import': perMinute('group_import', 'group_import_limit'),
  'POST /projects/:id/issues/:issue_iid/notes': notesCreate,
  'POST /projects/:id/issues/:issue_iid/discussions': notesCreate,
  'POST /projects/:id/issues/:issue_iid/discussions/:discussion_id/notes': notesCreate,
  'POST /projects/:id/merge_requests/:merge_request_iid/notes': notesCreate,
  'POST /projects/:id/merge_requests/:merge_request_iid/discussions': notesCreate,
  'POST /projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id/notes': notesCreate,
  'POST /projects/:id/snippets/:snippet_id/notes': notesCreate,
  'POST /projects/:id/snippets/:snippet_id/discussions': notesCreate,
  'POST /projects/:id/snippets/:snippet_id/discussions/:discussion_id/notes': notesCreate,
  'POST /projects/:id/wiki_pages/:noteable_id/notes': notesCreate,
  'POST /groups/:id/wiki_pages/:noteable_id/notes': notesCreate,
  'POST /groups/:id/epics/:epic_id/notes': notesCreate,
  'POST /groups/:id/epics/:epic_id/discussions': notesCreate,
  'POST /groups/:id/epics/:epic_id/discussions/:discussion_id/notes': notesCreate,
};

const search: EndpointLimit = {
  name: 'search_rate_limit',
  setting: 'search_rate_limit',
  anonymous: 'search_rate_limit_unauthenticated',
  minutes: 1,
  allowlist: 'search_rate_limit_allowlist',
};

/** The key of a route in `endpointLimits`. */
export const limitKey = ({ method, path }: Pick<Route, 'method' | 'path'>) =>
  `${method} ${path.replace(/\(\^[^/]*\$\)/g, '')}`;

/** Adds rate limits to these endpoints, and to every searchable list, checked before anything is looked up. */
export function limitEndpoints(services: Services, routes: readonly Route[]): Route[] {
  return routes.map((route) => {
    const own = endpointLimits[limitKey(route)];
    const searched = route.method === 'GET' && route.paginated === true && Object.hasOwn(route.params, 'search');
    return own || searched ? limited(services, route, own, searched) : route;
  });
}

function limited(services: Services, route: Route, own: EndpointLimit | undefined, searched: boolean): Route {
  const { gate } = route;
  const limitsOf = (params: Record<string, unknown>) => [
    ...(own ? [own] : []),
    ...(searched && typeof params.search === 'string' && params.search.trim() !== '' ? [search] : []),
  ];
  async function count(
    limits: readonly EndpointLimit[],
    actor: Actor,
    params: Record<string, unknown>,
    request: FastifyRequest,
  ) {
    const settings = services.settings.known() ?? (await services.settings.read());
    const requester = { actor, id: params.id, ip: request.ip, token: tokenOf(params, request) };
    for (const limit of limits) await spend(services, settings, limit, requester);
  }
  return {
    ...route,
    gate: {
      ...gate,
      enter(actor: Actor, params: Record<string, unknown>, request: FastifyRequest) {
        const limits = limitsOf(params);
        const settings = services.settings.known();
        if (settings && limits.every((limit) => numberFor(settings, limit, actor) === 0)) {
          return gate.enter(actor, params, request);
        }
        return count(limits, actor, params, request).then(() => gate.enter(actor, params, request));
      },
    },
  };
}

function numberFor(settings: ApplicationSettings, limit: EndpointLimit, actor: Actor): number {
  return settings[actor.user || limit.anonymous === undefined ? limit.setting : limit.anonymous];
}

interface Requester {
  readonly actor: Actor;
  readonly ip: string;
  /** The subject of the path, as sent. */
  readonly id: unknown;
  /** The token of the calling runner or job. */
  readonly token: string | undefined;
}

/** The token of a runner or job, which runners send in different places. */
function tokenOf({ token }: Record<string, unknown>, { headers }: FastifyRequest): string | undefined {
  const sent = headers['job-token'] ?? headers['runner-token'] ?? token;
  return typeof sent === 'string' && sent !== '' ? sent : undefined;
}

/** Counts a comment, or an issue in a project, that was not created through its endpoint. */
export async function countAgainstEndpointLimit(
  services: Services,
  actor: Actor,
  written: { readonly comment: true } | { readonly issueIn: number },
): Promise<void> {
  const limit = 'comment' in written ? notesCreate : issuesCreate;
  const id = 'comment' in written ? undefined : written.issueIn;
  await spend(services, await services.settings.read(), limit, { actor, ip: '', id, token: undefined });
}

async function spend(services: Services, settings: ApplicationSettings, limit: EndpointLimit, by: Requester) {
  const { actor, ip, id, token } = by;
  const count = numberFor(settings, limit, actor);
  if (count === 0 || (limit.exceptAdmins && isAdmin(actor))) return;
  const excepted = limit.allowlist === undefined ? [] : settings[limit.allowlist];
  const name = actor.user?.username.toLowerCase();
  if (name !== undefined && excepted.some((each) => each.toLowerCase() === name)) return;
  const caller = actor.user ? `user ${actor.user.id}` : `address ${ip}`;
  const counterKey = limit.perToken && token !== undefined ? `token ${digest(token)}` : caller;
  await services.limits.spend(limit.name, limit.perSubject ? `${counterKey} ${id}` : counterKey, {
    count,
    period: limit.minutes * 60_000,
  });
}
