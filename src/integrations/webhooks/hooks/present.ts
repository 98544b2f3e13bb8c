import type { Services } from '../../../access/services.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import { alertStatus } from '../disabling.ts';
import { readSwitches } from '../events.ts';
import type { WebhookRow } from '../tables.ts';
import { switchesOf } from './owner.ts';
import type { HookEntity } from './schema.ts';
import { openSecrets } from './secrets.ts';

/** Presents a webhook without its secrets; their names are included only for a single webhook. */
export function presentHook(services: Services, hook: WebhookRow, withKeys: boolean): HookEntity {
  const on = new Set(readSwitches(hook.events));
  const status = alertStatus(hook);
  const keysOf = (column: 'url_variables' | 'custom_headers') =>
    Object.keys(openSecrets(services, hook, column)).map((key) => ({ key }));
  return {
    id: hook.id,
    url: hook.url,
    name: hook.name,
    description: hook.description,
    created_at: instant(hook.created_at),
    ...Object.fromEntries(switchesOf(hook).map((name) => [name, on.has(name)])),
    enable_ssl_verification: hook.enable_ssl_verification === 1,
    ...(hook.project_id === null && hook.namespace_id === null ? { organization_id: 1 } : {}),
    alert_status: status,
    disabled_until: status === 'temporarily_disabled' ? instantOrNull(hook.disabled_until) : null,
    push_events_branch_filter: hook.push_events_branch_filter,
    branch_filter_strategy: hook.branch_filter_strategy,
    custom_webhook_template: hook.custom_webhook_template,
    ...(withKeys ? { url_variables: keysOf('url_variables'), custom_headers: keysOf('custom_headers') } : {}),
    token_present: hook.token !== null,
    signing_token_present: hook.signing_token !== null,
    ...(hook.project_id === null ? {} : { project_id: hook.project_id }),
    ...(hook.namespace_id === null ? {} : { group_id: hook.namespace_id }),
  };
}
