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

/** The name under which an upload is kept: its last segment, with nothing that a URL or Markdown would trip over. */
export function uploadName(sent: string): string {
  const last = sent.split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._+-]/gu, '_')
    .replace(/^\.+/, '_');
  if (plain === '') return 'file';
  // The ending says what the file is, so a long name loses its beginning.
  return plain.length > 255 ? plain.slice(-255) : plain;
}

/**
 * The type of a file that a browser may show; undefined for all others, which are downloaded. By the name alone: the
 * uploader said the type, and `text/html` under the name of a picture would be a page of ours.
 */
export function pictureType(filename: string): string | undefined {
  const ending = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(pictures, ending) ? pictures[ending] : undefined;
}

/** What to write into a text to show the file, or to link to it. */
export function markdownFor(filename: string, url: string): { alt: string; markdown: string } {
  const shown = embedded.test(filename);
  const alt = shown ? filename.replace(/\.[^.]+$/, '') : filename;
  return { alt, markdown: `${shown ? '!' : ''}[${alt.replace(/[[\]]/g, '\\$&')}](${url})` };
}
