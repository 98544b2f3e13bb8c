import type { EventSwitch } from '../events.ts';
import type { SettingName, Settings } from './settings.ts';

/** What integrations can be told of, by the names of the parameters that switch it on. */
export const switchNames = [
  'push_events',
  'tag_push_events',
  'commit_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'note_events',
  'confidential_note_events',
  'pipeline_events',
  'wiki_page_events',
  'deployment_events',
] as const;
export type SwitchName = (typeof switchNames)[number];

/** Commits are heard of when they are pushed. */
export const heardBy = (name: SwitchName): EventSwitch => (name === 'commit_events' ? 'push_events' : name);

export type SecretName = 'webhook' | 'token' | 'password';

/** What is wrong with settings, by the name of each. */
export type Problems = Readonly<Record<string, readonly string[]>>;

/** Something outside that a project or a group can be connected with. */
export interface IntegrationKind {
  readonly title: string;
  /** All that it can be told of. */
  readonly switches: readonly SwitchName[];
  /** What it must not be sent anywhere without. */
  readonly secret?: SecretName;
  readonly required: readonly (SecretName | SettingName)[];
  /** The settings that it has, in the order in which they are shown. */
  readonly takes: readonly SettingName[];
  /** What settings are until somebody sets them. */
  readonly defaults: Settings;
  /** Where its requests go, with `{name}` where the secret stands; empty for what sends none. */
  readonly address: (settings: Settings) => string;
  /** The setting to name when that address is none to send to. */
  readonly addressedBy?: SecretName | SettingName;
  /** Rules that are its own. */
  readonly check?: (settings: Settings) => Problems;
  /** Keeps the issues of a project: of these one can be used at a time. */
  readonly isTracker?: true;
}
