import { type Entity, type JsonBody, Refusal, refusalOf, type WriteMethod } from '../frame/api.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import { csrfField } from '../frame/layout.ts';
import type { Outcome, Visit } from '../frame/visit.ts';
import { drawField, type Field, type Values } from './fields.ts';

interface Card {
  readonly action: string;
  readonly title?: string;
  readonly fields: readonly Field[];
  readonly values?: Values;
  readonly button: string;
  /** Why the API rejected the previous submission. */
  readonly problem?: string | undefined;
  readonly hidden?: Readonly<Record<string, string>>;
  readonly more?: Part;
  /** Whether the response is rendered directly instead of redirecting. */
  readonly answersInPlace?: boolean;
}

export const hiddenFields = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

export const alert = (problem: string | undefined) =>
  problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`;

/** Renders a form as a card. */
export function card(visit: Visit, options: Card): Html {
  const { action, title, fields, values = {}, button, problem, hidden, more } = options;
  const drawn = fields.map((field) => drawField(field, values[field.name]));
  return html`<form class="card" method="post" action="${action}"${options.answersInPlace && html` data-turbo="false"`}>${csrfField(visit)}${hiddenFields(hidden ?? {})}${title !== undefined && html`<h2>${title}</h2>`}${alert(problem)}${drawn}${more}<div class="row"><button class="primary">${button}</button></div></form>`;
}

interface Sending {
  readonly method: WriteMethod;
  readonly path: string;
  readonly sent: JsonBody;
  /** Redirect target after success. */
  readonly to: string | ((answer: Entity) => string | Promise<Outcome>);
  /** Message to show after the redirect. */
  readonly notice?: string;
  /** Renders the form again with its input and the error. */
  again(problem: string): Promise<Outcome> | Outcome;
}

/** Statuses that mean invalid input; the page keeps any other status of a refusal. */
const ofTheForm: ReadonlySet<number> = new Set([400, 409, 422]);

const wordsOf = ({ status, reason }: Refusal) =>
  status === 403 && /^(forbidden)?$/i.test(reason)
    ? 'You are not allowed to do this.'
    : reason || 'That cannot be done.';

/** Submits a form to the API; errors are shown on the form. */
export async function submit({ api }: Visit, { method, path, sent, to, notice, again }: Sending): Promise<Outcome> {
  const answer = await api.ask(method, path, sent);
  if (answer.status < 300) {
    const next = typeof to === 'string' ? to : to(answer.body);
    return typeof next === 'string' ? { redirect: next, ...(notice !== undefined && { notice }) } : next;
  }
  const refusal = refusalOf(answer);
  // The input is kept for any reason of refusal, except 401 (sign in first) and server errors.
  if (answer.status === 401 || answer.status >= 500) throw refusal;
  const shown = await again(wordsOf(refusal));
  return 'page' in shown && !ofTheForm.has(answer.status) ? { ...shown, status: answer.status } : shown;
}

/** Shows errors on the form, including user names that do not exist. */
export async function withFormErrors(
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
