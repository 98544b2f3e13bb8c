import type { Collection } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import { html } from '../frame/html.ts';

const fields: readonly Field[] = [
  {
    name: 'freeze_start',
    label: 'From',
    required: true,
    hint: 'Cron syntax: minute, hour, day, month, weekday. 0 23 * * 5 is Fridays at 23:00',
  },
  { name: 'freeze_end', label: 'To', required: true },
  { name: 'cron_timezone', label: 'Time zone', placeholder: 'UTC' },
];

const one = (id: string) => `/freeze_periods/${encodeURIComponent(id)}`;

/** Deploy freeze periods of a project. */
export const freezePeriods: Collection = {
  path: '/-/settings/freeze_periods',
  title: 'Freeze periods',
  intro: html`While a period lasts, pipelines and jobs have the variable <code>CI_DEPLOY_FREEZE</code>, which rules can use to prevent deployments.`,
  empty: 'No freeze periods.',
  list: '/freeze_periods',
  least: 40,
  item: (period) =>
    html`<code>${period.freeze_start}</code> to <code>${period.freeze_end}</code> <span class="muted">${period.cron_timezone}</span>`,
  add: { title: 'New freeze period', button: 'Add freeze period', fields, start: { cron_timezone: 'UTC' } },
  edit: { fields, method: 'PUT', path: one },
  buttons: { remove: { text: 'Delete', method: 'DELETE', path: one } },
};
