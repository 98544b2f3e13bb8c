import type { ProjectAbility } from '../../access/policy.ts';
import type { Entity } from '../../platform/http/in-process.ts';
import { connectionTypes, listOf, pageArguments, restConnection } from '../engine/connection.ts';
import type { ResolverContext } from '../engine/context.ts';
import { globalId } from '../engine/global-ids.ts';
import type { Part, Resolve } from '../engine/part.ts';

/** Finds a project or group by its path only: the API would interpret a path of digits as an id. */
export async function findByPath(
  context: ResolverContext,
  kind: 'projects' | 'groups',
  path: string,
): Promise<Entity | null> {
  const found = await context.read(`/${kind}/${encodeURIComponent(path)}`);
  const own: string | undefined = found?.path_with_namespace ?? found?.full_path;
  return own?.toLowerCase() === path.toLowerCase() ? found : null;
}

/** A project as the namespace of its work items. */
export const asNamespace = (project: Entity): Entity => ({
  ...project,
  kind: 'project',
  full_name: project.name_with_namespace,
  full_path: project.path_with_namespace,
});

export const projectById = (context: ResolverContext, id: string | number) => context.read(`/projects/${id}`);

/** Resolves whether the caller has an ability in the project, by the same policy as the API. */
export const hasProjectAbility =
  (ability: ProjectAbility): Resolve =>
  async ({ projectId }, _args, context) =>
    (await context.project(projectId))?.can(ability) ?? false;

const isEnabled =
  (part: string): Resolve =>
  (project) => {
    const level = project[`${part}_access_level`];
    return level === undefined ? null : level !== 'disabled';
  };

const orders: Readonly<Record<string, readonly [order: string, sort: string]>> = {
  id_asc: ['id', 'asc'],
  id_desc: ['id', 'desc'],
  name_asc: ['name', 'asc'],
  name_desc: ['name', 'desc'],
  created_asc: ['created_at', 'asc'],
  created_desc: ['created_at', 'desc'],
  latest_activity_asc: ['last_activity_at', 'asc'],
  latest_activity_desc: ['last_activity_at', 'desc'],
  stars_asc: ['star_count', 'asc'],
  stars_desc: ['star_count', 'desc'],
};

/** Converts a sort value to query parameters of the REST API. */
export function orderOf(table: typeof orders, sort: string | null | undefined) {
  const [order_by, direction] = (sort ? table[sort.toLowerCase()] : undefined) ?? [];
  return { order_by, sort: direction };
}

const abilities = {
  adminProject: 'admin_project',
  createIssue: 'create_issue',
  createMergeRequestIn: 'create_merge_request_in',
  createSnippet: 'create_snippet',
  downloadCode: 'read_code',
  pushCode: 'push_code',
  readMergeRequest: 'read_merge_request',
  readProject: 'read_project',
} as const satisfies Readonly<Record<string, ProjectAbility>>;

const levelNames: Readonly<Record<number, string>> = {
  0: 'NO_ACCESS',
  5: 'MINIMAL_ACCESS',
  10: 'GUEST',
  15: 'PLANNER',
  20: 'REPORTER',
  30: 'DEVELOPER',
  40: 'MAINTAINER',
  50: 'OWNER',
  60: 'ADMIN',
};

/** An access level as the schema represents it. */
export const accessLevel = (level: number) => ({ integerValue: level, stringValue: levelNames[level] });

/** Whether the project's squash setting cannot be changed in merge requests. */
export const isSquashFixed = ({ squash_option }: Entity) => squash_option === 'always' || squash_option === 'never';

export const projects: Part = {
  types: `
    extend type Query {
      project(fullPath: ID!): Project
      projects(ids: [ID!], fullPaths: [String!], search: String, searchNamespaces: Boolean, membership: Boolean, sort: String, withIssuesEnabled: Boolean, withMergeRequestsEnabled: Boolean, ${pageArguments}): ProjectConnection
    }
    type Project {
      allowMergeOnSkippedPipeline: Boolean
      allowsMultipleMergeRequestAssignees: Boolean!
      allowsMultipleMergeRequestReviewers: Boolean!
      archived: Boolean
      autocloseReferencedIssues: Boolean
      avatarUrl: String
      ciConfigPathOrDefault: String!
      containerRegistryEnabled: Boolean
      createdAt: Time
      description: String
      descriptionHtml: String
      forksCount: Int!
      fullPath: ID!
      group: Group
      httpUrlToRepo: String
      id: ID!
      isForked: Boolean
      issuesEnabled: Boolean
      jobsEnabled: Boolean
      lastActivityAt: Time
      lfsEnabled: Boolean
      maxAccessLevel: AccessLevel!
      mergeRequestsEnabled: Boolean
      mergeRequestsFfOnlyEnabled: Boolean
      name: String!
      nameWithNamespace: String!
      namespace: Namespace
      onlyAllowMergeIfAllDiscussionsAreResolved: Boolean
      onlyAllowMergeIfPipelineSucceeds: Boolean
      openIssuesCount: Int
      path: String!
      publicJobs: Boolean
      removeSourceBranchAfterMerge: Boolean
      repository: Repository
      requestAccessEnabled: Boolean
      sharedRunnersEnabled: Boolean
      snippetsEnabled: Boolean
      squashReadOnly: Boolean!
      sshUrlToRepo: String
      starCount: Int!
      suggestionCommitMessage: String
      topics: [String!]
      updatedAt: Time
      userPermissions: ProjectPermissions!
      visibility: String
      webUrl: String
      wikiEnabled: Boolean
    }
    "Permissions of the caller in a project."
    type ProjectPermissions { ${Object.keys(abilities)
      .map((name) => `${name}: Boolean!`)
      .join(' ')} }
    type Repository { empty: Boolean! exists: Boolean! rootRef: String }
    enum AccessLevelEnum { ${Object.values(levelNames).join(' ')} }
    type AccessLevel { integerValue: Int stringValue: AccessLevelEnum }
    ${connectionTypes('Project', 'count: Int!')}
  `,
  fields: {
    Query: {
      project: (_source, { fullPath }, context) => findByPath(context, 'projects', fullPath),
      projects: async (_source, { ids, fullPaths, ...rest }, context) => {
        if (ids || fullPaths) return listOf(await projectsNamed(context, ids ?? [], fullPaths ?? []), rest);
        const { search, membership, searchNamespaces, sort } = rest;
        const query = {
          search,
          membership,
          search_namespaces: searchNamespaces,
          with_issues_enabled: rest.withIssuesEnabled,
          with_merge_requests_enabled: rest.withMergeRequestsEnabled,
          ...orderOf(orders, sort),
        };
        return restConnection(context, '/projects', rest, { query });
      },
    },
    Project: {
      id: ({ id }) => globalId('Project', id),
      allowsMultipleMergeRequestAssignees: () => true,
      allowsMultipleMergeRequestReviewers: () => true,
      ciConfigPathOrDefault: ({ ci_config_path }) => ci_config_path || '.gitlab-ci.yml',
      containerRegistryEnabled: isEnabled('container_registry'),
      descriptionHtml: async ({ id, description }, _args, context) => {
        const subject = await context.project(id);
        return subject && description ? context.texts.draw(subject, description) : description;
      },
      forksCount: ({ forks_count }) => forks_count ?? 0,
      fullPath: ({ path_with_namespace }) => path_with_namespace,
      group: ({ namespace }, _args, context) =>
        namespace?.kind === 'group' ? context.read(`/groups/${namespace.id}`, { with_projects: false }) : null,
      isForked: ({ forked_from_project }) => Boolean(forked_from_project),
      issuesEnabled: isEnabled('issues'),
      jobsEnabled: isEnabled('builds'),
      maxAccessLevel: async ({ id }, _args, context) => {
        return accessLevel((await context.project(id))?.levels.highest ?? 0);
      },
      mergeRequestsEnabled: isEnabled('merge_requests'),
      mergeRequestsFfOnlyEnabled: ({ merge_method }) => merge_method === 'ff',
      nameWithNamespace: ({ name_with_namespace }) => name_with_namespace,
      repository: (project) => ({ empty: false, ...project, exists: true, rootRef: project.default_branch }),
      snippetsEnabled: isEnabled('snippets'),
      squashReadOnly: isSquashFixed,
      userPermissions: ({ id }) => ({ projectId: id }),
      wikiEnabled: isEnabled('wiki'),
    },
    Repository: {
      empty: ({ empty_repo, default_branch }) => empty_repo ?? default_branch == null,
    },
    ProjectPermissions: Object.fromEntries(
      Object.entries(abilities).map(([name, ability]) => [name, hasProjectAbility(ability)]),
    ),
  },
};

async function projectsNamed(
  context: ResolverContext,
  ids: readonly string[],
  paths: readonly string[],
): Promise<Entity[]> {
  const numbers = ids.map((id) => /^gid:\/\/gitlab\/Project\/(\d+)$/.exec(id)?.[1] ?? '0');
  const found = await Promise.all([
    ...numbers.slice(0, 100).map((id) => projectById(context, id)),
    ...paths.slice(0, 100).map((path) => findByPath(context, 'projects', path)),
  ]);
  return found.filter((project) => project !== null);
}
