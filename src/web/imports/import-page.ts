import type { Field } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { layout, thisPage } from '../frame/layout.ts';
import type { Outcome, Visit } from '../frame/visit.ts';

interface Way {
  readonly text: string;
  readonly path: string;
  /** Name of the import source in the instance settings, if it can be disabled. */
  readonly source?: string;
}

const ways: readonly Way[] = [
  { text: 'Blank', path: '/projects/new' },
  { text: 'Repository by URL', path: '/import/git/new', source: 'git' },
  { text: 'Project file', path: '/import/gitlab_project/new', source: 'gitlab_project' },
  { text: 'GitHub', path: '/import/github/new', source: 'github' },
  { text: 'Bitbucket Cloud', path: '/import/bitbucket/new', source: 'bitbucket' },
  { text: 'Bitbucket Server', path: '/import/bitbucket_server/new', source: 'bitbucket_server' },
  { text: 'Direct transfer', path: '/import/bulk_imports/new', source: 'bulk_imports' },
];

/** Links to the enabled ways of creating a project. */
export async function waysIn({ services, base }: Visit, current: string): Promise<Html> {
  const { import_sources, bulk_import_enabled } = await services.settings.read();
  const on = new Set<string>([...import_sources, ...(bulk_import_enabled ? ['bulk_imports'] : [])]);
  const link = ({ text, path }: Way) =>
    html`<a href="${base}${path}"${path === current && html` aria-current="page"`}>${text}</a>`;
  const offered = ways.filter(({ source }) => source === undefined || on.has(source));
  return html`<nav class="segments" aria-label="Ways to begin a project">${offered.map(link)}</nav>`;
}

/** The namespaces in which the user can create a project, by ID or by path. */
export async function namespaceField({ api }: Visit, name: string, by: 'id' | 'full_path' = 'id'): Promise<Field> {
  const spaces = await api.get('/namespaces', { per_page: 100 });
  const options = spaces.map((space: Entity) => [String(space[by]), space.full_path] as const);
  return { name, label: 'Where', kind: by === 'id' ? 'rank' : 'select', options };
}

interface ImportPage {
  readonly title: string;
  /** The selected way; unset on progress pages. */
  readonly way?: string;
  readonly body: Part;
  /** Whether the submission was rejected. */
  readonly isRefused?: boolean;
}

/** Lays out an import page. */
export async function importPage(visit: Visit, { title, way, body, isRefused }: ImportPage): Promise<Outcome> {
  const page = layout(visit, {
    title,
    crumbs: [{ text: 'New project', href: `${visit.base}/projects/new` }, thisPage(visit, title)],
    body: html`<h1>${title}</h1>${way !== undefined && (await waysIn(visit, way))}${body}`,
  });
  return { page, ...(isRefused && { status: 422 }) };
}
