import { inAddress } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';

/** Files that browsers show as pictures. */
export const pictures = /\.(png|jpe?g|gif|webp|bmp|ico|avif)$/i;

/** What git says instead of the lines of a file that has none. */
export const isBinary = ({ diff }: Entity) => /^Binary files .* differ\n?$/.test(diff);

/** A picture as it was beside what it has become; undefined for what is none. */
export function pictureDiff(
  file: Entity,
  { home, before, sha }: { readonly home: string; readonly before?: string | undefined; readonly sha: string },
): Html | undefined {
  if (!isBinary(file) || !pictures.test(file.new_path)) return undefined;
  const side = (name: string, commit: string, path: string) =>
    html`<figure class="picture"><figcaption class="muted">${name}</figcaption><img loading="lazy" src="${home}/-/raw/${inAddress(`${commit}/${path}`)}" alt="${path}, ${name.toLowerCase()}"></figure>`;
  const was = !file.new_file && before !== undefined && side('Before', before, file.old_path);
  const is = !file.deleted_file && side('After', sha, file.new_path);
  return html`<div class="inner pictures">${was}${is}</div>`;
}
