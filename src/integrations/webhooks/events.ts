import Type from 'typebox';
import { storedJson } from '../../platform/stored-json.ts';

/** A webhook event: its name in the delivery header, and its name in the log. */
interface EventKind {
  readonly header: string;
  readonly trigger: string;
}

/** All webhook events by switch. */
export const eventKinds = {
  push_events: { header: 'Push Hook', trigger: 'push_hooks' },
  tag_push_events: { header: 'Tag Push Hook', trigger: 'tag_push_hooks' },
  merge_requests_events: { header: 'Merge Request Hook', trigger: 'merge_request_hooks' },
  repository_update_events: { header: 'Repository Update Hook', trigger: 'repository_update_hooks' },
  issues_events: { header: 'Issue Hook', trigger: 'issue_hooks' },
  confidential_issues_events: { header: 'Confidential Issue Hook', trigger: 'confidential_issue_hooks' },
  note_events: { header: 'Note Hook', trigger: 'note_hooks' },
  confidential_note_events: { header: 'Confidential Note Hook', trigger: 'confidential_note_hooks' },
  pipeline_events: { header: 'Pipeline Hook', trigger: 'pipeline_hooks' },
  wiki_page_events: { header: 'Wiki Page Hook', trigger: 'wiki_page_hooks' },
  deployment_events: { header: 'Deployment Hook', trigger: 'deployment_hooks' },
  feature_flag_events: { header: 'Feature Flag Hook', trigger: 'feature_flag_hooks' },
  job_events: { header: 'Job Hook', trigger: 'job_hooks' },
  releases_events: { header: 'Release Hook', trigger: 'release_hooks' },
  milestone_events: { header: 'Milestone Hook', trigger: 'milestone_hooks' },
  emoji_events: { header: 'Emoji Hook', trigger: 'emoji_hooks' },
  resource_access_token_events: { header: 'Resource Access Token Hook', trigger: 'resource_access_token_hooks' },
  vulnerability_events: { header: 'Vulnerability Hook', trigger: 'vulnerability_hooks' },
  subgroup_events: { header: 'Subgroup Hook', trigger: 'subgroup_hooks' },
  member_events: { header: 'Member Hook', trigger: 'member_hooks' },
  project_events: { header: 'Project Hook', trigger: 'project_hooks' },
} as const satisfies Record<string, EventKind>;

export type EventSwitch = keyof typeof eventKinds;

/** Parses the enabled events stored in a row. */
export const readSwitches = storedJson(Type.Array(Type.Enum(Object.keys(eventKinds) as EventSwitch[])));

/** The event of system hooks without a switch: users, keys, groups and projects. */
export const systemEvent: EventKind = { header: 'System Hook', trigger: 'system_hooks' };

const onlyInGroups: readonly EventSwitch[] = ['subgroup_events', 'member_events', 'project_events'];

/** The events of each kind of webhook, in display order. */
export const systemSwitches = [
  'push_events',
  'tag_push_events',
  'merge_requests_events',
  'repository_update_events',
] as const satisfies readonly EventSwitch[];
export const groupSwitches: readonly EventSwitch[] = Object.keys(eventKinds) as EventSwitch[];
export const projectSwitches: readonly EventSwitch[] = groupSwitches.filter((name) => !onlyInGroups.includes(name));

/** Events that can be tested. */
export const triedEvents = [
  'confidential_issues_events',
  'confidential_note_events',
  'deployment_events',
  'emoji_events',
  'feature_flag_events',
  'issues_events',
  'job_events',
  'merge_requests_events',
  'milestone_events',
  'note_events',
  'pipeline_events',
  'push_events',
  'releases_events',
  'resource_access_token_events',
  'tag_push_events',
  'wiki_page_events',
  'vulnerability_events',
] as const satisfies readonly EventSwitch[];
export type TriedEvent = (typeof triedEvents)[number];
