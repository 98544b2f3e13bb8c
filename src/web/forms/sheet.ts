import type { Sent, Writing } from '../frame/api.ts';
import { html, type Part } from '../frame/html.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { card, submit } from './card.ts';
import { type Field, readFields, typed } from './fields.ts';
import type { Enter, Room } from './ledger.ts';

/** A page that is one form over something of which there is one: it is read, and written back. */
export interface Sheet {
  readonly path: string;
  readonly title: string;
  readonly intro?: Part;
  readonly api: string;
  readonly method: Writing;
  readonly fields: readonly Field[];
  prepare?(sent: Sent): Sent;
}

async function sheetPage(sheet: Sheet, room: Room, problem?: string): Promise<Outcome> {
  const { visit, api, home } = room;
  const values = problem === undefined ? await visit.api.get(api + sheet.api) : typed(sheet.fields, visit.form);
  const isSaved = visit.query.get('saved') === '1';
  const form = card(visit, { action: home + sheet.path, fields: sheet.fields, values, button: 'Save', problem });
  const body = html`<h1>${sheet.title}</h1>${isSaved && html`<p class="told" role="status">Saved.</p>`}${sheet.intro && html`<p class="muted">${sheet.intro}</p>`}${form}`;
  return room.show({ title: sheet.title, body, ...(problem !== undefined && { status: 422 }) });
}

async function save(sheet: Sheet, room: Room): Promise<Outcome> {
  const { visit, api, home } = room;
  const sent = readFields(sheet.fields, visit.form, 'keep');
  return submit(visit, {
    method: sheet.method,
    path: api + sheet.api,
    sent: sheet.prepare ? sheet.prepare(sent) : sent,
    to: `${home}${sheet.path}?saved=1`,
    again: (problem) => sheetPage(sheet, room, problem),
  });
}

export const sheetPages = (enter: Enter, sheet: Sheet): Page[] => [
  enter({ path: sheet.path, signedIn: true, show: (room) => sheetPage(sheet, room) }),
  enter({ method: 'POST', path: sheet.path, show: (room) => save(sheet, room) }),
];
