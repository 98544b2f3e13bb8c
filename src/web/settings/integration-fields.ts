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
  label: 'Failed pipelines only',
  kind: 'check',
};

const recipients: Field = {
  name: 'recipients',
  label: 'Addresses',
  kind: 'area',
  required: true,
  hint: 'Separated by spaces or lines; recipients need not have access to the project',
};

const address = (name: string, label: string, hint?: string): Field => ({
  name,
  label,
  kind: 'url',
  required: true,
  ...(hint === undefined ? {} : { hint }),
});
const linked = [
  address('project_url', 'Project URL'),
  address('issues_url', 'Issue URL', 'With :id as placeholder for the issue ID'),
];
const tracker = [...linked, address('new_issue_url', 'New issue URL')];

const jira: readonly Field[] = [
  address('url', 'Jira URL'),
  { name: 'api_url', label: 'Jira API URL', kind: 'url', hint: 'If different' },
  {
    name: 'jira_auth_type',
    label: 'Authentication',
    kind: 'rank',
    options: [
      ['0', 'Username and password or API token'],
      ['1', 'Personal access token'],
    ],
  },
  { name: 'username', label: 'Username or email' },
  { name: 'password', label: 'Password or token', kind: 'password', hint: 'Empty: unchanged' },
  { name: 'commit_events', label: 'Commits', kind: 'check' },
  { name: 'merge_requests_events', label: 'Merge requests', kind: 'check' },
  { name: 'comment_on_event_enabled', label: 'Comment on mentioned issues', kind: 'check' },
  {
    name: 'jira_issue_transition_automatic',
    label: 'Transition closed issues to the first done status',
    kind: 'check',
  },
  { name: 'jira_issue_transition_id', label: 'Transition IDs', hint: 'Comma-separated numbers' },
  { name: 'jira_issue_regex', label: 'Issue key pattern', hint: 'Such as [A-Z]+-[0-9]+; empty: default' },
  { name: 'jira_issue_prefix', label: 'Issue key prefix' },
];

interface Kind {
  readonly title: string;
  /** Initial values of an integration that is not set up. */
  readonly start?: Readonly<Record<string, unknown>>;
  readonly fields: readonly Field[];
}

/** Integrations with their own settings page, by slug. */
export const kinds: Readonly<Record<string, Kind>> = {
  'emails-on-push': {
    title: 'Emails on push',
    start: { branches_to_be_notified: 'all' },
    fields: [
      recipients,
      branches,
      { name: 'push_events', label: 'Of branches', kind: 'check' },
      { name: 'tag_push_events', label: 'Of tags', kind: 'check' },
      { name: 'disable_diffs', label: 'Without diffs', kind: 'check' },
      {
        name: 'send_from_committer_email',
        label: 'Send from the author’s address, if it is in the domain of this server',
        kind: 'check',
      },
    ],
  },
  'pipelines-email': {
    title: 'Pipeline status emails',
    start: { notify_only_broken_pipelines: true },
    fields: [recipients, branches, broken],
  },
  jira: { title: 'Jira', start: { comment_on_event_enabled: true }, fields: jira },
  redmine: { title: 'Redmine', fields: tracker },
  bugzilla: { title: 'Bugzilla', fields: tracker },
  'custom-issue-tracker': { title: 'Another issue tracker', fields: tracker },
  ewm: { title: 'EWM', fields: tracker },
  youtrack: { title: 'YouTrack', fields: linked },
  clickup: { title: 'ClickUp', fields: linked },
};
