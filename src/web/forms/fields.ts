import type { JsonBody } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';

interface Common {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
}

type Options = readonly (readonly [value: string, text: string])[];

/** A form field. The declaration is used for rendering, initial values and parsing. */
export type Field = Common &
  (
    | { readonly kind?: 'text' | 'password' | 'date' | 'url' | 'email'; readonly placeholder?: string }
    | { readonly kind: 'number' }
    | { readonly kind: 'area' | 'markdown'; readonly placeholder?: string }
    | { readonly kind: 'check' }
    | { readonly kind: 'select'; readonly options: Options }
    /** One of several numbers, such as an access level. */
    | { readonly kind: 'rank'; readonly options: Options }
    | { readonly kind: 'checks'; readonly options: Options }
    /** Comma-separated splitList. */
    | { readonly kind: 'words'; readonly placeholder?: string }
  );

/** Values of fields: submitted or stored ones. */
export type Values = Readonly<Record<string, unknown>>;

const asText = (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value ?? ''));

function control(field: Field, value: unknown): Html {
  const { name } = field;
  const required = field.required && html` required`;
  const option = ([key, text]: readonly [string, string]) =>
    html`<option value="${key}"${key === asText(value) && html` selected`}>${text}</option>`;
  switch (field.kind) {
    case 'area':
    case 'markdown':
      return html`<textarea name="${name}"${required}${field.kind === 'markdown' && html` data-markdown`} placeholder="${field.placeholder}">${asText(value)}</textarea>`;
    case 'select':
    case 'rank':
      return html`<select name="${name}"${required}>${field.options.map(option)}</select>`;
    case 'number':
      return html`<input type="number" name="${name}"${required} value="${asText(value)}">`;
    case 'password':
      return html`<input type="password" name="${name}"${required} autocomplete="new-password">`;
    case 'words':
      return html`<input name="${name}"${required} value="${asText(value)}" placeholder="${field.placeholder}">`;
    case 'check':
    case 'checks':
      return html``;
    default:
      return html`<input type="${field.kind ?? 'text'}" name="${name}"${required} value="${asText(value)}" placeholder="${field.placeholder}">`;
  }
}

const isTrue = (value: unknown) => value === true || value === 'true';

export function drawField(field: Field, value: unknown): Html {
  const hint = field.hint !== undefined && html`<span class="hint">${field.hint}</span>`;
  if (field.kind === 'check') {
    return html`<label class="tick"><input type="checkbox" name="${field.name}" value="true"${isTrue(value) && html` checked`}> ${field.label}${hint}</label>`;
  }
  if (field.kind === 'checks') {
    const chosen = new Set(Array.isArray(value) ? value.map(String) : []);
    const box = ([key, text]: readonly [string, string]) =>
      html`<label class="tick"><input type="checkbox" name="${field.name}" value="${key}"${chosen.has(key) && html` checked`}> ${text}</label>`;
    return html`<fieldset><legend>${field.label}</legend>${hint}${field.options.map(box)}</fieldset>`;
  }
  return html`<label>${field.label}${hint}${control(field, value)}</label>`;
}

/** Converts the CRLF line endings of form data to LF. */
export const normalizeLineEndings = (text: string) => text.replaceAll('\r\n', '\n');

/** Whether all lines of a text end with CRLF. */
export const hasCarriageReturns = (text: string) => text.includes('\r\n') && !/(^|[^\r])\n/.test(text);

export const splitList = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

function read(field: Field, form: URLSearchParams): unknown {
  const text = form.get(field.name) ?? '';
  switch (field.kind) {
    case 'check':
      return text === 'true';
    case 'checks':
      return form.getAll(field.name);
    case 'words':
      return splitList(text);
    case 'area':
    case 'markdown':
      return normalizeLineEndings(text);
    case 'number':
    case 'rank':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    default:
      return text;
  }
}

/**
 * Reads a form into API parameters. When creating, empty values are left out; when updating, they clear the attribute.
 */
export function readFields(fields: readonly Field[], form: URLSearchParams, empty: 'drop' | 'keep' = 'drop'): JsonBody {
  const pairs = fields.map((field) => [field.name, read(field, form)] as const);
  const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => {
      if (!isEmpty(value)) return [[name, value]];
      return empty === 'drop' ? [] : [[name, value]];
    }),
  );
}

/** Returns the submitted values, to render the form again. */
export function submittedValues(fields: readonly Field[], form: URLSearchParams): Values {
  return Object.fromEntries(fields.map((field) => [field.name, read(field, form)]));
}
