import type { Field } from '../forms/fields.ts';

export const branches: Field = {
  name: 'branches_to_be_notified',
  label: 'Branches',
  kind: 'select',
  options: [
    ['default', 'The default branch'],
    ['protected', 'Protected branches'],
    ['default_and_protected', 'The default branch and protected ones'],
    ['all', 'All'],
  ],
};
export const broken: Field = {
  name: 'notify_only_broken_pipelines',
  label: 'Of pipelines those that fail alone',
  kind: 'check',
};

const recipients: Field = {
  name: 'recipients',
  label: 'Addresses',
  kind: 'area',
  required: true,
  hint: 'Of those who get the emails, parted by blanks or lines; whoever they are, they read what stands in them',
};

const address = (name: string, label: string, hint?: string): Field => ({
  name,
  label,
  kind: 'url',
  required: true,
  ...(hint === undefined ? {} : { hint }),
});
const linked = [
  address('project_url', 'Address of the project'),
  address('issues_url', 'Address of an issue', 'With :id where its number stands'),
];
const tracker = [...linked, address('new_issue_url', 'Address where issues are opened')];

const jira: readonly Field[] = [
  address('url', 'Address of Jira'),
  { name: 'api_url', label: 'Address of its API', kind: 'url', hint: 'Where it is another one' },
  {
    name: 'jira_auth_type',
    label: 'Signs in by',
    kind: 'rank',
    options: [
      ['0', 'A name and a password, or a token in its place'],
      ['1', 'A personal access token alone'],
    ],
  },
  { name: 'username', label: 'Name or address of the user' },
  { name: 'password', label: 'Password or token', kind: 'password', hint: 'Empty leaves it as it is' },
  { name: 'commit_events', label: 'Hears of commits', kind: 'check' },
  { name: 'merge_requests_events', label: 'Hears of merge requests', kind: 'check' },
  { name: 'comment_on_event_enabled', label: 'Gets a comment of each', kind: 'check' },
  {
    name: 'jira_issue_transition_automatic',
    label: 'Issues that are closed here go to the first state that is an end',
    kind: 'check',
  },
  { name: 'jira_issue_transition_id', label: 'Or by these transitions', hint: 'Numbers parted by commas' },
  { name: 'jira_issue_regex', label: 'How keys are written', hint: 'As [A-Z]+-[0-9]+, where it is not the usual way' },
  { name: 'jira_issue_prefix', label: 'What stands before them' },
];

/** Integrations with their own settings page, by slug. */
export const kinds: Readonly<Record<string, { readonly title: string; readonly fields: readonly Field[] }>> = {
  'emails-on-push': {
    title: 'Emails on push',
    fields: [
      recipients,
      branches,
      { name: 'push_events', label: 'Of branches', kind: 'check' },
      { name: 'tag_push_events', label: 'Of tags', kind: 'check' },
      { name: 'disable_diffs', label: 'Without what was changed', kind: 'check' },
      {
        name: 'send_from_committer_email',
        label: 'From whoever pushed, if their address is of the domain of this server',
        kind: 'check',
      },
    ],
  },
  'pipelines-email': { title: 'Pipeline status emails', fields: [recipients, branches, broken] },
  jira: { title: 'Jira', fields: jira },
  redmine: { title: 'Redmine', fields: tracker },
  bugzilla: { title: 'Bugzilla', fields: tracker },
  'custom-issue-tracker': { title: 'Another issue tracker', fields: tracker },
  ewm: { title: 'EWM', fields: tracker },
  youtrack: { title: 'YouTrack', fields: linked },
  clickup: { title: 'ClickUp', fields: linked },
};
