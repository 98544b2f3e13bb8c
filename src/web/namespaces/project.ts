import { apiPrefix } from '../../platform/http/app.ts';
import { encodePath } from '../frame/addresses.ts';
import { type Entity, Refusal, refusalOf } from '../frame/api.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { type Crumb, layout, thisPage } from '../frame/layout.ts';
import type { LiveUpdates, Outcome, Page, Visit } from '../frame/visit.ts';
import { readsPart, roleInProject } from './roles.ts';

/** The project of a page. */
export interface ProjectContext {
  readonly visit: Visit;
  readonly project: Entity;
  /** `/projects/7`, prefix of API paths. */
  readonly api: string;
  /** `/group/project`, prefix of page URLs. */
  readonly home: string;
}

/** The project has moved to another path. */
export class Moved extends Error {
  readonly location: string;

  constructor(location: string) {
    super(location);
    this.location = location;
  }
}

async function findProject(visit: Visit, path: string): Promise<Entity> {
  const answer = await visit.api.ask('GET', `/projects/${encodeURIComponent(path)}?with_access_levels=true`);
  if (answer.status === 301) {
    const location = new URL(String(answer.headers.location), visit.services.externalUrl).pathname;
    const project = await visit.api.get(location.slice(location.indexOf(apiPrefix) + apiPrefix.length));
    throw new Moved(`${visit.base}/${project.path_with_namespace}${visit.address.slice(1 + path.length)}`);
  }
  if (answer.status >= 300) throw refusalOf(answer);
  return answer.body;
}

export async function projectContextOf(visit: Visit, path = visit.params.project ?? ''): Promise<ProjectContext> {
  const project = await findProject(visit, path);
  return { visit, project, api: `/projects/${project.id}`, home: `${visit.base}/${project.path_with_namespace}` };
}

/** Wraps a page of a project: loads the project, or responds with 404. */
export function projectPage({
  watch,
  ...page
}: Omit<Page, 'show' | 'watch'> & {
  show(context: ProjectContext): Promise<Outcome> | Outcome;
  watch?(context: ProjectContext): Promise<LiveUpdates>;
}): Page {
  return {
    ...page,
    ...(watch && { watch: async (visit: Visit) => watch(await projectContextOf(visit)) }),
    async show(visit) {
      try {
        return await page.show(await projectContextOf(visit));
      } catch (error) {
        if (error instanceof Moved) return { redirect: error.location };
        throw error;
      }
    },
  };
}

/** Below every access level: a signed-in user. */
const signedIn = 1;

/** The tabs of a project, by URL prefix. */
const tabs: readonly (readonly [text: string, path: string, feature?: string, role?: number])[] = [
  ['Project', ''],
  ['Files', 'tree', 'repository'],
  ['Commits', 'commits', 'repository'],
  ['Issues', 'issues', 'issues'],
  ['Merge requests', 'merge_requests', 'merge_requests'],
  ['Pipelines', 'pipelines', 'builds'],
  ['Releases', 'releases', 'releases'],
  ['Wiki', 'wikis', 'wiki'],
  ['Snippets', 'snippets', 'snippets', signedIn],
  ['Errors', 'error_tracking', 'monitor', signedIn],
  ['Members', 'project_members', undefined, signedIn],
  ['Settings', 'settings', undefined, 40],
];

const tabIcons: Readonly<Record<string, string>> = {
  '': 'home',
  tree: 'folder',
  commits: 'commit',
  issues: 'issue',
  boards: 'board',
  merge_requests: 'merge',
  pipelines: 'pipeline',
  releases: 'box',
  error_tracking: 'alert',
  project_members: 'people',
  wikis: 'book',
  snippets: 'code',
  activity: 'pulse',
};

type View = readonly [text: string, path: string, alone?: 'alone' | '', part?: string, role?: number];

/** The views of a tab: shown above each of these list pages, but not above a single issue or commit. */
const views: Readonly<Record<string, readonly View[]>> = {
  commits: [
    ['Commits', 'commits'],
    ['Graph', 'network'],
    ['Branches', 'branches'],
    ['Tags', 'tags', 'alone'],
    ['Compare', 'compare'],
    ['Contributors', 'contributors'],
  ],
  issues: [
    ['List', 'issues', 'alone'],
    ['Boards', 'boards', '', '', signedIn],
    ['Labels', 'labels', 'alone', '', signedIn],
    ['Milestones', 'milestones', 'alone', '', signedIn],
  ],
  pipelines: [
    ['Pipelines', 'pipelines', 'alone'],
    ['Jobs', 'jobs', 'alone', '', signedIn],
    ['Schedules', 'pipeline_schedules', 'alone', '', signedIn],
    ['Editor', 'ci/editor', 'alone', '', 30],
    ['Environments', 'environments', 'alone', 'environments', signedIn],
    ['Feature flags', 'feature_flags', 'alone', 'feature_flags', 30],
    ['Terraform', 'terraform', 'alone', 'infrastructure', 30],
    ['Secure files', 'secure_files', 'alone', '', 30],
  ],
  releases: [
    ['Releases', 'releases', 'alone'],
    ['Packages', 'packages', '', 'package_registry'],
    ['Images', 'container_registry', '', 'container_registry'],
  ],
};

/** Whether the current page is at this URL or below it. */
function isBelow({ visit, home }: ProjectContext, path: string): boolean {
  const here = visit.base + visit.path;
  return here === `${home}/-/${path}` || here.startsWith(`${home}/-/${path}/`);
}

/** The user's access level; having an account counts as the lowest one. */
const accessLevelIn = ({ visit, project }: ProjectContext) =>
  visit.user ? Math.max(signedIn, roleInProject(visit, project)) : 0;

function viewsOf(context: ProjectContext, tab: string): Html | false {
  const { visit, home, project } = context;
  const isHere = (path: string, alone?: 'alone' | '') =>
    alone !== 'alone' ? isBelow(context, path) : visit.base + visit.path === `${home}/-/${path}`;
  const role = accessLevelIn(context);
  const isVisible = (part: string) => project[`${part}_access_level`] !== undefined && readsPart(visit, project, part);
  const offered = (views[tab] ?? []).filter(
    ([, , , part = '', least = 0]) => (part === '' || isVisible(part)) && role >= least,
  );
  if (!offered.some(([, path, alone]) => isHere(path, alone))) return false;
  const link = ([text, path, alone]: View) =>
    html`<a href="${home}/-/${path}"${isHere(path, alone) && html` aria-current="page"`}>${text}</a>`;
  return html`<nav class="row views" aria-label="Views">${offered.map(link)}</nav>`;
}

/** The breadcrumbs of a page: groups, project, section, page. */
function crumbsOf(
  context: ProjectContext,
  shown: Pick<ProjectFrame, 'title' | 'crumb' | 'within'>,
  section?: Crumb,
): Crumb[] {
  const { visit, project, home } = context;
  const { base } = visit;
  const full: string = project.namespace?.full_path ?? project.path_with_namespace.split('/').slice(0, -1).join('/');
  const parts = full.split('/');
  const above = parts.map((text, at) => ({ text, href: `${base}/${parts.slice(0, at + 1).join('/')}` }));
  const page = thisPage(visit, shown.crumb ?? shown.title);
  const isItself = page.href === section?.href || page.text === section?.text;
  const below =
    section === undefined
      ? [page]
      : isItself
        ? [thisPage(visit, section.text)]
        : [section, ...(shown.within ?? []), page];
  return [...above, { text: project.name, href: home }, ...(page.href === home ? [] : below)];
}

interface ProjectFrame {
  readonly title: string;
  /** Its breadcrumb, if it differs from the title. */
  readonly crumb?: string;
  /** Breadcrumbs between the section and the page. */
  readonly within?: readonly Crumb[];
  readonly tab: string;
  readonly body: Part;
  readonly head?: Html;
  readonly shortcuts?: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** Lays out a page of a project. */
export function inProject(context: ProjectContext, frame: ProjectFrame): Outcome {
  const { title, tab, body, head, shortcuts, status } = frame;
  const { visit, project, home } = context;
  const role = accessLevelIn(context);
  const isOn = (feature: string | undefined) => feature === undefined || readsPart(visit, project, feature);
  const branch = encodePath(project.default_branch ?? 'main');
  const addressOf = (path: string) =>
    path === ''
      ? home
      : path === 'settings'
        ? `${home}/edit`
        : `${home}/-/${path}${path === 'tree' || path === 'commits' ? `/${branch}` : ''}`;
  // These breadcrumbs can assign a page to the tab itself: a job belongs to its pipeline, not to the list of jobs.
  const isOfTab = frame.within?.[0]?.href.startsWith(`${home}/-/${tab}/`);
  const view = isOfTab ? undefined : views[tab]?.find(([, path]) => path !== tab && isBelow(context, path));
  const chosen = tabs.find(([, path]) => path === tab && path !== '');
  const section = view
    ? { text: view[0], href: `${home}/-/${view[1]}` }
    : chosen && { text: chosen[0], href: addressOf(tab) };
  const page = layout(visit, {
    title: `${title} · ${project.name_with_namespace ?? project.name}`,
    crumbs: crumbsOf(context, frame, section),
    tabs: tabs
      .filter(([, , feature, least = 0]) => isOn(feature) && role >= least)
      .map(([text, path]) => ({ text, href: addressOf(path), active: path === tab, icon: tabIcons[path] })),
    ...(head && { head }),
    place: { project: project.id, path: project.path_with_namespace },
    shortcuts: {
      'g o': home,
      'g f': addressOf('tree'),
      'g c': addressOf('commits'),
      'g i': addressOf('issues'),
      'g m': addressOf('merge_requests'),
      'g p': addressOf('pipelines'),
      t: `${home}/-/find_file/${branch}`,
      ...shortcuts,
    },
    body: html`${viewsOf(context, tab)}${body}`,
  });
  return { page, ...(status !== undefined && { status }) };
}

/** Makes the page respond with 404. */
export function pageNotFound(): Refusal {
  return new Refusal(404, 'Not Found');
}

export const sectionTitle = (text: string, action?: Html): Html =>
  html`<div class="row"><h1>${text}</h1>${action && html`<span class="end">${action}</span>`}</div>`;
