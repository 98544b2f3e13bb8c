import type { Entity } from '../frame/api.ts';
import { badge, moment } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { proof } from '../frame/layout.ts';
import { renderAll } from '../frame/markdown.ts';
import { pageOf, pager } from '../frame/paging.ts';
import type { Visit } from '../frame/visit.ts';
import type { Place } from '../places/project.ts';

export function person({ base }: Visit, user: Entity): Html {
  return user ? html`<a href="${base}/${user.username}">${user.name}</a>` : html`<span class="muted">somebody</span>`;
}

/** What was said about something, oldest first, and what has happened to it. */
export async function discussion(place: Place, url: string): Promise<Html> {
  const { visit, project } = place;
  const query = { sort: 'asc', order_by: 'created_at', per_page: 50, page: pageOf(visit) };
  const answer = await visit.api.page(`${url}/notes`, query);
  const notes: readonly Entity[] = answer.body;
  const texts = await renderAll(
    visit,
    project.path_with_namespace,
    notes.map(({ body }) => body),
  );
  const drawn = notes.map((note, at) => {
    const who = html`${person(visit, note.author)} ${moment(note.created_at)}`;
    const id = `note_${note.id}`;
    if (note.system) return html`<li id="${id}" class="muted row">${who} ${texts[at]}</li>`;
    const marks = [
      note.internal && badge('internal'),
      note.resolvable && badge(note.resolved ? 'resolved' : 'unresolved'),
    ];
    const position =
      note.position?.new_path &&
      html`<code>${note.position.new_path}:${note.position.new_line ?? note.position.old_line}</code>`;
    return html`<li id="${id}"><p class="row">${who}${marks}${position}<a class="end" href="#${id}">#</a></p>${texts[at]}</li>`;
  });
  return html`<h2>Discussion</h2>${drawn.length === 0 ? html`<p class="empty">Nothing has been said yet.</p>` : html`<ul class="list">${drawn}</ul>`}${pager(visit, answer)}`;
}

/** Where one says something; the second button does something with it. */
export function commentForm(
  visit: Visit,
  action: string,
  other?: { readonly value: string; readonly text: string },
): Html {
  if (!visit.user) {
    return html`<p><a href="${visit.base}/users/sign_in?redirect=${encodeURIComponent(visit.address)}">Sign in</a> to comment.</p>`;
  }
  return html`<form class="card" method="post" action="${action}">${proof(visit)}<label>Comment<textarea name="note"></textarea></label><div class="row"><button class="primary">Comment</button>${other && html`<button name="state_event" value="${other.value}">${other.text}</button>`}</div></form>`;
}

/** A button that sends a form of its own. */
export function actionButton(
  visit: Visit,
  action: string,
  text: string,
  fields: Readonly<Record<string, string>> = {},
): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form class="inline" method="post" action="${action}">${proof(visit)}${hidden}<button>${text}</button></form>`;
}

/** Sends a comment and the change that a button asked for. */
export async function say({ api, form }: Visit, url: string): Promise<void> {
  const note = (form.get('note') ?? '').replaceAll('\r\n', '\n');
  const event = form.get('state_event');
  if (note.trim() !== '') await api.send('POST', `${url}/notes`, { body: note });
  if (event === 'close' || event === 'reopen') await api.send('PUT', url, { state_event: event });
}
