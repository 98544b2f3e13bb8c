import { normalizeLineEndings } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import type { Outcome, Visit } from '../frame/visit.ts';
import { threadsOnPage } from './threads.ts';

/** A noteable: its API path and page URL. */
export interface NoteablePaths {
  readonly url: string;
  readonly page: string;
}

/** Returns the page of the discussion that contains the newest note. */
async function lastPart({ api }: Visit, { url, page }: NoteablePaths): Promise<string> {
  const { headers } = await api.page(`${url}/discussions`, { per_page: 1 });
  const pages = Math.ceil(Number(headers['x-total'] ?? 0) / threadsOnPage);
  return pages > 1 ? `${page}?page=${pages}` : page;
}

/** Returns a message for a note that consisted only of quick actions and was therefore not created. */
export function commandNotice(answer: Entity | undefined): { notice?: string } {
  const summary: readonly string[] = answer?.summary ?? [];
  return summary.length > 0 ? { notice: summary.join(' ') } : {};
}

/**
 * Creates a note, applies the state change of the button, and redirects to the note. `changed` is the API path for the
 * change, if it differs.
 */
export async function comment(visit: Visit, place: NoteablePaths, changed = place.url): Promise<Outcome> {
  const { api, form } = visit;
  const text = normalizeLineEndings(form.get('note') ?? '');
  const event = form.get('state_event');
  const kind = form.get('as') === 'thread' ? 'discussions' : 'notes';
  const seen = form.get('head');
  const sent = { body: text, ...(seen && { merge_request_diff_head_sha: seen }) };
  const created = text.trim() === '' ? undefined : await api.send('POST', `${place.url}/${kind}`, sent);
  if (event === 'close' || event === 'reopen') await api.send('PUT', changed, { state_event: event });
  const note = created?.notes?.[0] ?? created;
  if (!Number.isInteger(note?.id)) return { redirect: place.page, ...commandNotice(note) };
  return { redirect: `${await lastPart(visit, place)}#note_${note.id}` };
}
