import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { atomFeed } from '../frame/atom.ts';
import { count, listOr, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Page, Visit } from '../frame/visit.ts';
import { avatar, userLink } from '../planning/discussion.ts';
import { type GroupContext, groupPage, inGroup } from './group.ts';
import { inProject, type ProjectContext, projectPage } from './project.ts';

const kinds: Readonly<Record<string, string>> = {
  Issue: 'issues',
  WorkItem: 'issues',
  MergeRequest: 'merge_requests',
  Milestone: 'milestones',
};

/** Describes the target of an event, with a link if its page is known. */
function subjectOf(event: Entity, home: string | undefined): Html {
  const { push_data, target_type, target_iid, target_title, note } = event;
  if (push_data) {
    const name = push_data.ref ?? '';
    const kind = push_data.ref_type === 'tag' ? 'tag' : 'branch';
    const link =
      home === undefined || push_data.action === 'removed'
        ? html`<code>${name}</code>`
        : html`<a href="${home}/-/${kind === 'tag' ? 'tags' : 'tree'}/${encodePath(name)}"><code>${name}</code></a>`;
    const commits = push_data.commit_count > 0 && `: ${count(push_data.commit_count, 'commit')}`;
    return html`${kind} ${link}${commits} <span class="muted">${push_data.commit_title}</span>`;
  }
  const type = note?.noteable_type ?? target_type;
  const iid = note?.noteable_iid ?? target_iid;
  const folder = kinds[type];
  const title = target_title ?? '';
  if (target_type === 'Project' || (!target_type && !title)) return html`the project`;
  if (home === undefined || folder === undefined || !iid) return html`${title}`;
  return html`<a href="${home}/-/${folder}/${iid}${note && `#note_${note.id}`}">${title || `${type} ${iid}`}</a>`;
}

/** The projects of a list of events, by ID. */
export interface Homes {
  readonly homeOf: (event: Entity) => string | undefined;
  /** Name of the project, if the events are from several. */
  readonly nameOf?: (event: Entity) => string | undefined;
}

export function homesOf({ base }: Visit, projects: readonly Entity[]): Homes {
  const byId = new Map(projects.map((project) => [project.id, project]));
  return {
    homeOf({ project_id }) {
      const path = byId.get(project_id)?.path_with_namespace;
      return path === undefined ? undefined : `${base}/${path}`;
    },
    nameOf: ({ project_id }) => byId.get(project_id)?.path_with_namespace,
  };
}

export const eventItem =
  (visit: Visit, { homeOf, nameOf }: Homes) =>
  (event: Entity) => {
    const home = homeOf(event);
    const name = nameOf?.(event);
    const where = name !== undefined && html` <a class="muted" href="${home}">${name}</a>`;
    return html`<li id="event-${event.id}"><div class="row">${avatar(event.author)}<span class="text">${userLink(visit, event.author)} ${event.action_name} ${subjectOf(event, home)}${where}</span><span class="end">${relativeTime(event.created_at)}</span></div></li>`;
  };

const entriesOf = (events: readonly Entity[], page: string) =>
  events.map((event) => ({
    href: `${page}#event-${event.id}`,
    title: `${event.author?.name} ${event.action_name} ${event.target_title ?? event.push_data?.ref ?? ''}`,
    at: event.created_at,
    author: event.author?.name ?? '',
    text: event.push_data?.commit_title ?? event.note?.body ?? '',
  }));

const feedLink = (address: string) =>
  html`<link rel="alternate" type="application/atom+xml" title="Activity" href="${address}">`;

async function activityPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home, project } = context;
  const answer = await visit.api.page(`${api}/events`, { per_page: 30, page: pageOf(visit) });
  const address = `${home}/activity?format=atom`;
  if (visit.query.get('format') === 'atom') {
    const entries = entriesOf(answer.body, `${home}/activity`);
    return atomFeed(visit, { title: `${project.name}: activity`, href: `${home}/activity`, entries });
  }
  const empty = 'No activity yet. Pushes, issues, merge requests and comments will appear here.';
  const body = html`<div class="row"><h1>Activity</h1><a class="end" href="${address}">Feed</a></div>${listOr(answer.body, eventItem(visit, { homeOf: () => home }), empty)}${pager(visit, answer)}`;
  return inProject(context, { title: 'Activity', tab: '', body, head: feedLink(address) });
}

async function groupActivityPage(context: GroupContext): Promise<Outcome> {
  const { visit, api, home, group } = context;
  const page = `${home}/-/activity`;
  const [answer, projects] = await Promise.all([
    visit.api.page(`${api}/events`, { per_page: 30, page: pageOf(visit) }),
    visit.api.get(`${api}/projects`, {
      include_subgroups: true,
      order_by: 'last_activity_at',
      simple: true,
      per_page: 100,
    }),
  ]);
  const feed = `${page}?format=atom`;
  if (visit.query.get('format') === 'atom') {
    const entries = entriesOf(answer.body, page);
    return atomFeed(visit, { title: `${group.name}: activity`, href: page, entries });
  }
  const empty = 'No visible activity in the projects.';
  const body = html`<div class="row"><h1>Activity</h1><a class="end" href="${feed}">Feed</a></div>${listOr(answer.body, eventItem(visit, homesOf(visit, projects)), empty)}${pager(visit, answer)}`;
  return inGroup(context, { title: 'Activity', tab: 'activity', body, head: feedLink(feed) });
}

async function contributorsPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api } = context;
  const query = { ref: visit.params.address, order_by: 'commits', sort: 'desc', per_page: 50, page: pageOf(visit) };
  const answer = await visit.api.page(`${api}/repository/contributors`, query);
  const item = (one: Entity) =>
    html`<li class="row"><strong>${one.name}</strong><span class="muted">${one.email}</span><span class="end">${count(one.commits, 'commit')}</span></li>`;
  const body = html`<h1>Contributors</h1>${listOr(answer.body, item, 'No commits yet.')}${pager(visit, answer)}`;
  return inProject(context, { title: 'Contributors', tab: 'commits', body });
}

export const activityPages: readonly Page[] = [
  groupPage({ path: '/groups/:path/-/activity', show: groupActivityPage }),
  projectPage({ path: '/:project/activity', show: activityPage }),
  projectPage({ path: '/:project/-/graphs/*address', show: contributorsPage }),
  projectPage({ path: '/:project/-/contributors', show: contributorsPage }),
];
