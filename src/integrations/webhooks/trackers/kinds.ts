import type { IntegrationKind, Problems } from '../integrations/kind.ts';
import type { SettingName, Settings } from '../integrations/settings.ts';
import { webAddressProblem } from '../integrations/web-address.ts';

/** An external issue tracker. */
export interface TrackerKind extends IntegrationKind {
  readonly isTracker: true;
  /** Returns the URL of the issue that a reference such as `#1` or `ABC-1` names, or undefined. */
  readonly issueUrl: (settings: Settings, written: string) => string | undefined;
}

const addresses = ['project_url', 'issues_url', 'new_issue_url'] as const satisfies readonly SettingName[];

function check(settings: Settings): Problems {
  const problems: Record<string, string[]> = {};
  for (const name of addresses) {
    const text = settings[name];
    const wrong = text === undefined ? undefined : webAddressProblem(text.replaceAll(':id', '1'));
    if (wrong !== undefined) problems[name] = [wrong];
  }
  const { issues_url = ':id' } = settings;
  if (!issues_url.includes(':id')) problems.issues_url = ['must contain :id as placeholder for the issue ID'];
  return problems;
}

/** Extracts the issue ID with the first matching pattern. */
const issueBy =
  (...patterns: readonly RegExp[]): TrackerKind['issueUrl'] =>
  ({ issues_url = '' }, written) => {
    for (const pattern of patterns) {
      const id = pattern.exec(written)?.[1];
      if (id !== undefined) return issues_url.replaceAll(':id', () => encodeURIComponent(id));
    }
    return undefined;
  };

const tracker = {
  switches: [],
  required: addresses,
  takes: addresses,
  defaults: {},
  address: () => '',
  check,
  isTracker: true,
} as const;
const withoutForm = {
  ...tracker,
  required: ['project_url', 'issues_url'],
  takes: ['project_url', 'issues_url'],
} as const;
/** Matches `#12`, or `ABC-12` where `#12` may be an issue of the project itself. */
const numbered = issueBy(/^#(\d+)$/, /^[A-Z][A-Z0-9_]*-(\d+)$/);

/** Trackers that are only linked to. */
export const trackerKinds = {
  redmine: { title: 'Redmine', ...tracker, issueUrl: numbered },
  bugzilla: { title: 'Bugzilla', ...tracker, issueUrl: numbered },
  'custom-issue-tracker': { title: 'Custom issue tracker', ...tracker, issueUrl: numbered },
  ewm: {
    title: 'EWM',
    ...tracker,
    issueUrl: issueBy(/^(?:bug|task|defect|rtcwi|work ?item) (\d+)$/i),
  },
  youtrack: { title: 'JetBrains YouTrack', ...withoutForm, issueUrl: issueBy(/^([A-Za-z][A-Za-z0-9_]*-\d+)$/) },
  clickup: {
    title: 'ClickUp',
    ...withoutForm,
    issueUrl: issueBy(/^#(\d+)$/, /^CU-([a-z0-9]+)$/, /^([A-Z][A-Z0-9_]{1,9}-\d+)$/),
  },
} as const satisfies Record<string, TrackerKind>;
