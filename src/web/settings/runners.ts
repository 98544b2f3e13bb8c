import type { Collection, SectionContext } from '../forms/collection.ts';
import type { Field } from '../forms/fields.ts';
import type { Entity } from '../frame/api.ts';
import { badge } from '../frame/format.ts';
import { type Html, html } from '../frame/html.ts';
import { secretNotice } from './tokens.ts';

const fields: readonly Field[] = [
  { name: 'description', label: 'Name' },
  { name: 'tag_list', label: 'Tags', kind: 'words', hint: 'Comma-separated' },
  { name: 'run_untagged', label: 'Run untagged jobs', kind: 'check' },
];

const ofProject: readonly Field[] = [...fields, { name: 'locked', label: 'Lock to this project', kind: 'check' }];

/** Commands that start GitLab Runner or Hearth's own runner. */
function howToStart({ visit: { services } }: SectionContext, token: string): Html {
  const url = services.externalUrl;
  const command = (label: string, text: string) =>
    html`<label>${label}<input readonly value="${text}" data-copy="1"></label>`;
  const register = `gitlab-runner register --non-interactive --url ${url} --token ${token} --executor shell`;
  return html`<p>Then start a runner with it:</p>${command('GitLab Runner', `${register} && gitlab-runner run`)}${command('Or Hearth’s built-in runner', `hearth runner --server ${url} --runner-token ${token}`)}`;
}

const changed: readonly Field[] = [
  ...fields,
  { name: 'locked', label: 'Lock to current projects', kind: 'check' },
  {
    name: 'access_level',
    label: 'Jobs of',
    kind: 'select',
    options: [
      ['not_protected', 'All branches and tags'],
      ['ref_protected', 'Protected branches and tags'],
    ],
  },
  { name: 'maximum_timeout', label: 'Maximum job timeout in seconds', kind: 'number' },
  { name: 'maintenance_note', label: 'Note' },
];

const one = (id: string) => `/runners/${encodeURIComponent(id)}`;

type Kind = 'instance_type' | 'group_type' | 'project_type';

/** Runners of a project, group or the instance. The user creates a runner and starts it with its token. */
export function runners(
  kind: Kind,
  path: string,
  list: string,
  where: (api: string) => Record<string, unknown>,
): Collection {
  // The list of a project also contains the runners of its groups and of the instance.
  const isOfHere = ({ runner_type }: Entity) => kind === 'instance_type' || runner_type === kind;
  return {
    path,
    title: 'Runners',
    intro: 'Runners execute CI/CD jobs.',
    empty: 'No runners. Create one here, then start it with its token.',
    list,
    least: 40,
    item: (runner) =>
      html`<strong>${runner.description || `Runner ${runner.id}`}</strong> ${badge(runner.status ?? 'never_contacted')} ${runner.paused && badge('manual', 'paused')}<p class="muted">#${runner.id} · ${runner.runner_type?.replace('_type', '')} · ${runner.ip_address}</p>`,
    add: {
      title: 'New runner',
      button: 'Create runner',
      fields: kind === 'project_type' ? ofProject : fields,
      start: { run_untagged: true },
      to: '/user/runners',
      prepare: (sent, { api }) => ({ ...sent, runner_type: kind, ...where(api) }),
    },
    hasOwnAddresses: true,
    edit: {
      fields: changed,
      method: 'PUT',
      path: one,
      when: isOfHere,
    },
    buttons: {
      pause: {
        text: 'Pause',
        method: 'PUT',
        path: one,
        sent: { paused: true },
        when: (runner) => isOfHere(runner) && !runner.paused,
      },
      resume: {
        text: 'Go on',
        method: 'PUT',
        path: one,
        sent: { paused: false },
        when: (runner) => isOfHere(runner) && runner.paused,
      },
      remove: { text: 'Delete', method: 'DELETE', path: one, when: isOfHere },
    },
    secret: (created, context) => secretNotice(created.token, howToStart(context, created.token)),
  };
}
