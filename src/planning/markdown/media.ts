import { escapeHtml } from './html-tags.ts';

const videos = /\.(?:mp4|m4v|mov|webm|ogv)(?:[?#]|$)/i;
const sounds = /\.(?:mp3|oga|ogg|spx|wav)(?:[?#]|$)/i;

/** A film or sound that stands in a text as a picture does, with a link for those who cannot play it; nothing for a picture. */
export function drawMedia(source: string, alt: string, sizes: string): string | undefined {
  const kind = videos.test(source) ? 'video' : sounds.test(source) ? 'audio' : undefined;
  if (kind === undefined) return undefined;
  const [address, name] = [escapeHtml(source), escapeHtml(alt)];
  const size = kind === 'video' ? sizes || ' width="400"' : '';
  const player = `<${kind} src="${address}" controls="" preload="metadata" data-title="${name}"${size}></${kind}>`;
  return `<span class="media-container ${kind}-container">${player}<a href="${address}" title="Download '${name}'">${name}</a></span>`;
}
