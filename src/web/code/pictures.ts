import { encodePath } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';

/** Image files that browsers can show. */
export const pictures = /\.(png|jpe?g|gif|webp|bmp|ico|avif)$/i;

/** Whether git's diff says that the file is binary. */
export const isBinary = ({ diff }: Entity) => /^Binary files .* differ\n?$/.test(diff);

/** Shows the old and the new version of an image; undefined for other files. */
export function pictureDiff(
  file: Entity,
  { home, before, sha }: { readonly home: string; readonly before?: string | undefined; readonly sha: string },
): Html | undefined {
  if (!isBinary(file) || !pictures.test(file.new_path)) return undefined;
  const side = (name: string, commit: string, path: string) =>
    html`<figure class="picture"><figcaption class="muted">${name}</figcaption><img loading="lazy" src="${home}/-/raw/${encodePath(`${commit}/${path}`)}" alt="${path}, ${name.toLowerCase()}"></figure>`;
  const was = !file.new_file && before !== undefined && side('Before', before, file.old_path);
  const is = !file.deleted_file && side('After', sha, file.new_path);
  return html`<div class="inner pictures">${was}${is}</div>`;
}
