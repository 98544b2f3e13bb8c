import { flag, text, whole } from './setting.ts';

/** What leaves the server, and what it says. */
export const outgoing = {
  silent_mode_enabled: flag(false, 'No letter is sent and no webhook called; what is due meanwhile is dropped.'),
  html_emails_enabled: flag(true, 'Letters are sent in HTML beside plain text.'),
  email_additional_text: text('What stands at the end of every letter.', (said) =>
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
