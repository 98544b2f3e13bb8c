import { type Entity, Refusal, refusalOf, type Sent, type Writing } from '../frame/api.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { proof } from '../frame/layout.ts';
import type { Outcome, Visit } from '../frame/visit.ts';
import { drawField, type Field, type Values } from './fields.ts';

interface Card {
  readonly action: string;
  readonly title?: string;
  readonly fields: readonly Field[];
  readonly values?: Values;
  readonly button: string;
  /** Why the API refused what was sent before. */
  readonly problem?: string | undefined;
  readonly hidden?: Readonly<Record<string, string>>;
  readonly more?: Part;
  /** What it is answered with is shown at once, and not at another address. */
  readonly answersInPlace?: boolean;
}

export const hiddenFields = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

export const alert = (problem: string | undefined) =>
  problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`;

/** A form in its frame. */
export function card(visit: Visit, given: Card): Html {
  const { action, title, fields, values = {}, button, problem, hidden, more } = given;
  const drawn = fields.map((field) => drawField(field, values[field.name]));
  return html`<form class="card" method="post" action="${action}"${given.answersInPlace && html` data-turbo="false"`}>${proof(visit)}${hiddenFields(hidden ?? {})}${title !== undefined && html`<h2>${title}</h2>`}${alert(problem)}${drawn}${more}<div class="row"><button class="primary">${button}</button></div></form>`;
}

interface Sending {
  readonly method: Writing;
  readonly path: string;
  readonly sent: Sent;
  /** Where it is seen afterwards. */
  readonly to: string | ((answer: Entity) => string | Promise<Outcome>);
  /** What is said there. */
  readonly told?: string;
  /** The same form, with what was typed and what is wrong with it. */
  again(problem: string): Promise<Outcome> | Outcome;
}

/** What is wrong with what was typed; all else has its own status. */
const ofTheForm: ReadonlySet<number> = new Set([400, 409, 422]);

const wordsOf = ({ status, reason }: Refusal) =>
  status === 403 && /^(forbidden)?$/i.test(reason) ? 'You may not do this.' : reason || 'That cannot be done.';

/** Sends what a form holds; what the API does not take is said on the form. */
export async function submit({ api }: Visit, { method, path, sent, to, told, again }: Sending): Promise<Outcome> {
  const answer = await api.ask(method, path, sent);
  if (answer.status < 300) {
    const next = typeof to === 'string' ? to : to(answer.body);
    return typeof next === 'string' ? { redirect: next, ...(told !== undefined && { told }) } : next;
  }
  const refusal = refusalOf(answer);
  // What was typed is not lost, whatever the reason; who has to sign in first has nothing to see here.
  if (answer.status === 401 || answer.status >= 500) throw refusal;
  const shown = await again(wordsOf(refusal));
  return 'page' in shown && !ofTheForm.has(answer.status) ? { ...shown, status: answer.status } : shown;
}

/** Names that nobody has are said on the form, like everything that the API refuses. */
export async function orProblem(
  send: () => Promise<Outcome>,
  again: (problem: string) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof Refusal && error.status === 422) return again(error.reason);
    throw error;
  }
}
