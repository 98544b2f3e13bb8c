import { instant } from '../../../platform/http/schema.ts';
import { readSwitches } from '../events.ts';
import type { WebhookRow } from '../tables.ts';
import type { IntegrationKind } from './kind.ts';
import { flagsOf, type IntegrationDetailEntity, type IntegrationEntity } from './schema.ts';
import { settingsOf } from './settings.ts';

/** Presents an integration in a list; without a row, it is not set up. */
export function presentIntegration(
  slug: string,
  kind: IntegrationKind,
  row: WebhookRow | undefined,
  inherited: boolean,
): IntegrationEntity {
  return {
    id: row?.id ?? null,
    title: kind.title,
    slug,
    created_at: row ? instant(row.created_at) : null,
    updated_at: row ? instant(row.updated_at) : null,
    active: row?.active === 1,
    ...flagsOf(kind, row ? readSwitches(row.events) : []),
    comment_on_event_enabled:
      (row && settingsOf(row).comment_on_event_enabled) ?? kind.defaults.comment_on_event_enabled ?? false,
    inherited,
  };
}

/** Presents an integration with its settings, without secrets. */
export function presentDetail(
  slug: string,
  kind: IntegrationKind,
  row: WebhookRow | undefined,
  inherited: boolean,
): IntegrationDetailEntity {
  const settings = row ? settingsOf(row) : {};
  const own = kind.takes
    .filter((name) => name !== 'channels' && name !== 'comment_on_event_enabled')
    .map((name) => [name, settings[name] ?? kind.defaults[name] ?? null]);
  return {
    ...presentIntegration(slug, kind, row, inherited),
    properties: { ...Object.fromEntries(own), ...settings.channels },
  };
}
