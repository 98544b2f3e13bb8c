import { instant } from '../../../platform/http/schema.ts';
import { readSwitches } from '../events.ts';
import type { WebhookRow } from '../tables.ts';
import type { ChatKind } from './kinds.ts';
import { flagsOf, type IntegrationDetailEntity, type IntegrationEntity } from './schema.ts';
import { settingsOf } from './settings.ts';

/** A chat as lists show it; without a row, one that nobody has set up. */
export function presentChat(
  slug: string,
  { title }: ChatKind,
  row: WebhookRow | undefined,
  inherited: boolean,
): IntegrationEntity {
  return {
    id: row?.id ?? null,
    title,
    slug,
    created_at: row ? instant(row.created_at) : null,
    updated_at: row ? instant(row.updated_at) : null,
    active: row?.active === 1,
    ...flagsOf(new Set(row ? readSwitches(row.events) : [])),
    comment_on_event_enabled: false,
    inherited,
  };
}

/** The same with what was set for it. Secrets are not shown again. */
export function presentDetail(
  slug: string,
  kind: ChatKind,
  row: WebhookRow | undefined,
  inherited: boolean,
): IntegrationDetailEntity {
  const { channels, ...settings } = row ? settingsOf(row) : {};
  const shared = {
    notify_only_broken_pipelines: settings.notify_only_broken_pipelines ?? false,
    branches_to_be_notified: settings.branches_to_be_notified ?? 'default',
  };
  const own = kind.takes.filter((name) => name !== 'channels').map((name) => [name, settings[name] ?? null]);
  return {
    ...presentChat(slug, kind, row, inherited),
    properties: { ...shared, ...Object.fromEntries(own), ...channels },
  };
}
