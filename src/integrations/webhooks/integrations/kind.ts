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
  'job_events',
  'wiki_page_events',
  'deployment_events',
] as const;
export type SwitchName = (typeof switchNames)[number];

/** Commit events are triggered by pushes. */
export const triggeredBy = (name: SwitchName): EventSwitch => (name === 'commit_events' ? 'push_events' : name);

export type SecretName = 'webhook' | 'token' | 'password' | 'api_key';

/** Validation errors by setting. */
export type Problems = Readonly<Record<string, readonly string[]>>;

/** An event to be reported. */
export interface ReportedEvent {
  /** Name of the webhook event. */
  readonly trigger: string;
  readonly payload: unknown;
  /** The same for every attempt. */
  readonly idempotencyKey: string;
}

/** The request with which an integration reports an event. */
export interface IntegrationRequest {
  readonly body: object;
  readonly method?: 'PUT';
  /** Appended to the URL; contains no secrets. */
  readonly suffix?: string;
  /** The `Authorization` header. */
  readonly authorization?: string;
}

/** A kind of integration. */
export interface IntegrationKind {
  readonly title: string;
  /** The events it supports. */
  readonly switches: readonly SwitchName[];
  /** Its secret. */
  readonly secret?: SecretName;
  readonly required: readonly (SecretName | SettingName)[];
  /** Its settings, in display order. */
  readonly takes: readonly SettingName[];
  /** Default settings. */
  readonly defaults: Settings;
  /** What its secret consists of; by default, what a header may contain. */
  readonly secretPattern?: RegExp;
  /** URL of its requests, with `{name}` for the secret; empty if it sends none. */
  readonly address: (settings: Settings) => string;
  /** The setting that an invalid URL is reported for. */
  readonly addressedBy?: SecretName | SettingName;
  /** Additional validation. */
  readonly check?: (settings: Settings) => Problems;
  /** Whether it is an issue tracker; only one can be active at a time. */
  readonly isTracker?: true;
}
