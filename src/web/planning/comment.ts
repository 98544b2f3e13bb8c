import { lines } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import type { Outcome, Visit } from '../frame/visit.ts';
import { threadsOnPage } from './threads.ts';

/** What is talked about: in the API, and as a page. */
export interface Place {
  readonly url: string;
  readonly page: string;
}

/** The part of a discussion that its newest comment stands in. */
async function lastPart({ api }: Visit, { url, page }: Place): Promise<string> {
  const { headers } = await api.page(`${url}/discussions`, { per_page: 1 });
  const pages = Math.ceil(Number(headers['x-total'] ?? 0) / threadsOnPage);
  return pages > 1 ? `${page}?page=${pages}` : page;
}

/** A text of commands alone leaves no comment that would show what they did. */
export function whatWasDone(answer: Entity | undefined): { told?: string } {
  const summary: readonly string[] = answer?.summary ?? [];
  return summary.length > 0 ? { told: summary.join(' ') } : {};
}

/**
 * Sends a comment and the change that a button asked for, and leads to what was said; the API may know what is changed by
 * another number than what is talked about.
 */
export async function comment(visit: Visit, place: Place, changed = place.url): Promise<Outcome> {
  const { api, form } = visit;
  const text = lines(form.get('note') ?? '');
  const event = form.get('state_event');
  const kind = form.get('as') === 'thread' ? 'discussions' : 'notes';
  const seen = form.get('head');
  const sent = { body: text, ...(seen && { merge_request_diff_head_sha: seen }) };
  const said = text.trim() === '' ? undefined : await api.send('POST', `${place.url}/${kind}`, sent);
  if (event === 'close' || event === 'reopen') await api.send('PUT', changed, { state_event: event });
  const note = said?.notes?.[0] ?? said;
  if (!Number.isInteger(note?.id)) return { redirect: place.page, ...whatWasDone(note) };
  return { redirect: `${await lastPart(visit, place)}#note_${note.id}` };
}
