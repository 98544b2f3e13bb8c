import type { JsonBody, WriteMethod } from '../frame/api.ts';
import { html, type Part } from '../frame/html.ts';
import type { Outcome, Page } from '../frame/visit.ts';
import { card, submit } from './card.ts';
import type { Section, SectionContext } from './collection.ts';
import { type Field, readFields, submittedValues } from './fields.ts';

/** A page with one form for a single object, which is loaded and updated. */
export interface SettingsForm {
  readonly path: string;
  readonly title: string;
  readonly intro?: Part;
  readonly api: string;
  readonly method: WriteMethod;
  readonly fields: readonly Field[];
  prepare?(sent: JsonBody): JsonBody;
}

async function settingsFormPage(settings: SettingsForm, context: SectionContext, problem?: string): Promise<Outcome> {
  const { visit, api, home } = context;
  const values =
    problem === undefined ? await visit.api.get(api + settings.api) : submittedValues(settings.fields, visit.form);
  const form = card(visit, { action: home + settings.path, fields: settings.fields, values, button: 'Save', problem });
  const body = html`<h1>${settings.title}</h1>${settings.intro && html`<p class="muted">${settings.intro}</p>`}${form}`;
  return context.show({ title: settings.title, body, ...(problem !== undefined && { status: 422 }) });
}

async function save(settings: SettingsForm, context: SectionContext): Promise<Outcome> {
  const { visit, api, home } = context;
  const sent = readFields(settings.fields, visit.form, 'keep');
  return submit(visit, {
    method: settings.method,
    path: api + settings.api,
    sent: settings.prepare ? settings.prepare(sent) : sent,
    to: home + settings.path,
    notice: 'Saved.',
    again: (problem) => settingsFormPage(settings, context, problem),
  });
}

/** `prefix` is the URL pattern of the section. */
export const settingsFormPages = (section: Section, settings: SettingsForm, prefix = ''): Page[] => [
  section({ path: prefix + settings.path, signedIn: true, show: (context) => settingsFormPage(settings, context) }),
  section({ method: 'POST', path: prefix + settings.path, show: (context) => save(settings, context) }),
];
