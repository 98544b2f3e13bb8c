import { type Collection, collectionPages } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import { badge, relativeTime } from '../frame/format.ts';
import { html } from '../frame/html.ts';
import type { Page } from '../frame/visit.ts';
import { projectSection } from '../namespaces/sections.ts';

const fields: readonly Field[] = [
  { name: 'description', label: 'Description', required: true },
  { name: 'ref', label: 'Branch or tag', required: true },
  {
    name: 'cron',
    label: 'When',
    required: true,
    hint: 'Cron syntax: minute, hour, day, month, weekday. 0 4 * * 1 is Mondays at four',
  },
  { name: 'cron_timezone', label: 'Time zone', placeholder: 'UTC' },
  { name: 'active', label: 'Active', kind: 'check' },
];

const one = (id: string) => `/pipeline_schedules/${encodeURIComponent(id)}`;

const schedules: Collection = {
  path: '/-/pipeline_schedules',
  title: 'Pipeline schedules',
  empty: 'No schedules. A schedule runs a pipeline at regular times.',
  list: '/pipeline_schedules',
  least: 30,
  item: (schedule) =>
    html`<strong>${schedule.description}</strong> ${!schedule.active && badge('inactive')}<p class="muted"><code>${schedule.cron}</code> ${schedule.cron_timezone} on ${schedule.ref} · ${schedule.next_run_at && html`next ${relativeTime(schedule.next_run_at)}`}</p>`,
  add: { title: 'New schedule', button: 'Create schedule', fields, start: { cron_timezone: 'UTC', active: true } },
  edit: { fields, method: 'PUT', path: one },
  buttons: {
    play: { text: 'Run now', method: 'POST', path: (id) => `${one(id)}/play` },
    own: { text: 'Take over', method: 'POST', path: (id) => `${one(id)}/take_ownership` },
    remove: { text: 'Delete', method: 'DELETE', path: one },
  },
};

export const schedulePages: readonly Page[] = collectionPages(projectSection('pipelines'), '/:project', schedules);
