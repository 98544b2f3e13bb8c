import { escapeHtml } from '../../platform/http/responses/html.ts';
import type { Outcome, Visit } from './visit.ts';

interface Entry {
  readonly href: string;
  readonly title: string;
  readonly at: string;
  readonly author: string;
  readonly text: string;
}

/** Control characters that XML cannot represent. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const xml = (text: string) => escapeHtml(text.toWellFormed().replace(unwritable, ''));

/** Renders an Atom feed. */
export function atomFeed(
  { services, base }: Visit,
  feed: { readonly title: string; readonly href: string; readonly entries: readonly Entry[] },
): Outcome {
  const whole = (href: string) => xml(services.externalUrl + href.slice(base.length));
  const instant = (at: string) => new Date(at).toISOString();
  const [newest] = feed.entries;
  const entries = feed.entries.map(
    (entry) =>
      `<entry><id>${whole(entry.href)}</id><link href="${whole(entry.href)}"/><title>${xml(entry.title)}</title><updated>${instant(entry.at)}</updated><author><name>${xml(entry.author)}</name></author><content>${xml(entry.text)}</content></entry>`,
  );
  const content = `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>${xml(feed.title)}</title><id>${whole(feed.href)}</id><link rel="alternate" href="${whole(feed.href)}"/><updated>${instant(newest?.at ?? new Date(0).toISOString())}</updated>${entries.join('')}</feed>\n`;
  return { content, type: 'application/atom+xml; charset=utf-8' };
}
