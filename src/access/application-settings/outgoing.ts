import { readAllowList } from '../../platform/egress/allow-list.ts';
import { flag, names, text, whole } from './setting.ts';

function isAllowList(entries: readonly string[]): boolean {
  try {
    readAllowList(entries);
    return true;
  } catch {
    return false;
  }
}

/** What leaves the server, and what it says. */
export const outgoing = {
  maintenance_mode: flag(
    false,
    'Nobody writes by the API or by git, except administrators who change settings. What runs in the background goes on.',
  ),
  maintenance_mode_message: text('What people are told meanwhile, on every page and when they push.', (said) =>
    said !== null && said.length > 255 ? 'is too long (maximum is 255 characters)' : undefined,
  ),
  silent_mode_enabled: flag(false, 'No email is sent and no webhook called; what is due meanwhile is dropped.'),
  allow_local_requests_from_web_hooks_and_services: flag(
    (config) => config.allowLocalEgress,
    'Webhooks, mirrors and imports reach private and loopback addresses; unless it is set, where the server was told.',
  ),
  allow_local_requests_from_system_hooks: flag(
    (config) => config.allowLocalEgress,
    'System hooks reach private and loopback addresses; unless it is set, where the server was told.',
  ),
  outbound_local_requests_whitelist: names(
    'Hosts and address ranges that are reached even if private; unless it is set, those that the server was told.',
    (config) => config.egressAllow,
    (entries) => (isAllowList(entries) ? undefined : 'must hold hosts, addresses and ranges of addresses only'),
  ),
  allow_all_integrations: flag(
    true,
    'Projects and groups use every integration; off, those of `allowed_integrations` alone. What is set up besides stays, and does nothing.',
  ),
  allowed_integrations: names('The integrations that are used while `allow_all_integrations` is off, such as `jira`.'),
  html_emails_enabled: flag(true, 'Emails are sent in HTML beside plain text.'),
  email_additional_text: text('What stands at the end of every email.', (said) =>
    said !== null && said.length > 10_000 ? 'is too long (maximum is 10000 characters)' : undefined,
  ),
  rate_limiting_response_text: text('What is answered to who asks too often; null for "Retry later".', (said) =>
    said !== null && said.length > 1000 ? 'is too long (maximum is 1000 characters)' : undefined,
  ),
  security_txt_content: text('What `/.well-known/security.txt` says; null where there is none.', (said) =>
    said !== null && said.length > 2048 ? 'is too long (maximum is 2048 characters)' : undefined,
  ),
  wiki_page_max_content_bytes: whole(5_242_880, 'Largest page of a wiki that the API writes.', [1024, 52_428_800]),
};
