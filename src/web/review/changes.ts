import { diffFiles, expandedFiles, isParallel, type Remarks } from '../code/diff.ts';
import type { DiffLine } from '../code/diff-lines.ts';
import { hiddenFields } from '../forms/card.ts';
import { lines } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { proof } from '../frame/layout.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Outcome, Visit } from '../frame/visit.ts';
import { inProject, type ProjectContext } from '../namespaces/project.ts';
import { drawThreads, threadsOf } from '../planning/threads.ts';
import { keepDraft, reviewBox } from './drafts.ts';
import { header } from './header.ts';

const mostThreads = 300;

/** The threads that are about the diff, drawn. */
async function remarksIn(
  context: ProjectContext,
  url: string,
  page: string,
): Promise<{ thread: Entity; drawn: Html }[]> {
  const threads: Entity[] = [];
  for (let number = 1; number <= mostThreads / 100; number += 1) {
    const answer = await threadsOf(context.visit, url, number, 100);
    threads.push(...answer.body.filter((thread: Entity) => thread.notes[0]?.position?.new_path));
    if (answer.headers['x-next-page'] === '' || answer.headers['x-next-page'] === undefined) break;
  }
  const talk = { page, url, from: 'diffs', project: context.project.path_with_namespace, reacts: true } as const;
  const drawn = await drawThreads(context.visit, threads, talk);
  return threads.map((thread, at) => ({ thread, drawn: drawn[at] ?? html`` }));
}

const placeKey = (path: string, old: unknown, now: unknown) => `${old ?? ''}:${now ?? ''}:${path}`;
const keyOfLine = (file: Entity, line: DiffLine) => placeKey(file.new_path, line.old, line.new);

function lineForm(visit: Visit, page: string, request: Entity, file: Entity, line: DiffLine): Html {
  const refs = request.diff_refs ?? {};
  const number = (value: number | undefined) => (value === undefined ? '' : String(value));
  const hidden = {
    base_sha: refs.base_sha ?? '',
    start_sha: refs.start_sha ?? '',
    head_sha: refs.head_sha ?? '',
    old_path: file.old_path,
    new_path: file.new_path,
    old_line: number(line.old),
    new_line: number(line.new),
    view: isParallel(visit) ? 'parallel' : '',
    page: String(pageOf(visit)),
  };
  return html`<form class="card" method="post" action="${page}/discussions">${proof(visit)}${hiddenFields(hidden)}<label>Comment on line ${line.new ?? line.old}<textarea name="note" data-markdown required autofocus></textarea></label><div class="row"><button class="primary">Begin a thread</button><button name="as" value="draft">Add to review</button></div></form>`;
}

/** What has been said about lines, each where it belongs: what no longer has its line stands above the file. */
async function remarksOf(context: ProjectContext, request: Entity, url: string, page: string): Promise<Remarks> {
  const { visit } = context;
  const said = await remarksIn(context, url, page);
  const wanted = visit.query.get('line');
  const isCurrent = ({ thread }: { thread: Entity }) =>
    thread.notes[0].position.head_sha === request.diff_refs?.head_sha;
  const byLine = Map.groupBy(said.filter(isCurrent), ({ thread }) => {
    const { position } = thread.notes[0];
    return placeKey(position.new_path, position.old_line, position.new_line);
  });
  const shownThreads = new Set<Entity>();
  const view = isParallel(visit) ? 'view=parallel&' : '';
  const number = pageOf(visit) > 1 ? `page=${pageOf(visit)}&` : '';
  return {
    lineLink: (code) => `?${view}${number}line=${code}#${code}`,
    below(file, line, code) {
      const found = byLine.get(keyOfLine(file, line)) ?? [];
      for (const { thread } of found) shownThreads.add(thread);
      const form = visit.user && wanted === code && lineForm(visit, page, request, file, line);
      return found.length > 0 || form ? html`${found.map(({ drawn }) => drawn)}${form}` : undefined;
    },
    above(file) {
      const rest = said.filter(
        ({ thread }) => thread.notes[0].position.new_path === file.new_path && !shownThreads.has(thread),
      );
      return rest.length > 0
        ? html`<div class="inner"><p class="muted">About lines that are not shown here, or have changed since:</p>${rest.map(({ drawn }) => drawn)}</div>`
        : undefined;
    },
  };
}

export async function changesPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const url = `${api}/merge_requests/${visit.params.iid}`;
  const page = `${home}/-/merge_requests/${visit.params.iid}`;
  const [request, diffs] = await Promise.all([
    visit.api.get(url),
    visit.api.page(`${url}/diffs`, { per_page: 30, page: pageOf(visit) }),
  ]);
  const sha = request.diff_refs?.head_sha ?? request.sha ?? request.target_branch;
  const [remarks, whole, review] = await Promise.all([
    remarksOf(context, request, url, page),
    expandedFiles(context, sha),
    reviewBox(context, request, 'diffs'),
  ]);
  const body = html`${header(context, request, '/diffs')}${review}${diffFiles(diffs.body, { visit, home, sha, whole, remarks })}${pager(visit, diffs)}`;
  return inProject(context, { title: request.title, tab: 'merge_requests', body });
}

/** Begins a thread at a line, now or with the review. */
export async function commentOnLine(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { form, params } = visit;
  const text = (name: string) => form.get(name) ?? '';
  const line = (name: string) => (/^\d{1,9}$/.test(text(name)) ? Number(text(name)) : undefined);
  const position = {
    position_type: 'text',
    base_sha: text('base_sha'),
    start_sha: text('start_sha'),
    head_sha: text('head_sha'),
    old_path: text('old_path'),
    new_path: text('new_path'),
    old_line: line('old_line'),
    new_line: line('new_line'),
  };
  const isDraft = text('as') === 'draft';
  const said = lines(text('note'));
  const url = `${api}/merge_requests/${params.iid}/discussions`;
  const thread = isDraft ? undefined : await visit.api.send('POST', url, { body: said, position });
  if (isDraft) await keepDraft(context, { note: said, position });
  const query = new URLSearchParams();
  if (text('view') === 'parallel') query.set('view', 'parallel');
  if (/^\d+$/.test(text('page')) && text('page') !== '1') query.set('page', text('page'));
  const asked = query.size > 0 ? `?${query.toString()}` : '';
  return {
    redirect: `${home}/-/merge_requests/${params.iid}/diffs${asked}${thread ? `#note_${thread.notes[0].id}` : '#review'}`,
  };
}
