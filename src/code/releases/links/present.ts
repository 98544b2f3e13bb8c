import type { ReleaseLinkRow } from '../tables.ts';
import type { ReleaseLinkEntity } from './schema.ts';

/** Presents a link. A link with a `filepath` gets a permanent URL. */
export function presentLink(link: ReleaseLinkRow, url: string, tag: string): ReleaseLinkEntity {
  const { id, name, link_type, filepath } = link;
  const direct = filepath === null ? link.url : `${url}/-/releases/${encodeURIComponent(tag)}/downloads${filepath}`;
  return { id, name, url: link.url, direct_asset_url: direct, link_type };
}
