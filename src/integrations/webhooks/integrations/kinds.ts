import { chatKinds } from '../chats/kinds.ts';
import { emailKinds } from '../emails/kinds.ts';
import { externalServices } from '../external-services/kinds.ts';
import { jira } from '../jira/kind.ts';
import { type TrackerKind, trackerKinds } from '../trackers/kinds.ts';
import type { IntegrationKind } from './kind.ts';

/** All integrations by slug. */
const kinds: Readonly<Record<string, IntegrationKind>> = {
  ...chatKinds,
  ...emailKinds,
  ...externalServices,
  ...trackerKinds,
  jira,
};
const trackers: Readonly<Record<string, TrackerKind>> = { ...trackerKinds, jira };

export function integrationKind(slug: string): IntegrationKind | undefined {
  return Object.hasOwn(kinds, slug) ? kinds[slug] : undefined;
}

export function trackerKind(slug: string): TrackerKind | undefined {
  return Object.hasOwn(trackers, slug) ? trackers[slug] : undefined;
}
