import { hasProxy } from '../../access/registry-address.ts';
import type { Entity } from '../frame/api.ts';
import type { Html, Part } from '../frame/html.ts';
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

const tabs: readonly (readonly [text: string, path: string, role: number, icon: string])[] = [
  ['Group', '', 0, 'home'],
  ['Activity', 'activity', 0, 'pulse'],
  ['Epics', 'epics', 0, 'book'],
  ['Issues', 'issues', 0, 'issue'],
  ['Boards', 'boards', signedIn, 'board'],
  ['Merge requests', 'merge_requests', 0, 'merge'],
  ['Milestones', 'milestones', signedIn, 'milestone'],
  ['Iterations', 'iterations', signedIn, 'clock'],
  ['Labels', 'labels', signedIn, 'tag'],
  ['Wiki', 'wikis', 0, 'book'],
  ['Members', 'group_members', signedIn, 'people'],
  ['Dependency proxy', 'dependency_proxy', 10, 'box'],
  ['Settings', 'edit', 50, 'gear'],
];

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

/** Lays out a page of a group. */
export function inGroup(context: GroupContext, { title, tab, body, head, status }: GroupFrame): Outcome {
  const { visit, group, home, role } = context;
  const parts: string[] = group.full_path.split('/');
  const own = `${visit.base}/${group.full_path}`;
  const above = parts.map((text, at) => ({ text, href: `${visit.base}/${parts.slice(0, at + 1).join('/')}` }));
  const addressOf = (path: string) => (path === '' ? own : `${home}/-/${path}`);
  const [section] = tabs.find(([, path]) => path === tab && path !== '') ?? [];
  const below = [
    ...(section === undefined ? [] : [{ text: section, href: addressOf(tab) }]),
    ...(addressOf(tab) === visit.base + visit.path ? [] : [thisPage(visit, title)]),
  ];
  const page = layout(visit, {
    title: title === group.name ? group.full_name : `${title} · ${group.full_name}`,
    crumbs: [...above, ...below],
    tabs: tabs
      .filter(([, , least]) => Math.max(role, visit.user ? signedIn : 0) >= least)
      .filter(([, path]) => readsPart(context, path))
      .map(([text, path, , icon]) => ({
        text,
        href: addressOf(path),
        active: path === tab,
        icon,
      })),
    ...(head && { head }),
    place: { group: group.id, path: group.full_path },
    body,
  });
  return { page, ...(status !== undefined && { status }) };
}
