import { createRequire } from 'node:module';
import type { Settable } from './columns.ts';

const load = createRequire(import.meta.url);

const decoded: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** Strips HTML tags: clients display these fields without escaping. */
export function withoutTags(text: string): string {
  if (!text.includes('<')) return text;
  const sanitizeHtml = load('sanitize-html') as typeof import('sanitize-html');
  const bare = sanitizeHtml(text, { allowedTags: [], allowedAttributes: {} });
  return bare.replace(/&(?:amp|lt|gt|quot);/g, (entity) => decoded[entity] as string);
}

const plain = ['location', 'organization', 'website_url', 'linkedin', 'twitter', 'discord', 'github'] as const;
const alias = ['social_a', 'social_b', 'social_c', 'social_d'] as const;

/** Strips tags from the profile fields of a request. */
export function plainProfile<T extends Settable & { readonly name?: string }>(sent: T): T {
  const texts = ['name', ...plain, ...alias].flatMap((key) => {
    const value = (sent as Readonly<Record<string, unknown>>)[key];
    return typeof value === 'string' ? [[key, withoutTags(value)]] : [];
  });
  return { ...sent, ...Object.fromEntries(texts) };
}
