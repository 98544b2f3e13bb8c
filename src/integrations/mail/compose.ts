import type { Appearance } from '../../access/appearance.ts';
import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import { escapeHtml } from '../../platform/http/responses/html.ts';
import type { Email } from '../../platform/mail/mail.ts';

/** The content of an e-mail before it is rendered. */
export interface Draft {
  readonly to: string;
  readonly subject: string;
  /** Paragraphs. */
  readonly says: readonly string[];
  /** Lines of code below the paragraphs. */
  readonly code?: string;
  readonly link?: { readonly text: string; readonly url: string };
  /** Why the recipient gets the e-mail. */
  readonly reason: string;
  readonly id: string;
  readonly thread?: string;
  readonly from?: Email['from'];
  readonly replyTo?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Unsubscribe URL. */
  readonly unsubscribe?: string;
}

/** Renders an e-mail as plain text and HTML. */
export function composeEmail({ says, code, link, reason, unsubscribe, headers = {}, ...rest }: Draft): Email {
  const end = unsubscribe === undefined ? reason : `${reason}\nUnsubscribe: ${unsubscribe}`;
  const lines = code === undefined ? [] : [code];
  const text = [...says, ...lines, ...(link ? [`${link.text}: ${link.url}`] : []), `-- \n${end}`].join('\n\n');
  const paragraphs = says.map((each) => `<p style="white-space: pre-wrap">${escapeHtml(each)}</p>`);
  const anchor = link ? [`<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.text)}</a></p>`] : [];
  const stop = unsubscribe === undefined ? '' : ` <a href="${escapeHtml(unsubscribe)}">Unsubscribe</a>`;
  const block = lines.map((each) => `<pre>${escapeHtml(each)}</pre>`);
  const html = [...paragraphs, ...block, ...anchor, `<hr><p><small>${escapeHtml(reason)}${stop}</small></p>`].join(
    '\n',
  );
  const listed = unsubscribe === undefined ? {} : oneClick(unsubscribe);
  return {
    ...rest,
    headers: { ...headers, ...listed },
    text,
    html: `<!doctype html>\n<html><body>\n${html}\n</body></html>\n`,
  };
}

/** Headers for one-click unsubscribing (RFC 8058). */
function oneClick(url: string): Readonly<Record<string, string>> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** Builds a message ID from the parts that make it unique and the host of the instance. */
export function messageId(externalUrl: string, ...parts: readonly (string | number)[]): string {
  return `${parts.join('-')}@${new URL(externalUrl).hostname}`;
}

/** Applies the instance settings to an e-mail: additional text, header and footer, and whether HTML is sent. */
export function withInstanceSettings(
  { html, ...message }: Email,
  settings: Pick<ApplicationSettings, 'email_additional_text' | 'html_emails_enabled'>,
  appearance: Pick<Appearance, 'email_header_and_footer_enabled' | 'header_message' | 'footer_message'>,
): Email {
  const shown = (message: string) => (appearance.email_header_and_footer_enabled ? message.trim() : '');
  const above = shown(appearance.header_message);
  const added = [settings.email_additional_text?.trim() ?? '', shown(appearance.footer_message)]
    .filter((part) => part !== '')
    .join('\n\n');
  const text = [above, message.text, added].filter((part) => part !== '').join('\n\n');
  if (html === undefined || !settings.html_emails_enabled) return { ...message, text };
  const paragraph = (footerLine: string) =>
    footerLine === '' ? '' : `<p style="white-space: pre-wrap"><small>${escapeHtml(footerLine)}</small></p>\n`;
  const framed = html
    .replace(/(?<=^<!doctype html>\n<html><body>\n)/, () => paragraph(above))
    .replace(/(?=<\/body><\/html>\s*$)/, () => paragraph(added));
  return { ...message, text, html: framed };
}
