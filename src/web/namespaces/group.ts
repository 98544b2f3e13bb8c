import { hasProxy } from '../../access/registry-address.ts';
import type { Entity } from '../frame/api.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { layout, thisPage } from '../frame/layout.ts';
import type { LiveUpdates, Outcome, Page, Visit } from '../frame/visit.ts';
import { adminAccessLevel } from './roles.ts';

/** The group of a page. */
export interface GroupContext {
  readonly visit: Visit;
  readonly group: Entity;
  /** `/groups/7`, prefix of API paths. */
  readonly api: string;
  /** `/groups/parent/child`, prefix of page URLs; the group's home page is at its path alone. */
  readonly home: string;
  /** The user's access level in the group. */
  readonly role: number;
}

async function roleIn({ api, user }: Visit, group: Entity): Promise<number> {
  if (!user) return 0;
  if (user.admin) return adminAccessLevel;
  const member = await api.maybe(`/groups/${group.id}/members/all/${user.id}`);
  return member?.access_level ?? 0;
}

export async function groupOf(visit: Visit, path = visit.params.path ?? ''): Promise<GroupContext> {
  const group = await visit.api.get(`/groups/${encodeURIComponent(path)}`, { with_projects: false });
  const role = await roleIn(visit, group);
  return { visit, group, api: `/groups/${group.id}`, home: `${visit.base}/groups/${group.full_path}`, role };
}

/** Wraps a page of a group: loads the group, or responds with 404. */
export function groupPage({
  show,
  watch,
  ...page
}: Omit<Page, 'show' | 'watch'> & {
  show(context: GroupContext): Promise<Outcome> | Outcome;
  watch?(context: GroupContext): Promise<LiveUpdates>;
}): Page {
  return {
    ...page,
    show: async (visit) => show(await groupOf(visit)),
    ...(watch && { watch: async (visit: Visit) => watch(await groupOf(visit)) }),
  };
}

/** Below every access level: a signed-in user. */
const signedIn = 1;

type View = readonly [text: string, path: string, role: number];

const tabs: readonly (readonly [...View, icon: string])[] = [
  ['Group', '', 0, 'home'],
  ['Activity', 'activity', 0, 'pulse'],
  ['Epics', 'epics', 0, 'book'],
  ['Issues', 'issues', 0, 'issue'],
  ['Merge requests', 'merge_requests', 0, 'merge'],
  ['Packages', 'packages', 0, 'box'],
  ['Wiki', 'wikis', 0, 'book'],
  ['Members', 'group_members', signedIn, 'people'],
  ['Settings', 'edit', 50, 'gear'],
];

/** The views of a tab, which has the path of the first one. */
const views: readonly (readonly View[])[] = [
  [
    ['List', 'issues', 0],
    ['Boards', 'boards', signedIn],
    ['Labels', 'labels', signedIn],
    ['Milestones', 'milestones', signedIn],
    ['Iterations', 'iterations', signedIn],
  ],
  [
    ['Packages', 'packages', 0],
    ['Images', 'container_registries', 0],
    ['Dependency proxy', 'dependency_proxy', 10],
  ],
];

const viewsWith = (path: string): readonly View[] => views.find((all) => all.some((view) => view[1] === path)) ?? [];

/** Whether the user can read a part of the group that settings or the server may lack. */
function readsPart({ visit, group, role }: GroupContext, path: string): boolean {
  if (path === 'dependency_proxy') return hasProxy(visit.services);
  if (path !== 'wikis' || group.wiki_access_level === 'enabled') return true;
  return group.wiki_access_level === 'private' && (role > 0 || visit.user?.auditor === 1);
}

interface GroupFrame {
  readonly title: string;
  readonly tab: string;
  readonly body: Part;
  readonly head?: Html;
  readonly status?: number;
}

/** Links above the lists of a tab, but not above a single item. */
function viewLinks(offered: readonly View[], here: string, addressOf: (path: string) => string): Html | false {
  if (offered.length < 2) return false;
  const link = ([text, path]: View) =>
    html`<a href="${addressOf(path)}"${path === here && html` aria-current="page"`}>${text}</a>`;
  return html`<nav class="row views" aria-label="Views">${offered.map(link)}</nav>`;
}

/** Lays out a page of a group. */
export function inGroup(context: GroupContext, { title, tab, body, head, status }: GroupFrame): Outcome {
  const { visit, group, home, role } = context;
  const parts: string[] = group.full_path.split('/');
  const own = `${visit.base}/${group.full_path}`;
  const above = parts.map((text, at) => ({ text, href: `${visit.base}/${parts.slice(0, at + 1).join('/')}` }));
  const addressOf = (path: string) => (path === '' ? own : `${home}/-/${path}`);
  const isHere = (path: string) => addressOf(path) === visit.base + visit.path;
  const isOffered = ([, path, least]: readonly [...View, ...unknown[]]) =>
    Math.max(role, visit.user ? signedIn : 0) >= least && readsPart(context, path);
  const ofTab = viewsWith(tab);
  const active = ofTab[0]?.[1] ?? tab;
  const [section] = [...tabs, ...ofTab].find(([, path]) => path === tab && path !== '') ?? [];
  const below = [
    ...(section === undefined ? [] : [{ text: section, href: addressOf(tab) }]),
    ...(isHere(tab) ? [] : [thisPage(visit, title)]),
  ];
  const page = layout(visit, {
    title: title === group.name ? group.full_name : `${title} · ${group.full_name}`,
    crumbs: [...above, ...below],
    tabs: tabs
      .filter(isOffered)
      .map(([text, path, , icon]) => ({ text, href: addressOf(path), active: path === active, icon })),
    ...(head && { head }),
    place: { group: group.id, path: group.full_path },
    body: html`${(isHere(tab) || tab === 'boards') && viewLinks(ofTab.filter(isOffered), tab, addressOf)}${body}`,
  });
  return { page, ...(status !== undefined && { status }) };
}
