import { hiddenFields } from '../forms/card.ts';
import { normalizeLineEndings } from '../forms/fields.ts';
import type { Entity, JsonBody } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import { pageOf } from '../frame/paging.ts';
import { returnAddress } from '../frame/return-to.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { type ProjectContext, projectPage } from '../namespaces/project.ts';
import { commandNotice, type NoteablePaths } from '../planning/comment.ts';
import { threadPages } from '../planning/discussion-pages.ts';
import { drawThreads, listThreads, threadsOf, threadsOnPage } from '../planning/threads.ts';
import type { Remarks } from './diff.ts';
import type { DiffLine } from './diff-lines.ts';

const path = '/:project/-/commit/:sha';

/** The query parameter with the page of the discussion; `page` is that of the changed files. */
const pageName = 'comments';

const pathsOf = ({ visit, api, home }: ProjectContext, sha = visit.params.sha ?? ''): NoteablePaths => ({
  url: `${api}/repository/commits/${encodeURIComponent(sha)}`,
  page: `${home}/-/commit/${encodeURIComponent(sha)}`,
});

interface PlacedThread {
  readonly thread: Entity;
  readonly drawn: Html;
}

/** The comments on a commit. */
export interface CommitComments {
  /** Those on lines, for the diff. */
  readonly remarks: Remarks;
  /** The others, and the form for another one; to be rendered after the diff. */
  discussion(): Html;
}

/**
 * Adds the positions of comments that were made without naming the commits of the diff. Their notes lack them; the
 * older list of comments has them, but no IDs.
 */
async function withPositions({ visit }: ProjectContext, url: string, threads: readonly Entity[]): Promise<Entity[]> {
  const isOlder = ({ type }: Entity) => type === 'LegacyDiffNote';
  const key = (body: unknown, { author, created_at }: Entity) => JSON.stringify([body, author?.id, created_at]);
  const places = new Map<string, Entity>();
  for (let page = 1; page <= 3 && threads.some(({ notes }) => notes.some(isOlder)); page += 1) {
    const { status, body, headers } = await visit.api.ask('GET', `${url}/comments`, { per_page: 100, page });
    if (status !== 200) break;
    for (const comment of body) {
      const { path, line, line_type } = comment;
      const side = line_type === 'old' ? { old_line: line } : { new_line: line };
      if (path !== null) places.set(key(comment.note, comment), { new_path: path, ...side });
    }
    if (!headers['x-next-page']) break;
  }
  const placed = (note: Entity) => {
    const position = isOlder(note) && places.get(key(note.body, note));
    return position ? { ...note, position } : note;
  };
  return threads.map((thread) => ({ ...thread, notes: thread.notes.map(placed) }));
}

const onSide = (side: 'old' | 'new', path: string, line: number) => `${side}:${line}:${path}`;

/** The line that a thread is on; an unchanged one counts as new. */
function lineOf({ notes: [first] }: Entity): string | undefined {
  const { new_path, new_line, old_line } = first?.position ?? {};
  if (typeof new_line === 'number') return onSide('new', new_path, new_line);
  return typeof old_line === 'number' ? onSide('old', new_path, old_line) : undefined;
}

/** Loads the comments on a commit. Those on lines of the shown diff are below their lines. */
export async function commitComments(context: ProjectContext, sha: string): Promise<CommitComments> {
  const { visit, project } = context;
  const paths = pathsOf(context, sha);
  const answer = await threadsOf(visit, paths.url, pageOf(visit, pageName), threadsOnPage);
  const threads = await withPositions(context, paths.url, answer.body);
  const talk = { ...paths, place: project.path_with_namespace, inThreads: true, from: '' } as const;
  const drawn = (await drawThreads(visit, threads, talk)).map((text, at) => ({ thread: threads[at], drawn: text }));
  const byLine = Map.groupBy(drawn as readonly PlacedThread[], ({ thread }) => lineOf(thread));
  const shown = new Set<Entity>();
  const kept = new URLSearchParams([...visit.query].filter(([name]) => name !== 'line'))
    .toString()
    .replace(/.$/, '$&&');
  const asked = visit.query.get('line');
  const remarks: Remarks = {
    lineLink: (code) => `?${kept}line=${code}#${code}`,
    open: () => 0,
    above: () => undefined,
    below(file, line, code) {
      const places = [
        ...(line.old === undefined ? [] : [onSide('old', file.new_path, line.old)]),
        ...(line.new === undefined ? [] : [onSide('new', file.new_path, line.new)]),
      ];
      const found = places.flatMap((place) => byLine.get(place) ?? []).filter(({ thread }) => !shown.has(thread));
      for (const { thread } of found) shown.add(thread);
      const form = asked === code && lineForm(context, paths.page, { file, line });
      return found.length > 0 || form ? html`${found.map((one) => one.drawn)}${form}` : undefined;
    },
  };
  return {
    remarks,
    discussion() {
      const rest = drawn.filter(({ thread }) => !shown.has(thread)).map((one) => one.drawn);
      const template =
        mayComment(context) && html`<template id="line-form">${lineForm(context, paths.page)}</template>`;
      return html`${listThreads(visit, answer, rest, pageName)}${commentForm(context, paths.page)}${template}`;
    },
  };
}

const mayComment = ({ visit, project }: ProjectContext) => visit.user !== null && !project.archived;

/** The form for a comment on a line; a script fills in the line unless it is given. */
function lineForm(
  context: ProjectContext,
  page: string,
  { file, line }: { readonly file?: Entity; readonly line?: DiffLine } = {},
): Html | false {
  if (!mayComment(context)) return false;
  const number = (value: number | undefined) => (value === undefined ? '' : String(value));
  const hidden = {
    old_path: file?.old_path ?? '',
    new_path: file?.new_path ?? '',
    // A line with whitespace changes only is the added one.
    old_line: number(line?.kind === 'spaces' ? undefined : line?.old),
    new_line: number(line?.new),
  };
  return html`<form class="card" method="post" action="${page}/comments">${csrfField(context.visit)}${hiddenFields(hidden)}<label><span>Comment on line ${hidden.new_line || hidden.old_line}</span><textarea name="note" data-markdown data-draft="${hidden.new_path}:${hidden.old_line}:${hidden.new_line}" required autofocus></textarea></label><div class="row"><button class="primary">Comment</button></div></form>`;
}

function commentForm({ visit, project }: ProjectContext, page: string): Html | false {
  if (project.archived) return false;
  if (!visit.user) {
    return html`<p><a href="${visit.base}/users/sign_in?redirect=${encodeURIComponent(visit.address)}">Sign in</a> to comment.</p>`;
  }
  return html`<form class="card" method="post" action="${page}/comments">${csrfField(visit)}<label>Comment<textarea name="note" data-markdown required></textarea></label><div class="row"><button class="primary">Comment</button></div></form>`;
}

/** The position that a sent form names, in terms of the API; undefined for a comment on the whole commit. */
async function positionIn({ visit: { api, form } }: ProjectContext, url: string): Promise<JsonBody | undefined> {
  const number = (name: string) => (/^\d{1,9}$/.test(form.get(name) ?? '') ? Number(form.get(name)) : undefined);
  const [old_line, new_line] = [number('old_line'), number('new_line')];
  if (old_line === undefined && new_line === undefined) return undefined;
  const { id, parent_ids } = await api.get(url, { stats: false });
  const base = parent_ids[0] ?? '0'.repeat(40);
  const [old_path, new_path] = [form.get('old_path') ?? '', form.get('new_path') ?? ''];
  const refs = { base_sha: base, start_sha: base, head_sha: id };
  return { position_type: 'text', ...refs, old_path, new_path, old_line, new_line };
}

async function comment(context: ProjectContext): Promise<Outcome> {
  const { visit } = context;
  const { url, page } = pathsOf(context);
  const body = normalizeLineEndings(visit.form.get('note') ?? '');
  const position = await positionIn(context, url);
  const created = await visit.api.send('POST', `${url}/discussions`, { body, position });
  const note = created.notes?.[0];
  if (!note) return { redirect: page, ...commandNotice(created) };
  const { headers } = await visit.api.page(`${url}/discussions`, { per_page: 1 });
  const last = Math.ceil(Number(headers['x-total'] ?? 0) / threadsOnPage);
  // The page of the diff and its view stay.
  const query = new URLSearchParams(returnAddress(visit, page).split('?', 2)[1] ?? '');
  for (const name of ['line', pageName]) query.delete(name);
  if (last > 1) query.set(pageName, String(last));
  return { redirect: `${page}${query.size > 0 ? `?${query}` : ''}#note_${note.id}` };
}

export const commitCommentPages: readonly Page[] = [
  projectPage({ method: 'POST', path: `${path}/comments`, show: comment }),
  ...threadPages(path, projectPage, (context) => pathsOf(context)),
];
