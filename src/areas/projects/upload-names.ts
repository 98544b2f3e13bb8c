const embedded = /\.(png|jpe?g|gif|bmp|tiff?|ico|webp|svg|mp4|m4v|mov|webm|ogv|mp3|oga|ogg|spx|wav)$/i;
const pictures = /\.(png|jpe?g|gif|bmp|tiff?|ico|webp)$/i;

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

/** May a browser show the file in a page? Anything that can run is downloaded instead. */
export function isPicture(filename: string): boolean {
  return pictures.test(filename);
}

/** What to write into a text to show the file, or to link to it. */
export function markdownFor(filename: string, url: string): { alt: string; markdown: string } {
  const shown = embedded.test(filename);
  const alt = shown ? filename.replace(/\.[^.]+$/, '') : filename;
  return { alt, markdown: `${shown ? '!' : ''}[${alt.replace(/[[\]]/g, '\\$&')}](${url})` };
}
