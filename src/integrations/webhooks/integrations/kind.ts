import type { EventSwitch } from '../events.ts';
import type { SettingName, Settings } from './settings.ts';

/** All integration events, by parameter name. */
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

/** Commit events are triggered by pushes. */
export const triggeredBy = (name: SwitchName): EventSwitch => (name === 'commit_events' ? 'push_events' : name);

export type SecretName = 'webhook' | 'token' | 'password';

/** Validation errors by setting. */
export type Problems = Readonly<Record<string, readonly string[]>>;

/** A kind of integration. */
export interface IntegrationKind {
  readonly title: string;
  /** The events it supports. */
  readonly switches: readonly SwitchName[];
  /** The secret that it requires. */
  readonly secret?: SecretName;
  readonly required: readonly (SecretName | SettingName)[];
  /** Its settings, in display order. */
  readonly takes: readonly SettingName[];
  /** Default settings. */
  readonly defaults: Settings;
  /** URL of its requests, with `{name}` for the secret; empty if it sends none. */
  readonly address: (settings: Settings) => string;
  /** The setting that an invalid URL is reported for. */
  readonly addressedBy?: SecretName | SettingName;
  /** Additional validation. */
  readonly check?: (settings: Settings) => Problems;
  /** Whether it is an issue tracker; only one can be active at a time. */
  readonly isTracker?: true;
}
