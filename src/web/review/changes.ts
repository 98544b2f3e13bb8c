import { asksForFiles, changesShortcuts, isPart, type OpenThreads, wholeFileList } from '../code/changed-files.ts';
import { diffFiles, expandedFiles, isParallel, type Remarks } from '../code/diff.ts';
import type { DiffLine } from '../code/diff-lines.ts';
import { type DiffPreferences, diffPreferences } from '../code/diff-preferences.ts';
import { hiddenFields } from '../forms/card.ts';
import { normalizeLineEndings } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { count } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import { changedParts, livePart } from '../frame/live.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { LiveUpdates, Outcome, Visit } from '../frame/visit.ts';
import { inProject, type ProjectContext } from '../namespaces/project.ts';
import { drawThreads, isOpen, threadsOf } from '../planning/threads.ts';
import { keepDraft, reviewBox } from './drafts.ts';
import { header } from './header.ts';
import { type LineReports, lineReports } from './line-reports.ts';
import { type DiffRefs, lineOfPosition, placesOf } from './positions.ts';
import { type ChosenChanges, chosenChanges } from './versions.ts';
import { viewedFiles } from './viewed.ts';

const filesOnPage = 30;
const maxThreads = 300;

interface DrawnThread {
  readonly thread: Entity;
  readonly drawn: Html;
}

/** Loads the diff threads. */
async function threadsIn(context: ProjectContext, url: string): Promise<Entity[]> {
  const threads: Entity[] = [];
  for (let number = 1; number <= maxThreads / 100; number += 1) {
    const answer = await threadsOf(context.visit, url, number, 100);
    threads.push(...answer.body.filter((thread: Entity) => thread.notes[0]?.position?.new_path));
    if (answer.headers['x-next-page'] === '' || answer.headers['x-next-page'] === undefined) break;
  }
  return threads;
}

/** Loads and renders the diff threads. */
async function drawnThreadsIn(context: ProjectContext, url: string, page: string): Promise<DrawnThread[]> {
  const threads = await threadsIn(context, url);
  const talk = { page, url, from: 'diffs', place: context.project.path_with_namespace, reactions: url } as const;
  const drawn = await drawThreads(context.visit, threads, talk);
  return threads.map((thread, at) => ({ thread, drawn: drawn[at] ?? html`` }));
}

/** Returns a function that counts the unresolved threads on a file. */
function openIn(threads: readonly Entity[]): OpenThreads {
  const open = Map.groupBy(threads.filter(isOpen), (thread) => thread.notes[0].position.new_path);
  return (file) => open.get(file.new_path)?.length ?? 0;
}

/** What a comment refers to: a line, a file, or a position that a script fills in. */
interface About {
  readonly title: string;
  readonly file?: Entity;
  readonly line?: DiffLine;
}

function commentForm(visit: Visit, page: string, refs: DiffRefs, { title, file, line }: About): Html {
  const number = (value: number | undefined) => (value === undefined ? '' : String(value));
  const hidden = {
    base_sha: refs.base_sha,
    start_sha: refs.start_sha,
    head_sha: refs.head_sha,
    old_path: file?.old_path ?? '',
    new_path: file?.new_path ?? '',
    // A line with whitespace changes only is the added one.
    old_line: number(line?.kind === 'spaces' ? undefined : line?.old),
    new_line: number(line?.new),
    first: '',
    last: '',
    view: isParallel(visit) ? 'parallel' : '',
    w: visit.query.get('w') ?? '',
    page: String(pageOf(visit)),
    diff_id: visit.query.get('diff_id') ?? '',
    since: visit.query.get('start_sha') ?? '',
  };
  return html`<form class="card" method="post" action="${page}/discussions">${csrfField(visit)}${hiddenFields(hidden)}<label><span>${title}</span><textarea name="note" data-markdown data-draft="${hidden.new_path}:${hidden.old_line}:${hidden.new_line}" required autofocus></textarea></label><div class="row"><button class="primary">Begin a thread</button><button name="as" value="draft">Add to review</button></div></form>`;
}

/** Annotations of the diff: threads at their lines; outdated ones above the file. */
function remarksOf(
  visit: Visit,
  { refs, isBetween }: { readonly refs: DiffRefs; readonly isBetween: boolean },
  drawnThreads: readonly DrawnThread[],
  page: string,
  reports: LineReports | undefined,
): Remarks {
  const [line, about] = [visit.query.get('line'), visit.query.get('file')];
  const byPlace = Map.groupBy(drawnThreads, ({ thread }) => lineOfPosition(thread.notes[0].position, refs, isBetween));
  const byFile = Map.groupBy(drawnThreads, ({ thread }) => thread.notes[0].position.new_path);
  const shownThreads = new Set<Entity>();
  const kept = new URLSearchParams([...visit.query].filter(([name]) => name !== 'line' && name !== 'file'))
    .toString()
    .replace(/.$/, '$&&');
  return {
    lineLink: (code) => `?${kept}line=${code}#${code}`,
    ...(visit.user && { fileLink: (at: number) => `?${kept}file=${at}#file-${at}` }),
    ...(reports && { mark: (file: Entity, line: DiffLine) => reports.reached(file.new_path, line.new) }),
    open: openIn(drawnThreads.map(({ thread }) => thread)),
    below(file, at, code) {
      const found = placesOf(file, at).flatMap((place) => byPlace.get(place) ?? []);
      for (const { thread } of found) shownThreads.add(thread);
      const title = `Comment on line ${at.new ?? at.old}`;
      const form = visit.user && line === code && commentForm(visit, page, refs, { title, file, line: at });
      const problems = reports?.problems(file.new_path, at.new);
      return found.length > 0 || form || problems
        ? html`${problems}${found.map(({ drawn }) => drawn)}${form}`
        : undefined;
    },
    above(file, at) {
      const rest = (byFile.get(file.new_path) ?? []).filter(({ thread }) => !shownThreads.has(thread));
      const [whole, gone] = [rest.filter(isAboutFile), rest.filter((one) => !isAboutFile(one))];
      const title = `Comment on ${file.new_path}`;
      const form = visit.user && about === String(at) && commentForm(visit, page, refs, { title, file });
      if (rest.length === 0 && !form) return undefined;
      const before =
        gone.length > 0 &&
        html`<p class="muted">Outdated comments, or on lines that are not shown:</p>${gone.map(({ drawn }) => drawn)}`;
      return html`<div class="inner">${whole.map(({ drawn }) => drawn)}${before}${form}</div>`;
    },
  };
}

const isAboutFile = ({ thread }: DrawnThread) => thread.notes[0].position.position_type === 'file';

/** Tells that there is a newer version; the page is not reloaded, because the user may be writing a comment. */
function news({ home }: ProjectContext, request: Entity, seen: string): Html | false {
  if (request.diff_refs?.head_sha === undefined || request.diff_refs.head_sha === seen) return false;
  const page = `${home}/-/merge_requests/${request.iid}/diffs`;
  return html`<p class="notice calm" role="status">There is a newer version. <a href="${page}">Show the latest</a> · <a href="${page}?${new URLSearchParams({ start_sha: seen }).toString()}">Changes since this version</a></p>`;
}

/** The number of unresolved threads, with a link to the first. */
function openThreads(drawnThreads: readonly DrawnThread[]): Html | false {
  const open = drawnThreads.filter(({ thread }) => isOpen(thread));
  const [first] = open;
  if (!first) return false;
  return html`<span><a href="#thread_${first.thread.notes[0].id}">${count(open.length, 'open thread')}</a> <span class="muted"><kbd>n</kbd> goes to the next, <kbd>p</kbd> to the one before</span></span>`;
}

/** The form that applies several suggestions at once; their checkboxes belong to it. */
function suggestionsForm(visit: Visit, page: string, drawnThreads: readonly DrawnThread[]): Html | false {
  const suggestions = drawnThreads.flatMap(({ thread }) =>
    thread.notes.flatMap((note: Entity) => note.suggestions ?? []),
  );
  if (!visit.user || suggestions.filter(({ appliable }) => appliable).length < 2) return false;
  return html`<form id="suggestions" class="row" method="post" action="${page}/suggestions">${csrfField(visit)}<button>Apply selected suggestions</button></form>`;
}

const newsId = 'request-news';

export async function watchChanges(context: ProjectContext): Promise<LiveUpdates> {
  const { visit, api } = context;
  const seen = visit.query.get('live') ?? '';
  const draw = async () => {
    const request = await visit.api.get(`${api}/merge_requests/${visit.params.iid}`);
    return { [newsId]: /^[0-9a-f]{40,64}$/.test(seen) && news(context, request, seen) };
  };
  return { projectId: context.project.id, every: 30_000, changes: changedParts(draw) };
}

export async function changesPage(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const url = `${api}/merge_requests/${visit.params.iid}`;
  const page = `${home}/-/merge_requests/${visit.params.iid}`;
  const [request, preferred] = await Promise.all([visit.api.get(url), diffPreferences(visit, filesOnPage)]);
  const chosen = await chosenChanges(context, request, url, preferred.filesOnPage);
  if (asksForFiles(visit)) return filesPage(context, request, chosen, preferred);
  const { refs, sha, isBetween, chooser } = chosen;
  const { body: files, headers } = await chosen.files();
  const [all, drawnThreads, reports, whole, review, viewed] = await Promise.all([
    isPart(visit, headers) ? chosen.allFiles() : undefined,
    refs ? drawnThreadsIn(context, url, page) : [],
    refs ? lineReports(context, request, files, sha) : undefined,
    expandedFiles(context, sha),
    reviewBox(context, request, 'diffs'),
    viewedFiles(visit, url, page),
  ]);
  const seen = request.diff_refs?.head_sha ?? '';
  const form =
    visit.user && refs && html`<template id="line-form">${commentForm(visit, page, refs, { title: '' })}</template>`;
  const remarks = refs && { remarks: remarksOf(visit, { refs, isBetween }, drawnThreads, page, reports) };
  const changes = await diffFiles(files, {
    visit,
    home,
    before: refs?.base_sha,
    sha,
    whole,
    all,
    viewed,
    ...preferred,
    ...remarks,
  });
  const body = html`${header(context, request, '/diffs')}<div data-live-cursor="${seen}">${livePart(newsId, news(context, request, seen))}</div>${review}${chooser}<div class="row">${openThreads(drawnThreads)}${suggestionsForm(visit, page, drawnThreads)}</div>${changes}${pager(visit, { headers })}${form}`;
  return inProject(context, { title: request.title, tab: 'merge_requests', body, shortcuts: changesShortcuts });
}

/** The list of all changed files, without the diff. */
async function filesPage(
  context: ProjectContext,
  request: Entity,
  chosen: ChosenChanges,
  preferred: DiffPreferences,
): Promise<Outcome> {
  const { visit, api } = context;
  const [files, threads] = await Promise.all([
    chosen.allFiles(),
    threadsIn(context, `${api}/merge_requests/${request.iid}`),
  ]);
  const body = html`${header(context, request, '/diffs')}${wholeFileList(visit, files, preferred.filesOnPage, openIn(threads))}`;
  return inProject(context, { title: request.title, tab: 'merge_requests', body, shortcuts: changesShortcuts });
}

const lineName = /^([0-9a-f]{40})_(\d{1,9})_(\d{1,9}):(new|old|same)$/;

/** Parses one end of a multi-line selection from a script: line code and side. */
function rangeEnd(name: string) {
  const found = lineName.exec(name);
  if (!found) return undefined;
  const [, file, before, after, side] = found;
  return {
    line_code: `${file}_${before}_${after}`,
    type: side === 'same' ? null : side,
    old_line: side === 'new' ? null : Number(before),
    new_line: side === 'old' ? null : Number(after),
  };
}

/** Starts a thread on a line, several lines or a file, immediately or as part of the review. */
export async function commentOnLine(context: ProjectContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const { form, params } = visit;
  const text = (name: string) => form.get(name) ?? '';
  const line = (name: string) => (/^\d{1,9}$/.test(text(name)) ? Number(text(name)) : undefined);
  const [old_line, new_line] = [line('old_line'), line('new_line')];
  const [start, end] = [rangeEnd(text('first')), rangeEnd(text('last'))];
  const position = {
    position_type: old_line === undefined && new_line === undefined ? 'file' : 'text',
    base_sha: text('base_sha'),
    start_sha: text('start_sha'),
    head_sha: text('head_sha'),
    old_path: text('old_path'),
    new_path: text('new_path'),
    old_line,
    new_line,
    ...(start && end && { line_range: { start, end } }),
  };
  const isDraft = text('as') === 'draft';
  const body = normalizeLineEndings(text('note'));
  const url = `${api}/merge_requests/${params.iid}/discussions`;
  const thread = isDraft ? undefined : await visit.api.send('POST', url, { body, position });
  if (isDraft) await keepDraft(context, { note: body, position });
  const query = new URLSearchParams();
  if (text('view') === 'parallel') query.set('view', 'parallel');
  if (/^[01]$/.test(text('w'))) query.set('w', text('w'));
  if (/^\d+$/.test(text('page')) && text('page') !== '1') query.set('page', text('page'));
  if (/^\d+$/.test(text('diff_id'))) query.set('diff_id', text('diff_id'));
  if (/^[0-9a-f]{40,64}$/.test(text('since'))) query.set('start_sha', text('since'));
  const asked = query.size > 0 ? `?${query.toString()}` : '';
  return {
    redirect: `${home}/-/merge_requests/${params.iid}/diffs${asked}${thread ? `#note_${thread.notes[0].id}` : '#review'}`,
  };
}
