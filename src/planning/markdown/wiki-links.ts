import { escapeHtml } from './html-tags.ts';
import { type Repository, repositoryAddress } from './repository-links.ts';

const wikiLink = /\[\[([^[\]|\n]{1,255})(?:\|([^[\]|\n]{1,255}))?\]\]/g;
const picture = /\.(?:png|jpe?g|gif|svg|bmp|webp)$/i;

/** The slug of a wiki page with this title. */
const slugOf = (title: string) => encodeURI(title.trim().replace(/\s/g, '-'));

function renderLink(repository: Repository, words: string, target: string): string {
  const source = escapeHtml(repositoryAddress('image', slugOf(target), repository));
  if (picture.test(target)) return `<img src="${source}" alt="${escapeHtml(words)}">`;
  const page = target.startsWith('/') || /^https?:\/\//i.test(target) ? target : `/${target}`;
  return `<a href="${escapeHtml(repositoryAddress('link', slugOf(page), repository))}">${escapeHtml(words)}</a>`;
}

/**
 * Renders text of a wiki page, in which `[[Page]]` and `[[words|Page]]` link to pages and `[[file.png]]` shows an
 * image.
 */
export function renderWikiLinks(text: string, repository: Repository): string {
  let html = '';
  let done = 0;
  for (const { 0: whole, 1: first = '', 2: second, index } of text.matchAll(wikiLink)) {
    html += escapeHtml(text.slice(done, index)) + renderLink(repository, first.trim(), (second ?? first).trim());
    done = index + whole.length;
  }
  return html + escapeHtml(text.slice(done));
}
