import type { TSchema } from 'typebox';
import { canReadEverything } from '../../access/actor.ts';
import { isProject, ownerColumnsOf } from '../../access/project-or-group.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { lowestVisibilityWithoutRole, viewerOf } from '../../access/visibility/visible.ts';
import { defaultBranch, repositoryOf } from '../../code/repository/public.ts';
import { BasicProject, listGroupProjects, listProjects, listProjectUsers } from '../../namespaces/projects/public.ts';
import { BasicUser, listUsers, presentBasicUser } from '../../people/users/public.ts';
import { Epic, listEpics } from '../../planning/epics/public.ts';
import { IssueBasic, listIssues } from '../../planning/issues/public.ts';
import { Milestone, milestonesById, presentMilestone } from '../../planning/milestones/public.ts';
import { notes } from '../../planning/notes/public.ts';
import { Snippet, searchSnippets } from '../../planning/snippets/public.ts';
import { wikiBranch, wikiOf } from '../../planning/wikis/public.ts';
import { type KeysetPage, Page } from '../../platform/http/pages/pagination.ts';
import { listRequests, MergeRequestBasic } from '../../review/merge-requests/public.ts';
import { acrossProjects, type FindInProject } from './across.ts';
import { searchBlobs } from './blobs.ts';
import { CommitFound, searchCommits } from './commits.ts';
import * as lists from './list.ts';
import { Blob, type ScopeName } from './schema.ts';
import type { ProjectSearch, Search } from './search-request.ts';

/** A search scope: how it searches, and the schema of its results. */
interface Scope {
  readonly schema: TSchema;
  readonly find: (services: Services, search: Search) => Promise<Page<unknown> | KeysetPage<unknown>>;
}

const none = new Page([], 0);

/** A scope that exists in projects only; in other places the projects are searched one by one. */
function inProjects(schema: TSchema, find: FindInProject): Scope {
  return {
    schema,
    find: (services, search) =>
      search.place !== null && isProject(search.place)
        ? find(services, { ...search, place: search.place })
        : acrossProjects(services, search, find),
  };
}

const order = ({ params }: Search) => ({ order_by: 'created_at', sort: params.sort ?? 'desc' }) as const;
const titlesOnly = ({ params }: Search) => (params.fields?.includes('title') ? { in: ['title' as const] } : {});

const projects: Scope = {
  schema: BasicProject,
  find(services, search) {
    const { caller, place, params, page } = search;
    const archived = params.include_archived ? {} : { archived: false };
    const { exclude_forks = false } = params;
    const options = { search: params.search, simple: true, exclude_forks, ...archived, ...order(search) };
    if (place === null) return listProjects(services, caller, { options, slice: page });
    if (isProject(place)) return Promise.resolve(none);
    return listGroupProjects(services, caller, place, { ...options, include_subgroups: true }, page);
  },
};

const users: Scope = {
  schema: BasicUser,
  async find(services, { caller, place, params: { search }, page }) {
    if (place === null) return listUsers(services, caller, { search }, page);
    if (isProject(place)) return listProjectUsers(services, place, { search }, page);
    const { rows, total } = await lists.searchPeople(
      services.db.read,
      { ...viewerOf(caller), group: place.group.id },
      search,
      page,
    );
    return new Page(rows, total).map((row) => presentBasicUser(row, services.externalUrl));
  },
};

const issues: Scope = {
  schema: IssueBasic,
  find(services, search) {
    const { caller, place, params, page } = search;
    if (place !== null && isProject(place) && !place.can('read_issue')) return Promise.resolve(none);
    const { state, confidential, include_archived } = params;
    if (state === 'merged') return Promise.resolve(none);
    return listIssues(
      services,
      caller,
      place,
      {
        search: params.search,
        scope: 'all',
        ...(state ? { state } : {}),
        ...(confidential === undefined ? {} : { confidential }),
        ...(place !== null && isProject(place) ? {} : { non_archived: include_archived !== true }),
        ...titlesOnly(search),
        ...order(search),
        with_labels_details: false,
      },
      page,
    );
  },
};

const mergeRequests: Scope = {
  schema: MergeRequestBasic,
  find(services, search) {
    const { caller, place, params, page } = search;
    if (place !== null && isProject(place) && !place.can('read_merge_request')) return Promise.resolve(none);
    return listRequests(
      services,
      caller,
      place,
      {
        search: params.search,
        scope: 'all',
        ...(params.state ? { state: params.state } : {}),
        ...(place !== null && isProject(place) ? {} : { non_archived: params.include_archived !== true }),
        ...titlesOnly(search),
        ...order(search),
        with_labels_details: false,
        with_merge_status_recheck: false,
        render_html: false,
      },
      page,
    );
  },
};

const milestones: Scope = {
  schema: Milestone,
  async find(services, { caller, place, params, page }) {
    const { read } = services.db;
    const where =
      place === null
        ? ({ within: 'all' } as const)
        : isProject(place)
          ? ({ within: 'project', place: place.project.id } as const)
          : ({ within: 'group', place: place.group.id } as const);
    const states = { opened: 'active', closed: 'closed' } as const;
    const state = params.state === 'opened' || params.state === 'closed' ? states[params.state] : undefined;
    const archived = params.include_archived === true || where.within === 'project';
    const scope = { ...viewerOf(caller), ...where, archived };
    const { rows, total } = await lists.searchMilestones(read, scope, { search: params.search, state }, page);
    const found = await milestonesById(
      read,
      rows.map(({ id }) => id),
    );
    const shown = rows.flatMap(({ id }) => found.get(id) ?? []);
    return new Page(shown, total).map((row) => presentMilestone(row, services.externalUrl));
  },
};

const epics: Scope = {
  schema: Epic,
  find(services, { caller, place, params, page }) {
    const { search, state = 'all', confidential, sort = 'desc' } = params;
    if (place === null || isProject(place) || state === 'merged') return Promise.resolve(none);
    const asked = {
      ...{ search, state, order_by: 'created_at' as const, sort, with_labels_details: false },
      ...{ include_ancestor_groups: false, include_descendant_groups: true },
      ...(confidential === undefined ? {} : { confidential }),
      ...(params.fields?.includes('title') ? { in: ['title' as const] } : {}),
    };
    return listEpics(services, caller, place, asked, page);
  },
};

const comments = inProjects(notes.Note, async (services, { caller, place: subject, params, page }) => {
  const types = [
    ...(subject.can('read_issue') ? ['Issue'] : []),
    ...(subject.can('read_merge_request') ? ['MergeRequest'] : []),
    ...(subject.can('read_snippet') ? ['Snippet'] : []),
    ...(subject.can('read_code') ? ['Commit'] : []),
  ];
  if (types.length === 0) return none;
  const { rows, total } = await lists.searchNotes(
    services.db.read,
    {
      project: subject.project.id,
      user: caller.user.id,
      types,
      confidential: subject.can('read_confidential_issue'),
      internal: subject.can('read_internal_note'),
      snippets:
        canReadEverything(caller) || subject.levels.highest >= Role.guest
          ? undefined
          : lowestVisibilityWithoutRole(caller),
    },
    params.search,
    page,
  );
  return new Page(await notes.presentFound(services, rows), total);
});

function inRepository({ caller, place: subject, params, signal }: ProjectSearch) {
  return {
    call: { caller, subject, signal },
    ref: params.ref || defaultBranch(subject),
    readable: subject.can('read_code') && subject.project.empty_repo === 0,
  };
}

const blobs = inProjects(Blob, async (services, search) => {
  const { call, ref, readable } = inRepository(search);
  const repo = repositoryOf(services, call.subject);
  return readable ? searchBlobs(services, call, { repo, ref }, search.params, search.page) : none;
});

const commits = inProjects(CommitFound, async (services, search) => {
  const { call, ref, readable } = inRepository(search);
  const repo = repositoryOf(services, call.subject);
  return readable ? searchCommits(services, call, { repo, ref }, search.params.search, search.page) : none;
});

const wikiBlobs = inProjects(Blob, async (services, search) => {
  const { call } = inRepository(search);
  if (!call.subject.can('read_wiki')) return none;
  const repo = wikiOf(services, ownerColumnsOf(call.subject));
  const ref = search.params.ref || wikiBranch;
  return searchBlobs(services, call, { repo, ref }, search.params, search.page);
});

const snippetTitles: Scope = {
  schema: Snippet,
  find: (services, { caller, params, page }) => searchSnippets(services, caller, params.search, page),
};

/** All search scopes. */
export const scopes: Readonly<Record<ScopeName, Scope>> = {
  projects,
  users,
  issues,
  merge_requests: mergeRequests,
  milestones,
  epics,
  notes: comments,
  blobs,
  wiki_blobs: wikiBlobs,
  commits,
  snippet_titles: snippetTitles,
};
