import { readAllowList } from '../../platform/egress/allow-list.ts';
import { flag, integerSetting, stringListSetting, text } from './setting.ts';

function isAllowList(entries: readonly string[]): boolean {
  try {
    readAllowList(entries);
    return true;
  } catch {
    return false;
  }
}

/** Settings of outgoing messages and requests, and their texts. */
export const outgoing = {
  maintenance_mode: flag(
    false,
    'The API and Git are read-only, except for administrators changing settings. Background jobs continue.',
  ),
  maintenance_mode_message: text('Message shown meanwhile, on every page and when pushing.', (value) =>
    value !== null && value.length > 255 ? 'is too long (maximum is 255 characters)' : undefined,
  ),
  silent_mode_enabled: flag(false, 'Send no emails and call no webhooks; what is due meanwhile is dropped.'),
  allow_local_requests_from_web_hooks_and_services: flag(
    (config) => config.allowLocalEgress,
    'Allow webhooks, mirrors and imports to reach private and loopback addresses; unless set, the startup setting.',
  ),
  allow_local_requests_from_system_hooks: flag(
    (config) => config.allowLocalEgress,
    'Allow system hooks to reach private and loopback addresses; unless set, the startup setting.',
  ),
  outbound_local_requests_whitelist: stringListSetting(
    'Private hosts and address ranges that may be reached; unless set, the startup setting.',
    (config) => config.egressAllow,
    (entries) => (isAllowList(entries) ? undefined : 'must hold hosts, addresses and ranges of addresses only'),
  ),
  allow_all_integrations: flag(
    true,
    'Allow all integrations; otherwise only `allowed_integrations`, and others that are set up do nothing.',
  ),
  allowed_integrations: stringListSetting(
    'Integrations allowed while `allow_all_integrations` is off, such as `jira`.',
  ),
  html_emails_enabled: flag(true, 'Send emails as HTML in addition to plain text.'),
  email_additional_text: text('Text at the end of every email.', (value) =>
    value !== null && value.length > 10_000 ? 'is too long (maximum is 10000 characters)' : undefined,
  ),
  rate_limiting_response_text: text('Response text for rate-limited requests; null for "Retry later".', (value) =>
    value !== null && value.length > 1000 ? 'is too long (maximum is 1000 characters)' : undefined,
  ),
  security_txt_content: text('Content of `/.well-known/security.txt`; null for none.', (value) =>
    value !== null && value.length > 2048 ? 'is too long (maximum is 2048 characters)' : undefined,
  ),
  wiki_page_max_content_bytes: integerSetting(
    5_242_880,
    'Maximum size of a wiki page written by the API.',
    [1024, 52_428_800],
  ),
};
