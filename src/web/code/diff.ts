import { escapeHtml } from '../../platform/http/html.ts';
import { inAddress } from '../frame/addresses.ts';
import type { Entity } from '../frame/api.ts';
import { count } from '../frame/format.ts';
import { type Html, html, trusted } from '../frame/html.ts';

/** One line of a diff. */
export interface DiffLine {
  readonly kind: 'hunk' | 'add' | 'del' | 'same' | 'note';
  readonly old?: number;
  readonly new?: number;
  readonly text: string;
}

/** Reads the hunks of one file. */
export function readDiff(diff: string): DiffLine[] {
  let [before, after] = [0, 0];
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line): DiffLine => {
      const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
      if (hunk) {
        [before, after] = [Number(hunk[1]), Number(hunk[2])];
        return { kind: 'hunk', text: line };
      }
      const text = line.slice(1);
      if (line.startsWith('+')) return { kind: 'add', new: after++, text };
      if (line.startsWith('-')) return { kind: 'del', old: before++, text };
      if (line.startsWith('\\')) return { kind: 'note', text: line };
      return { kind: 'same', old: before++, new: after++, text };
    });
}

const signs = { hunk: '', add: '+', del: '-', same: ' ', note: '' } as const;
const longestFile = 2_000;
const longestPage = 10_000;
const longestLine = 2_000;

function row({ kind, old, new: now, text }: DiffLine): string {
  const cut = text.length > longestLine ? `${text.slice(0, longestLine)} …` : text;
  return `<tr class="${kind}"><td class="num">${old ?? ''}</td><td class="num">${now ?? ''}</td><td>${signs[kind]}${escapeHtml(cut)}</td></tr>`;
}

/** The changes of some files; what would make the page too long is said instead of shown. */
export function diffFiles(
  files: readonly Entity[],
  { home, sha }: { readonly home: string; readonly sha: string },
): Html {
  let left = longestPage;
  const parts = files.map((file, at) => {
    const lines = file.diff === '' ? [] : readDiff(file.diff);
    const added = lines.filter(({ kind }) => kind === 'add').length;
    const removed = lines.filter(({ kind }) => kind === 'del').length;
    const fits = lines.length <= longestFile && lines.length <= left;
    if (fits) left -= lines.length;
    const name = file.renamed_file ? `${file.old_path} → ${file.new_path}` : file.new_path;
    const state = file.new_file ? 'new' : file.deleted_file ? 'deleted' : file.renamed_file ? 'renamed' : '';
    const link = file.deleted_file
      ? name
      : html`<a href="${home}/-/blob/${inAddress(`${sha}/${file.new_path}`)}">${name}</a>`;
    const inner =
      file.too_large || file.collapsed || !fits
        ? html`<p class="inner muted">Too large to be shown here.</p>`
        : lines.length === 0
          ? html`<p class="inner muted">Nothing to show: a binary file, or only its name or mode changed.</p>`
          : html`<div class="scroll"><table class="code">${trusted(lines.map(row).join(''))}</table></div>`;
    return html`<section class="box" id="file-${at + 1}"><header>${link} <span class="muted">${state} +${added} −${removed}</span></header>${inner}</section>`;
  });
  return html`<p class="muted">${count(files.length, 'file')}</p>${parts}`;
}
