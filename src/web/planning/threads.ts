import { hiddenFields } from '../forms/card.ts';
import type { ApiAnswer, Entity } from '../frame/api.ts';
import { badge, relativeTime } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import { renderAll, type TextPlace } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Visit } from '../frame/visit.ts';
import { actionButton, avatar, userLink } from './discussion.ts';
import { openThreads } from './open-threads.ts';
import { drawNoteReactions, noteReactions } from './reactions.ts';

/** Context of threads: URLs, and the view to return to after commenting. */
export interface ThreadLinks {
  /** Page of the noteable. */
  readonly page: string;
  /** API path of the noteable. */
  readonly url: string;
  readonly from: '' | 'diffs';
  /** The context in which references are resolved. */
  readonly place: TextPlace;
  /** API path of the noteable for listing reactions; undefined if it takes none. */
  readonly reactions?: string;
  /** Whether the API has notes only inside their threads, as for commits. */
  readonly inThreads?: boolean;
}

/** Number of threads per page. */
export const threadsOnPage = 50;

/** Loads one page of threads. */
export function threadsOf(visit: Visit, url: string, page: number, size: number): Promise<ApiAnswer> {
  if (!visit.user) return openThreads(visit, url, page, size);
  return visit.api.page(`${url}/discussions`, { per_page: size, page });
}

/** Whether a thread is unresolved. */
export const isOpen = ({ notes: [first] }: Entity): boolean => first?.resolvable === true && first.resolved !== true;

function positionOf({ position }: Entity): Html | false {
  if (!position?.new_path) return false;
  const line = position.new_line ?? position.old_line;
  return html`<code>${position.new_path}${line !== null && line !== undefined && `:${line}`}</code>`;
}

function ownButtons(visit: Visit, thread: Entity, note: Entity, talk: ThreadLinks): Html | false {
  if (!visit.user || note.author?.id !== visit.user.id) return false;
  const { page, from, inThreads } = talk;
  const sent = { from, ...(inThreads && { thread: String(thread.id) }) };
  const action = `${page}/notes/${note.id}`;
  return html`<details><summary>Change</summary><form class="card" method="post" action="${action}/edit">${csrfField(visit)}${hiddenFields(sent)}<label>Comment<textarea name="note" data-markdown required>${note.body}</textarea></label><div class="row"><button class="primary">Save</button></div></form>${actionButton(visit, `${action}/remove`, 'Delete', sent, { confirm: 'Delete this comment?' })}</details>`;
}

/** Suggested changes in a note, with buttons that apply them. */
function suggestionsOf(visit: Visit, note: Entity, { page, from }: ThreadLinks): readonly Html[] {
  const draw = (one: Entity) => {
    const choose =
      from === 'diffs' &&
      html`<label class="tick"><input type="checkbox" name="suggestion" value="${one.id}" form="suggestions">Choose</label>`;
    const state = one.applied
      ? badge('applied')
      : visit.user && one.appliable
        ? html`${choose}${actionButton(visit, `${page}/suggestions/${one.id}/apply`, 'Apply suggestion', { from })}`
        : html`<span class="muted">The suggestion is outdated.</span>`;
    const rows = (kind: 'del' | 'add', sign: string, content: string) =>
      content
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => html`<tr class="${kind}"><td>${sign}${line.slice(0, 2_000)}</td></tr>`);
    return html`<div class="box suggestion"><header class="row"><span>Suggested change</span><span class="end row">${state}</span></header><div class="scroll"><table class="code">${rows('del', '-', one.from_content ?? '')}${rows('add', '+', one.to_content ?? '')}</table></div></div>`;
  };
  return (note.suggestions ?? []).map(draw);
}

/** A system note. */
const systemNote = (visit: Visit, note: Entity, text: Html | undefined) =>
  html`<div id="note_${note.id}" class="system">${userLink(visit, note.author)} ${text} ${relativeTime(note.created_at)}</div>`;

function drawNote(
  visit: Visit,
  thread: Entity,
  note: Entity,
  text: Html | undefined,
  talk: ThreadLinks,
  awards: readonly Entity[] | undefined,
): Html {
  const id = `note_${note.id}`;
  if (note.system) return systemNote(visit, note, text);
  return html`<article id="${id}"><p class="row">${avatar(note.author)}${userLink(visit, note.author)} ${relativeTime(note.created_at)}${note.internal && badge('internal')}${note.created_at !== note.updated_at && html`<span class="muted">changed</span>`}<a class="end" href="#${id}" aria-label="Link to this comment">#</a></p>${text}${suggestionsOf(visit, note, talk)}<div class="row">${talk.reactions !== undefined && drawNoteReactions(visit, `${talk.page}/notes/${note.id}`, talk.from, awards)}${ownButtons(visit, thread, note, talk)}</div></article>`;
}

function threadFooter(visit: Visit, thread: Entity, first: Entity, { page, from }: ThreadLinks): Html | false {
  if (!visit.user) return false;
  const action = `${page}/discussions/${thread.id}`;
  const takesDrafts = first.noteable_type === 'MergeRequest' && !thread.individual_note;
  const resolve =
    first.resolvable &&
    actionButton(visit, `${action}/resolve`, first.resolved ? 'Open again' : 'Resolve', {
      resolved: first.resolved ? 'false' : 'true',
      from,
    });
  return html`<footer class="row"><details><summary>Reply</summary><form class="card" method="post" action="${action}/reply">${csrfField(visit)}<input type="hidden" name="from" value="${from}"><label>Reply<textarea name="note" data-markdown required></textarea></label><div class="row"><button class="primary">Reply</button>${takesDrafts && html`<button formaction="${action}/draft">Add to review</button>`}</div></form></details>${resolve}</footer>`;
}

/** Renders threads in order. */
export async function drawThreads(visit: Visit, threads: readonly Entity[], talk: ThreadLinks): Promise<Html[]> {
  const all: readonly Entity[] = threads.flatMap(({ notes }) => notes);
  const noteIds = all.filter(({ system }) => !system).map(({ id }): number => id);
  const [texts, awards] = await Promise.all([
    renderAll(
      visit,
      talk.place,
      all.map(({ body }) => body),
    ),
    noteReactions(visit, talk.reactions ?? '', visit.user && talk.reactions !== undefined ? noteIds : []),
  ]);
  let at = 0;
  return threads.map((thread) => {
    const notes: readonly Entity[] = thread.notes;
    const [first] = notes;
    const drawn = texts.slice(at, at + notes.length);
    at += notes.length;
    if (first?.system) return systemNote(visit, first, drawn[0]);
    const position = positionOf(first);
    const state = first.resolvable && badge(first.resolved ? 'resolved' : 'unresolved');
    const head = (position || state) && html`<header class="row">${position}${state}</header>`;
    return html`<section class="thread"${isOpen(thread) && html` data-open id="thread_${first.id}" tabindex="-1"`}>${head}${notes.map((note, which) => drawNote(visit, thread, note, drawn[which], talk, awards.get(note.id)))}${threadFooter(visit, thread, first, talk)}</section>`;
  });
}

/**
 * Renders the discussion, oldest note first, including system notes; `pageName` is the query parameter with its page.
 */
export async function discussion(visit: Visit, talk: Omit<ThreadLinks, 'from'>, pageName = 'page'): Promise<Html> {
  const answer = await threadsOf(visit, talk.url, pageOf(visit, pageName), threadsOnPage);
  return listThreads(visit, answer, await drawThreads(visit, answer.body, { ...talk, from: '' }), pageName);
}

/** Lists the threads of a page that are not shown elsewhere. */
export function listThreads(visit: Visit, answer: ApiAnswer, drawn: readonly Html[], pageName: string): Html {
  const none = answer.body.length === 0 ? 'No comments yet.' : 'All comments are beside their lines.';
  return html`<h2>Discussion</h2>${drawn.length === 0 ? html`<p class="empty">${none}</p>` : drawn}${pager(visit, answer, pageName)}`;
}
