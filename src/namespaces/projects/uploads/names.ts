const embedded = /\.(png|jpe?g|gif|bmp|tiff?|ico|webp|svg|mp4|m4v|mov|webm|ogv|mp3|oga|ogg|spx|wav)$/i;
const pictures: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  bmp: 'image/bmp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  ico: 'image/vnd.microsoft.icon',
  webp: 'image/webp',
};

/**
 * Returns the file name under which an upload is stored: the last path segment without characters that need escaping in
 * a URL or Markdown.
 */
export function uploadName(filename: string): string {
  const last = filename.split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._+-]/gu, '_')
    .replace(/^\.+/, '_');
  if (plain === '') return 'file';
  // The extension identifies the file type, so long names are cut at the start.
  return plain.length > 255 ? plain.slice(-255) : plain;
}

/**
 * Returns the content type of files displayed in the browser; undefined for all others, which are downloaded.
 * Determined from the name only: with the type sent by the uploader, `text/html` under an image name would run as a
 * page of this origin.
 */
export function pictureType(filename: string): string | undefined {
  const ending = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(pictures, ending) ? pictures[ending] : undefined;
}

/** Returns the Markdown that embeds or links the file. */
export function markdownFor(filename: string, url: string): { alt: string; markdown: string } {
  const shown = embedded.test(filename);
  const alt = shown ? filename.replace(/\.[^.]+$/, '') : filename;
  return { alt, markdown: `${shown ? '!' : ''}[${alt.replace(/[[\]]/g, '\\$&')}](${url})` };
}
