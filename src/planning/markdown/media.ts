import { escapeHtml } from './html-tags.ts';

const videos = /\.(?:mp4|m4v|mov|webm|ogv)(?:[?#]|$)/i;
const sounds = /\.(?:mp3|oga|ogg|spx|wav)(?:[?#]|$)/i;

/** Renders a video or audio file in image syntax as a player with a download link; undefined for an image. */
export function renderMedia(source: string, alt: string, sizes: string): string | undefined {
  const kind = videos.test(source) ? 'video' : sounds.test(source) ? 'audio' : undefined;
  if (kind === undefined) return undefined;
  const [address, name] = [escapeHtml(source), escapeHtml(alt)];
  const size = kind === 'video' ? sizes || ' width="400"' : '';
  const player = `<${kind} src="${address}" controls="" preload="metadata" data-title="${name}"${size}></${kind}>`;
  return `<span class="media-container ${kind}-container">${player}<a href="${address}" title="Download '${name}'">${name}</a></span>`;
}
