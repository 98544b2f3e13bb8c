import type { Entity, JsonBody } from '../frame/api.ts';
import { type Html, html, type Part } from '../frame/html.ts';
import type { ProjectContext } from '../namespaces/project.ts';
import { pathOf } from './work-item.ts';

/** Maximum number of epics and iterations to choose from. */
const maxOffered = 100;

type Options = readonly (readonly [value: string, text: string])[];

const health: Options = [
  ['', 'Not set'],
  ['on_track', 'On track'],
  ['needs_attention', 'Needs attention'],
  ['at_risk', 'At risk'],
];

const severities: Options = [
  ['unknown', 'Unknown'],
  ['low', 'Low'],
  ['medium', 'Medium'],
  ['high', 'High'],
  ['critical', 'Critical'],
];

const textIn = (options: Options, value: string) => options.find(([key]) => key === value)?.[1] ?? value;

/** Name of an iteration; iterations of a cadence have no title and are named by their dates. */
export const iterationName = ({ title, start_date, due_date }: Entity): string =>
  title ?? `${start_date} to ${due_date}`;

/** How a change is sent to the API: as an attribute or as a quick action. */
export type Sending = { readonly change: JsonBody } | { readonly command: string };

/** A field that only issues have. */
interface PlanField {
  readonly title: string;
  /** Whether the field applies to the issue. */
  has?(context: ProjectContext, issue: Entity): boolean;
  shown(context: ProjectContext, issue: Entity): Part;
  control(context: ProjectContext, issue: Entity): Promise<Html> | Html;
  sending(form: URLSearchParams): Sending;
}

function choice(name: string, label: string, options: Options, chosen: string): Html {
  const option = ([value, text]: Options[number]) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`;
  return html`<select name="${name}" aria-label="${label}">${options.map(option)}</select>`;
}

/** Options of a select field, including the current value even if it was not found. */
function withCurrent(found: readonly Entity[], current: Entity, none: string, name: (one: Entity) => string): Options {
  const offered = current && !found.some(({ id }) => id === current.id) ? [current, ...found] : found;
  return [['', none], ...offered.map((one) => [String(one.id), name(one)] as const)];
}

const inGroup = ({ project }: ProjectContext) => project.namespace?.kind === 'group';
const chosenIn = (form: URLSearchParams, name: string) => form.get(name) ?? '';

const epic: PlanField = {
  title: 'Epic',
  has: inGroup,
  shown: ({ visit }, issue) => issue.epic && html`<a href="${visit.base}${issue.epic.url}">${issue.epic.title}</a>`,
  async control({ visit, project }, issue) {
    const query = { state: 'opened', include_ancestor_groups: true, include_descendant_groups: false };
    const params = { ...query, per_page: maxOffered };
    const found = (await visit.api.maybe(`/groups/${project.namespace.id}/epics`, params)) ?? [];
    const options = withCurrent(found, issue.epic, 'No epic', ({ title }) => title);
    return choice('epic_id', 'Epic', options, String(issue.epic?.id ?? ''));
  },
  sending: (form) => ({ change: { epic_id: Number(chosenIn(form, 'epic_id')) || 0 } }),
};

const iteration: PlanField = {
  title: 'Iteration',
  has: inGroup,
  shown: ({ visit }, issue) =>
    issue.iteration &&
    html`<a href="${pathOf(issue.iteration.web_url, visit.base)}">${iterationName(issue.iteration)}</a>`,
  async control({ visit, api }, issue) {
    const found = (await visit.api.maybe(`${api}/iterations`, { state: 'opened', per_page: maxOffered })) ?? [];
    const options = withCurrent(found, issue.iteration, 'No iteration', iterationName);
    return choice('iteration_id', 'Iteration', options, String(issue.iteration?.id ?? ''));
  },
  // Iterations can only be set with a quick action.
  sending: (form) =>
    /^\d{1,15}$/.test(chosenIn(form, 'iteration_id'))
      ? { command: `/iteration *iteration:${chosenIn(form, 'iteration_id')}` }
      : { command: '/remove_iteration' },
};

const weight: PlanField = {
  title: 'Weight',
  shown: (_, issue) => issue.weight ?? undefined,
  control: (_, issue) =>
    html`<input type="number" name="weight" min="0" value="${issue.weight ?? ''}" aria-label="Weight">`,
  sending: (form) => {
    const text = chosenIn(form, 'weight');
    return { change: { weight: /^\d{1,9}$/.test(text) ? Number(text) : text === '' ? null : text } };
  },
};

const healthStatus: PlanField = {
  title: 'Health',
  shown: (_, issue) => issue.health_status && textIn(health, issue.health_status),
  control: (_, issue) => choice('health_status', 'Health', health, issue.health_status ?? ''),
  sending: (form) => {
    const [known] = health.find(([value]) => value !== '' && value === form.get('health_status')) ?? [];
    return { command: known === undefined ? '/clear_health_status' : `/health_status ${known}` };
  },
};

const severity: PlanField = {
  title: 'Severity',
  has: (_, issue) => issue.issue_type === 'incident',
  shown: (_, issue) => textIn(severities, String(issue.severity ?? 'unknown').toLowerCase()),
  control: (_, issue) => choice('severity', 'Severity', severities, String(issue.severity ?? 'unknown').toLowerCase()),
  sending: (form) => {
    const [known] = severities.find(([value]) => value === form.get('severity')) ?? ['unknown'];
    return { command: `/severity ${known}` };
  },
};

export const planFields = {
  epic,
  iteration,
  weight,
  health_status: healthStatus,
  severity,
} as const satisfies Readonly<Record<string, PlanField>>;
export type PlanFieldName = keyof typeof planFields;
export const isPlanField = (name: string): name is PlanFieldName => Object.hasOwn(planFields, name);
export const planField = (name: PlanFieldName): PlanField => planFields[name];
